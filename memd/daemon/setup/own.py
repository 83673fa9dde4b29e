"""memd's own settings file, where a command writes into it: answers to `memd install`, and `memd config KEY VALUE`.

The text is edited (`toml`). A line that is an answer says where it comes from, and by that it is known again when it has to
go; what the person wrote, or had `memd config` write, is theirs and stays.
"""

import re
import stat
from collections.abc import Callable, Mapping
from pathlib import Path

from memd import config
from memd.config import Config, Paths
from memd.daemon.setup import ledger as ledgers
from memd.daemon.setup import toml
from memd.daemon.setup.ledger import Ledger, Written
from memd.daemon.setup.trouble import refused
from memd.errors import ConfigError, Refused
from memd.files import private_dir, read_bytes_or_none, write_atomic
from memd.tools.registry import enabled

OWNER = "memd"
NOTE = "answered to memd install"

_LINE = re.compile(rb"^\w+(?:\.\w+)* = .*  # answered to memd install\r?\n", re.MULTILINE)


def answered(chosen: Config, key: str) -> bool:
    """Whether the settings file says it already."""
    return key in chosen.given


def keep(paths: Paths, answers: Mapping[str, object]) -> None:
    """Write answers down, the ledger first. Raises Refused where the file cannot be read, changed or replaced."""
    path, before = paths.config, _read(paths.config)
    text = _text(path, before)
    for key, value in reversed(list(answers.items())):
        text = toml.put(text, key, value, NOTE)
    after, mode = _bytes(path, text), _mode(path) if before is not None else 0o600
    record = ledgers.read(paths)
    known = record.own.get(str(path))
    original = known.original if known and known.left(before) else None if before is None else _text(path, before)
    written = Written(OWNER, ledgers.digest(after), original, mode)
    with refused(paths.state, "written"):
        ledgers.write(paths, record.with_own(path, written).with_folders(ledgers.missing_folders(path.parent)))
    _write(path, after, mode, fresh=before is None)


def put(paths: Paths, key: str, value: object) -> None:
    """Set a setting for the person. Raises Refused as `keep` does, ConfigError for a value that it cannot have."""
    answer = re.compile(rf"^({re.escape(key)} = .*)  # {NOTE}(\r?)$", re.MULTILINE)  # it is the person's from now on
    _change(paths, lambda text: answer.sub(r"\1\2", toml.put(text, key, value)))


def unset(paths: Paths, key: str) -> None:
    """Take a setting out of the file. Raises Refused as `keep` does."""
    _change(paths, lambda text: toml.take(text, key))


def _change(paths: Paths, edit: Callable[[str], str]) -> None:
    path, before = paths.config, _read(paths.config)
    try:
        text = edit(_text(path, before))
    except ValueError as error:
        raise ConfigError(f"{path}: is not TOML: {error}") from error
    enabled(config.parse(path, text).tools, path)
    after = _bytes(path, text)
    if after != (before or b""):
        _write(path, after, _mode(path) if before is not None else 0o600, fresh=before is None)


def take_back(record: Ledger) -> list[Path]:
    """Give the file back as it was, or, where others wrote since, without the answers; the files that were changed.

    Raises Refused where one cannot be replaced.
    """
    return [Path(name) for name, written in record.own.items() if _take_back(Path(name), written)]


def _take_back(path: Path, written: Written) -> bool:
    now = _read(path)
    if now is None:
        return False
    after = written.before if written.left(now) else _LINE.sub(b"", now)
    if after == now:
        return False
    with refused(path, "replaced"):
        if after is None:
            path.resolve().unlink()
        else:
            write_atomic(path, after, written.mode if written.left(now) else _mode(path))
    return True


def _text(path: Path, content: bytes | None) -> str:
    """The file's text. Raises Refused where it is not UTF-8."""
    try:
        return (content or b"").decode("utf-8")
    except UnicodeDecodeError as error:
        raise Refused(f"{path} is not UTF-8: mend it first") from error


def _bytes(path: Path, text: str) -> bytes:
    """The text as the file has it. Raises Refused for words of a command line that are not UTF-8: nobody could read them."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise Refused(f"{path}: what is not UTF-8 cannot be written into it") from error


def _write(path: Path, content: bytes, mode: int, *, fresh: bool) -> None:
    with refused(path, "written"):
        if fresh:
            private_dir(path.parent)
        write_atomic(path, content, mode)


def _read(path: Path) -> bytes | None:
    with refused(path, "read"):
        return read_bytes_or_none(path)


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)
