"""Files: which were changed and read, by finished calls alone."""

import pytest
from factories import Story

from memd.extract import files
from memd.extract.difference import difference as told
from memd.model import Kind, State


def touched(story):
    return {f.path: f for f in files.touched(story.calls)}


def test_only_what_was_done_is_told():
    """A refused, failed or running edit touched nothing."""
    story = Story()
    for state in (State.FAILED, State.REFUSED, State.RUNNING, State.INTERRUPTED):
        story.call(Kind.EDIT, f"/a/{state.value}", state)
    story.call(Kind.EDIT, "/a/done", detail={"old": "x", "new": "y"})
    assert list(touched(story)) == ["/a/done"]


def test_a_write_creates_only_what_was_not_there():
    """A file that was read or changed before is changed by it."""
    story = Story()
    story.call(Kind.READ, "/a/old")
    story.call(Kind.CREATE, "/a/old")
    story.call(Kind.CREATE, "/a/new")
    story.call(Kind.EDIT, "/a/new")
    found = touched(story)
    assert (found["/a/old"].created, found["/a/new"].created, found["/a/new"].changes) == (False, True, 2)
    assert [f.path for f in files.changed(list(found.values()))] == ["/a/new", "/a/old"]
    assert files.only_read(list(found.values())) == []


@pytest.mark.parametrize(
    ("old", "new", "difference"),
    [
        ("a\nb\nc", "a\nB\nc", ("b", "B")),
        ("a\nc", "a\nb\nc", ("", "b")),
        ("a\n\n  b\nc", "a\nc", ("b", "")),
        ("", "x", ("", "x")),
        ("same", "same", ("", "")),
        ("request_timeout = 30.0", "request_timeout = 47.5", ("request_timeout = 30.0", "request_timeout = 47.5")),
    ],
)
def test_the_difference_is_the_first_line_out_and_in(old, new, difference):
    """What both have in common is not told."""
    assert told(old, new) == difference


def test_paths_are_relative_to_the_session_directory():
    """Others stay as they are, also those that only begin alike."""
    assert files.relative("/srv/w/a.py", "/srv/w") == "a.py"
    assert files.relative("/srv/www/a.py", "/srv/w") == "/srv/www/a.py"
    assert files.relative("/a.py", None) == "/a.py"


def test_what_a_shell_showed_was_read():
    """Under its whole path where the line or the call says where it ran, else as it was named."""
    story = Story()
    story.run("cd /srv/w && cat src/a.py")
    story.run("cat b.py", cwd="/srv/x")
    story.run("cat c.py")
    story.run("cat d.py", "no such file", State.FAILED)
    assert [file.path for file in files.touched(story.calls)] == ["/srv/w/src/a.py", "/srv/x/b.py", "c.py"]


def test_a_file_that_a_patch_moved_is_told_where_it_is():
    """Its changes go along; what stands at the old path later is another file."""
    story = Story()
    story.call(Kind.CREATE, "/a/five", detail={"new": "e = 1"})
    story.call(Kind.EDIT, "/a/five", detail={"old": "e = 1", "new": "e = 2", "moved": "/a/cinq"})
    story.call(Kind.EDIT, "/a/cinq", detail={"old": "e = 2", "new": "e = 3"})
    story.call(Kind.CREATE, "/a/five", detail={"new": "f = 1"})
    found = touched(story)
    assert [(f.path, f.was, f.changes, f.created) for f in found.values()] == [
        ("/a/cinq", "/a/five", 3, True),
        ("/a/five", "", 1, True),
    ]


def test_a_file_that_a_patch_deleted_is_gone_until_it_is_written_again():
    """A read behind it does not bring it back."""
    story = Story()
    story.call(Kind.CREATE, "/a/x", detail={"new": "x = 1"})
    story.call(Kind.EDIT, "/a/x", detail={"old": "x = 1", "new": "", "deleted": True})
    story.call(Kind.READ, "/a/x")
    assert touched(story)["/a/x"].gone
    story.call(Kind.CREATE, "/a/x", detail={"new": "x = 2"})
    assert not touched(story)["/a/x"].gone


def test_what_a_shell_line_removed_or_moved_is_told_as_that():
    """From the session's directory where the line does not say its own; a folder takes all in it along."""
    story = Story()
    for name in ("notes", "lib/a", "lib/b", "old"):
        story.call(Kind.CREATE, f"/srv/w/{name}.py", detail={"new": "x"})
    story.call(Kind.READ, "/srv/w/seen.py")
    story.run("rm notes.py seen.py && git mv old.py new.py")
    story.run("cd lib && rm -rf ../lib/b.py; mv ../lib ../kit", cwd="/srv/w")
    found = {f.path: (f.gone, f.was, f.number) for f in files.touched(story.calls, "/srv/w")}
    assert found == {
        "/srv/w/notes.py": (True, "", 6),
        "/srv/w/new.py": (False, "/srv/w/old.py", 6),
        "/srv/w/lib/b.py": (True, "", 7),
        "/srv/w/kit/a.py": (False, "/srv/w/lib/a.py", 7),
    }


def test_what_a_shell_showed_is_gone_by_the_name_that_it_was_shown_by():
    """Where nothing says where the shell was, it was in one place for both."""
    story = Story()
    story.run("cat README.md old.md")
    story.run("mv README.md docs.md && rm old.md")
    assert [f.path for f in files.touched(story.calls, "/srv/w")] == ["docs.md"]


def test_what_was_not_surely_removed_or_came_back_stands():
    """A line that failed or complains removed nothing; a file that is written again is there."""
    story = Story()
    for name in ("a", "b", "c", "d"):
        story.call(Kind.CREATE, f"/srv/w/{name}", detail={"new": "x"})
    story.run("rm a", "rm: cannot remove", State.FAILED)
    story.run("rm b || true", "rm: cannot remove 'b': Permission denied")
    story.run("rm c d elsewhere")
    story.run("echo x > c")
    story.call(Kind.CREATE, "/srv/w/d", detail={"new": "y"})
    assert [f.path for f in files.touched(story.calls, "/srv/w") if f.gone] == []


def test_a_reading_is_not_the_change_that_is_cited():
    """The number is that of the last change, and by it they are in order."""
    story = Story()
    story.call(Kind.EDIT, "/a/one")
    story.call(Kind.EDIT, "/a/two")
    story.call(Kind.READ, "/a/one")
    assert [(f.path, f.number) for f in files.changed(files.touched(story.calls))] == [("/a/two", 2), ("/a/one", 1)]
