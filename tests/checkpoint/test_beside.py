"""Files that a checkpoint names: texts of skills within their room, and the newest messages as they were."""

import pytest
from factories import LIMITS, SIZER, Story

from memd.checkpoint import beside, turn
from memd.checkpoint.beside import Beside, Text
from memd.extract.skills import Skill
from memd.model import Channel
from memd.render import compose
from memd.writers.extractive import Extractive

HOME = "/home/x/.codex/skills"
SECRET = "sk-ant-" + "a1B2" * 8


def skill(name, number=1):
    return Skill(name, number, f"{HOME}/{name}/SKILL.md")


def made(window, *named):
    """Each skill with a text of so many tokens."""
    gone = tuple(skill(name) for name, _ in named)
    found = {one.path: "word " * (size * 4 // 5) for one, (_, size) in zip(gone, named, strict=True)}
    return list(beside.texts(gone, found, window, SIZER))


def test_a_long_skill_is_cut_and_says_where_the_whole_is():
    """5,000 tokens of one, the note included."""
    (text,) = made(400_000, ("deploy", 9_000))
    assert text.text.endswith(f"[… cut here; the whole: {HOME}/deploy/SKILL.md]\n")
    assert 4_900 < SIZER.count(text.text) <= 5_000


@pytest.mark.parametrize(("window", "together"), [(400_000, 25_000), (100_000, 10_000)])
def test_together_they_have_a_room_too(window, together):
    """The smaller of 25,000 and a tenth of the window; the last used come first, the one at the edge is cut."""
    texts = made(window, *((f"s{n}", 4_000) for n in range(20)))
    sizes = [SIZER.count(text.text) for text in texts]
    assert together - 4_000 < sum(sizes) <= together
    assert [text.file for text in texts[:2]] == ["skills/s0.md", "skills/s1.md"]
    assert "cut here" in texts[-1].text


def test_files_are_named_after_skills_and_never_lie_elsewhere():
    """Two of one name get two files; signs that mean something in a path are none."""
    texts = made(400_000, ("../../x", 1), ("a:b", 1), ("a/b", 1), ("..", 1), ("技能", 1))
    assert [text.file for text in texts] == [
        "skills/-..-x.md",
        "skills/a-b.md",
        "skills/a-b-1.md",
        "skills/skill.md",
        "skills/--.md",
    ]


def test_a_skill_without_a_text_says_how_it_comes_back():
    """No file known: the call; a file that is gone: its path; a text: the file beside."""
    known, lost, nameless = skill("deploy"), skill("lost", 2), Skill("review", 3)
    named = Beside("/state/x", (nameless, lost, known), (Text(known, "skills/deploy.md", "text"),))
    assert [row.partition("context; ")[2] for row in named.rows] == [
        "calling it again brings its text back",
        f"`{HOME}/lost/SKILL.md` has its text",
        "`/state/x/skills/deploy.md` has its text",
    ]


def test_no_secret_of_a_skill_is_kept():
    """A file of the person's is not their own verbatim words."""
    (text,) = beside.texts((skill("deploy"),), {f"{HOME}/deploy/SKILL.md": f"key {SECRET}"}, 200_000, SIZER)
    assert SECRET not in text.text


def story():
    told = Story()
    told.says("Make it 😀\n# Goals\n```\n继续\n```")
    told.agent("I begin.")
    told.says("push to main", Channel.BACKGROUND_NOTIFICATION)
    told.says("No, take it back", withdrawn=True)
    told.agent("# Done\nAll of it.")
    return told


def test_the_newest_messages_are_there_as_they_were():
    """People's and the agent's, in order, with an escape before what imitates a heading; nothing withdrawn, no machine's."""
    text = beside.recent(story().material(), 20_000, SIZER)
    assert text.splitlines()[2:] == [
        "#1 2026-11-29 23:19Z human.typed",
        *("Make it 😀", "\\# Goals", "```", "继续", "```", ""),
        "#2 2026-11-29 23:20Z agent.text",
        *("I begin.", ""),
        "#5 2026-11-29 23:23Z agent.text",
        *("\\# Done", "All of it."),
    ]


def test_the_newest_stay_and_a_single_long_one_is_cut():
    """Older ones go first; what alone is too long has its head and its tail."""
    told = story()
    told.agent("x" * 4_000)
    text = beside.recent(told.material(), 200, SIZER)
    assert "#6 " in text
    assert "#5 " not in text
    assert "[… cut here; the record has all of #6 …]" in text


def test_a_skill_that_fits_stands_in_the_text_and_one_that_does_not_is_named():
    """Quoted, so that nothing in it can pass for more."""
    told = story()
    told.compacts()
    short, long = skill("deploy"), skill("long", 2)
    texts = (Text(short, "skills/deploy.md", "# Deploy\nFirst ask."), Text(long, "skills/long.md", "word " * 9_000))
    lies = Beside("/state/x", (short, long), texts, recent="something")
    drafted = turn.draft(told.material(), Extractive(), 1, beside=lies)
    text = compose(drafted.content, 6_000, SIZER, LIMITS).text
    assert "## Texts of skills\nSkill `deploy`, as it is now:\n> \\# Deploy\n> First ask.\n" in text
    assert "word word" not in text
    assert "`/state/x/skills/long.md` has its text" in text
    assert "; the newest ones: `/state/x/recent.md`." in text
