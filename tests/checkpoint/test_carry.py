"""What was judged is carried on while the program alone writes."""

import pytest
from factories import Story, record
from judged import MIND, SCENE, edited
from msgspec.structs import replace

from memd.checkpoint import carry, scene
from memd.checkpoint.mind import parse
from memd.model import Channel
from memd.writers.extractive import Extractive

FRESH = """# Where I am

(none)

# Goals

## Mission

- M1 [active] Make the gateway survive a slow upstream (#1)

## Workstreams

- W1 (M1) [active] my task list: 4/9 done

# Key decisions

- I asked: "Push?" The person answered: "no" (#4)
- I asked: "Tag?" The person answered: "yes" (#24)

# Lessons

- [confirmed] `make` failed; `make all` worked (#22)
"""


def test_what_came_since_is_added_where_it_belongs():
    """Decisions and lessons of later messages; every byte that was written stays."""
    text = carry.carried_mind(MIND, 20, FRESH)
    assert (
        text.replace('- I asked: "Tag?" The person answered: "yes" (#24)\n', "").replace(
            "- [confirmed] `make` failed; `make all` worked (#22)\n", ""
        )
        == MIND
    )
    assert parse(text).whole
    assert [bullet.cites for bullet in parse(text).bullets["Key decisions"]] == [(), (24,)]


def test_nothing_grows_by_being_carried_on():
    """It is made from the same two texts each time; what the judged text cites already is not added again."""
    once = carry.carried_mind(MIND, 20, FRESH)
    assert carry.carried_mind(MIND, 20, FRESH) == once
    assert carry.carried_mind(once, 20, FRESH) == once


def test_a_new_mission_gets_the_next_free_number():
    """The person set another goal after the model wrote."""
    fresh = FRESH.replace("Make the gateway survive a slow upstream (#1)", "Write the docs (#30)")
    missions = parse(carry.carried_mind(MIND, 20, fresh)).missions
    assert [(m.id, m.words, m.cites) for m in missions.values()] == [
        ("M1", "Make the gateway survive a slow upstream", (1,)),
        ("M2", "Write the docs", (30,)),
    ]
    empty = edited("- M1 [active] Make the gateway survive a slow upstream (#1)", "(none)")
    assert list(parse(carry.carried_mind(empty, 20, fresh)).missions) == ["M1"]


def test_a_new_mission_takes_no_number_of_an_entry_in_the_persons_own_form():
    """They may have left out its status; the number is its name all the same."""
    line = "- M1 [active] Make the gateway survive a slow upstream (#1)"
    judged = edited(line, f"{line}\n- M2: and the docs, by Friday")
    text = carry.carried_mind(judged, 20, FRESH.replace(line, "- M1 [active] Ship 2.1 (#30)"))
    assert [bullet.text[:4] for bullet in parse(text).bullets["Mission"]] == ["- M1", "- M2", "- M3"]


def test_a_mission_that_a_later_goal_ended_ends_in_the_judged_mind_too():
    """Under its own number there, with the message that ended it; one that both set and ended later comes with its end."""
    judged = edited(
        "- M1 [active] Make the gateway survive a slow upstream (#1)",
        "- M1 [done] Look around (#1, #4)\n- M2 [active] Ship 2.0, at the latest tomorrow (#5)",
    )
    fresh = FRESH.replace(
        "- M1 [active] Make the gateway survive a slow upstream (#1)",
        "- M1 [active] Look around (#1)\n- M2 [replaced by M3] Ship 2.0 (#5, #30)\n"
        "- M3 [replaced by M4] Ship 2.1 (#30, #31)\n- M4 [withdrawn] Ship 2.2 (#31, #32)",
    )
    once = carry.carried_mind(judged, 20, fresh)
    assert [bullet.text for bullet in parse(once).bullets["Mission"]] == [
        "- M1 [done] Look around (#1, #4)",
        "- M2 [replaced by M3] Ship 2.0, at the latest tomorrow (#5, #30)",
        "- M3 [replaced by M4] Ship 2.1 (#30, #31)",
        "- M4 [withdrawn] Ship 2.2 (#31, #32)",
    ]
    assert carry.carried_mind(once, 20, fresh) == once


def test_a_forks_goal_ends_its_sources_mission_and_does_not_double_it():
    """A source's message is none of the fork's, whatever number the end has; and it is active again when that is taken back."""
    theirs = "#4 of codex:019a"
    line = "- M1 [active] Make the gateway survive a slow upstream (#1)"
    judged, fresh = (
        edited(line, f"- M1 [active] Ship 2.0 ({theirs})"),
        f"- M1 [replaced by M2] Ship 2.0 ({theirs}, #30)",
    )
    fresh = FRESH.replace(line, f"{fresh}\n- M2 [active] Ship 2.1 (#30)")
    once = carry.carried_mind(judged, 20, fresh)
    ended = [f"- M1 [replaced by M2] Ship 2.0 ({theirs}, #30)", "- M2 [active] Ship 2.1 (#30)"]
    assert [bullet.text for bullet in parse(once).bullets["Mission"]] == ended
    assert carry.carried_mind(once, 20, fresh) == once
    without = carry.standing(once, frozenset({30}))
    assert [one.status for one in parse(without).missions.values()] == ["active", "withdrawn"]


def test_a_mission_of_a_forks_source_that_was_set_after_it_was_judged_there_comes_too():
    """Its file may not repeat that row; a mission that the judged mind has in its own words is not added again."""
    line = "- M1 [active] Make the gateway survive a slow upstream (#1)"
    judged = edited(line, "- M1 [active] Look around (#4 of codex:019a)\n- M2 [active] Write docs (own judgement)")
    rows = ("M1 [active] Look around (#4", "M2 [active] Write docs (#6", "M3 [active] Ship 2.1 (#9")
    fresh = FRESH.replace(line, "\n".join(f"- {row} of codex:019a)" for row in rows))
    carried = parse(carry.carried_mind(judged, 20, fresh, heir=True)).missions
    assert [(one.words, one.by) for one in carried.values()][2:] == [("Ship 2.1", "#9 of codex:019a")]


def test_a_goal_that_ended_in_a_forks_source_after_it_was_judged_there_ends():
    """By a message that has no row in the fork either; what a person left active by hand stays so."""
    line = "- M1 [active] Make the gateway survive a slow upstream (#1)"
    judged = edited(line, "- M1 [active] Ship 2.0, tomorrow (#4 of codex:019a)")
    rows = [
        "- M1 [replaced by M2] Ship 2.0 (#4 of codex:019a, #9 of codex:019a)",
        "- M2 [active] Ship 2.1 (#9 of codex:019a)",
    ]
    fresh = FRESH.replace(line, "\n".join(rows))
    once = carry.carried_mind(judged, 20, fresh, heir=True)
    told = [rows[0].replace("2.0", "2.0, tomorrow"), rows[1]]
    assert [bullet.text for bullet in parse(once).bullets["Mission"]] == told
    assert carry.carried_mind(once, 20, fresh, heir=True) == once
    assert parse(carry.carried_mind(judged, 20, fresh)).missions["M1"].status == "active"


@pytest.mark.parametrize(("own", "by_hand", "missions"), [(0, False, 2), (0, True, 1), (1, False, 1)])
def test_what_a_fork_judged_itself_and_what_a_person_left_out_is_not_added(own, by_hand, missions):
    """Only a mind that was judged in the source can lack a mission that was set there later."""
    story = Story()
    story.says("go on", copy_of="codex:019a#9")
    story.says("And the tests?")
    goal = record(0, "Ship 2.1", Channel.HUMAN_COMMAND, extra={"command": "goal"}, copy_of="codex:019a#8")
    judged = carry.Judged(mind=MIND, mind_upto=1 + own, by_hand=by_hand, writer="agent", upto=1 + own)
    text, _ = carry.Carried(Extractive(), judged).write(replace(story.material(), before=(goal,)))
    assert len(parse(text).missions) == missions


def test_a_mission_that_came_back_is_given_to_a_mind_that_has_none():
    """A person can take back all and bring it back, after the mind was judged in between."""
    line = "- M1 [active] Make the gateway survive a slow upstream (#1)"
    nothing = edited(line, "(none)")
    assert list(parse(carry.carried_mind(nothing, 20, FRESH)).missions) == ["M1"]


def test_messages_that_a_later_one_replaced_are_known():
    """By a decision that says so, and by a mission that ended on the person's word."""
    text = edited("(own judgement)\n\n# L", "(#9 replaces #2)\n\n# L")
    text = text.replace("M1 [active] Make the gateway survive a slow upstream (#1)", "M1 [withdrawn] Make (#1; #9)")
    assert carry.replaced(text) == {2: 9, 1: 9}
    assert carry.replaced(MIND) == {}


def test_a_models_scene_stands_alone_until_something_comes():
    """Then its lines say as of which message they are where they may be overtaken."""
    judged = carry.Judged(scene=SCENE, scene_upto=20)
    fresh = scene.document({"Next step": "- go on with #24", "Pitfalls": "- `x` failed"})
    assert carry.carried_scene(judged, fresh, 20) == SCENE
    found = scene.sections(carry.carried_scene(judged, fresh, 24))
    assert found["Next step"].splitlines() == [
        "- go on with #24",
        '- (as of #20) The person asked (#9): "take the retries next". First read retry.py.',
    ]
    assert found["Pitfalls"].splitlines() == ["- Setting it to 0 hangs the pool: `pool exhausted`.", "- `x` failed"]
    assert found["Waiting on"] == "(none)"
