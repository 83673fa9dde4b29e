"""Boxes that were decided, and what models were run for."""

import pytest

from memd.model import Problem, Run, Spent, Tick

from .builders import ONE, checkpoint, commit, message


@pytest.fixture
def recorded(store):
    commit(store, message("a"))
    return store


def test_a_persons_box_is_only_changed_by_a_person(recorded):
    """A model's decision gives way to theirs and never the other way."""
    name = ONE.session
    recorded.judging.tick(name, [Tick(1, ticked=True, person=False), Tick(2, ticked=True, person=False)])
    recorded.judging.tick(name, [Tick(1, ticked=False, person=True)])
    recorded.judging.tick(name, [Tick(1, ticked=True, person=False), Tick(2, ticked=False, person=False)])
    assert recorded.judging.ticks(name) == {
        1: Tick(1, ticked=False, person=True),
        2: Tick(2, ticked=False, person=False),
    }
    recorded.judging.tick(name, [Tick(1, ticked=True, person=True)])
    assert recorded.judging.ticks(name)[1].ticked


def test_boxes_are_decided_with_their_checkpoint_or_not_at_all(recorded):
    """One transaction: a checkpoint that is refused decides nothing."""
    name = ONE.session
    recorded.checkpoints.add(checkpoint(1), "d", [Tick(1, ticked=True, person=False)])
    with pytest.raises(Exception, match="does not follow"):
        recorded.checkpoints.add(checkpoint(7), "d", [Tick(1, ticked=False, person=False)])
    assert recorded.judging.ticks(name) == {1: Tick(1, ticked=True, person=False)}


def test_boxes_go_with_their_session_and_runs_stay_counted(recorded):
    """The day's caps hold whatever is forgotten; what a run's faults quote is forgotten with it."""
    name = ONE.session
    recorded.judging.tick(name, [Tick(1, ticked=True, person=True)])
    key = recorded.judging.start_run(Run(name, "claude-code", 100, 1))
    recorded.judging.end_run(key, 4_000, "written", [Problem("mind", "'- the words'", "the previous mind stays")])
    recorded.forgetting.forget([name], 1)
    assert [run.problems for run in recorded.judging.runs(name)] == [()]
    assert recorded.judging.ticks(name) == {}
    assert (recorded.judging.spent(100), recorded.judging.spent(101)) == (Spent(1, 4_000), Spent(0, 0))


def test_a_run_is_entered_when_it_starts_and_kept_with_what_was_wrong(recorded):
    """One of a process that is gone is lost; nothing else about it is known."""
    name, wrong = ONE.session, (Problem("mind", "M1 is missing", "the previous mind stays"),)
    key = recorded.judging.start_run(Run(name, "claude-code", 100, 1))
    recorded.judging.start_run(Run(name, "claude-code", 200, 2))
    recorded.judging.end_run(key, 9, "failed", wrong)
    recorded.judging.abandon_runs()
    assert recorded.judging.runs(name) == [
        Run(name, "claude-code", 100, 1, 9, "failed", wrong),
        Run(name, "claude-code", 200, 2, 0, "lost"),
    ]


def test_a_run_of_a_session_begins_when_it_is_taken_up(recorded):
    """Until a hook tells, it is its first."""
    assert recorded.judging.taken_up(ONE.session) == 0
    recorded.judging.take_up(ONE.session, 55)
    assert recorded.judging.taken_up(ONE.session) == 55


def test_the_checkpoints_that_were_judged_are_known(recorded):
    """By a model or a hand, newest first."""
    for number, writer in enumerate(["extractive", "agent", "extractive", "hand", "extractive"], 1):
        recorded.checkpoints.add(checkpoint(number, writer=writer), f"{number}")
    assert recorded.checkpoints.judged(ONE.session) == [4, 2]
