"""The verdict on one session.

    ok        nothing is wrong
    stale     the record is ahead of the checkpoint, or the transcript ahead of the record
    degraded  a checkpoint is there, but something on its way to the model is not as it should be
    failing   there is no valid checkpoint, or the source or the store is in trouble
    never     nothing is recorded yet

The worst reason decides; one that is only noted leaves it `ok`. Each has a code (docs/reasons.md has a page for it) and the
command that mends it.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from enum import StrEnum
from shlex import quote

from msgspec import Struct

from memd.health.facts import Facts
from memd.model import Boundary
from memd.model.text import clock

TURNS, SECONDS = 2, 60
"""A checkpoint is stale when the record is ahead by more turns, or for longer, than this."""
ROWS = 10
"""So many unknown rows are "in number"."""
RETURNS = 2
"""A branch that was left goes on so often only where two programs take turns."""
GRACE = 20.0
"""Seconds after a compaction in which the receipt may still be on its way into the transcript."""


class Health(StrEnum):
    """From good to bad, but for `never`."""

    OK = "ok"
    STALE = "stale"
    DEGRADED = "degraded"
    FAILING = "failing"
    NEVER = "never"


_WHY_NOTHING = frozenset({"source-unreadable", "unread", "unknown-rows", "words-unread", "lines-damaged"})
"""What may be why nothing is recorded of a session: told of one too that has no entry yet."""
_WORSE = (Health.OK, Health.STALE, Health.DEGRADED, Health.FAILING)


class Reason(Struct, frozen=True):
    """What is wrong, in words, and the command that mends it."""

    code: str
    text: str
    fix: str
    health: Health


class Verdict(Struct, frozen=True):
    """Health and its reasons, the worst first."""

    health: Health
    reasons: tuple[Reason, ...]


def judge(facts: Facts) -> Verdict:
    """The verdict on a session."""
    if not facts.session.messages:
        return Verdict(Health.NEVER, tuple(reason for reason in _reasons(facts) if reason.code in _WHY_NOTHING))
    reasons = tuple(sorted(_reasons(facts), key=lambda reason: -_WORSE.index(reason.health)))
    return Verdict(reasons[0].health if reasons else Health.OK, reasons)


def _reasons(facts: Facts) -> Iterator[Reason]:
    yield from _failing(facts)
    yield from _degraded(facts)
    yield from _stale(facts)
    yield from _noted(facts)


def _failing(facts: Facts) -> Iterator[Reason]:
    name = facts.session.id
    if facts.checkpoint is None:
        yield Reason("no-checkpoint", "there is no checkpoint yet", f"memd checkpoint {name}", Health.FAILING)
    if facts.source_error is not None:
        yield Reason(
            "source-unreadable",
            f"the transcript cannot be read: {facts.source_error}",
            facts.source_fix,
            Health.FAILING,
        )
    if facts.store_error is not None:
        yield Reason(
            "store-trouble", f"nothing new can be recorded: {facts.store_error}", "memd doctor", Health.FAILING
        )


def _unready(facts: Facts) -> Iterator[Reason]:
    """What is written is written in two places, one after the other, so a checkpoint of just now may be on its way."""
    name, made = facts.session.id, facts.checkpoint
    if facts.obstacle is not None:
        text = f"the checkpoint's files cannot be written: {facts.obstacle} is no folder"
        place = quote(facts.obstacle)
        yield Reason("replies-missing", text, f"mv -n {place} {place}.other && memd checkpoint {name}", Health.DEGRADED)
    elif facts.unready and made is not None and not _recent(facts, made.at):
        text = "what hooks give back while the daemon is down is not on disk, or not all of it"
        yield Reason("replies-missing", text, f"memd checkpoint {name}", Health.DEGRADED)


def _degraded(facts: Facts) -> Iterator[Reason]:
    name, tool = facts.session.id, facts.session.tool
    yield from _unready(facts)
    for fault in facts.hooks:
        fix = "memd doctor" if fault in _BY_HAND else f"memd install {tool}"
        fix += f" --trust-{tool}-hooks" if fault in _BY_TRUST else ""
        fix = f"restart {tool}" if fault == "silent" else fix
        text = _HOOKS[fault].format(tool=tool) + (_LOWER if fault == "missing" and facts.plugin else "")
        yield Reason(f"hooks-{fault}", text, fix, Health.DEGRADED)
    if facts.boundary is not None and facts.provable and not _arrived(facts, facts.boundary):
        when = clock(facts.boundary.at)
        text = f"no checkpoint was seen going in after the compaction of {when} (hook not run, or its output lost)"
        yield Reason("receipt-missing", text, f"memd show {name}", Health.DEGRADED)
    elif facts.delivery is not None and facts.delivery.level == "delivered" and not _recent(facts, facts.delivery.at):
        seen, parts = len(facts.delivery.seen), facts.delivery.parts
        text = f"only {seen} of {parts} parts of checkpoint {facts.delivery.number} were seen going in whole"
        yield Reason("receipt-partial", text, f"memd show {name}", Health.DEGRADED)
    if facts.unsummed:
        text = "the client's own summary of the last compaction is an error message: only what memd gave back is left"
        yield Reason("summary-failed", text, f"memd show {name}", Health.DEGRADED)
    if facts.unheard is not None:
        text = f"no messages although active: typed at {clock(facts.unheard)}, and the transcript has nothing of it"
        yield Reason("no-messages", text, f"restart {tool}", Health.DEGRADED)
    if facts.copies_error is not None:
        text = f"the checkpoint is made and given back; what people read of it cannot be written: {facts.copies_error}"
        yield Reason("copies-unwritten", text, f"memd checkpoint {name}", Health.DEGRADED)
    if facts.resting:
        fix = f"memd checkpoint {name} --writer agent"
        yield Reason("writer-resting", f"no model writes for now: {facts.resting}", fix, Health.DEGRADED)
    if facts.watches_short:
        yield Reason(
            "watches-short",
            "the system gives too few file watches; memd looks each second instead",
            "memd doctor",
            Health.DEGRADED,
        )
    yield from _unknown(facts)


def _unknown(facts: Facts) -> Iterator[Reason]:
    if facts.words:
        text = f"what a person may have said stands in a shape that this memd does not know: {_counted(facts.words)}"
        yield Reason("words-unread", text, "memd doctor", Health.DEGRADED)
    every = Counter(facts.unknown) + Counter(facts.words)
    if every.total() >= ROWS:
        text = f"rows of types that this memd does not know: {_counted(every)}"
        yield Reason("unknown-rows", text, "memd doctor", Health.DEGRADED)


def _counted(kinds: Mapping[str, int]) -> str:
    """The most frequent three."""
    return ", ".join(f"{kind} ({count})" for kind, count in sorted(kinds.items(), key=lambda kv: -kv[1])[:3])


_BY_HAND, _BY_TRUST = (
    {"unreadable", "malformed", "disabled", "managed", "skipped", "doubled"},
    {"untrusted", "modified"},
)
_HOOKS = {
    "missing": "memd's hooks are not in {tool}'s settings: nothing can be given back",
    "changed": "memd's hooks in {tool}'s settings are not as this version writes them",
    "disabled": "{tool}'s settings switch all hooks off",
    "managed": "settings of whoever manages this machine let no hook of a person's run in {tool}",
    "unreadable": "{tool}'s settings cannot be read as JSON",
    "malformed": "an entry of somebody else in {tool}'s settings is malformed, for which the client may drop all hooks",
    "untrusted": "memd's hooks are not trusted in {tool}, which skips them without a word",
    "modified": "memd's hooks are not those that were trusted in {tool}, which skips them without a word",
    "doubled": "memd's hooks are in {tool}'s settings and in a plugin too: each text comes twice",
    "skipped": "hooks of memd's are switched off in {tool}",
    "silent": "memd's plugin for {tool} is installed and gives no sign of life: prompts are graded lower without its word, and "
    "nothing is given back",
    "copy": "the hook's file is missing or not this version's",
    "interpreter": "the hook's interpreter is gone",
}
_LOWER = ", and prompts are graded lower without the plugin's word"


def _arrived(facts: Facts, boundary: Boundary) -> bool:
    """Whether something of ours was seen in the transcript after a compaction, or may still be on its way."""
    recent = boundary.at is not None and _recent(facts, boundary.at)
    given = facts.delivery
    if given is None:
        return recent
    since = boundary.at is None or given.at >= boundary.at - 15 * 60_000
    return recent or (since and given.compactions >= boundary.ordinal - 1 and given.level != "written")


def _recent(facts: Facts, at: int) -> bool:
    """Whether what began at a time may still be on its way into the transcript."""
    return facts.now - at < GRACE * 1000


def _stale(facts: Facts) -> Iterator[Reason]:
    name = facts.session.id
    fix = f"memd checkpoint {name}"
    if facts.source_gone is not None:
        text = f"the transcript is gone since {clock(facts.source_gone)}; the record and the checkpoint stay"
        yield Reason("source-gone", text, f"memd show {name}", Health.STALE)
    elif facts.lag and facts.lag_ms > SECONDS * 1000:
        who = "the daemon does not run" if not facts.daemon else "the daemon is behind"
        yield Reason(
            "unread",
            f"{facts.lag} bytes of the transcript are not read: {who}",
            "memd run" if not facts.daemon else fix,
            Health.STALE,
        )
    if facts.checkpoint_error is not None:
        text = f"no checkpoint could be made of what is new: {facts.checkpoint_error}"
        yield Reason("checkpoint-failed", text, fix, Health.STALE)
    late = facts.unread is not None and facts.now - facts.unread > SECONDS * 1000
    if facts.checkpoint is not None and (facts.turns_behind > TURNS or late):
        count = facts.turns_behind
        text = "the record is ahead of the checkpoint" + (f" by {count} turn{'s' * (count > 1)}" if count else "")
        yield Reason("behind", text, fix, Health.STALE)


def _noted(facts: Facts) -> Iterator[Reason]:
    """What a person should know of the transcript; the checkpoint is as good as it can be."""
    look = f"memd log {facts.session.id}"
    if facts.undelivered:
        which = ", ".join(f"#{number}" for number in facts.undelivered[:5])
        yield Reason("undelivered", f"typed, and never delivered to the agent: {which}", look, Health.OK)
    if facts.returns >= RETURNS:
        text = "two programs write into this transcript: what the other one than the last wrote may be marked withdrawn"
        yield Reason("two-writers", text, look, Health.OK)
    if facts.lost:
        known = " and ".join(f"{count} {what}" for what, count in facts.lost.items() if count)
        text = "the transcript was written over or cut; what was added and taken away between two looks is not recorded"
        yield Reason("lines-lost", text + (f" (at least {known})" if known else ""), look, Health.OK)
    if facts.absent:
        text = "not there: " + ", ".join(f"{count} {what}" for what, count in facts.absent.items())
        yield Reason("source-absent", text, look, Health.OK)
    if facts.thrashing:
        text = f"{facts.thrashing} compactions followed each other within a few turns: what they free fills up at once"
        yield Reason("compaction-thrash", text, f"memd status {facts.session.id}", Health.OK)
    if facts.damaged:
        text = (
            f"{facts.damaged} place{'s' * (facts.damaged > 1)} of the transcript could not be read (torn, or no JSON)"
        )
        yield Reason("lines-damaged", text, look, Health.OK)
