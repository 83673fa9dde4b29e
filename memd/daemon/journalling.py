"""From calls in the record to the project's journal and anchors: after each step of reading, at a cost that stays the same.

A call is looked at once, when its result is known; `store.projects` remembers which. What is in the table and not yet in the
project's file is written behind it, also what a crash left. A session whose directory is not on this machine has no project.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from memd.extract import anchors, journal
from memd.extract.journal import Whose
from memd.model import Channel, Done, Kind, Session, State
from memd.project import checks, engram, identity
from memd.project.identity import Project
from memd.project.paths import Paths
from memd.project.places import Places
from memd.project.sources import text
from memd.store import Store, kept
from memd.store.journals import CURRENT, JournalFile
from memd.store.projects import Told

STEP = 500
"""Calls that are looked at in one transaction."""
NOTES = 200
"""A background job's end is looked for among so many of the newest notes."""
_FAILED = {"failed", "killed", "error", "stopped", "cancelled"}


class Journalling:
    """Keeps the journals of one record's projects; used from the thread that owns the record."""

    def __init__(self, store: Store, state: Path, clock: Callable[[], int]) -> None:
        self._store = store
        self._places = Places(state)
        self._clock = clock

    def step(self, name: str) -> None:
        """Look at what a session did since the last step.

        Raises:
            OSError: the project's file cannot be written; it is tried again with the next step.
        """
        while (session := self._waiting(name)) is not None and self._some(session, self.project(session)):
            pass

    def pass_over(self, name: str) -> None:
        """The same of a session that has no project; of others nothing."""
        session = self._waiting(name)
        if session is not None and self.project(session) is None:
            while self._some(session, None):
                pass

    def _waiting(self, name: str) -> Session | None:
        """The session, if there is anything to be looked at."""
        return self._store.session(name) if self._store.projects.waits(name) else None

    def _some(self, session: Session, project: Project | None) -> bool:
        """One transaction of it; whether there may be more."""
        pending = self._store.projects.pending(session.id, STEP, jobs=project is None)
        ended = [done for done in (self._ended(session, done) for done in pending) if done is not None]
        if project is None:
            self._store.projects.passed_over(session.id, [done.call for done in ended])
        else:
            tell = partial(_told, whose=self._whose(session, project), now=self._clock())
            if ended:
                self._store.projects.tell(project.id, session.id, map(tell, ended))
            self.file(project.id)
        return len(ended) == STEP

    def project(self, session: Session) -> Project | None:
        """The project that a session works on; a sub-agent without a directory of its own works on its parent's."""
        parent = self._store.session(session.parent) if session.parent and not session.cwd else None
        return identity.find(session.cwd or (parent.cwd if parent else None))

    def _whose(self, session: Session, project: Project) -> Whose:
        relate = Paths(project, session.cwd).relate
        agent = session.id.rpartition("/")[2] if session.parent else None
        return Whose(session.parent or session.id, session.cwd, relate, agent, partial(checks.text, project.root))

    def _ended(self, session: Session, done: Done) -> Done | None:
        """A call with its result; None while it is not known. A background job's comes with its notification."""
        if done.state is not State.BACKGROUND:
            return done
        job = done.detail.get("job")
        if done.kind is not Kind.COMMAND or not job:
            return replace(done, state=State.REFUSED) if done.kind is not Kind.COMMAND else None
        notes = self._store.messages(
            session.id, after=done.number, channels={Channel.BACKGROUND_NOTIFICATION}, last=NOTES
        )
        note = next((record for record in notes if record.extra.get("job") == job and record.extra.get("status")), None)
        if note is None:
            return None
        failed = str(note.extra["status"]) in _FAILED
        state = State.FAILED if failed else State.DONE
        return replace(done, state=state, number=note.number, ended_at=note.at, result=note.text[-1_200:])

    def file(self, project: str) -> None:
        """Write what the project's file does not have yet."""
        table, folder = self._store.projects, self._places.journal(project)
        if not (folder / CURRENT).exists():  # moved into the repository, or removed by somebody
            table.refile(project)
        while (unfiled := table.unfiled(project)).lines:
            table.filing(project, unfiled.upto)
            JournalFile(folder).append(unfiled.lines, doubted=unfiled.begun)
            table.filed(project, unfiled.upto)

    def behind(self) -> list[str]:
        """Sessions of which a crash, or an older memd, left calls that were not looked at."""
        return self._store.projects.waiting()

    def catch_up(self) -> None:
        """Write what a crash left between the record and the projects' files."""
        for project in self._store.projects.behind():
            self.file(project)

    def archive(self) -> None:
        """Once a day: what is older than 30 days goes to its month's file."""
        for folder in self._places.journals():
            JournalFile(folder).archive(self._clock())

    def forget(self, name: str) -> None:
        """Take a session's lines out of the files of its projects; what is made anew with each checkpoint goes whole."""
        for project in self._store.projects.of_session(name):
            JournalFile(self._places.journal(project)).without([name])
            for made in ("anchors.json", "state.md"):
                (self._places.kept(project) / made).unlink(missing_ok=True)
            for noted in (engram.NAME, engram.ARCHIVE):
                own = self._places.own(project)
                lines = text(own / noted).splitlines(keepends=True)
                left = [line for line in lines if not line.rstrip().endswith(f" of {name})")]
                if left != lines:
                    kept.put(own, noted, "".join(left))


def _told(done: Done, *, whose: Whose, now: int) -> Told:
    entries = journal.entries(done, whose)
    moves = anchors.moves(done, entries, whose, now)
    return Told(done, entries, moves.used, moves.gone, moves.moved)
