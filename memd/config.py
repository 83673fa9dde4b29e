"""The settings, read once into frozen values, and the few places where memd's own things are.

The file is TOML; a file that is not there means defaults. Types are strict and names closed: to pass over a misspelt
setting in silence would be to break a promise in silence. `memd run` reads again on SIGHUP.

Each command pays for what it imports before it does anything, so the tables below are plain dataclasses; pydantic checks
a file where there is one.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from platformdirs import PlatformDirs

from memd.errors import ConfigError

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic_core import ErrorDetails

Strings = tuple[str, ...]


def _number(default: float | None, **limits: float) -> Any:
    """A number in a range: pydantic's `gt`, `ge`, `le`."""
    return field(default=default, metadata=limits)


@dataclass(frozen=True)
class CheckpointSettings:
    """`[checkpoint]`: who writes checkpoints, and when a model may."""

    writer: Literal["extractive", "agent"] = "extractive"
    at: float = _number(0.8, gt=0, le=0.95)
    """A fraction of the tool's own compaction threshold."""
    price_step: int | None = _number(None, ge=1)
    """Tokens of a context above which the provider charges more: a model writes before, if that comes first."""
    model: str | None = field(default=None, metadata={"min_length": 1})
    """For the agent writer; none: the session's own model."""
    runs_per_day: int = _number(20, ge=0)
    tokens_per_day: int = _number(1_000_000, ge=0)
    """Input tokens."""


@dataclass(frozen=True)
class InjectSettings:
    """`[inject]`: what is given back."""

    max_tokens: int | None = _number(None, ge=1)
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

    hosts: Strings = field(default=(), metadata={"min_length": 1})


@dataclass(frozen=True)
class LogSettings:
    """`[log]`."""

    level: Literal["debug", "info", "warning", "error"] = "info"


@dataclass(frozen=True)
class Config:
    """All settings."""

    tools: Strings = ()
    """The tools to watch; none named: all that are found."""
    ignore: Strings = field(default=(), metadata={"pattern": r"^/|[^\s./]"})
    """Globs of directories whose sessions are not recorded."""
    backfill_days: int = _number(30, ge=0)
    keep_days: int = _number(90, ge=1)
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
    """The record, the checkpoints, the ready replies; `MEMD_STATE_DIR` or platformdirs' folder for a user's state."""
    data: Path
    """The installed hook and the link to the interpreter; platformdirs' folder for a user's data (on macOS the same one)."""
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

    `environ` is asked for `MEMD_STATE_DIR`, `MEMD_CONFIG` and `MEMD_SOCKET` (an empty one is none); platformdirs asks the
    process's own environment for `XDG_*`.

    Raises:
        ConfigError: a variable names no absolute path.
    """
    usual = _usual()
    state = _chosen(environ, "MEMD_STATE_DIR") or usual_state()
    return Paths(
        state=state,
        data=usual.user_data_path,
        socket=_chosen(environ, "MEMD_SOCKET") or socket_path(state, os.getuid()),
        config=_chosen(environ, "MEMD_CONFIG") or usual.user_config_path / "config.toml",
        log=state / "memd.log",
    )


def usual_state() -> Path:
    """The state folder where `MEMD_STATE_DIR` names none: nobody else has a reason to put anything there."""
    return _usual().user_state_path


def _usual() -> PlatformDirs:
    return PlatformDirs("memd", appauthor=False)


def _chosen(environ: Mapping[str, str], name: str) -> Path | None:
    """The place that a variable names; `~/` is the home. A relative one would be another place for each process.

    The hook and OpenCode's plugin, which read the same variables, give nothing then.
    """
    value = environ.get(name)
    if not value:
        return None
    path = Path.home() / value[2:] if value.startswith("~/") else Path(value)
    if not path.is_absolute():
        raise ConfigError(
            f"{name} is {value!r}: give an absolute path, since each process would look in its own directory"
        )
    return path


def socket_path(state: Path, uid: int) -> Path:
    """The daemon's socket: in the state folder, or in a private one in /tmp where the path would be too long.

    The limit is 100 bytes: the system's is 104 (macOS) or 108 (Linux) with the closing zero.
    """
    path = state / "memd.sock"
    if len(os.fsencode(path)) < 100:
        return path
    import hashlib  # noqa: PLC0415 - only for such a path

    digest = hashlib.sha256(os.fsencode(state)).hexdigest()[:8]
    return Path(f"/tmp/memd-{uid}/{digest}.sock")  # noqa: S108  made 0700, and refused where another user owns it


def read(path: Path) -> Config:
    """The settings in this file; the defaults where there is none.

    Raises ConfigError where it cannot be read, is not TOML, or has a key or value that is not allowed: one line with the file,
    the key, what is allowed, and what is there.
    """
    try:
        if path.is_fifo() or (path.is_char_device() and not path.samefile(os.devnull)):
            raise ConfigError(f"{path}: cannot be read: it is no plain file")  # it may never end
        return parse(path, path.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return Config()
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:  # of UTF-8
        raise ConfigError(f"{path}: is not TOML: {error}") from error


def parse(path: Path, text: str) -> Config:
    """The settings that a text says; `path` is named in what is raised, as by `read`."""
    import tomllib  # noqa: PLC0415 - only where there is a file

    try:
        found = tomllib.loads(text.removeprefix("\ufeff"))  # a byte order mark, as editors of other systems put one in
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: is not TOML: {error}") from error
    return _checked(path, found) if found else Config()


def _checked(path: Path, found: Mapping[str, Any]) -> Config:
    """The tables of a file as values; pydantic, which does the checking, is 60 ms to import, so only here."""
    from pydantic import ValidationError  # noqa: PLC0415

    try:
        model = _model(Config).model_validate(found)
    except ValidationError as error:
        faults = error.errors(include_url=False)
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        raise ConfigError(f"{path}: {_describe(faults[0])}{more}") from error
    given = set[str]()
    values = _values(Config, model, "", given)
    return Config(**values, given=frozenset(given))


def _model(kind: Any) -> "type[BaseModel]":
    """A table's dataclass as what pydantic checks: strict types, closed names."""
    from pydantic import ConfigDict, Field, StrictStr, create_model  # noqa: PLC0415

    tables: dict[str, Any] = {}
    for one in _fields(kind):
        if is_dataclass(one.type):
            tables[one.name] = (_model(one.type), one.default)
        elif one.type == Strings:  # tomllib gives lists; a frozen value holds tuples
            text = Annotated[StrictStr, Field(**one.metadata)]
            tables[one.name] = (tuple[text, ...], Field(one.default, strict=False))
        else:
            tables[one.name] = (one.type, Field(one.default, **one.metadata))
    made: type[BaseModel] = create_model(kind.__name__, __config__=ConfigDict(strict=True, extra="forbid"), **tables)
    return made


def _values(kind: Any, model: "BaseModel", prefix: str, given: set[str]) -> dict[str, Any]:
    """What the file set, for the table's dataclass; the keys go into `given`."""
    values: dict[str, Any] = {}
    for one in _fields(kind):
        if one.name in model.model_fields_set:
            key, value = prefix + one.name, getattr(model, one.name)
            if is_dataclass(one.type):
                values[one.name] = type(one.default)(**_values(one.type, value, f"{key}.", given))
            else:
                given.add(key)
                values[one.name] = value
    return values


def _describe(fault: "ErrorDetails") -> str:
    *table, last = fault["loc"]
    key = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in fault["loc"]).removeprefix(".")
    match fault["type"]:
        case "extra_forbidden":
            return f"{key}: no such setting; allowed here: {', '.join(_allowed(table))}"
        case "model_type":
            return f"{key}: should be a table [{last}] of {', '.join(_allowed(fault['loc']))}"
        case "tuple_type":
            wanted = "should be a list of strings"
        case "string_pattern_mismatch":
            wanted = "should be a name, or a path that begins with / or ~"
        case "string_unicode":
            wanted = "should be UTF-8"
        case _:
            wanted = fault["msg"].removeprefix("Input ").removeprefix("String ")
    return f"{key}: {wanted}, not {fault['input']!r:.60}"


def _allowed(table: Iterable[int | str]) -> list[str]:
    values: Any = Config()
    for name in table:
        values = getattr(values, str(name))
    return [one.name for one in _fields(values)]


def _fields(kind: Any) -> list[Any]:
    return [one for one in fields(kind) if one.metadata.get("setting", True)]


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
