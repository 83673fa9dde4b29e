"""Keeping a session's checkpoint current: read the record, let the writer write, render, store, lay out for the hooks."""

import secrets
import string
from collections.abc import Callable
from dataclasses import replace

from memd import tokens
from memd.checkpoint import turn
from memd.config import Config
from memd.daemon.lineage import inherited
from memd.extract import turns
from memd.extract.material import SPEAKING, Material
from memd.model import BESIDE_CHANNELS, Channel, Checkpoint, Kind, Session, marks
from memd.model.text import oneline
from memd.render import Content, Limits, Rendered, compose, outline, short
from memd.render.compose import SHORT
from memd.store import Store
from memd.store.folders import Folders
from memd.tools.protocol import Tool
from memd.tools.registry import tool as named

AGENT_TEXTS, CALLS = 60, 1_500
"""So many of the newest are looked at; what people asked for is always read whole."""
INJECT_CAP, INJECT_SHARE, UNKNOWN_WINDOW = 12_000, 0.08, 200_000
CLOSE = 3
"""A compaction within so many turns of the last gets the short form."""
LATE = "Late"
"""The reply for the next prompt when a compaction's own hook gave nothing; under no event's name, so no hook takes it alone."""
_CODE = string.ascii_uppercase + string.digits


class Keeper:
    """Makes and lays out checkpoints; `clock` gives milliseconds since the epoch."""

    def __init__(self, store: Store, folders: Folders, config: Config, clock: Callable[[], int]) -> None:
        self._store = store
        self._folders = folders
        self._config = config
        self._clock = clock
        self._laid: dict[str, tuple[int, bool, bool]] = {}
        """What the ready replies on disk were made for: checkpoint, short form, text on resume."""

    def material(self, session: Session) -> Material:
        """All that a checkpoint of the session is made from."""
        store, name = self._store, session.id
        calls = {d.call: d for d in store.operations(name, kinds={Kind.PLAN, Kind.ASK})}
        calls |= {d.call: d for d in store.operations(name, kinds={Kind.TASKS}, last=20)}
        calls |= {d.call: d for d in store.operations(name, last=CALLS)}
        said, before = inherited(store, name, store.messages(name, channels=SPEAKING))
        return Material(
            session,
            said,
            tuple(store.messages(name, channels={Channel.AGENT_TEXT}, last=AGENT_TEXTS)),
            tuple(sorted(calls.values(), key=lambda d: (d.number, d.at or 0))),
            tuple(store.boundaries(name)),
            before,
        )

    def refresh(self, name: str, trigger: str, writer: turn.Writer) -> Checkpoint | None:
        """Bring a session's checkpoint up to its newest record; the current one when nothing changed."""
        session = self._store.session(name)
        if session is None or session.parent is not None:
            return None
        material = self.material(session)
        made = turn.draft(material, writer, _first(material))
        current = self._store.current_checkpoint(name)
        near, waits = self._near(material), self.waits(session)
        digest = f"{made.digest}:{len(material.boundaries)}"
        if current is not None and self._store.checkpoint_digest(name) == digest:
            self._store.confirm_checkpoint(name, made.upto)
            if self._laid.get(name) != (current.number, near, waits):
                self._lay_again(session, made, current, near=near, waits=waits)
            return current
        number = (current.number if current else 0) + 1
        checkpoint, content = turn.number(made, number, self._clock(), trigger, _code())
        return self._keep(session, checkpoint, content, digest, near=near, waits=waits)

    def _keep(
        self, session: Session, checkpoint: Checkpoint, content: Content, digest: str, *, near: bool, waits: bool
    ) -> Checkpoint:
        tool, folder = named(session.tool), self._folders.session(session.tool, session.native)
        full = compose(content, self.budget(session, tool), tokens, _limits(tool))
        checkpoint = replace(checkpoint, tokens=turn.sizes(checkpoint.parts, full.tokens, tokens))
        replies = self._replies(tool, session, content, full, near=near, waits=waits)
        self._folders.write(folder, checkpoint, full.text, replies)
        self._store.add_checkpoint(checkpoint, digest)
        self._folders.publish(folder, checkpoint.number)
        self._folders.drop(folder, self._store.prune_checkpoints(session.id))
        self._laid[session.id] = (checkpoint.number, near, waits)
        return checkpoint

    def _lay_again(self, session: Session, made: turn.Draft, current: Checkpoint, *, near: bool, waits: bool) -> None:
        """The same content, but what lies behind the session changed, or a crash came between the row and the files."""
        tool, folder = named(session.tool), self._folders.session(session.tool, session.native)
        _, content = turn.number(made, current.number, current.at, current.trigger, current.receipt)
        full = compose(content, self.budget(session, tool), tokens, _limits(tool))
        replies = self._replies(tool, session, content, full, near=near, waits=waits)
        if self._folders.text(folder, current.number) is None:
            self._folders.write(folder, current, full.text, replies)
        self._folders.replace_replies(folder, current.number, replies)
        self._folders.publish(folder, current.number)
        self._laid[session.id] = (current.number, near, waits)

    def _replies(
        self, tool: Tool, session: Session, content: Content, full: Rendered, *, near: bool, waits: bool
    ) -> dict[str, bytes]:
        """The bytes that each hook gives back."""
        given = short(content, SHORT, tokens, _limits(tool)) if near else full
        replies = {
            f"SessionStart.compact.{k}": tool.reply("SessionStart", text) for k, text in enumerate(given.parts, 1)
        }
        if waits:
            back = {
                f"SessionStart.resume.{k}": tool.reply("SessionStart", text) for k, text in enumerate(full.parts, 1)
            }
            if self.provable(session.id):
                one = compose(content, self.budget(session, tool), tokens, Limits(tool.part_limit, 1))
                back[LATE] = tool.reply(tool.prompt_event, one.text)
        else:
            back = {"SessionStart.resume.1": tool.reply("SessionStart", _line(session, content.number))}
        return {**replies, **back, "PreCompact": tool.reply("PreCompact", summary_hint(content))}

    def waits(self, session: Session) -> bool:
        """Whether a compaction lies behind that no checkpoint of ours was given after."""
        boundaries = self._store.boundaries(session.id)
        return bool(boundaries) and not self._given_since(session, boundaries[-1].number)

    def provable(self, name: str) -> bool:
        """Whether this client writes into its transcript what it gives the model beside messages.

        Clients that do not (2.0.76 and for some time after it) leave no trace of a hook's text: nothing can be concluded
        from its absence there.
        """
        return bool(self._store.messages(name, channels=BESIDE_CHANNELS, last=1))

    def _given_since(self, session: Session, number: int) -> bool:
        own = self._store.messages(session.id, after=number, channels={Channel.MEMD_INJECTION})
        return any(marks.find(record.text) is not None for record in own)

    def _near(self, material: Material) -> bool:
        """Whether the next compaction would follow closely on one after which a checkpoint was given."""
        if not material.boundaries or turns.since_boundary(material) >= CLOSE:
            return False
        return self._given_since(material.session, material.boundaries[-1].number)

    def budget(self, session: Session, tool: Tool) -> int:
        """Tokens that may be given back."""
        if self._config.inject.max_tokens is not None:
            return self._config.inject.max_tokens
        window = session.window or tool.window(session.model) or UNKNOWN_WINDOW
        return min(INJECT_CAP, int(window * INJECT_SHARE))

    def rendered(self, session: Session, checkpoint: Checkpoint, budget: int) -> Rendered:
        """A kept checkpoint's text at another budget."""
        material = self.material(session)
        made = turn.draft(material, _Kept(checkpoint), _first(material))
        _, content = turn.number(made, checkpoint.number, checkpoint.at, checkpoint.trigger, checkpoint.receipt)
        tool = named(session.tool)
        return compose(content, budget, tokens, _limits(tool))


class _Kept:
    """A writer that gives back what was written."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        self.name = checkpoint.writer
        self._parts = checkpoint.parts

    def write(self, material: Material) -> tuple[str, str]:  # noqa: ARG002 - the writer's shape
        return self._parts.mind, self._parts.scene


def _line(session: Session, number: int) -> str:
    """The one line of a session that goes on with its context whole."""
    return (
        f"memd: session {session.id} is recorded (checkpoint {number}); "
        f"`memd show {session.id}` shows what is kept of it outside this context."
    )


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


def _first(material: Material) -> int | None:
    mission = turns.directing(material)
    return None if mission is None else mission.number


def _limits(tool: Tool) -> Limits:
    return Limits(tool.part_limit, tool.part_count)


def _code() -> str:
    return "".join(secrets.choice(_CODE) for _ in range(6))
