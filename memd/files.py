"""Files that are whole or as they were, folders that are private, and locks that die with their holder.

Everything that memd keeps or edits goes through `write_atomic`: the bytes go to a temporary file beside the target, are
forced to disk, and take the target's name in one step. A reader sees the old file or the new one, and so does whoever
starts the machine after a power cut. The errors are the system's own (`OSError`): only the caller knows what a failed
write means.
"""

import errno
import fcntl
import os
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Self

from memd.errors import Refused

_AT_ONCE = 1 << 16  # bytes of a file that are looked at


def is_device(mode: int) -> bool:
    """Whether a mode is a device's: one is everybody's (`/dev/null`), and root could remove it or put a file in its place."""
    return stat.S_ISCHR(mode) or stat.S_ISBLK(mode)


_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (is_device, "a device"),
)


def write_atomic(path: Path, data: bytes, mode: int = 0o600, *, durable: bool = True) -> None:
    """Make `data` the content of the file and `mode` its permissions, whatever the umask, or change nothing.

    A symbolic link stays one; what it leads to is replaced (people keep settings in a repository of dot files).
    `durable=False` leaves out the two fsyncs: for copies that are made again when they are missing.

    Raises:
        OSError: no room, no permission, no such folder. The old file is untouched and nothing is left beside it.
    """
    import tempfile  # noqa: PLC0415 - what only looks needs it not

    target = _end_of(path)
    descriptor, name = tempfile.mkstemp(prefix=".memd-", suffix=".tmp", dir=target.parent)
    try:
        _fill(target, descriptor, data, mode, durable=durable)
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    if durable:
        _sync_folder(target.parent)


def _end_of(path: Path) -> Path:
    """Where a file is written: at its place, or where a link there leads, if that is a plain file or nothing yet."""
    try:
        mode = path.lstat().st_mode
        end = path.resolve() if stat.S_ISLNK(mode) else path
    except (FileNotFoundError, NotADirectoryError):
        return path
    except RuntimeError as error:  # what Python says of a link that leads to itself
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path)) from error
    if is_device(mode):
        raise OSError(errno.EINVAL, "It is a device", str(path))
    if end is not path and end.exists() and not end.is_file():
        raise OSError(errno.EINVAL, f"It leads to {end}, which is no plain file", str(path))
    return end


def write_new(path: Path, data: bytes) -> None:
    """Make a file (0600) in a folder that nobody looks into yet: it needs no other name first.

    Raises:
        OSError: as in `write_atomic`; or there is one.
    """
    _fill(path, os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), data, 0o600, durable=False)


def _fill(path: Path, descriptor: int, data: bytes, mode: int, *, durable: bool) -> None:
    """Write all of a new file, and close it; what is in the way is raised with the name that the file is to have."""
    left = memoryview(data)
    try:
        os.fchmod(descriptor, mode)
        while left:
            left = left[os.write(descriptor, left) :]
        if durable:
            os.fsync(descriptor)
    except OSError as error:
        error.filename = str(path)  # the system has none for a descriptor
        raise
    finally:
        os.close(descriptor)


def _sync_folder(folder: Path) -> None:
    """Force the renaming itself to disk. Some mounted file systems cannot; the file is in its place all the same."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read_bytes_or_none(path: Path) -> bytes | None:
    """The content of the file, or None where there is none.

    Raises:
        OSError: there is one and it cannot be read; that is not the same as none. A pipe or a device has no end to wait for.
    """
    try:
        with opened(path) as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None


def opened(path: Path) -> BinaryIO:
    """A plain file, or `/dev/null` in its place, which is as good as an empty one; nobody at the other end is waited for.

    Raises:
        OSError: there is none, it cannot be read, or it is of another kind.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) and not os.path.samestat(status, Path(os.devnull).stat()):
        os.close(descriptor)
        number = errno.EISDIR if stat.S_ISDIR(status.st_mode) else errno.EINVAL
        raise OSError(number, "Is a directory" if number == errno.EISDIR else "Not a plain file", str(path))
    return os.fdopen(descriptor, "rb")


def holds(path: Path, content: bytes) -> bool:
    """Whether this is what the file has; it is not in memory as a whole for that.

    Raises:
        OSError: there is one and it cannot be read.
    """
    try:
        with opened(path) as file:
            pieces = (content[start : start + _AT_ONCE] for start in range(0, len(content), _AT_ONCE))
            return all(file.read(len(piece)) == piece for piece in pieces) and not file.read(1)
    except (FileNotFoundError, NotADirectoryError):
        return False


def private_dir(path: Path) -> Path:
    """Make the folder, and those above it that are missing, for this user alone (0700); tighten one that is looser.

    Raises:
        Refused: it, or a link in its place, belongs to another user, who could read along (anybody may be first to make
            a folder with our name in /tmp), or it is a folder that users share, like /tmp itself.
        OSError: it cannot be made, or a file is in its place.
    """
    missing = [folder for folder in (path, *path.parents) if not folder.is_dir()]
    for folder in reversed(missing):
        folder.mkdir(0o700, exist_ok=True)
    _refuse_shared(path)
    status = path.stat()
    if status.st_uid == os.geteuid() and status.st_mode & 0o077:
        path.chmod(status.st_mode & 0o700)
    return path


def _refuse_shared(path: Path) -> None:
    """Root's links are the administrator's. To root every folder is its own: a state may be mounted from a host."""
    me, status = os.geteuid(), path.stat()
    foreign = me != 0 and (status.st_uid != me or path.lstat().st_uid not in {me, 0})
    if foreign or status.st_mode & stat.S_ISVTX:  # a sticky folder is one like /tmp: closing it would stop the machine
        raise Refused(f"{path} is not this user's alone: move it away, or choose another by MEMD_STATE_DIR")


def refuse_other_kind(
    path: Path, what: str, wanted: Callable[[int], bool] = stat.S_ISREG, error: type[Refused] = Refused
) -> None:
    """Nothing happens where there is none, or one of the kind that it has to be (a plain file).

    Raises:
        Refused (or the `error` of that kind): a folder, or whatever else cannot be memd's, has the name: it stays.
        OSError: it cannot be seen.
    """
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return
    if not wanted(mode):
        kind = next((name for test, name in _KINDS if test(mode)), "something else")
        raise error(f"{path} is {kind}, and memd's {what} has to be there: move it away")


def remove_tree(path: Path) -> None:
    """Remove a folder with all that is in it, or a file; a link is removed, not what it leads to. None there: done."""
    if path.is_dir() and not path.is_symlink():
        import shutil  # noqa: PLC0415 - what only looks needs it not

        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


class Lock:
    """One holder at a time, kept by the system (`flock`): it ends with the process, so there is no stale lock to break.

    The file stays when the lock is released: removing it would let two processes lock two files of one name. It holds
    the holder's process id, which says whom to look for and decides nothing.

    As a context manager it waits until it has the lock, and releases it at the end.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor: int | None = None

    def acquire(self, *, blocking: bool = False) -> bool:
        """Take the lock; True if this object has it now, or had it before. With `blocking` wait for it.

        Raises:
            OSError: the file cannot be opened, or its file system has no locks.
        """
        while self._descriptor is None:
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
            try:
                if not _flock(descriptor, blocking=blocking):
                    return False
                if _is_at(descriptor, self.path):
                    _write_pid(descriptor)
                    self._descriptor = os.dup(descriptor)
            finally:
                os.close(descriptor)
        return True

    def release(self) -> None:
        """Let the next one have it; nothing happens where it is not held."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def in_place(self) -> bool:
        """Whether it is held, and the file that is locked still has its name. Raises OSError where that cannot be seen."""
        return self._descriptor is not None and _is_at(self._descriptor, self.path)

    def held(self) -> bool:
        """Whether a process has it now; asking takes nothing from anybody and makes no file."""
        try:
            descriptor = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK)  # not blocking: a pipe may have its name
        except FileNotFoundError:
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(descriptor)
        return False

    def holder(self) -> int | None:
        """The process id that the last holder wrote; that process may be gone."""
        content = (read_bytes_or_none(self.path) or b"").strip()
        return int(content) if content.isdigit() else None

    def __enter__(self) -> Self:
        self.acquire(blocking=True)
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def _flock(descriptor: int, *, blocking: bool) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX if blocking else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_at(descriptor: int, path: Path) -> bool:
    """Whether the opened file still has this name: it may have been removed while we waited, and a new one be there."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def _write_pid(descriptor: int) -> None:
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, b"%d\n" % os.getpid(), 0)
