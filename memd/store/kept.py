"""The files that the daemon keeps of a project: written when their content changes, and never through a link."""

import errno
import os
from pathlib import Path

from memd import files


def put(folder: Path, name: str, text: str, mode: int = 0o600) -> bool:
    """Make `text` the content of a file; whether that changed anything.

    Raises:
        OSError: no room, no permission, or a link stands in the place of the file or its folder.
    """
    path, data = folder / name, text.encode("utf-8", "replace")
    if folder.is_symlink() or path.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    if files.read_bytes_or_none(path) == data:
        return False
    if not folder.is_dir():
        files.private_dir(folder)
    files.write_atomic(path, data, mode, durable=False)
    return True


def append(folder: Path, name: str, text: str, mode: int = 0o600) -> None:
    """Add `text` at the end of a file, in one write.

    Raises:
        OSError: as `put` does.
    """
    if folder.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(folder))
    if not folder.is_dir():
        files.private_dir(folder)
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
    with os.fdopen(os.open(folder / name, flags, mode), "ab") as file:
        file.write(text.encode("utf-8", "replace"))
