"""How many days of old transcripts are read: asked once, kept as one line at the head of memd's settings file.

The head, because a line there is no part of a table whatever follows; the rest of the file keeps every byte. The line
says where it comes from, and by that it is known again when it has to go. One that the person wrote is theirs.
"""

import re
import stat
from pathlib import Path

from memd.config import Config, Paths
from memd.daemon.setup import ledger as ledgers
from memd.daemon.setup.ledger import Ledger, Written
from memd.daemon.setup.trouble import refused
from memd.files import private_dir, read_bytes_or_none, write_atomic

KEY = "backfill_days"
OWNER = "memd"

_LINE = re.compile(rb"^backfill_days = \d+  # answered to memd install\r?\n", re.MULTILINE)


def answered(chosen: Config) -> bool:
    """Whether the settings file says it already."""
    return KEY in chosen.given


def keep(paths: Paths, days: int) -> None:
    """Write the answer, the ledger first. Raises Refused where the file cannot be read or replaced."""
    path = paths.config
    before = _read(path)
    mode = _mode(path) if before is not None else 0o600
    line = f"{KEY} = {days}  # answered to memd install\n".encode()
    after = (line.replace(b"\n", b"\r\n") if b"\r\n" in (before or b"") else line) + (before or b"")
    record = ledgers.read(paths)
    original = None if before is None else before.decode("utf-8", "surrogateescape")
    written = Written(OWNER, ledgers.digest(after), original, mode)
    with refused(paths.state, "written"):
        ledgers.write(paths, record.with_own(path, written).with_folders(ledgers.missing_folders(path.parent)))
    with refused(path, "written"):
        if before is None:
            private_dir(path.parent)
        write_atomic(path, after, mode)


def take_back(record: Ledger) -> list[Path]:
    """Give the file back as it was, or, where others wrote since, without the line; the files that were changed.

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


def _read(path: Path) -> bytes | None:
    with refused(path, "read"):
        return read_bytes_or_none(path)


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)
