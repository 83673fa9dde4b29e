"""`event_msg` rows: turns, completed items, usage, rollbacks, and the older events that the items replaced."""

from collections.abc import Callable

from memd.model import Gap, TurnEnd, Usage
from memd.tools.codex import answers, calls, known, rollback, words
from memd.tools.codex.reading import Reading, Row
from memd.tools.codex.state import Turn
from memd.tools.fields import string, table, whole
from memd.tools.remembered import changed

_SHARE = 95
"""Percent of the raw window that rows report (258,400 of 272,000; measured on 0.171.0)."""
_ROUND = 1_000


def read(reading: Reading, event: Row) -> None:
    """One event."""
    kind = string(event, "type")
    reader = _READERS.get(kind)
    if reader is not None:
        reader(reading, event)
    elif item := calls.item_of(event):
        answers.tell(reading, item)
    elif kind not in known.EVENTS:
        reading.events.append(Gap("unknown", f"event_msg/{kind}"))


def _started(reading: Reading, event: Row) -> None:
    answers.due(reading)
    told = bool(table(event, "turn_attribution"))
    trigger = string(table(event, "turn_attribution"), "turn_trigger")
    state = reading.state  # an item that waits goes on waiting: a migrated file of 2025 has a turn's start behind it
    turn = Turn(string(event, "turn_id"), told, trigger)
    reading.state = changed(state, turn=turn, attests=state.attests or told, ends=True, filled=None)
    reading.tell(window=raw(whole(event, "model_context_window")))


def _ended(reading: Reading, event: Row) -> None:  # noqa: ARG001 - the reader's shape
    answers.due(reading)
    words.settle(reading)
    reading.state = changed(reading.state, ends=True, filled=None)
    reading.events.append(TurnEnd(reading.at))


def _completed(reading: Reading, event: Row) -> None:
    item = table(event, "item")
    kind = string(item, "type")
    if kind == "UserMessage":
        words.vouched(reading, {**item, "turn_id": string(event, "turn_id")})
    elif calls.tells(item):
        answers.tell(reading, item)
    elif kind not in known.COMPLETED:
        reading.events.append(Gap("unknown", f"item_completed/{kind}"))


def _usage(reading: Reading, event: Row) -> None:
    """How full the context is: the total of the last answer, or after a compaction the client's estimate."""
    info = table(event, "info")
    tokens = whole(table(info, "last_token_usage"), "total_tokens")
    if not tokens or tokens < 0 or reading.state.filled is not None or reading.taken_back:
        return
    if reading.state.facts.window is None:
        reading.tell(window=raw(whole(info, "model_context_window")))
    key = f"{whole(table(info, 'total_token_usage'), 'total_tokens') or 0}:{tokens}"
    if key != reading.state.usage:
        reading.state = changed(reading.state, usage=key, tokens=tokens)
        # After a rewind the sums begin anew, so the time makes the name.
        reading.events.append(Usage(f"{reading.stamp}:{key}", reading.at, tokens, reading.state.facts.model))


def raw(reported: int | None) -> int | None:
    """The model's whole window, of which the client's threshold is a share; rows report 95 % of it.

    Clients of 2025 reported the whole: a number that is not 95 % of a round one is taken as it is.
    """
    if reported is None or reported <= 0:
        return None
    whole_one, rest = divmod(reported * 100, _SHARE)
    return whole_one if rest == 0 and whole_one % _ROUND == 0 else reported


def _rolled_back(reading: Reading, event: Row) -> None:
    words.settle(reading)
    reading.state, rewind = rollback.back(reading.state, whole(event, "num_turns") or 0)
    reading.events.extend([rewind] if rewind else [])


def _named(reading: Reading, event: Row) -> None:
    reading.tell(title=string(event, "thread_name") or string(event, "name"))


_READERS: dict[str, Callable[[Reading, Row], None]] = {
    "task_started": _started,
    "turn_started": _started,
    "task_complete": _ended,
    "turn_complete": _ended,
    "turn_aborted": _ended,
    "item_completed": _completed,
    "user_message": words.vouched,
    "thread_goal_updated": words.goal_set,
    "thread_name_updated": _named,
    "thread_rolled_back": _rolled_back,
    "token_count": _usage,
}
