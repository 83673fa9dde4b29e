"""What was done, what goes on, what failed: told by results."""

import pytest
from factories import Story

from memd.extract import work
from memd.model import Channel, Kind, State


def waiting(story):
    return [(w.what, w.id) for w in work.waiting(story.material())]


def jobs(story):
    story.run("npm run dev", state=State.BACKGROUND, job="b1")
    story.call(Kind.AGENT, "look into it", State.BACKGROUND, detail={"agent": "a1"})
    story.call(
        Kind.SCHEDULE, "0 9 * * *", detail={"id": "s1", "cron": "0 9 * * *", "prompt": "check", "recurring": True}
    )
    story.call(Kind.SCHEDULE, "0 9 * * *", detail={"id": "s2", "cron": "0 9 * * *", "prompt": "once"})
    story.call(Kind.ASK, "", State.RUNNING, detail={"questions": ["Which port?"]})


def test_what_goes_on_outside_the_turn_is_waited_for():
    """Jobs, sub-agents, schedules and the open question, in order."""
    story = Story()
    jobs(story)
    assert waiting(story) == [
        ("background job", "b1"),
        ("sub-agent", "a1"),
        ("schedule", "s1"),
        ("schedule", "s2"),
        ("question to the person", ""),
    ]


def test_what_ended_or_was_stopped_is_not_waited_for():
    """A notification ends a job, a stop ends anything with an id, a schedule that fires once has fired."""
    story = Story()
    jobs(story)
    story.says("<task-notification/>", Channel.BACKGROUND_NOTIFICATION, extra={"job": "b1"})
    story.call(Kind.STOP, "a1")
    story.call(Kind.STOP, "")
    story.says("once", Channel.BACKGROUND_SCHEDULE)
    story.says("check", Channel.BACKGROUND_SCHEDULE)
    assert waiting(story) == [("schedule", "s1"), ("question to the person", "")]


def test_an_answer_that_says_so_ends_a_job():
    """The agent looked at the job and was told its result: nothing is waited for, notified or not."""
    story = Story()
    jobs(story)
    story.call(Kind.OTHER, "", detail={"ends": "b1", "status": "completed"})
    assert ("background job", "b1") not in waiting(story)


def test_a_stop_that_failed_stops_nothing():
    """Only its result counts."""
    story = Story()
    jobs(story)
    story.call(Kind.STOP, "b1", State.FAILED)
    assert ("background job", "b1") in waiting(story)


def test_the_task_list_is_as_its_last_call_left_it():
    """Deleted entries are gone; a call without a list changes nothing."""
    story = Story()
    story.tasks(("one", "completed"), ("two", "in_progress"), ("three", "deleted"))
    story.call(Kind.TASKS, "", State.FAILED)
    assert [(t.id, t.text, t.status) for t in work.tasks(story.material())] == [
        ("1", "one", "completed"),
        ("2", "two", "in_progress"),
    ]


def test_effects_are_what_was_done():
    """A command that failed, was refused, or still runs has no effect on record; a connected server's call may have one."""
    story = Story()
    for state in (State.FAILED, State.REFUSED, State.RUNNING, State.DONE):
        story.run("git push", state=state)
    for name in ("mcp__chat__list_messages", "mcp__chat__send_message"):
        story.call(Kind.SERVER, f"{name} channel=ops", name=name)
    assert [d.number for d in work.effects(story.material(), 12)] == [4, 6]
    assert [d.number for d in work.effects(story.material(), 1)] == [6]


@pytest.mark.parametrize(
    ("result", "outcome"),
    [
        ("Creating pull request\nhttps://x/pull/12\n\nDone!", "https://x/pull/12"),
        ("[main 1a2b3c4] Raise the timeout\n 1 file changed", "[main 1a2b3c4] Raise the timeout"),
        ("To x\n   1a2b3c4..5d6e7f8  main -> main\nbye", "1a2b3c4..5d6e7f8  main -> main"),
        ("one\ntwo\n", "two"),
        ("", ""),
    ],
)
def test_the_outcome_is_the_line_that_names_what_came_of_it(result, outcome):
    """A link, a commit, a moved branch, else the last."""
    story = Story()
    story.run("git push", result)
    assert work.outcome(story.calls[0]) == outcome


def failed(story):
    return [d.number for d in work.failures(story.material())]


def test_a_failure_stands_until_the_same_succeeds():
    """An earlier success does not repair it, a later one does."""
    story = Story()
    story.run("make", "ok")
    story.run("make", "make: error 1", State.FAILED)
    assert failed(story) == [2]
    story.run("make", "ok")
    assert failed(story) == []


def test_the_same_failure_is_told_once():
    """The last of it; another error of the same program is another failure."""
    story = Story()
    for words in ("not found: a", "not found: a", "permission denied"):
        story.run("npm run x", words, State.FAILED)
    assert failed(story) == [2, 3]


@pytest.mark.parametrize(
    "words", ["", "Exit code 1", "---", "<tool_use_error>Sibling tool call errored</tool_use_error>"]
)
def test_a_failure_that_says_nothing_is_no_pitfall(words):
    """A search that found nothing, or a call that fell with its neighbour."""
    story = Story()
    story.run("grep x y", words, State.FAILED)
    assert failed(story) == []


def recovered(story):
    return [(r.failed.number, r.worked.number) for r in work.recoveries(story.material())]


def test_another_way_that_worked_is_a_recovery_and_no_failure():
    """The next successful command of the same program with other words, within a few calls."""
    story = Story()
    story.run("gc --dry-run", "unknown option", State.FAILED)
    story.run("ls")
    story.run("gc --check", "fine")
    assert (recovered(story), failed(story)) == ([(1, 3)], [])


@pytest.mark.parametrize("kind", [Kind.EDIT, Kind.CREATE])
def test_a_change_in_between_may_be_what_helped(kind):
    """Then the other words prove nothing."""
    story = Story()
    story.run("go test ./a", "compile error", State.FAILED)
    story.call(kind, "/srv/w/a.go")
    story.run("go test ./a -v", "ok")
    assert recovered(story) == []


def test_the_same_words_again_or_too_late_are_no_recovery():
    """A flaky command is no lesson, nor is one long after."""
    story = Story()
    story.run("make x", "error: flaky", State.FAILED)
    story.run("make x", "ok")
    story.run("cargo build a", "error: no", State.FAILED)
    for _ in range(6):
        story.run("ls")
    story.run("cargo build b", "ok")
    assert recovered(story) == []


def test_the_error_line_is_the_one_that_says_why():
    """Not the exit code, not the last line of a long log."""
    story = Story()
    story.run("make", "Exit code 2\nbuilding\nERROR: no rule for x\nbye", State.FAILED)
    story.run("make", "Exit code 2\nbuilding\nstopped", State.FAILED)
    story.run("bun lint", "$ biome check --error-on-warnings\nsrc/a.ts:3 unused import", State.FAILED)
    found = [work.error_line(d) for d in story.calls]
    assert found == ["ERROR: no rule for x", "stopped", "src/a.ts:3 unused import"]


def test_the_last_test_run_tells_its_counts():
    """Ended runs only, with what they counted."""
    story = Story()
    story.run("pytest -q", "....\n12 passed in 1s")
    story.run("pytest -q", "F\n1 failed, 11 passed in 1s", State.FAILED)
    story.run("pytest -q", state=State.RUNNING)
    run, counted = work.last_tests(story.material())
    assert (run.number, counted) == (2, "1 failed; 11 passed")


def test_a_notification_is_told_without_its_tags():
    """Summary and result; a text without them stands as it is."""
    story = Story()
    body = "<task-id>b1</task-id>\n<summary>Job done</summary>\n<result>all 3 ok</result>"
    text = f"<task-notification>\n{body}\n</task-notification>"
    story.says(text, Channel.BACKGROUND_NOTIFICATION)
    story.says("plain", Channel.BACKGROUND_PEER)
    assert [work.sayings(r) for r in work.notes(story.material())] == ["Job done; all 3 ok", "plain"]
