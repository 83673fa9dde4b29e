"""The settings, read once into frozen values, and the few places where memd's own things are.

The file is TOML; a file that is not there means defaults. Types are strict and names closed: to pass over a misspelt
setting in silence would be to break a promise in silence. `memd run` reads again on SIGHUP.
"""

import hashlib
import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import platformdirs
from pydantic import BaseModel, ConfigDict, Field, StrictStr, ValidationError
from pydantic_core import ErrorDetails

from memd.errors import ConfigError

_TOML_ARRAY = Field(strict=False)  # tomllib gives lists; a frozen value holds tuples
Strings = Annotated[tuple[StrictStr, ...], _TOML_ARRAY]


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")


class CheckpointSettings(_Table):
    """`[checkpoint]`: who writes checkpoints, and when a model may."""

    writer: Literal["extractive", "agent"] = "extractive"
    at: float = Field(default=0.8, gt=0, le=0.95, description="a fraction of the tool's own compaction threshold")
    model: str | None = Field(default=None, description="for the agent writer; none: the session's own model")
    runs_per_day: int = Field(default=20, ge=0)
    tokens_per_day: int = Field(default=1_000_000, ge=0, description="input tokens")


class InjectSettings(_Table):
    """`[inject]`: what is given back."""

    max_tokens: int | None = Field(
        default=None, ge=1, description="raw o200k tokens; none: the smaller of 12,000 and 8 % of the window"
    )
    startup_line: bool = Field(default=True, description="name the session before at an interactive start")


class ConstraintsSettings(_Table):
    """`[constraints]`: how often the project's constraints are put into the context."""

    every: Literal["needed", "turn"] = "needed"


class ReceiptSettings(_Table):
    """`[receipt]`: whether the agent is asked to say the checkpoint's code."""

    ask: bool = False


class TrustSettings(_Table):
    """`[trust]`: programs (IDEs) whose prompts are taken for the person's typing."""

    hosts: Strings = ()


class LogSettings(_Table):
    """`[log]`."""

    level: Literal["debug", "info", "warning", "error"] = "info"


class Config(_Table):
    """All settings. `model_fields_set`, here and in each table, says what the file has set; see `settings`."""

    tools: Strings = Field(default=(), description="the tools to watch; none named: all that are found")
    ignore: Strings = Field(default=(), description="globs of directories whose sessions are not recorded")
    backfill_days: int = Field(default=30, ge=0)
    keep_days: int = Field(default=90, ge=1, description="pinned sessions are kept for ever")
    guard: bool = True
    checkpoint: CheckpointSettings = CheckpointSettings()
    inject: InjectSettings = InjectSettings()
    constraints: ConstraintsSettings = ConstraintsSettings()
    receipt: ReceiptSettings = ReceiptSettings()
    trust: TrustSettings = TrustSettings()
    log: LogSettings = LogSettings()


@dataclass(frozen=True)
class Paths:
    """Where memd's own things are, all absolute."""

    state: Path
    """The record, the checkpoints, the ready replies; `MEMD_STATE_DIR` or platformdirs' user state folder."""
    data: Path
    """The installed hook and the link to the interpreter; platformdirs' user data folder (on macOS the same folder)."""
    socket: Path
    config: Path
    log: Path


class Setting(NamedTuple):
    """One setting as `memd config` shows it: `checkpoint.at`, 0.8, and whether the file has set it."""

    key: str
    value: object
    origin: Literal["default", "file"]


def load(environ: Mapping[str, str]) -> tuple[Config, Paths]:
    """The settings and the places, by the process's environment.

    Raises:
        ConfigError: see `read`.
    """
    places = paths(environ)
    return read(places.config), places


def paths(environ: Mapping[str, str]) -> Paths:
    """The places alone, for what must work with a broken settings file too. Nothing is made or read.

    `environ` is asked for `MEMD_STATE_DIR`, `MEMD_CONFIG` and `MEMD_SOCKET` (an empty one is none); platformdirs asks
    the process's own environment for `XDG_*`.
    """
    home = platformdirs.PlatformDirs("memd", appauthor=False)
    state = _chosen(environ, "MEMD_STATE_DIR") or home.user_state_path
    return Paths(
        state=state,
        data=home.user_data_path,
        socket=_chosen(environ, "MEMD_SOCKET") or socket_path(state, os.getuid()),
        config=_chosen(environ, "MEMD_CONFIG") or home.user_config_path / "config.toml",
        log=state / "memd.log",
    )


def _chosen(environ: Mapping[str, str], name: str) -> Path | None:
    """Absolute, because the daemon and the commands have different current directories."""
    value = environ.get(name)
    return Path(value).expanduser().absolute() if value else None


def socket_path(state: Path, uid: int) -> Path:
    """The daemon's socket: in the state folder, or in a private one in /tmp where the path would be too long.

    The limit is 100 bytes: the system's is 104 (macOS) or 108 (Linux) with the closing zero.
    """
    path = state / "memd.sock"
    if len(os.fsencode(path)) < 100:
        return path
    digest = hashlib.sha256(os.fsencode(state)).hexdigest()[:8]
    return Path(f"/tmp/memd-{uid}/{digest}.sock")  # noqa: S108  made 0700, and refused where another user owns it


def read(path: Path) -> Config:
    """The settings in this file; the defaults where there is none.

    Raises:
        ConfigError: it cannot be read, is not TOML, or has a key or value that is not allowed. One line with the file,
            the key, what is allowed, and what is there.
    """
    try:
        return Config.model_validate(_toml(path))
    except ValidationError as error:
        faults = error.errors(include_url=False)
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        raise ConfigError(f"{path}: {_describe(faults[0])}{more}") from error


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:  # of UTF-8 or of TOML
        raise ConfigError(f"{path}: is not TOML: {error}") from error


def _describe(fault: ErrorDetails) -> str:
    *table, last = fault["loc"]
    key = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in fault["loc"]).removeprefix(".")
    match fault["type"]:
        case "extra_forbidden":
            return f"{key}: no such setting; allowed here: {', '.join(_allowed(table))}"
        case "model_type":
            return f"{key}: should be a table [{last}] of {', '.join(_allowed(fault['loc']))}"
        case "tuple_type":
            wanted = "should be a list of strings"
        case _:
            wanted = fault["msg"].removeprefix("Input ")
    return f"{key}: {wanted}, not {fault['input']!r:.60}"


def _allowed(table: Iterable[int | str]) -> list[str]:
    values: Any = Config()
    for name in table:
        values = getattr(values, str(name))
    return list(type(values).model_fields)


def settings(config: Config) -> Iterator[Setting]:
    """Every setting in the order of the code, those of a table after its name and a dot."""
    return _walk(config, "")


def _walk(table: BaseModel, prefix: str) -> Iterator[Setting]:
    for name in type(table).model_fields:
        value = getattr(table, name)
        if isinstance(value, BaseModel):
            yield from _walk(value, f"{prefix}{name}.")
        else:
            yield Setting(prefix + name, value, "file" if name in table.model_fields_set else "default")
