"""From a row's own fields to its envelope: how was this delivered?

The fields and their values were measured on Claude Code 2.1.332: `origin.kind`, `promptSource`, `turnOrigin`, `rowSource`,
`isMeta`, `isCompactSummary`, `isSidechain`. `turnOrigin: human` proves nothing (summaries and `!` output carry it); absent
fields prove nothing either (clients before 2.1 write none). Of the text only the closed set of machine tags is looked at,
and only where the fields leave a choice that can demote or sub-classify.
"""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from memd.model import Channel, Delivery, Envelope, Origin, Wrapper
from memd.provenance import classify
from memd.tools.fields import flag, flat, string, table

Row = Mapping[str, Any]

KNOWN_ORIGINS = {
    "human": Origin.PERSON,
    "task-notification": Origin.JOB,
    "peer": Origin.PEER,
    "coordinator": Origin.PEER,
    "channel": Origin.PEER,
    "slack-ping": Origin.PEER,
    "auto-continuation": Origin.GOAL,
    "unclassified": Origin.CLIENT,
    "observer": Origin.CLIENT,
    "observer-activity": Origin.CLIENT,
    "plugin": Origin.CLIENT,
    "voice-call": Origin.CLIENT,
}
_SUBKINDS = {
    "scheduled-trigger": Origin.SCHEDULE,
    "peer-send-message": Origin.PEER,
    "projects-relay": Origin.PEER,
    "session-inbox": Origin.PEER,
}
_TURNS = {
    "scheduled": Origin.SCHEDULE,
    "task_notification": Origin.JOB,
    "auto_continuation": Origin.GOAL,
    "peer": Origin.PEER,
    "host_synthetic": Origin.CLIENT,
    "system": Origin.CLIENT,
}
AGENT, TOOL, CLIENT = (classify(Envelope(origin)) for origin in (Origin.AGENT, Origin.TOOL, Origin.CLIENT))
"""Who spoke where the row's type alone tells: most rows."""
_REMINDER = "<system-reminder>"
_SOURCES = {"queued": Delivery.QUEUED, "suggestion_accepted": Delivery.SUGGESTION}
_KNOWN_SOURCES = frozenset({"", "typed", "queued", "suggestion_accepted", "sdk", "system"})
_NOT_TYPED = (
    "textNotTyped",
    "handedOff",
    "promptRewritten",
    "fromConnector",
    "verifiedSlackHumanTurn",
    "noPersonArrived",
    "queueSkipAttachments",
    "queueTranscriptOnly",
)
"""Flags beside a person's origin where a program put the words in or changed them, or a relay brought them."""
_PROMPTS = frozenset({Delivery.PROMPT, Delivery.QUEUED, Delivery.STEERED})
_OWN_STARTS = frozenset({"cli", "sdk-cli"})
"""The entrypoints of the client itself, on a screen and with `-p`."""
_SUGGESTED = {"suggestion_accepted": Delivery.SUGGESTION}
_TAGS = (
    ("<bash-input>", ("</bash-input>",), Wrapper.SHELL_INPUT),
    ("[Request interrupted by user", ("by user]", "for tool use]"), Wrapper.OUTPUT),
    ("<bash-stdout>", ("</bash-stdout>", "</bash-stderr>"), Wrapper.OUTPUT),
    ("<bash-stderr>", ("</bash-stderr>", "</bash-stdout>"), Wrapper.OUTPUT),
    ("<local-command-", (">",), Wrapper.OUTPUT),
    ("<command-name>", (">",), Wrapper.COMMAND),
    ("<command-message>", (">",), Wrapper.COMMAND),
    ("<task-notification>", ("",), Wrapper.NOTIFICATION),
    ("<bash-notification>", ("",), Wrapper.NOTIFICATION),
    ("<teammate-message", ("",), Wrapper.TEAMMATE),
    ("Operation stopped by hook", ("",), Wrapper.HOOK_STOP),
)
"""How a machine's text opens and closes. What the client wraps, it wraps whole: who quotes a tag goes on behind it."""


def wrapper(text: str) -> Wrapper | None:
    """The machine tag that a text stands in, of the closed set."""
    head, tail = text[:80].lstrip(), text[-80:].rstrip()
    return next((found for tag, ends, found in _TAGS if head.startswith(tag) and tail.endswith(ends)), None)


def of_user_row(row: Row, text: str, *, child: bool) -> Envelope:
    """The envelope of a user row's own text (not of its tool results, nor where it stands beside one)."""
    origin = _origin(row)
    source = string(row, "promptSource")
    found = wrapper(text)
    command = origin is Origin.PERSON and not source and found is Wrapper.COMMAND
    return Envelope(
        origin=origin,
        delivery=Delivery.COMMAND if command else _SOURCES.get(source, Delivery.PROMPT),
        wrapper=found,
        meta=_marked(row, "isMeta", "turnCompanion", "isVisibleInTranscriptOnly"),
        summary=_marked(row, "isCompactSummary"),
        child=child or _marked(row, "isSidechain", "agentId"),
        headless=headless(row),
        claimed=source == "sdk" or source not in _KNOWN_SOURCES or _put_in(row),
    )


def of_beside(row: Row, text: str, *, child: bool, attests: bool) -> Envelope:
    """The envelope of a text that stands beside a tool's result: what the person wrote when they allowed the call.

    The client puts there the words of its permission dialog and nothing else (read in 2.1.332, seen in 29 rows of 2.1.19 to
    2.1.37). Where the row says who decided, that counts; in a client that states nothing the place is the witness, and a tag
    demotes.
    """
    envelope = of_user_row(row, text, child=child)
    if envelope.origin is not Origin.NONE or text.lstrip().startswith(_REMINDER):
        return envelope
    if attests:
        return of_answer(row) if _decider(row).startswith("user") else envelope
    return replace(envelope, delivery=Delivery.STEERED, witness=True)


def of_queued(row: Row, attachment: Row) -> Envelope:
    """The envelope of a `queued_command` attachment: something that came in while the agent worked."""
    kind = string(table(attachment, "origin"), "kind")
    origin = _stated(table(attachment, "origin")) if kind else Origin.NONE
    typed = string(attachment, "commandMode") == "prompt" and flag(attachment, "humanTurn")
    if origin is Origin.PERSON and not typed:
        origin = Origin.NONE
    if origin is Origin.NONE and string(attachment, "commandMode") == "task-notification":
        origin = Origin.JOB
    return Envelope(
        origin=origin,
        delivery=_SUGGESTED.get(string(attachment, "inputSource"), Delivery.STEERED),
        wrapper=wrapper(flat(attachment.get("prompt"))),
        meta=_marked(row, "isMeta") or _marked(attachment, "isMeta"),
        child=_marked(row, "isSidechain", "agentId"),
        headless=headless(row),
        claimed=headless(row) or _put_in(attachment),
    )


def _marked(row: Row, *keys: str) -> bool:
    """Whether one of these fields is there and not false: what demotes need not be of the right type."""
    return any(map(row.get, keys))


def _put_in(row: Row) -> bool:
    """Whether a program put the words where a person types (read in 2.1.332: the client itself takes them for nobody's)."""
    return _marked(row, *_NOT_TYPED)


def of_answer(row: Row) -> Envelope:
    """The envelope of an answer to the agent's question, or of the words of a refusal, inside a tool result.

    `permissionDecision.source` names who decided: `user_temporary` and `user_permanent` are the person's own keys.
    """
    source = _decider(row)
    person = not source or source.startswith("user")
    return Envelope(
        origin=Origin.PERSON if person else Origin.CLIENT,
        delivery=Delivery.ANSWER,
        child=_marked(row, "isSidechain", "agentId"),
        headless=headless(row),
        claimed=headless(row) or flag(row, "toolDenialFromHost"),
    )


def _decider(row: Row) -> str:
    return string(table(row, "permissionDecision"), "source")


def headless(row: Row) -> bool:
    """Whether the client runs without a screen (`entrypoint` is `sdk-cli`, `sdk-py`, … there)."""
    return string(row, "entrypoint").startswith("sdk")


def host(row: Row, told: Row, envelope: Envelope) -> str:
    """The program that alone vouches for a prompt, by its `entrypoint`; `told`: what says of the words whether they were typed.

    None for what the client runs itself, for words in a machine's tag, and for a suggestion or what a program put in.
    """
    if classify(envelope)[0] is not Channel.OPERATOR_HEADLESS or envelope.delivery not in _PROMPTS:
        return ""
    name = string(row, "entrypoint")
    return "" if envelope.wrapper is not None or _put_in(told) or name in _OWN_STARTS else name


def _origin(row: Row) -> Origin:
    if string(row, "rowSource") == "hook" or flag(row, "hookText"):
        return Origin.HOOK
    if table(row, "origin"):
        return _contradicted(row, _stated(table(row, "origin")))
    if string(row, "wakeupSource") or string(row, "scheduledTaskId"):
        return Origin.SCHEDULE
    turn = string(row, "turnOrigin")
    if turn in _TURNS:
        return _TURNS[turn]
    if _marked(row, "isMeta", "turnCompanion", "sourceToolUseID") or string(row, "rowSource") == "harness":
        return Origin.CLIENT
    if string(row, "promptSource") == "sdk":
        return Origin.OPERATOR
    if string(row, "teamName") and not string(row, "permissionMode"):
        return Origin.PEER  # a teammate's message; a team lead's own words carry the permission mode (2.1.81)
    return Origin.LOCAL if string(row, "rowSource") == "local" else Origin.NONE


def _contradicted(row: Row, stated: Origin) -> Origin:
    """A person's origin counts only where no other field says that a machine delivered the row (as the client itself judges)."""
    if stated is not Origin.PERSON:
        return stated
    if string(row, "wakeupSource") or string(row, "scheduledTaskId"):
        return Origin.SCHEDULE
    if string(row, "turnOrigin") in _TURNS:
        return _TURNS[string(row, "turnOrigin")]
    made = (
        string(row, "promptSource") == "system" or string(row, "rowSource") == "harness" or row.get("sourceToolUseID")
    )
    return Origin.CLIENT if made else stated


def _stated(origin: Row) -> Origin:
    kind, sub = string(origin, "kind"), string(origin, "subkind")
    if kind == "task-notification" and sub in _SUBKINDS:
        return _SUBKINDS[sub]
    return KNOWN_ORIGINS.get(kind, Origin.NONE)
