"""What each hook gives back for a checkpoint: the bytes that lie ready, made before anybody asks.

A tool whose hooks put a text into the context once gets it per event. One that takes a text anew in every request
(`Tool.request_event`) gets the same bytes in each, so that the provider's prompt cache holds: they are made at the
session's start, where the project has something to say, and when the context was compacted; else only when the mission or the
constraints change.
"""

import hashlib
from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from memd import tokens
from memd.daemon import opening
from memd.daemon.constraints import of_session
from memd.extract import turns
from memd.extract.material import Material
from memd.model import BESIDE_CHANNELS, Channel, Session, marks
from memd.model.text import oneline
from memd.project import identity
from memd.render import Content, Limits, Rendered, compose, outline, project, short
from memd.render.compose import SHORT
from memd.render.sizing import units
from memd.store import Store
from memd.store.folders import Folders, Standing
from memd.tools.protocol import Tool

CLOSE = 3
"""A compaction within so many turns of the last gets the short form."""
LATE = "Late"
"""The reply for the next prompt when a compaction's own hook gave nothing; under no event's name, so no hook takes it alone."""
NEXT = "Next"
"""The text for after the next compaction, for a plugin that is alone when it comes; under no event's name either."""


class Situation(Struct, frozen=True):
    """What decides, beside the checkpoint itself, which replies there are."""

    compactions: int
    near: bool
    """The next compaction would follow closely on one after which a checkpoint was given."""
    waits: bool
    """A compaction lies behind that no checkpoint of ours was given after."""
    close: bool = False
    """The last compaction followed so itself, which counts where its text is made after it or still to be given."""
    beside: str = ""
    """The project's constraints, which stand beside the checkpoint wherever that is given."""


class Ready:
    """Makes the replies of one record's sessions."""

    def __init__(self, store: Store, folders: Folders, clock: Callable[[], int]) -> None:
        self._store = store
        self._folders = folders
        self._clock = clock

    def situation(self, material: Material) -> Situation:
        """How things stand with a session."""
        boundaries, session = material.boundaries, material.session
        given = bool(boundaries) and self._given_since(material)
        near = given and turns.since_boundary(material) < CLOSE
        return Situation(
            len(boundaries),
            near,
            waits=bool(boundaries) and not given,
            close=turns.before_boundary(material) < CLOSE and self._given_after(session, len(boundaries) - 1),
            beside=of_session(session, session.window),
        )

    def replies(self, tool: Tool, content: Content, full: Rendered, now: Situation, budget: int) -> dict[str, bytes]:
        """The bytes that each hook gives back."""
        brief = now.close if now.waits or tool.request_event else now.near
        given = short(content, SHORT, tokens, limits(tool, now.beside)) if brief else full
        hint = {"PreCompact": tool.reply("PreCompact", summary_hint(content))}
        if tool.request_event:
            after = short(content, SHORT, tokens, limits(tool, now.beside)) if now.near else full
            coming = self._stands(content, after, replace(now, compactions=now.compactions + 1))
            return {**hint, **self._standing(tool, content, given, now), NEXT: tool.reply(tool.request_event, coming)}
        texts = _with(tool, given.parts, now.beside)
        replies = {f"SessionStart.compact.{k}": tool.reply("SessionStart", text) for k, text in enumerate(texts, 1)}
        return {**replies, **self._back(tool, content, full, now, budget), **hint}

    def _back(self, tool: Tool, content: Content, full: Rendered, now: Situation, budget: int) -> dict[str, bytes]:
        """For a session that goes on: its text if it waits for it, else one line."""
        if not now.waits:
            return {"SessionStart.resume.1": tool.reply("SessionStart", _line(content))}
        texts = _with(tool, full.parts, now.beside)
        back = {f"SessionStart.resume.{k}": tool.reply("SessionStart", text) for k, text in enumerate(texts, 1)}
        if self.provable(content.session):
            one = compose(content, budget, tokens, Limits(tool.part_limit - units(now.beside) - 2, 1))
            back[LATE] = tool.reply(tool.prompt_event, _joined(now.beside, one.text))
        return back

    def _standing(self, tool: Tool, content: Content, given: Rendered, now: Situation) -> dict[str, bytes]:
        """The text that stands in every request since the last compaction, before the first one since the session's start."""
        folder = self._folders.session(tool.name, content.session.partition(":")[2])
        missions = outline.sections(content.parts.mind).get("Mission", []) if now.compactions else []
        kept, about = self._folders.standing(folder), made_for(now.beside, missions)
        if kept is None or (kept.compactions, kept.about) != (now.compactions, about):
            text = self._stands(content, given, now)
            if not text:
                return {}
            kept = Standing(now.compactions, about, tool.reply(tool.request_event, text))
            self._folders.let_stand(folder, kept)
        return {tool.request_event: kept.reply}

    def _stands(self, content: Content, given: Rendered, now: Situation) -> str:
        """The bootstrap of the project, since a compaction its short form between the constraints and the checkpoint."""
        session = self._store.session(content.session)
        found = identity.find(session.cwd) if session else None
        window = session.window if session else None
        if not now.compactions:
            return opening.bootstrap(self._store, found, project.BOOTSTRAP, window, self._clock())
        return _joined(now.beside, opening.beside(self._store, found, now.beside, window, self._clock()), given.text)

    def behind(self, tool: Tool, session: Session) -> bool:
        """Whether the text that stands is one from before the last compaction."""
        kept = self._folders.standing(self._folders.session(tool.name, session.native))
        return (kept.compactions if kept else 0) < session.compactions

    def provable(self, name: str) -> bool:
        """Whether this client writes into its transcript what it gives the model beside messages.

        Clients that do not (2.0.76 and for some time after it) leave no trace of a hook's text: nothing can be concluded
        from its absence there.
        """
        return bool(self._store.messages(name, channels=BESIDE_CHANNELS, last=1))

    def _given_after(self, session: Session, compactions: int) -> bool:
        """Whether a checkpoint went in when so many compactions lay behind."""
        known = self._store.deliveries.all(session.id) if compactions > 0 else ()
        return any(one.seen and one.compactions == compactions for one in known)

    def _given_since(self, material: Material) -> bool:
        """Whether a checkpoint went in since the last compaction and stands: by its row, or by the word of the tool's plugin.

        Where it came with a prompt (Codex), it is gone with that when the person goes back to before it.
        """
        session, number = material.session, material.boundaries[-1].number
        last = self._store.deliveries.last(session.id)
        seen = last is not None and bool(last.seen) and last.compactions >= len(material.boundaries)
        if seen and not any(record.withdrawn and record.number > number for record in material.gone):
            return True
        found = self._store.messages(session.id, after=number, channels={Channel.MEMD_INJECTION})
        own = [record for record in found if marks.find(record.text) is not None]
        if not own:
            return seen
        return any(record.in_force for record in own) or self._undone(session, number)

    def _undone(self, session: Session, number: int) -> bool:
        """Whether the person went back to before a compaction: the entry that it came after is gone too."""
        return any(record.withdrawn for record in self._store.messages(session.id, after=number - 1, upto=number))


def limits(tool: Tool, beside: str = "") -> Limits:
    """What the tool's hooks can carry of a checkpoint, where `beside` stands beside it."""
    if not beside:
        return Limits(tool.part_limit, tool.part_count)
    if tool.part_count > 1:
        return Limits(tool.part_limit, tool.part_count - 1)
    return Limits(tool.part_limit - units(beside) - 2, 1)


def _with(tool: Tool, parts: Sequence[str], beside: str) -> list[str]:
    """A checkpoint's parts and what stands beside it: an output of its own behind them, or before the only one."""
    if not beside:
        return list(parts)
    return [*parts, beside] if tool.part_count > 1 else [_joined(beside, parts[0])]


def _joined(*texts: str) -> str:
    return "\n\n".join(filter(None, texts))


def summary_hint(content: Content) -> str:
    """What a compaction's summary should keep: a few statements, no orders."""
    lines = [
        "memd keeps a checkpoint of this session and gives it back after the compaction. Worth keeping in the summary as well:"
    ]
    missions = outline.sections(content.parts.mind).get("Mission", [])
    lines += [f"- the mission: {oneline(entry.removeprefix('- '), 400)}" for entry in missions if "[active]" in entry]
    if content.request is not None:
        lines.append(f"- the current request (#{content.request.number}): {oneline(content.request.text, 300)}")
    lines.append(
        "- exact paths, commands, values and ids; what is done and must not be done twice; what the person forbade."
    )
    return "\n".join(lines)


def made_for(beside: str, missions: Sequence[str] = ()) -> str:
    """What a text was made for that stands in every request: it is made anew when this changes.

    That is the version of the constraints, which their first line names (how much of them there is room for may become clear
    later), and the mission.
    """
    named = "\n".join([*missions, beside.partition("\n")[0]])
    return hashlib.blake2b(named.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _line(content: Content) -> str:
    """The one line of a session that goes on with its context whole."""
    return (
        f"memd: session {content.session} is recorded (checkpoint {content.number}); "
        f"`memd show {content.session}` shows what is kept of it outside this context."
    )
