"""The settings, read once into frozen values, and the few places where memd's own things are.

The file is TOML; a file that is not there means defaults. Types are strict and names closed: to pass over a misspelt
setting in silence would be to break a promise in silence. `memd run` reads again on SIGHUP.

Each command pays for what it imports before it does anything, so the tables below are plain dataclasses, and `_table` holds
the few checks that they need.
"""

import hashlib
import operator
import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import platformdirs

from memd.errors import ConfigError

Strings = tuple[str, ...]


def _number(
    default: float | None, *, above: float | None = None, least: int | None = None, most: float | None = None
) -> Any:
    """A number in a range; the limits are told where they are broken."""
    limits = {"less than or equal to": most, "greater than": above, "greater than or equal to": least}
    return field(default=default, metadata={name: limit for name, limit in limits.items() if limit is not None})


@dataclass(frozen=True)
class CheckpointSettings:
    """`[checkpoint]`: who writes checkpoints, and when a model may."""

    writer: Literal["extractive", "agent"] = "extractive"
    at: float = _number(0.8, above=0, most=0.95)
    """A fraction of the tool's own compaction threshold."""
    model: str | None = None
    """For the agent writer; none: the session's own model."""
    runs_per_day: int = _number(20, least=0)
    tokens_per_day: int = _number(1_000_000, least=0)
    """Input tokens."""


@dataclass(frozen=True)
class InjectSettings:
    """`[inject]`: what is given back."""

    max_tokens: int | None = _number(None, least=1)
    """Raw o200k tokens; none: the smaller of 12,000 and 8 % of the window."""
    startup_line: bool = True
    """Name the session before at an interactive start."""


@dataclass(frozen=True)
class ConstraintsSettings:
    """`[constraints]`: how often the project's constraints are put into the context."""

    every: Literal["needed", "turn"] = "needed"


@dataclass(frozen=True)
class ReceiptSettings:
    """`[receipt]`: whether the agent is asked to say the checkpoint's code."""

    ask: bool = False


@dataclass(frozen=True)
class TrustSettings:
    """`[trust]`: programs (IDEs) whose prompts are taken for the person's typing."""

    hosts: Strings = ()


@dataclass(frozen=True)
class LogSettings:
    """`[log]`."""

    level: Literal["debug", "info", "warning", "error"] = "info"


@dataclass(frozen=True)
class Config:
    """All settings."""

    tools: Strings = ()
    """The tools to watch; none named: all that are found."""
    ignore: Strings = ()
    """Globs of directories whose sessions are not recorded."""
    backfill_days: int = _number(30, least=0)
    keep_days: int = _number(90, least=1)
    """Pinned sessions are kept for ever."""
    guard: bool = True
    checkpoint: CheckpointSettings = CheckpointSettings()
    inject: InjectSettings = InjectSettings()
    constraints: ConstraintsSettings = ConstraintsSettings()
    receipt: ReceiptSettings = ReceiptSettings()
    trust: TrustSettings = TrustSettings()
    log: LogSettings = LogSettings()
    given: frozenset[str] = field(default=frozenset(), compare=False, metadata={"setting": False})
    """The keys that the file has set, with their tables: `checkpoint.at`."""


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
    given: set[str] = set()
    faults: list[str] = []
    values = _table(Config, _toml(path), "", given, faults)
    if faults:
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        raise ConfigError(f"{path}: {faults[0]}{more}")
    return Config(**values, given=frozenset(given))


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:  # of UTF-8 or of TOML
        raise ConfigError(f"{path}: is not TOML: {error}") from error


def _table(kind: Any, found: Mapping[str, Any], prefix: str, given: set[str], faults: list[str]) -> dict[str, Any]:
    """The values of one table for its dataclass; which keys were there, and what is wrong with them, goes into the lists."""
    known = {one.name: one for one in _fields(kind)}
    values: dict[str, Any] = {}
    for name, value in found.items():
        key = prefix + name
        inner: Any = known[name].type if name in known else None
        if name not in known:
            faults.append(f"{key}: no such setting; allowed here: {', '.join(known)}")
        elif (nested := is_dataclass(inner)) and not isinstance(value, dict):
            faults.append(f"{key}: should be a table [{name}] of {', '.join(one.name for one in _fields(inner))}")
        elif nested:
            values[name] = inner(**_table(inner, value, f"{key}.", given, faults))
        elif fault := _fault(inner, known[name].metadata, key, value):
            faults.append(fault)
        else:
            given.add(key)
            values[name] = tuple(value) if isinstance(value, list) else value
    return values


def _fields(kind: Any) -> list[Any]:
    return [one for one in fields(kind) if one.metadata.get("setting", True)]


def _fault(kind: Any, limits: Mapping[str, float], key: str, value: Any) -> str | None:
    """What is wrong with a value, as a line; None when it is one of those that are allowed."""
    wanted = _wanted(kind, limits, value)
    if wanted is None and isinstance(value, list):
        place, value = next(((n, one) for n, one in enumerate(value) if not isinstance(one, str)), (None, None))
        key, wanted = (f"{key}[{place}]", "a valid string") if place is not None else (key, None)
    return None if wanted is None else f"{key}: should be {wanted}, not {value!r:.60}"


_PASSES = {"less than or equal to": operator.le, "greater than": operator.gt, "greater than or equal to": operator.ge}
_NAMES = {bool: "a valid boolean", int: "a valid integer", float: "a valid number", str: "a valid string"}


def _wanted(kind: Any, limits: Mapping[str, float], value: Any) -> str | None:
    """What a setting of this type should be, where this value is not it."""
    if kind == Strings:
        return None if isinstance(value, list) else "a list of strings"
    choices = get_args(kind)
    if choices and isinstance(choices[0], str):
        return None if value in choices else _either([repr(one) for one in choices])
    plain = choices[0] if choices else kind  # `int | None`: TOML knows no null
    fits = (int, float) if plain is float else plain
    if not isinstance(value, fits) or (plain is not bool and isinstance(value, bool)):
        return _NAMES[plain]
    return next((f"{name} {limit}" for name, limit in limits.items() if not _PASSES[name](value, limit)), None)


def _either(words: list[str]) -> str:
    return f"{', '.join(words[:-1])} or {words[-1]}"


def settings(config: Config) -> Iterator[Setting]:
    """Every setting in the order of the code, those of a table after its name and a dot."""
    return _walk(config, "", config.given)


def _walk(table: Any, prefix: str, given: frozenset[str]) -> Iterator[Setting]:
    for one in _fields(table):
        key, value = prefix + one.name, getattr(table, one.name)
        if is_dataclass(value):
            yield from _walk(value, f"{key}.", given)
        else:
            yield Setting(key, value, "file" if key in given else "default")
