"""What is kept of the projects in which sessions work: their journals, and the layer of anchors, state and facts."""

from collections.abc import Callable

from memd.daemon.gate import Gate
from memd.daemon.journalling import Journalling
from memd.daemon.layer import Layer
from memd.project import identity
from memd.store import Store


class Projects:
    """Brings both up to the record.

    `trouble` is told of what cannot be written: reading goes on, and it is written when it can be.
    """

    def __init__(
        self, store: Store, gate: Gate, journalling: Journalling, layer: Layer, trouble: Callable[[OSError], None]
    ) -> None:
        self._store = store
        self._gate = gate
        self._journalling = journalling
        self._layer = layer
        self._trouble = trouble

    def journal(self, name: str) -> None:
        """What a session did becomes its project's journal."""
        try:
            self._journalling.step(name)
        except OSError as error:
            self._trouble(error)

    def pass_over(self, name: str) -> None:
        """The same of a session without a project: nothing of it is written but in the record, so it may still be taken back."""
        self._journalling.pass_over(name)

    def bring_up(self, name: str) -> None:
        """Bring what is kept of the project up to a session's checkpoint."""
        session = self._store.session(name)
        found = None if session is None or session.parent else self._journalling.project(session)
        if session is None or found is None:
            return
        try:
            self._layer.refresh(session, found)
        except OSError as error:
            self._trouble(error)

    def remember(self, directory: str) -> None:
        """What the facts of a directory's project rest on, as it is before a session changes it."""
        found = None if self._gate.ignores(directory) else identity.find(directory)
        if found is None or found.agent is None:
            return
        try:
            self._layer.remember(found)
        except OSError as error:
            self._trouble(error)
