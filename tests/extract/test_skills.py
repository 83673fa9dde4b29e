"""Skills whose text left the context."""

from factories import Story

from memd.extract import skills
from memd.model import Kind, State


def names(story):
    return [skill.name for skill in skills.gone(story.material())]


def test_only_what_was_last_used_before_the_compaction_is_gone():
    """One that was used again after it is in the context; one that failed was never there."""
    story = Story()
    story.call(Kind.SKILL, "review")
    story.call(Kind.SKILL, "broken", State.FAILED)
    story.call(Kind.READ, "/home/x/.codex/skills/deploy/SKILL.md")
    story.call(Kind.SKILL, "release")
    assert names(story) == []
    story.compacts()
    assert names(story) == ["release", "deploy", "review"]
    story.call(Kind.SKILL, "review")
    assert names(story) == ["release", "deploy"]


def test_a_skill_of_which_the_file_is_known_says_where():
    """Read through the shell too; one that the agent writes itself is no skill in use."""
    story = Story()
    story.run("cat /home/x/.codex/skills/deploy/SKILL.md")
    story.call(Kind.EDIT, "/srv/w/skills/mine/SKILL.md")
    story.call(Kind.SKILL, "own", detail={"path": "/home/x/.config/opencode/skill/own/SKILL.md"})
    story.compacts()
    assert [(skill.name, skill.number, skill.path) for skill in skills.gone(story.material())] == [
        ("own", 3, "/home/x/.config/opencode/skill/own/SKILL.md"),
        ("deploy", 1, "/home/x/.codex/skills/deploy/SKILL.md"),
    ]


def test_at_most_twenty_are_named():
    """The last used ones."""
    story = Story()
    for number in range(30):
        story.call(Kind.SKILL, f"s{number}")
    story.compacts()
    assert names(story) == [f"s{number}" for number in range(29, 9, -1)]
