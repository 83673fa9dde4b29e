"""Continuity breaks and their control, each with a session of which the answer is known by hand."""

import pytest
from factories import Story
from hypothesis import given
from hypothesis import strategies as st
from pasts import past

from memd.model import Channel, Kind, State
from memd.report.breaks import KINDS, SPAN, windows


def edit(story, path, old="a = 1", new="a = 2", state=State.DONE):
    return story.call(Kind.EDIT, path, state, detail={"old": old, "new": new})


def read(story, path, **detail):
    return story.call(Kind.READ, path, detail=detail)


def idle(story, calls=12):
    """Calls that break nothing."""
    for number in range(calls):
        story.run(f"true {story.number}.{number}")


def after(story):
    """(kind, what, earlier) of each break after the last compaction."""
    found, _ = windows(past(story), story.boundaries[-1])
    return [(one.kind, one.what, one.earlier) for one in found.breaks]


def compacted(*acts):
    """A session that did these acts, and enough else, and was compacted then."""
    story = Story("/srv/w")
    story.says("Go.")
    numbers = [act(story) for act in acts]
    idle(story)
    story.compacts()
    return story, numbers


def test_a_file_that_nobody_changed_is_read_again():
    """By its own tool or by a shell, some of it or all: once for each file, with the entry of the earlier reading."""
    story, (first, shown) = compacted(lambda s: read(s, "/srv/w/a.py", offset=1), lambda s: s.run("cat ./docs/b.md"))
    read(story, "/srv/w/a.py", offset=80)
    read(story, "/srv/w/a.py")
    story.run("sed -n 1,9p docs/b.md | head")
    assert after(story) == [("reread", "a.py", first), ("reread", "docs/b.md", shown)]


@pytest.mark.parametrize(
    "change",
    [
        lambda s: edit(s, "/srv/w/a.py"),
        lambda s: s.call(Kind.CREATE, "/srv/w/a.py", detail={"new": "x"}),
        lambda s: s.run("sed -i s/a/b/ a.py"),
        lambda s: s.run("cd /srv/w && echo x > a.py"),
    ],
)
def test_a_changed_file_is_read_for_a_reason(change):
    """Whether its change came before the compaction or after it."""
    story, _ = compacted(lambda s: read(s, "/srv/w/a.py"), change)
    read(story, "/srv/w/a.py")
    assert after(story) == []
    story, _ = compacted(lambda s: read(s, "/srv/w/a.py"))
    change(story)
    read(story, "/srv/w/a.py")
    assert after(story) == []


def test_a_first_reading_breaks_nothing():
    """Neither does one whose earlier reading failed, nor a second one behind the compaction."""
    story, _ = compacted(lambda s: s.call(Kind.READ, "/srv/w/a.py", State.FAILED))
    read(story, "/srv/w/a.py")
    read(story, "/srv/w/a.py")
    assert after(story) == []


@pytest.mark.parametrize("said", ["cat: x.py: No such file or directory", "File does not exist.", "ENOENT: x.py"])
def test_a_path_that_is_not_there(said):
    """A call that failed because of it; the file, or the whole command."""
    story, _ = compacted()
    story.call(Kind.READ, "/srv/w/x.py", State.FAILED, result=said)
    story.run("make x.py", said, State.FAILED)
    story.run("make x.py", "String to replace not found in file.", State.FAILED)
    story.run("make x.py || true", said)
    assert after(story) == [("missing", "x.py", None), ("missing", "make x.py", None)]


def test_the_same_edit_again():
    """With the same texts in the same file, whether it still fits or not; another one is none."""
    story, (first,) = compacted(lambda s: edit(s, "/srv/w/a.py"))
    edit(story, "/srv/w/a.py", new="a = 3")
    edit(story, "/srv/w/b.py")
    edit(story, "a.py", state=State.FAILED)
    assert after(story) == [("edit", "a.py", first)]


def test_the_same_side_effect_again():
    """Where nothing was changed in between; what others see, whatever was changed."""
    story, (push, opened) = compacted(lambda s: s.run("git push"), lambda s: s.run("gh pr create --title x"))
    edit(story, "/srv/w/a.py")
    story.run("gh pr create --title x")
    story.run("git push")
    assert after(story) == [("effect", "gh pr create --title x", opened)]
    story, (push,) = compacted(lambda s: s.run("git push"))
    story.run("make lint && git push origin")
    story.run("cd src && git push")
    assert after(story) == []
    story, (push,) = compacted(lambda s: s.run("git push"))
    story.run("cd src && git push")
    assert after(story) == [("effect", "git push", push)]


def test_an_edit_against_what_a_person_said():
    """A sentence that forbids to change a path; the file itself, or one below it."""
    story, (rule,) = compacted(lambda s: s.says("Go on. Do not touch `migrations/`: it ran in production."))
    edit(story, "/srv/w/migrations/0007.sql")
    edit(story, "/srv/w/src/migrations.py")
    story.run("rm migrations/0008.sql")
    assert after(story) == [("against", "migrations/0007.sql", rule), ("against", "migrations/0008.sql", rule)]


def test_what_was_said_after_the_place_is_no_break():
    """The agent was told of it just then."""
    story, _ = compacted()
    story.says("Do not touch migrations/.")
    edit(story, "/srv/w/migrations/0007.sql")
    assert after(story) == []


def test_a_refused_call_is_done_again():
    """The same command or edit, where the person has said nothing since but the words of the refusal."""
    story, (push, _, change) = compacted(
        lambda s: s.run("git push --force", state=State.REFUSED),
        lambda s: s.says("never", Channel.HUMAN_ANSWER, extra={"refusal": True}),
        lambda s: edit(s, "/srv/w/a.py", state=State.REFUSED),
    )
    story.run("git push --force")
    edit(story, "/srv/w/a.py")
    assert after(story) == [("against", "git push --force", push), ("against", "a.py", change)]
    story, _ = compacted(lambda s: s.run("git push --force", state=State.REFUSED))
    story.says("Push it now.")
    story.run("git push --force")
    assert after(story) == []


def test_the_control_is_as_long_and_lies_directly_before():
    """All calls until the next compaction, half of those before it, 40 at most: the fewest of these on both sides."""
    for before, behind, span in ((100, 60, SPAN), (100, 9, 9), (21, 60, 10), (1, 60, None), (100, 0, None)):
        story = Story()
        idle(story, before)
        story.compacts()
        idle(story, behind)
        found = windows(past(story), story.boundaries[0])
        assert (found and found[0].calls) == span
        if found is not None:
            assert (found[1].calls, found[0].after, found[1].after) == (span, before, before - span)


def test_the_control_is_of_the_same_stretch():
    """An earlier compaction is never inside of it."""
    story = Story()
    idle(story, 50)
    story.compacts()
    idle(story, 8)
    story.compacts()
    idle(story, 50)
    found, control = windows(past(story), story.boundaries[1])
    assert (found.calls, control.after) == (4, 54)


def test_the_control_counts_what_comes_before_a_compaction():
    """The same rules at a place where nothing was forgotten."""
    story = Story("/srv/w")
    read(story, "/srv/w/a.py")
    idle(story, 5)
    again = read(story, "/srv/w/a.py")
    story.compacts()
    idle(story, 3)
    found, control = windows(past(story), story.boundaries[0])
    assert (found.breaks, [(one.number, one.earlier) for one in control.breaks]) == ((), [(again, 1)])
    assert control.tally() == dict.fromkeys(KINDS, 0) | {"reread": 1}


ACTS = st.sampled_from(
    ["read a.py", "read b.py", "edit a.py", "cat a.py", "git push", "true", "compact", "refuse", "say"]
)


@given(st.lists(ACTS, max_size=60))
def test_what_holds_of_any_session(acts):
    """No file is counted twice as read again, each break points back beyond its place, and both windows are of one length."""
    story = Story("/srv/w")
    for act in acts:
        verb, _, path = act.partition(" ")
        match verb:
            case "read":
                read(story, f"/srv/w/{path}")
            case "edit":
                edit(story, f"/srv/w/{path}")
            case "compact":
                story.compacts()
            case "refuse":
                edit(story, "/srv/w/c.py", state=State.REFUSED)
            case "say":
                story.says("Leave a.py as it is.")
            case _:
                story.run(act)
    seen = past(story)
    for boundary in story.boundaries:
        both = windows(seen, boundary) or ()
        assert len({one.calls for one in both}) <= 1
        for one in both:
            again = [found.what for found in one.breaks if found.kind == "reread"]
            assert len(again) == len(set(again))
            assert all(found.earlier is None or found.earlier <= one.after < found.number for found in one.breaks)
