"""Advice before a call: what was done or read before and left the context, paths that are elsewhere, rules that name a target.

At most three lines a turn, none twice between two compactions, and never more than advice: nothing is refused. With
`guard = false` it is off. Repeats and re-reads are told only after a compaction, since before it the agent has them in its
context. Runs in the event loop's thread and reads only; what was said is noted by the worker.
"""

import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from hashlib import blake2b
from posixpath import basename

from msgspec import Struct
from msgspec.structs import replace

from memd.config import Config
from memd.daemon.catching_up import after_reply
from memd.daemon.jobs import Urgency
from memd.daemon.pipeline import wall_clock
from memd.daemon.telling import IN_TIME
from memd.daemon.worker import Worker
from memd.extract import effects, journal, risks
from memd.extract.anchors import inside
from memd.extract.files import Part, looks, with_reads
from memd.extract.journal import Whose, values
from memd.extract.material import SPEAKING
from memd.model import Boundary, Done, Kind, Operation, Session, State
from memd.model.journal import JournalEntry, Op
from memd.model.masking import masked_value
from memd.model.newest import Newest
from memd.model.secrets import mask
from memd.model.text import clock, line, oneline, quote
from memd.project import agent, checks, identity
from memd.project.identity import Project
from memd.project.paths import Paths
from memd.render import outline, project
from memd.store import Store
from memd.tools.protocol import Moment, Tool

LINES, MOST = 3, 1_000
"""Lines a turn, and sessions of which it is kept in memory what they were told."""
MARK = "memd: note: "
KINDS = {Kind.READ, Kind.EDIT, Kind.CREATE, Kind.COMMAND}
_LATELY, _LIVE = 40, 8
"""Journal entries that are looked at for what came since, and sessions whose decisions count."""
_AGAIN = ("git push", "deploy", "publish", "migrate", "release")
"""Commands that are done again for a reason when something was changed since."""
_FILES = {Op.EDIT, Op.CREATE, Op.DELETE, Op.RENAME}


class Note(Struct, frozen=True):
    """One piece of advice; `about` is what may not be told twice before the next compaction takes it from the context."""

    about: str
    text: str

    def digest(self, since: Boundary | None) -> str:
        """By which it is known again until the next compaction."""
        about = self.about if since is None else f"{self.about} since {since.number}"
        return blake2b(about.encode("utf-8", "surrogatepass"), digest_size=10).hexdigest()


class Scene(Struct, frozen=True):
    """What a call is held against."""

    session: Session
    found: Project
    paths: Paths
    boundary: Boundary | None


class Guard:
    """Gives advice before calls."""

    def __init__(self, worker: Worker, config: Config, reader: Callable[[], Store]) -> None:
        self._worker = worker
        self._config = config
        self._reader = reader
        self._said = Newest[str, dict[str, str]](MOST)
        """Session -> digest of what it was told -> the turn."""

    def lines(self, tool: Tool, moment: Moment, asked: float) -> str:
        """The advice for the calls that a hook announces; usually none. `asked`: when, in this process's monotonic seconds.

        What may come too late for its hook is not counted as said.
        """
        calls = [call for call in with_reads(moment.calls) if call.kind in KINDS]
        if not self._config.guard or not calls:
            return ""
        scene = self._scene(f"{tool.name}:{moment.session}")
        if scene is None:
            return ""
        turn = moment.turn or str(self._turn(scene.session))
        said = self._known(scene.session.id)
        room = LINES - sum(told == turn for told in said.values())
        fresh = dict[str, Note]()
        for note in (note for call in calls for note in self._notes(scene, _as_done(call))):
            if len(fresh) >= room:
                break
            if (digest := note.digest(scene.boundary)) not in said:
                fresh.setdefault(digest, note)
        if fresh and time.monotonic() - asked < IN_TIME:
            said.update(dict.fromkeys(fresh, turn))
            self._remember(scene.session.id, list(fresh), turn)
        return "\n".join(MARK + oneline(note.text, 400) for note in fresh.values())

    def _scene(self, name: str) -> Scene | None:
        store = self._reader()
        session = store.session(name)
        found = identity.find(session.cwd) if session else None
        if session is None or found is None:
            return None
        boundaries = store.boundaries(name)
        return Scene(session, found, Paths(found, session.cwd), boundaries[-1] if boundaries else None)

    def _turn(self, session: Session) -> int:
        last = self._reader().messages(session.id, channels=SPEAKING, last=1)
        return last[0].number if last else 0

    def _known(self, name: str) -> dict[str, str]:
        if name not in self._said:
            self._said[name] = self._reader().projects.advised(name)
        return self._said[name]

    def _remember(self, name: str, digests: list[str], turn: str) -> None:
        now = wall_clock()
        after_reply(
            lambda: self._worker.submit(
                Urgency.COMMAND, lambda pipeline: pipeline.store.projects.advise(name, digests, turn, now)
            )
        )

    # What there is to say of a call.

    def _notes(self, scene: Scene, call: Done) -> Iterator[Note]:
        told = journal.entries(call, _whose(scene))
        yield from self._elsewhere(scene, call)
        yield from self._ruled(scene, call, told)
        if scene.boundary is not None:
            yield from self._repeated(scene, scene.boundary, told)
            if call.kind is Kind.READ:
                yield from self._read_before(scene, scene.boundary, call)

    def _repeated(self, scene: Scene, boundary: Boundary, told: tuple[JournalEntry, ...]) -> Iterator[Note]:
        """What this session did before the compaction, and what still stands as it was done."""
        table = self._reader().projects
        for entry in told:
            if entry.op is Op.TEST:
                continue
            before = [one for one in table.about(scene.found.id, entry.target) if one.good]
            last = before[-1] if before else None
            if last is None or last.digest != entry.digest or last.session != scene.session.id:
                continue
            if not _earlier(last, boundary) or self._outdated(scene, last):
                continue
            told_of = f"done before the compaction (#{last.number}, {clock(last.at)}): {project.change(last)}"
            yield Note(f"done {entry.digest}", f"{told_of}; the journal says that it worked")

    def _outdated(self, scene: Scene, last: JournalEntry) -> bool:
        """Whether doing it again has a reason: files changed since a push or the like, or the tree shows it undone."""
        if last.op in {Op.DELETE, Op.RENAME} and ":" not in last.target:
            return checks.there(scene.found.root, last.target)
        if last.op is Op.CREATE and ":" not in last.target:
            return not checks.there(scene.found.root, last.target)
        again = any(word in last.target for word in _AGAIN) or effects.repeated(last.target)
        if last.op is Op.COMMIT or again:
            lately = self._reader().projects.journal(scene.found.id, _LATELY)
            return any(
                one.good and (one.at or 0) > (last.at or 0) and one.op in _FILES | ({Op.COMMIT} - {last.op})
                for one in lately
            )
        return False

    def _read_before(self, scene: Scene, boundary: Boundary, call: Done) -> Iterator[Note]:
        """A file that was read before the compaction, the same part of it, and that nobody changed since."""
        path, part = scene.paths.relate(call.target), looks(call)[0][1]
        names = {call.target, path, f"{scene.found.root}/{path}"}
        lately = self._reader().projects.touches(scene.session.id, names)
        touches = [(one, shown) for one in lately for shown in self._shown(scene, one, path)]
        read = next((one for one, shown in touches if shown == part), None)
        if read is None or touches[0][0].number > boundary.number or read.ended_at is None:
            return
        last, real = touches[0][0], scene.paths.real(path)
        if real is None or _changed(str(real)) > (last.ended_at or read.ended_at):
            return
        told = f"`{line(path, 120)}` was read before the compaction (#{read.number}, {clock(read.ended_at)})"
        changed = any(one.kind in {Kind.EDIT, Kind.CREATE} and one.number > read.number for one, _ in touches)
        since = "changed since by you alone" if changed else "nobody changed it since"
        yield Note(f"read {path}", f"{told} and {since}")

    def _shown(self, scene: Scene, call: Done, path: str) -> list[Part]:
        """Which parts of a file a call of the record showed; nothing of it where it changed the file."""
        if call.kind in {Kind.EDIT, Kind.CREATE}:
            return [("changed",)] if scene.paths.relate(call.target) == path else []
        return [part for shown, part in looks(call) if scene.paths.relate(shown) == path]

    def _elsewhere(self, scene: Scene, call: Done) -> Iterator[Note]:
        """A path that is not there while the journal or an anchor knows where it is."""
        named = [call.target] if call.kind in {Kind.READ, Kind.EDIT} else []
        named += _paths(call.target) if call.kind is Kind.COMMAND else []
        for path in map(scene.paths.relate, named):
            if inside(path) and not checks.there(scene.found.root, path):
                better, why = self._better(scene, path)
                if better:
                    yield Note(f"path {path}", f"`{line(path, 120)}` is not there; `{line(better, 120)}` is ({why})")

    def _better(self, scene: Scene, path: str) -> tuple[str, str]:
        table = self._reader().projects
        for entry in reversed(table.about(scene.found.id, path)):
            if entry.op is Op.RENAME and entry.good and entry.new and checks.there(scene.found.root, entry.new):
                return entry.new, f"renamed #{entry.number}"
        anchors = (one for one in table.named(scene.found.id, basename(path)) if one.path != path)
        there = next((one for one in anchors if checks.there(scene.found.root, one.path)), None)
        return (there.path, f"used {clock(there.at)}") if there else ("", "")

    def _ruled(self, scene: Scene, call: Done, told: tuple[JournalEntry, ...]) -> Iterator[Note]:
        """The constraints and decisions that name what a risky command, or a change of what is depended on, is about."""
        words, packages = set[str](), set[str]()
        paths = {entry.target.partition(":")[0] for entry in told if entry.op in _FILES}
        words |= {name for path in paths if inside(path) for name in risks.placed(path)}
        if call.kind is Kind.COMMAND:
            for part in risks.high(call.target, agent.risks(scene.found)):
                words |= risks.named(part)
            packages |= risks.packages(call.target)
        elif call.kind in {Kind.EDIT, Kind.CREATE} and risks.manifest(call.target):
            old, new = (str(call.detail.get(name) or "") for name in ("old", "new"))
            packages |= risks.changed((key for key, *_ in values.changes(call.target, old, new)), old, new)
        if not words and not packages:
            return
        for rule in agent.naming(agent.constraints(scene.found), words | packages):
            yield Note(f"rule {rule}", f"a constraint of this project names this: {quote(rule, 240)}")
        risky = words if call.kind is Kind.COMMAND and risks.high(call.target, agent.risks(scene.found)) else set()
        for decision, where in self._decisions(scene):
            if agent.names(decision, packages | risky):
                yield Note(f"decision {decision}", f"a recorded decision names this ({where}): {quote(decision, 240)}")

    def _decisions(self, scene: Scene) -> Iterator[tuple[str, str]]:
        """What was decided in the sessions of the project: key decisions, of this session's first."""
        store = self._reader()
        others = store.projects.live(scene.found.id, wall_clock() - 30 * 86_400_000)
        for name in list(dict.fromkeys([scene.session.id, *others]))[:_LIVE]:
            made = store.checkpoints.current(name)
            for row in outline.sections(made.parts.mind).get("Key decisions", []) if made else ():
                if row.startswith("- "):
                    yield row.removeprefix("- "), "this session" if name == scene.session.id else name


def _as_done(call: Operation) -> Done:
    """The call as it would stand in the record if it went well."""
    now = int(time.time() * 1000)
    detail = {**masked_value(call.detail), **({"exit": 0} if call.kind is Kind.COMMAND else {})}
    done = Done(call.call, 0, call.kind, call.name, now, now, State.DONE, mask(call.target), detail, "")
    return replace(done, detail={name: value for name, value in done.detail.items() if name != "existed"})


def _whose(scene: Scene) -> Whose:
    text = partial(checks.text, scene.found.root)
    return Whose(scene.session.id, scene.session.cwd, scene.paths.relate, text=text)


def _earlier(entry: JournalEntry, boundary: Boundary) -> bool:
    """Whether an entry is from before the compaction; a sub-agent's number is its own, so its time decides."""
    if entry.agent is None:
        return entry.number <= boundary.number
    return entry.at is not None and boundary.at is not None and entry.at <= boundary.at


def _changed(path: str) -> int:
    """When a file changed last, in milliseconds; now where that cannot be told."""
    try:
        return os.stat(path).st_mtime_ns // 1_000_000  # noqa: PTH116 - a text
    except OSError:
        return int(time.time() * 1000)


def _paths(command: str) -> list[str]:
    """Words of a shell line that look like paths of files, the first few."""
    words = [word.strip("\"'") for word in command.split()]
    return [word for word in words if "/" in word and "." in basename(word) and "://" not in word and word[0] != "-"][
        :5
    ]
