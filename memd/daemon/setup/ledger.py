"""What an installation wrote, and what was there before: `<state>/installed/ledger.json`.

It is written before the change that it tells of. Whatever happens in between, a hash that does not fit says that the
file is not as the installation left it, and then only memd's own part is taken out. Lost or unreadable it counts as
empty: the hooks can be found without it.
"""

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import Struct, field, to_builtins
from msgspec.structs import replace

from memd.config import Paths
from memd.files import private_dir, read_bytes_or_none, write_atomic

VERSION = 1


class Written(Struct, frozen=True):
    """One file that the installation changed."""

    tool: str
    sha256: str
    """Of what the installation wrote."""
    original: str | None
    """The content before (UTF-8, undecodable bytes as surrogates); None: there was no file."""
    mode: int
    """The permissions before, or those that a new file got."""
    home: str | None = None
    """The tool's home that the file belongs to; None: the folder that it is in (older ledgers)."""
    what: str = "hooks"
    """What was put in."""
    at: int = 0
    """When that was done first, in milliseconds; 0: not known (older ledgers)."""

    @property
    def before(self) -> bytes | None:
        """The content before as bytes."""
        return None if self.original is None else self.original.encode("utf-8", "surrogateescape")

    def home_of(self, path: str | Path) -> Path:
        """The home that the file at this path belongs to."""
        return Path(path).parent if self.home is None else Path(self.home)

    def left(self, content: bytes | None) -> bool:
        """Whether this content is exactly what the installation left."""
        return content is not None and self.sha256 == digest(content)


class Ledger(Struct, frozen=True):
    """All that was written; the files by path, for a tool can have several homes (CLAUDE_CONFIG_DIR)."""

    files: Mapping[str, Written] = field(default_factory=dict)
    service: str | None = None
    """The path of the service's unit."""
    folders: tuple[str, ...] = ()
    """Folders that were made on the way."""
    own: Mapping[str, Written] = field(default_factory=dict)
    """memd's own settings file by its path, where the installation wrote into it."""

    def with_file(self, path: Path, written: Written) -> "Ledger":
        """The same with this file."""
        return replace(self, files={**self.files, str(path): written})

    def with_own(self, path: Path, written: Written) -> "Ledger":
        """The same with this settings file of memd's own."""
        return replace(self, own={**self.own, str(path): written})

    def without_file(self, path: Path) -> "Ledger":
        """The same without this file."""
        return replace(self, files={name: kept for name, kept in self.files.items() if name != str(path)})

    def with_folders(self, folders: Iterable[Path]) -> "Ledger":
        """The same with these folders too."""
        return replace(self, folders=tuple(dict.fromkeys([*self.folders, *map(str, folders)])))


def digest(content: bytes) -> str:
    """The hash by which a file is known again."""
    import hashlib  # noqa: PLC0415 - only where hooks are put in or taken out

    return hashlib.sha256(content).hexdigest()


def path(paths: Paths) -> Path:
    """Where the ledger is."""
    return paths.state / "installed" / "ledger.json"


def read(paths: Paths) -> Ledger:
    """The ledger, an empty one where there is none or none of this version."""
    try:
        content = json.loads(read_bytes_or_none(path(paths)) or b"{}")
        if content.get("version") != VERSION:
            return Ledger()
        files, own = (_files(content.get(kind, {})) for kind in ("files", "own"))
        return Ledger(files, content["service"], tuple(content["folders"]), own)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return Ledger()


def _files(content: Mapping[str, Any]) -> dict[str, Written]:
    return {name: Written(**written) for name, written in content.items()}


def write(paths: Paths, ledger: Ledger) -> None:
    """Replace the ledger. Raises OSError or Refused where the state folder cannot be written or is another's."""
    private_dir(paths.state)
    private_dir(path(paths).parent)
    content = {"version": VERSION, **to_builtins(ledger)}
    write_atomic(path(paths), json.dumps(content, indent=1).encode() + b"\n")


def remove(paths: Paths, ledger: Ledger) -> None:
    """Take the ledger away, and every folder that the installation made and that is empty now.

    Where the record stays, a ledger of the folders around it stays too: the purge that comes later takes them away.
    """
    path(paths).unlink(missing_ok=True)
    own = [path(paths).parent, paths.state]
    for folder in sorted({*map(Path, ledger.folders), *own}, key=lambda folder: -len(folder.parts)):
        with suppress(OSError):  # not empty, or not there
            folder.rmdir()
    around = tuple(name for name in ledger.folders if paths.state.is_relative_to(name) and Path(name).is_dir())
    if around:
        write(paths, Ledger(folders=around))


def missing_folders(path: Path) -> list[Path]:
    """The folder and those above it that are not there yet, the outermost first."""
    return [folder for folder in reversed((path, *path.parents)) if not folder.exists()]
