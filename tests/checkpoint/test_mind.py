"""mind.md as values, whatever a model wrote into it."""

from hypothesis import given, settings
from hypothesis import strategies as st
from judged import MIND, edited, faults

from memd.checkpoint.mind import HEADINGS, Bullet, parse, section

PIECES = st.sampled_from(
    [
        *("\n", "- ", "# ", "## ", " ", "M1", "M2", "text", "é", "任务", "```"),
        *("(#1)", "(#1; #9)", "(#8)", "(own judgement)"),
        *("[active]", "[done]", "[withdrawn]", "[replaced by M2]"),
        *("Where I am", "Goals", "Mission", "Lessons", "Make the gateway survive a slow upstream"),
    ]
)


def test_the_parts_of_a_mind_are_found():
    """Headings, bullets with the lines that go on with them, missions with status and citations."""
    mind = parse(edited("alone. (#3)", "alone,\n  but only before noon. (#3)"))
    assert (mind.headings, mind.whole, mind.stray) == (HEADINGS, True, ())
    assert mind.bullets["Where I am"][1].text == "- I may deploy to staging alone,\n  but only before noon. (#3)"
    (mission,) = mind.missions.values()
    assert (mission.id, mission.status, mission.cites) == ("M1", "active", (1,))
    assert mission.words == "Make the gateway survive a slow upstream"
    assert section(MIND, "Lessons") == "- [hypothesis] The upstream is slow only after a deploy. (#8)"


def test_a_citation_is_the_last_bracket_that_opens_with_a_number():
    """Brackets within the words are words."""
    bullet = Bullet("- fix (#7) and f(x), as said (#12; by `f()` in #14, #3 of claude-code:x)")
    assert (bullet.cites, bullet.own, bullet.body) == ((12, 14), False, "fix (#7) and f(x), as said")
    assert Bullet("- so I think (own judgement)").own
    assert Bullet("- a bracket (of words)").citation is None
    assert Bullet("- reversed (#31 replaces #12)").replaces == ((31, 12),)


@given(st.integers(0, len(MIND)), st.integers(0, 120), st.lists(PIECES, max_size=12).map("".join))
@settings(max_examples=400)
def test_no_edit_that_passes_has_touched_a_missions_words(at, length, put):
    """Whatever is cut out and put in anywhere: where no fault is found, M1 is there, word for word, and cites #1."""
    mind = MIND[:at] + put + MIND[at + length :]
    if not faults(mind):
        kept = parse(mind).missions["M1"]
        assert kept.words == "Make the gateway survive a slow upstream"
        assert 1 in kept.cites
        assert kept.status == "active" or set(kept.cites) & {2, 3, 4, 8, 9}


@given(st.lists(PIECES, max_size=60).map("".join))
def test_any_text_is_read(text):
    """A model may write anything; nothing is lost on the way: every line with words is in a bullet, a heading or stray."""
    mind = parse(text)
    words = [row for row in text.split("\n") if row.strip() and row.strip() != "(none)"]
    found = [row for bullet in mind.all for row in bullet.text.split("\n")]
    assert len(words) <= len(found) + len(mind.headings) + len(mind.stray) + text.count("#")
