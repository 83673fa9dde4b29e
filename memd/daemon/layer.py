"""What the daemon keeps of a project beside its journal: anchors.json and state.md, brought up to date with each checkpoint.

What is really there wins: the branch and the commit are git's, a file that the journal has and the tree has not is told so.
Nothing is written where nothing changed.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from memd.model import Session
from memd.model.anchors import Anchor
from memd.model.journal import JournalEntry, Op
from memd.model.text import named
from memd.project import checks, engram, facts, git, identity, sources
from memd.project.identity import Project
from memd.project.places import Places
from memd.render import outline, project
from memd.render.project import Section
from memd.store import Store, kept

LIVE = 86_400_000
"""Milliseconds since its last entry within which a session that did not end is live."""
LIVING, ENTRIES = 6, 60
"""Sessions that have a section, and journal entries that are looked at for one."""
ANCHORS, FIRST = 120, 24
"""Anchors that may fit into the file, and the newest ones, of which some are looked for each minute."""
_PATHS = {Op.EDIT, Op.CREATE, Op.DELETE, Op.RENAME}


class Layer:
    """The projects of one record; used from the thread that owns the record."""

    def __init__(self, store: Store, state: Path, clock: Callable[[], int]) -> None:
        self._store = store
        self.places = Places(state)
        self._clock = clock

    def refresh(self, session: Session, found: Project) -> None:
        """Bring the project's files up to a session's checkpoint.

        Raises:
            OSError: they cannot be written.
        """
        self._store.projects.join(found.id, session.id)
        folder = self.places.kept(found.id)
        kept.put(folder, "anchors.json", project.anchors(self.anchors(found)))
        kept.put(folder, "state.md", self.state(found))
        own = self.places.own(found.id)
        self._learn(session, own, facts.disproved(facts.facts(found), sources.remembered(own)))
        self.remember(found)

    def remember(self, found: Project) -> None:
        """Keep what the source lines of the project's facts say, for those that are seen for the first time.

        Also when a session starts: what its first turn moves would be taken for what the fact was about.

        Raises:
            OSError: it cannot be written.
        """
        own = self.places.own(found.id)
        known, listed = sources.remembered(own), facts.facts(found)
        if listed or known:
            kept.put(own, sources.NAME, sources.dumped(facts.sources(found.root, listed, known)))

    def _learn(self, session: Session, own: Path, disproved: list[str]) -> None:
        """Append what a session's lessons say, and which facts were struck, to the project's own engram, once."""
        made = self._store.checkpoints.current(session.id)
        rows = outline.sections(made.parts.mind).get("Lessons", []) if made else []
        lessons = [row.removeprefix("- ") for row in rows if row.startswith("- ")] + disproved
        if lessons:
            known = "".join(sources.text(own / name) for name in (engram.NAME, engram.ARCHIVE))
            fresh = engram.fresh(lessons, known, session.id, self._clock())
            if fresh:
                kept.append(own, engram.NAME, fresh)

    def anchors(self, found: Project) -> list[Anchor]:
        """The most recently used anchors, some of them looked for just now."""
        recent = self._store.projects.anchors(found.id, ANCHORS)
        spotted = {one.shown: one for one in checks.spot(found.root, recent[:FIRST], self._clock() // 60_000)}
        changed = [spotted[one.shown] for one in recent if spotted.get(one.shown, one).stale != one.stale]
        if changed:
            self._store.projects.mark(found.id, changed)
        return [spotted.get(one.shown, one) for one in recent]

    def state(self, found: Project) -> str:
        """The state as it is now."""
        return state(self._store, found, self._clock())


def state(store: Store, found: Project, now: int) -> str:
    """The project's state: git's word, and a section for each live session."""
    names = store.projects.live(found.id, now - LIVE)[:LIVING]
    sections = [_section(store, found, one) for one in map(store.session, names) if one is not None]
    return project.state(found.root.name, _where(found), sections)


def _where(found: Project) -> str:
    head = git.head(found)
    if head is None:
        return f"`{named(str(found.root))}` is no git repository."
    commit = f"`{head.commit[:10]}`" if head.commit else "no commit that its files name"
    return (
        f"branch `{named(head.branch)}` at {commit}" if head.branch else f"no branch is checked out, HEAD is {commit}"
    )


def _section(store: Store, found: Project, session: Session) -> Section:
    made = store.checkpoints.current(session.id)
    parts = {} if made is None else {**outline.sections(made.parts.scene), **outline.sections(made.parts.mind)}
    entries = store.projects.done_by(session.id, ENTRIES)
    tree = identity.find(session.cwd) or found  # work trees share a project: each session's files are in its own

    def bullets(name: str) -> list[str]:
        return [row.removeprefix("- ").partition("\n")[0] for row in parts.get(name, []) if row.startswith("- ")]

    missions = [row for row in bullets("Mission") if "[active]" in row]
    progress = [row.partition(": ")[2] for row in bullets("Progress") if row.startswith("Done: ")]
    return Section(
        session.id,
        session.last_at,
        tuple(missions[-1:]),
        (*(project.change(entry) for entry in _told(entries)), *progress),
        (*bullets("Workstreams"), *bullets("Next step")),
        tuple(reversed(bullets("Key decisions"))),
        (*_contradicted(tree.root, entries), *bullets("Pitfalls")),
    )


def _told(entries: list[JournalEntry]) -> Iterator[JournalEntry]:
    """What went well, the newest first, each target once."""
    seen = set[str]()
    for entry in reversed(entries):
        if entry.good and entry.op is not Op.TEST and entry.target not in seen:
            seen.add(entry.target)
            yield entry


def _contradicted(root: Path, entries: list[JournalEntry]) -> Iterator[str]:
    """Files of the journal that the tree says otherwise of; the newest entry about each counts."""
    newest = dict[str, Op]()
    for entry in entries:
        path = entry.target if checks.there(root, entry.target) else entry.target.partition(":")[0]
        if entry.good and entry.op in _PATHS and not path.startswith("/"):
            inner = path != entry.target
            newest[path] = Op.EDIT if inner else entry.op
            if entry.op is Op.RENAME and not inner:
                newest[path], newest[entry.new or path] = Op.DELETE, Op.EDIT
    for path, op in reversed(newest.items()):
        if (op is Op.DELETE) == checks.there(root, path):
            told = "deleted and is there again" if op is Op.DELETE else "changed and is not there any more"
            yield f"`{path}` was {told}"
