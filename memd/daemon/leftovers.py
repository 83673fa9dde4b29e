"""What is left to do of a session's checkpoint when all that hooks give back lies on disk: no hook waits for it.

That is what people read (the copies at the top), the files that the checkpoint names, and old numbers that go. It is done at once
where no hook waits, else when that has its reply, and before anything else is made of the session; at a start what a crash left
of it is made again.
"""

from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

from memd.checkpoint.beside import Beside
from memd.model import Session
from memd.store import Store
from memd.store.folders import Folders


class Leftovers:
    """Used from the thread that owns the record."""

    def __init__(self, store: Store, folders: Folders) -> None:
        self._store = store
        self._folders = folders
        self._left: dict[str, tuple[Session, Beside, Collection[bytes]]] = {}

    def note(self, session: Session, beside: Beside, taken: Collection[bytes] = ()) -> None:
        """A checkpoint was made, these are the files that it names, and this is what a person had written into its copies."""
        self._left[session.id] = session, beside, taken

    def finish(self, name: str) -> bool:
        """Do what is left of a session's checkpoint; whether there was anything.

        Raises:
            OSError: it cannot be written; it stays to be done, but for old numbers, of which only those that stand in the
                copies stay: by them a copy is known to be no edit of a person's.
        """
        if name not in self._left:
            return False
        session, beside, taken = self._left[name]
        folder = self._folders.session(session.tool, session.native)
        try:
            self._folders.lay_beside(folder, beside.files)
            self._folders.copy(folder, taken)
        except OSError:
            self._prune(name, folder, self._folders.standing_in_copies(folder))
            raise
        self._prune(name, folder)
        del self._left[name]
        return True

    def _prune(self, name: str, folder: Path, spared: Collection[int] = ()) -> None:
        self._folders.drop(folder, self._store.checkpoints.prune(name, spared))

    def drop(self, name: str) -> None:
        """Leave what is left of a session undone: it is forgotten, and none of its files may come back."""
        self._left.pop(name, None)

    def finish_all(self) -> None:
        """The same for every session. What cannot be written was told when it was tried first, and is made at the next start."""
        for name in list(self._left):
            with suppress(OSError):
                self.finish(name)
