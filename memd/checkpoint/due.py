"""When a model writes: once a compaction cycle, late enough to be worth it, early enough to be done in time. Pure."""

from collections.abc import Sequence

from memd.model import Boundary, Run

LATE = 0.95
"""Of the threshold: where it writes once more, if much came since."""
MUCH = 40
"""Messages that are much."""
FAILURES = 2
FREED = 0.1
"""A compaction that frees less of the context than this leaves nothing to be done for a writer."""
_IN_VAIN = frozenset({"failed", "unstarted"})
RESERVE = 20_000
"""Tokens that a reply may take, where the tool's own threshold is not known."""


def trigger(
    tokens: int, threshold: int, start: int, messages: int, runs: Sequence[Run], boundaries: Sequence[Boundary]
) -> str:
    """Why a model should write now: `threshold`, `late`, or "" when it should not.

    Args:
        tokens: how full the context is.
        threshold: where the tool compacts by itself.
        start: how full it is when a model writes, at the latest the threshold.
        messages: the session's last number.
        runs: this session's runs, oldest first.
        boundaries: its compactions, oldest first.
    """
    behind = boundaries[-1].number if boundaries else 0
    if any(run.outcome == "running" for run in runs):
        return ""
    written = [run for run in runs if run.outcome == "written" and run.upto > behind]
    if not written:
        return "threshold" if tokens >= start else ""
    much = messages - written[-1].upto >= MUCH
    return "late" if len(written) == 1 and tokens >= LATE * threshold and much else ""


def resting(runs: Sequence[Run], boundaries: Sequence[Boundary], since: int) -> str:
    """Why no model writes for the rest of a session's run, which began at `since`; "" when one may."""
    ended = [run for run in runs if run.at >= since and run.outcome in {"written", *_IN_VAIN}]
    if len(ended) >= FAILURES and all(run.outcome in _IN_VAIN for run in ended[-FAILURES:]):
        return f"its last {FAILURES} runs failed"
    last = boundaries[-1] if boundaries else None
    if last is None or last.at is None or last.at < since or not last.before or last.after is None:
        return ""
    freed = (last.before - last.after) / last.before
    return f"the last compaction freed only {max(freed, 0):.0%} of the context" if freed < FREED else ""
