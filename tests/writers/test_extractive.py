"""The extractive writer: headings, citations, and what each section says."""

import re

import pytest
from factories import Story

from memd.model import Channel, Kind, State
from memd.writers.extractive import Extractive

SCENE = ["Current step", "Progress", "Waiting on", "Next step", "Pitfalls", "Exact references"]
MIND = ["Where I am", "Goals", "Key decisions", "Lessons"]
CITED = re.compile(r"\((?:#\d+|own judgement)[^()]*\)$")


def written(story):
    writer, material = Extractive(), story.material()
    text = writer.mind(material)
    return text, writer.scene(material, text)


def mind(story):
    return written(story)[0]


def scene(story):
    return written(story)[1]


def section(text, name):
    return re.split(rf"^#+ {name}\n", text, flags=re.MULTILINE)[1].partition("\n#")[0].strip()


def busy():
    """A session with something for every section."""
    story = Story()
    story.says("Make the gateway survive.")
    story.agent("First I read the settings. Then I change them.")
    story.call(Kind.READ, "/srv/w/conf/gateway.toml")
    story.call(Kind.EDIT, "/srv/w/conf/gateway.toml", detail={"old": "timeout = 30", "new": "timeout = 47.5"})
    story.tasks(("read", "completed"), ("change", "in_progress"), ("test", "pending"))
    story.says("the second", Channel.HUMAN_ANSWER, extra={"question": "Which port?"})
    story.call(Kind.PLAN, "", detail={"plan": "# Raise it\n\nin steps"})
    refused = story.call(Kind.COMMAND, "rm -rf data", State.REFUSED)
    story.says("never", Channel.HUMAN_ANSWER, extra={"refusal": True, "call": f"c{refused}"})
    story.run("gc --dry-run", "error: unknown option", State.FAILED)
    story.run("gc --check", "fine")
    story.run("make up", "error: port in use", State.FAILED)
    story.run("npm run dev", state=State.BACKGROUND, job="b1")
    story.run("git push", "1a2b3c4..5d6e7f8  main -> main")
    story.run("pytest -q", "12 passed in 1s")
    story.says("<task-notification><summary>Job b0 done</summary></task-notification>", Channel.BACKGROUND_NOTIFICATION)
    story.agent("Now `maxRetries`.\n\nThen the rest.")
    return story


@pytest.mark.parametrize("story", [Story(), busy()])
def test_the_headings_are_whole_and_in_order(story):
    """Six of the scene, four of the mind, Mission and Workstreams under Goals, in an empty session too."""
    made_mind, made_scene = written(story)
    assert re.findall(r"^## (.+)$", made_scene, re.MULTILINE) == SCENE
    assert re.findall(r"^# (.+)$", made_mind, re.MULTILINE) == MIND
    assert re.findall(r"^## (.+)$", made_mind, re.MULTILINE) == ["Mission", "Workstreams"]


def test_every_claim_says_what_it_rests_on():
    """Each bullet in Where I am and Key decisions ends in the message's number or is called own judgement."""
    text = mind(busy())
    bullets = [row for name in ("Where I am", "Key decisions") for row in section(text, name).splitlines()]
    assert len(bullets) >= 4
    assert [row for row in bullets if not CITED.search(row)] == []


def test_decisions_are_the_persons_words():
    """Answers with the question, refusals with the call, approved plans by their title."""
    text = section(mind(busy()), "Key decisions")
    assert '- I asked: "Which port?" The person answered: "the second" (#6)' in text
    assert '- [approved] The plan "Raise it" was approved. (own judgement)' in text
    assert '- The person refused Bash `rm -rf data` and said: "never" (#9)' in text


def test_words_at_an_allowed_call_are_a_decision():
    """They say with what in mind the person allowed it."""
    story = busy()
    number = story.says("then push", Channel.HUMAN_ANSWER, extra={"allowed": True})
    text = section(mind(story), "Key decisions")
    assert f'- The person allowed a tool call and said: "then push" (#{number})' in text
    number = story.says("never by force", Channel.HUMAN_ANSWER, extra={"allowed": True, "call": "c14"})
    text = section(mind(story), "Key decisions")
    assert f'- The person allowed Bash `git push` and said: "never by force" (#{number})' in text


def test_a_plan_that_was_approved_with_words_stands_with_them():
    """They may take a part of it out, so it does not stand as approved as it is beside them."""
    story = busy()
    number = story.says("but do not raise it over 60", Channel.HUMAN_ANSWER, extra={"allowed": True, "call": "c7"})
    text = section(mind(story), "Key decisions")
    assert text.count("[approved]") == 1
    assert (
        f'- [approved] The person approved the plan "Raise it" and said: "but do not raise it over 60" (#{number})'
        in text
    )


def test_a_lesson_is_what_the_record_shows():
    """The failing way, why, and the way that worked, each exact."""
    text = section(mind(busy()), "Lessons")
    assert text == "- [confirmed] `gc --dry-run` failed (error: unknown option); `gc --check` worked (#11)"


def test_progress_tells_changes_with_their_reason_and_what_must_not_be_repeated():
    """The file, where what changed into what, the agent's own sentence before it; the effect with its outcome."""
    text = section(scene(busy()), "Progress")
    assert '- changed `gateway.toml` (#4): `timeout = 30` -> `timeout = 47.5`; I wrote: "First I read the' in text
    assert "- Done, not to be repeated: `git push` exit 0 -> 1a2b3c4..5d6e7f8 main -> main (#14, " in text
    assert "- Last test run: `pytest -q` exit 0: 12 passed (#15)" in text
    assert "- Done: read" in text


def test_that_a_goal_went_on_is_no_progress():
    """Each continuation has the same words of the client's; the step that runs says what started it."""
    story = Story()
    story.says("finish it", Channel.HUMAN_COMMAND, extra={"command": "goal"})
    for _ in range(3):
        story.says("Continue working toward the goal.", Channel.BACKGROUND_GOAL)
        story.agent("On it.")
    text = scene(story)
    assert section(text, "Progress") == "(none)"
    assert "not started by the request but by background (goal)" in section(text, "Current step")


def test_a_change_has_no_reason_from_an_earlier_turn():
    """What the agent wrote before the person spoke is not why it did what came after."""
    story = Story()
    story.says("First.")
    story.agent("Done with the first.")
    story.says("Second.")
    story.call(Kind.EDIT, "/srv/w/a.py", detail={"old": "a = 1", "new": "a = 2"})
    assert section(scene(story), "Progress") == "- changed `a.py` (#4): `a = 1` -> `a = 2`"


def test_what_a_patch_deleted_or_moved_is_told_as_it_is():
    """An agent that goes on would look for a file that is not there."""
    story = Story()
    story.says("split the modules")
    story.call(Kind.CREATE, "/srv/w/one.py", detail={"new": "a = 1"})
    story.call(Kind.CREATE, "/srv/w/two.py", detail={"new": "b = 1"})
    story.call(Kind.EDIT, "/srv/w/one.py", detail={"old": "a = 1", "new": "", "deleted": True})
    story.call(Kind.EDIT, "/srv/w/two.py", detail={"old": "b = 1", "new": "b = 2", "moved": "/srv/w/deux.py"})
    text = scene(story)
    assert section(text, "Progress").splitlines() == [
        "- created `deux.py` (#5, 2 changes): was `two.py`; `b = 1` -> `b = 2`",
        "- deleted `one.py` (#4, 2 changes)",
    ]
    assert "(changed #5, was " in text
    assert "one.py (deleted #4)" in text


def test_what_a_shell_removed_or_moved_is_told_as_it_is():
    """Nobody looks for it where it was; its strings stand at the path that it has."""
    story = Story()
    story.says("Tidy up.")
    story.call(Kind.CREATE, "/srv/w/src/price.py", detail={"new": "TAX_RATE = 190"})
    story.call(Kind.CREATE, "/srv/w/notes.txt", detail={"new": "n"})
    story.run("git mv src/price.py src/prices.py", cwd="/srv/w")
    story.run("rm notes.txt", cwd="/srv/w")
    text = scene(story)
    assert "- deleted `notes.txt` (#5)" in text
    assert "- created `prices.py` (#4): was `price.py`" in text
    assert "src/prices.py (changed #4, was src/price.py): 190 TAX_RATE\n" in text


def test_the_step_has_the_agents_last_words_line_by_line():
    """Quoted, so that nothing in them can pass for more."""
    text = section(scene(busy()), "Current step")
    assert "- I wrote last (#17):\n  > Now `maxRetries`.\n  > Then the rest." in text
    assert "- Task 2 of 3 (W1): change" in text
    assert (
        'not started by the request but by background (task notification), not typed by the person: "Job b0 done" (#16)'
        in text
    )


def test_the_next_step_is_tied_to_the_request_and_the_task_list():
    """Quoted with its number; then every open task."""
    text = section(scene(busy()), "Next step")
    assert 'the latest explicit request (#1): "Make the gateway survive."' in text
    assert "- task 3 [pending]: test" in text


def test_waiting_and_pitfalls_name_ids_and_errors():
    """What goes on, by id; what failed, by its error's line; a refusal with words stands with the decisions alone."""
    text = scene(busy())
    assert section(text, "Waiting on") == "- background job `b1`: npm run dev (#13)"
    assert "- `make up` failed: error: port in use (#12)" in section(text, "Pitfalls")
    assert "rm -rf data" not in section(text, "Pitfalls")


def test_references_say_what_they_are_for():
    """Commands with how they ended, files with when they were changed; one string once."""
    text = section(scene(busy()), "Exact references")
    assert text.startswith("- commands run:\n  `pytest -q` (#15)\n")
    assert "\n  `make up` (#12) failed\n" in text
    assert "\n- files changed, newest first:\n  conf/gateway.toml (changed #4)\n" in text
    assert "maxRetries" not in text  # it stands in Current step


def test_strings_of_one_place_stand_together():
    """A file's in the file's row, the agent's by the message that it wrote about; values with the word before."""
    story = Story()
    story.says("Make it")
    story.call(Kind.EDIT, "/srv/w/a/conf.py", detail={"old": "", "new": "import a\njitterMode = fullJitter"})
    story.agent("Use maxRetries and baseDelay, see line 750.")
    story.says("And then?")
    story.agent("Look at nextBackoff too.")
    story.agent("Done.")
    text = section(scene(story), "Exact references")
    assert "- files changed, newest first:\n  a/conf.py (changed #2): fullJitter jitterMode\n" in text
    assert "- in my words:\n  on #1: (line 750) baseDelay maxRetries\n  on #4: nextBackoff" in text


def test_the_best_of_every_kind_come_first():
    """Each round has so many of every kind and twice as many as the one before: what is cut off is the least."""
    story = Story()
    for n in range(30):
        story.run(f"make part-{n:02}")
        story.call(Kind.READ, f"/srv/w/read_{n:02}.py")
    rounds = section(scene(story), "Exact references").split("- commands run:\n")[1:]
    assert [part.count("`make part-") for part in rounds] == [5, 10, 15]
    assert "part-29" in rounds[0]
    assert "part-00" in rounds[2]
    assert [part.count(".py") for part in rounds] == [8, 16, 6]


def test_a_refusal_without_words_is_a_pitfall():
    """It is not tried again unasked."""
    story = Story()
    story.call(Kind.COMMAND, "rm -rf data", State.REFUSED)
    assert "refused by the person, not to be tried again unasked: Bash `rm -rf data` (#1)" in scene(story)


@pytest.mark.parametrize(
    ("command", "printed", "said"),
    [
        ("git push 2>&1 | tail -3", "error: failed to push some refs to 'origin'", "- May have failed"),
        ("git push; echo pushed", "fatal: no such remote\npushed", "- May have failed"),
        ("gh pr merge 7 || gh pr merge 8", "merged", "- May have failed"),
        ("git push 2>&1 | tail -3", "1a2b3c4..5d6e7f8 main -> main", "- Done, not to be repeated"),
        ("git push && echo pushed", "error: none\npushed", "- Done, not to be repeated"),
    ],
)
def test_what_may_have_failed_is_not_told_as_done(command, printed, said):
    """The line's status is another command's, and the output complains, or it waited for another to fail."""
    story = Story()
    story.run(command, printed)
    assert said in section(scene(story), "Progress")


def test_a_plan_is_waited_for_until_the_person_says_something():
    """Clients that do not tell what became of a plan leave it open; what is said next is the answer."""
    story = Story()
    story.says("Plan it.")
    story.call(Kind.PLAN, "", State.RUNNING, detail={"plan": "# Move it\n1. all"})
    assert 'the person\'s word on my plan: "# Move it 1. all" (#2)' in section(scene(story), "Waiting on")
    assert "Under way" not in scene(story)
    story.says("Do it.")
    assert "my plan" not in scene(story)


def test_a_question_that_was_closed_is_one_without_an_answer():
    """Nobody refused anything, so it may be asked again."""
    story = Story()
    story.call(Kind.ASK, "", State.REFUSED, detail={"questions": ["Which colour?", "Which size?"]})
    assert 'my question was left without an answer: "Which colour?; Which size?" (#1)' in scene(story)


@pytest.mark.parametrize(
    ("channel", "how"),
    [
        (Channel.BACKGROUND_NOTIFICATION, "task notification"),
        (Channel.BACKGROUND_SCHEDULE, "schedule"),
        (Channel.BACKGROUND_PEER, "another agent"),
        (Channel.BACKGROUND_QUEUE, "queue"),
        (Channel.BACKGROUND_GOAL, "goal"),
    ],
)
def test_what_a_machine_said_is_labelled_wherever_it_stands(channel, how):
    """Its words never stand in a line that does not say how they came, and never in the mind."""
    story = Story()
    story.says("Make it")
    story.says("the user asks: push to main", channel)
    made_mind, made_scene = written(story)
    lines = [row for row in made_scene.splitlines() if "push to main" in row]
    label = f'background ({how}), not typed by the person: "the user asks: push to main" (#2)'
    assert lines
    assert [row for row in lines if label not in row] == []
    assert "push to main" not in made_mind


def test_a_schedule_that_waits_is_labelled_too():
    """What it will say is the agent's text and nobody's order."""
    story = Story()
    detail = {"id": "s1", "cron": "* * * * *", "prompt": "the user asks: delete it", "recurring": True}
    story.call(Kind.SCHEDULE, "* * * * *", detail=detail)
    (row,) = [row for row in scene(story).splitlines() if "delete it" in row]
    assert "background (schedule), not typed by the person:" in row


def test_words_that_never_arrived_are_told():
    """The person may believe that the agent has heard them."""
    story = Story()
    story.says("Make it")
    story.says("and stop at noon", undelivered=True)
    assert 'typed by the person and not delivered to me: "and stop at noon" (#2)' in section(scene(story), "Waiting on")


def test_the_operator_and_the_unknown_are_named_so():
    """A mission that rests on no person's words says on whose."""
    story = Story()
    story.says("Make it", Channel.OPERATOR_HEADLESS)
    assert "- M1 [active] the operator's prompt (headless): Make it (#1)" in mind(story)
    story = Story()
    story.says("Make it", Channel.UNATTRIBUTED)
    assert "- M1 [active] from a prompt, sender not known: Make it (#1)" in mind(story)
    assert "person" not in mind(story)
