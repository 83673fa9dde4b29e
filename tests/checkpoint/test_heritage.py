"""What was judged before a fork, under the fork's own numbers."""

from judged import MIND, SCENE

from memd.checkpoint.carry import Judged
from memd.checkpoint.heritage import inherited
from memd.model import Tick

SOURCE = "claude-code:s"
NUMBERS = {2: 1, 3: 2, 8: 5, 9: 6}
"""The fork has #2 of its source as #1, #3 as #2 …; #1 has no row in it."""


def heir(**fields):
    judged = Judged(
        **{"mind": MIND, "mind_upto": 9, "scene": SCENE, "scene_upto": 9, "writer": "agent", "upto": 9} | fields
    )
    return inherited(judged, SOURCE, NUMBERS)


def test_citations_are_the_forks_own_or_say_whose():
    """Everything else stays byte for byte: a number in a person's words is theirs."""
    mind = MIND.replace("survive a slow upstream", "survive a slow upstream of ticket (#3)")
    told = heir(mind=mind).mind
    assert "settings. (#1 of claude-code:s, #1)\n" in told
    assert "- I may deploy to staging alone. (#2)\n" in told
    assert "- M1 [active] Make the gateway survive a slow upstream of ticket (#3) (#1 of claude-code:s)\n" in told
    assert "after a deploy. (#5)\n" in told
    assert (
        "- The timeout is raised and not removed, because a hung upstream would hold all workers. (own judgement)\n"
        in told
    )


def test_a_scene_cites_in_brackets():
    """What stands outside of them may be quoted."""
    told = heir(scene=SCENE.replace("First read", "See issue #3. First read")).scene
    assert "request_timeout = 47.5 (#5)." in told
    assert 'The person asked (#6): "take the retries next". See issue #3. First read' in told


def test_how_far_it_knows_and_what_was_ticked_is_renumbered():
    """A box without a message in the fork is gone with it."""
    ticks = {n: Tick(n, ticked=n != 9, person=n == 2) for n in (1, 2, 9)}
    made = heir(ticks=ticks, mind_upto=8, upto=1)
    assert (made.mind_upto, made.scene_upto, made.upto) == (5, 6, 0)
    assert made.ticks == {1: Tick(1, ticked=True, person=True), 6: Tick(6, ticked=False, person=False)}


def test_a_message_of_another_session_replaces_nothing_here():
    """`(#31 replaces #12 of …)` says nothing of this session's #12."""
    told = heir(mind=MIND.replace("alone. (#3)", "alone. (#3 replaces #1)"))
    assert "alone. (#2 replaces #1 of claude-code:s)\n" in told.mind
    assert told.decided.replaced == {}
