"""What follows from a step of reading once it is recorded: proof of delivery, the journal, the second witness."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial

from memd.daemon import afterthoughts
from memd.daemon.projects import Projects
from memd.daemon.proof import prove
from memd.daemon.reader import Step
from memd.store import Store
from memd.store.commits import Together
from memd.tools.protocol import Tool


class Noting:
    """Used from the thread that owns the record."""

    def __init__(self, store: Store, projects: Projects, environ: Mapping[str, str], clock: Callable[[], int]) -> None:
        self._store, self._projects, self._environ, self._clock = store, projects, environ, clock
        self._together: Together | None = None
        self._between: Callable[[], None]
        self._unheard: set[str] = set()  # sessions with entries of which the second witness was not asked yet

    @contextmanager
    def together(self, between: Callable[[], None]) -> Iterator[Together]:
        """Steps that are taken inside are recorded as one, and what follows from them comes when they are.

        `between` is called before what follows from each, in which steps may be taken one by one again.
        """
        with self._store.together() as together:
            self._together, self._between = together, between
            try:
                yield together
            finally:
                self._together = None

    def taken(self, tool: Tool, step: Step) -> Step:
        """The step, which has been written."""
        if self._together is None:
            self._follow(tool, step)
        else:
            if step.changed and step.session is not None:
                self._projects.pass_over(step.session)
            self._together.then(self._between)
            self._together.then(partial(self._follow, tool, step))
        return step

    def _follow(self, tool: Tool, step: Step) -> None:
        if step.session is None:
            return
        for receipt in step.receipts:
            prove(self._store, step.session, receipt, self._clock())
        if step.changed:
            self._projects.journal(step.session)
        if any(tool.concerns(record) for record in step.added):
            self._unheard.add(step.session)
        if step.session in self._unheard and not step.more:
            self.lift(tool, step.session)

    def lift(self, tool: Tool, name: str) -> None:
        """Ask the second witness about what nothing else attributes."""
        self._unheard.discard(name)
        session = self._store.session(name)
        if session is not None:
            afterthoughts.lift(self._store, tool, session, self._environ, self._clock())
