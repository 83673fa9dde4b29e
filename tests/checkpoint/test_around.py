"""What stands around mind, memo and scene."""

from factories import LIMITS, SIZER, Story
from judged import SCENE

from memd.checkpoint import around, turn
from memd.checkpoint.beside import NOTHING, Beside
from memd.checkpoint.carry import Judged
from memd.extract import skills
from memd.model import Kind
from memd.render import compose
from memd.writers.extractive import Extractive


def story():
    told = Story()
    told.says("Make it")
    told.call(Kind.SKILL, "review")
    for number in range(12):
        told.call(Kind.EDIT, f"/srv/w/c{number}.py", detail={"old": "a", "new": "b"})
    for number in range(6):
        told.call(Kind.READ, f"/srv/w/r{number}.py")
    told.compacts()
    return told


def test_files_and_skills_are_named_and_what_is_too_much_is_counted():
    """Ten changed, five read, the newest first."""
    material = story().material()
    text = around.sections(material, Beside(gone=tuple(skills.gone(material))), listed=False)
    assert "- last changed: `c11.py`, `c10.py`" in text
    assert "`c2.py` and 2 before them\n" in text
    assert "- last read: `r5.py`, `r4.py`, `r3.py`, `r2.py`, `r1.py` and 1 before them\n" in text
    assert "- skill `review`, last used at #2: its text left the context; calling it again brings its text back" in text


def test_what_stands_elsewhere_is_not_repeated():
    """Files that the program's scene names."""
    assert around.sections(story().material(), NOTHING, listed=True) == ""
    assert around.sections(Story().material(), NOTHING, listed=False) == ""


def test_they_are_given_back_and_are_no_part_of_the_files():
    """The scene's file holds the scene alone."""
    judged = Judged(scene=SCENE, scene_upto=99, writer="agent", upto=99)
    material = story().material()
    made = turn.draft(material, Extractive(), 1, judged, Beside(gone=tuple(skills.gone(material))))
    text = compose(made.content, 6_000, SIZER, LIMITS).text
    assert (made.parts.scene, made.content.writer) == (SCENE, "agent")
    assert ["## Skills\n- skill `review`" in text, "## Files\n- last changed: `c11.py`" in text] == [True, True]
