"""When a model writes, and when it rests."""

import pytest

from memd.checkpoint import due
from memd.model import Boundary, Run


def run(upto, outcome="written", at=100):
    return Run("s", "claude-code", at, upto, 1, outcome)


def compaction(number, before=100_000, after=10_000, at=50):
    return Boundary(1, number, at, "auto", before, after)


@pytest.mark.parametrize(
    ("tokens", "messages", "runs", "boundaries", "expected"),
    [
        (79, 10, [], [], ""),
        (80, 10, [], [], "threshold"),
        (94, 50, [run(10)], [], ""),
        (95, 49, [run(10)], [], ""),
        (95, 50, [run(10)], [], "late"),
        (99, 150, [run(10), run(60)], [], ""),
        (80, 60, [run(10)], [compaction(50)], "threshold"),
        (80, 60, [run(55)], [compaction(50)], ""),
        (99, 60, [run(10, "running")], [], ""),
        (99, 60, [run(10, "running")], [compaction(50)], ""),
        (99, 60, [run(10, "lost")], [], "threshold"),
        (99, 60, [run(10, "failed")], [], "threshold"),
        (99, 60, [run(10, "dropped")], [], "threshold"),
    ],
)
def test_a_model_writes_once_a_cycle_and_once_more_if_much_came(tokens, messages, runs, boundaries, expected):
    """At 0.8 of the threshold, and by 0.95 when 40 messages came since; a run in progress is waited for."""
    assert expected == due.trigger(tokens, 100, 80, messages, runs, boundaries)


@pytest.mark.parametrize(
    ("outcomes", "rests"),
    [
        (["failed"], False),
        (["failed", "failed"], True),
        (["failed", "written", "failed"], False),
        (["failed", "dropped", "failed"], True),
        (["failed", "repair", "failed"], True),
        (["failed", "unstarted"], True),
        (["failed", "failed", "written"], False),
    ],
)
def test_two_failures_in_a_row_end_it(outcomes, rests):
    """What was dropped, or is a second request, is neither a failure nor a success."""
    runs = [run(n, outcome) for n, outcome in enumerate(outcomes, 1)]
    assert rests == bool(due.resting(runs, [], 0))
    assert due.resting(runs, [], 101) == ""


@pytest.mark.parametrize(
    ("boundary", "rests"),
    [
        (compaction(5, 100, 91), True),
        (compaction(5, 100, 90), False),
        (compaction(5, 100, 120), True),
        (compaction(5, None, None), False),
        (compaction(5, 100, 99, at=None), False),
        (compaction(5, 100, 99, at=1), False),
    ],
)
def test_a_compaction_that_frees_nothing_ends_it(boundary, rests):
    """Only one in this run of the session, and only where the client says what it freed."""
    assert rests == bool(due.resting([], [boundary], 10))
