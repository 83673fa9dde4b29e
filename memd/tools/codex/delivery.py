"""From what Codex writes beside an item to its envelope: how was this delivered?

Since 2026 the client tags each part of an item with a kind and a provenance, writes an event beside what came in as a user's
message, and says for each turn what triggered it (measured on codex-cli 0.171.0). None of the three is enough alone: a
child's prompt has a person's tags, a review's prompt has the event without an item, and a screen's session can be resumed
by `codex exec`. Of the text only the closed set of machine tags is looked at, and only where nothing vouches for an item.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from memd.model import Delivery, Envelope, Origin, Wrapper
from memd.provenance import classify
from memd.tools.codex.state import Client, ReaderState
from memd.tools.fields import items, string, table

Row = Mapping[str, Any]


class Part(StrEnum):
    """What the client's own tags say of one part of an item."""

    USER = "user"
    CONTRADICTED = "contradicted"
    """A user's kind with another provenance."""
    GOAL = "goal"
    """What the person gave to `/goal`."""
    UNSTATED = ""
    SHELL = "shell"
    HOOK = "hook"
    JOB = "job"
    AGAIN = "again"
    """The client's own prompt to go on with a goal."""
    SUMMARY = "summary"
    INSTRUCTIONS = "instructions"
    CLIENT = "client"


AGENT, TOOL = (classify(Envelope(origin)) for origin in (Origin.AGENT, Origin.TOOL))
"""Who spoke where the item's type alone tells: most items."""

WAITING = frozenset({Part.USER, Part.CONTRADICTED, Part.GOAL, Part.UNSTATED})
"""What an event beside the item can say more of."""

_EXACT = {
    "user.goal": Part.GOAL,
    "shell.user_command": Part.SHELL,
    "goal.internal_context": Part.AGAIN,
    "multi_agent.subagent_notification": Part.JOB,
    "compaction.summary": Part.SUMMARY,
    "unknown": Part.UNSTATED,
}
_INSTRUCTIONS = "agents_md collaboration_mode environments host_skills model permissions tools"
_CLIENT = (
    "additional_content apps generic goal guardian model_switch multi_agent network_proxy plugins realtime_conversation"
    " shell skills"
)
_FAMILIES = {
    "user": Part.USER,
    "hooks": Part.HOOK,
    **dict.fromkeys(_INSTRUCTIONS.split(), Part.INSTRUCTIONS),
    **dict.fromkeys(_CLIENT.split(), Part.CLIENT),
}
"""The families of kinds, as far as they were seen in transcripts or read in the client (0.171.0)."""


def parts(item: Row) -> tuple[list[Part], list[str]]:
    """What is said of each part of an item's content, and the kinds that are not known."""
    passed = table(item, "internal_chat_message_metadata_passthrough")
    kinds, notes = items(passed, "content_item_kinds"), items(passed, "content_item_metadata")
    person = string(item, "role") == "user"
    found, unknown = [], []
    for number in range(len(items(item, "content"))):
        kind = kinds[number] if number < len(kinds) and isinstance(kinds[number], str) else ""
        note = notes[number] if number < len(notes) and isinstance(notes[number], dict) else {}
        one, known = _part(kind, table(note, "provenance"))
        found.append(one if person or one not in WAITING else Part.CLIENT if kinds else Part.INSTRUCTIONS)
        unknown += [] if known else [kind]
    return found, unknown


def _part(kind: str, provenance: Row) -> tuple[Part, bool]:
    source = string(provenance, "type")
    if provenance.get("hook"):
        return Part.HOOK, True
    known = _EXACT.get(kind) or _FAMILIES.get(kind.partition(".")[0])
    if not kind or kind == "unknown" or known is None:
        machine = source not in {"", "user"}
        return Part.CLIENT if machine else Part.UNSTATED, known is not None or kind in {"", "unknown"}
    if known is Part.USER and source != "user":
        return Part.CONTRADICTED, True
    if known is Part.GOAL and source != "harness":
        return Part.UNSTATED, True
    return known, True


_MACHINE = {
    Part.HOOK: Origin.HOOK,
    Part.JOB: Origin.JOB,
    Part.AGAIN: Origin.GOAL,
    Part.INSTRUCTIONS: Origin.INSTRUCTIONS,
    Part.CLIENT: Origin.CLIENT,
    Part.CONTRADICTED: Origin.CLIENT,
}


def of_part(part: Part) -> Envelope:
    """The envelope of what the client says that a machine wrote."""
    return Envelope(_MACHINE.get(part, Origin.CLIENT), summary=part is Part.SUMMARY)


def of_vouched(state: ReaderState, stated: Part, *, named: bool) -> Envelope:
    """The envelope of an item that the client's event calls a user's message; `named`: the client gave it an id."""
    if state.child:
        return Envelope(Origin.PERSON, child=True)
    if stated is Part.CONTRADICTED:
        return Envelope(Origin.CLIENT)
    if not state.attests:
        return _of_old(state)
    if stated is not Part.USER:
        return Envelope(Origin.NONE)
    return _of_turn(state, named=named)


def _of_old(state: ReaderState) -> Envelope:
    """A client that does not say what triggers a turn: the event beside the item is the witness."""
    client = state.client
    if client.headless:
        return Envelope(Origin.OPERATOR)
    if client.screen:
        delivery = Delivery.STEERED if state.ends and state.turn.asked else Delivery.PROMPT
        return Envelope(Origin.NONE, delivery, witness=True)
    return Envelope(Origin.PERSON, claimed=True) if client.originator else Envelope(Origin.NONE)


def _of_turn(state: ReaderState, *, named: bool) -> Envelope:
    """The trigger tells of the words that began the turn; what comes later was put in by somebody at the screen."""
    turn, own = state.turn, state.client.own
    steered = Envelope(Origin.NONE, Delivery.STEERED, witness=True)
    match turn.trigger:
        case "user" if own:
            return Envelope(Origin.PERSON, Delivery.STEERED if turn.asked else Delivery.PROMPT)
        case "exec" if not turn.asked:
            return Envelope(Origin.OPERATOR)
        case "queue":
            return steered if turn.asked and named and own else Envelope(Origin.QUEUE)
        case "goal":
            return steered if named and own else Envelope(Origin.GOAL)
        case trigger if trigger.startswith("schedule"):
            return Envelope(Origin.SCHEDULE)
        case _:
            return Envelope(Origin.PERSON, claimed=True)


def host(state: ReaderState, envelope: Envelope) -> str:
    """The program that alone vouches for a prompt; none for Codex's own, or where a turn has a trigger that is no person's."""
    named = envelope.claimed and not state.client.own and state.turn.trigger in {"", "user"}
    return state.client.originator if named else ""


def of_goal(state: ReaderState) -> Envelope:
    """The envelope of the words that were given to `/goal`: no event of the user's stands beside them."""
    if state.child:
        return Envelope(Origin.PERSON, child=True)
    if not state.client.own:
        return Envelope(Origin.PERSON, claimed=True)
    return Envelope(Origin.NONE, Delivery.COMMAND, witness=True)


def of_shell(state: ReaderState) -> Envelope:
    """The envelope of a command that was run with `!`."""
    return Envelope(Origin.LOCAL, wrapper=Wrapper.SHELL_INPUT, child=state.child, headless=not state.client.own)


def of_answer(state: ReaderState, *, verified: bool) -> Envelope:
    """The envelope of an answer to the agent's question; an old client's result alone is a witness, no proof."""
    client = state.client
    if not verified and not state.child:
        return Envelope(Origin.NONE, Delivery.ANSWER, witness=client.screen)
    origin = Origin.PERSON
    return Envelope(origin, Delivery.ANSWER, child=state.child, headless=client.headless, claimed=not client.own)


def of_unvouched(state: ReaderState, stated: Part, text: str) -> Envelope:
    """The envelope of an item of the user's role for which no event vouches."""
    if state.child:
        return Envelope(Origin.PERSON, child=True)
    if stated is Part.CONTRADICTED:
        return Envelope(Origin.CLIENT)
    return Envelope(Origin.NONE, wrapper=wrapper(text) if stated is Part.UNSTATED else None)


_TAGS = (
    (
        ("<environment_context>", "<user_instructions>", "# AGENTS.md instructions for ", "<permissions instructions>"),
        ("</environment_context>", "</user_instructions>", "</INSTRUCTIONS>", "</permissions instructions>"),
        Wrapper.INSTRUCTIONS,
    ),
    (("<user_shell_command>",), ("</user_shell_command>",), Wrapper.SHELL_INPUT),
    (("<subagent_notification>",), ("</subagent_notification>",), Wrapper.NOTIFICATION),
    (("<hook_prompt",), ("</hook_prompt>",), Wrapper.HOOK_STOP),
    (("<turn_aborted>",), ("</turn_aborted>",), Wrapper.OUTPUT),
    (("<user_action>",), ("</user_action>",), Wrapper.OUTPUT),
    (("<skill>",), ("</skill>",), Wrapper.OUTPUT),
    (("<codex_internal_context",), ("</codex_internal_context>",), Wrapper.OUTPUT),
)
"""How a machine's text opens and closes. What the client wraps, it wraps whole: who quotes a tag goes on behind it."""


def wrapper(text: str) -> Wrapper | None:
    """The machine tag that a text stands in, of the closed set."""
    head, tail = text[:80].lstrip(), text[-80:].rstrip()
    return next((found for opens, ends, found in _TAGS if head.startswith(opens) and tail.endswith(ends)), None)


def client(meta: Row) -> Client:
    """The program that a `session_meta` names."""
    return Client(string(meta, "id"), string(meta, "originator"), string(meta, "source"))


def born_of_agent(meta: Row) -> bool:
    """Whether a `session_meta` is that of a sub-agent: its prompt looks like a person's, nothing else tells."""
    source = meta.get("source")
    return isinstance(source, dict) or string(meta, "thread_source") == "subagent" or bool(meta.get("parent_thread_id"))
