"""Which anchors a call sets and which it takes away."""

from factories import done

from memd.extract.anchors import moves
from memd.extract.journal import Whose, entries
from memd.model import Kind

WHOSE = Whose("claude-code:one", "/srv/w", lambda path: path.removeprefix("/srv/w/"))


def moved(path, old, new):
    call = done(7, Kind.EDIT, f"/srv/w/{path}", detail={"old": old, "new": new})
    found = moves(call, entries(call, WHOSE), WHOSE, 1)
    return [one.shown for one in found.used], list(found.gone)


def test_what_was_taken_out_of_a_file_loses_its_anchor():
    """A key without a value since, a function that went or has another name: none of them is pointed at any more."""
    assert moved("a.toml", "a = 1\nb = 2", "a = 3") == (["a.toml", "a.toml:a"], [("a.toml", "b")])
    assert moved("a.py", "def load():\n    pass\n", "") == (["a.py"], [("a.py", "load")])
    body = "    x = read()\n    return x\n"
    assert moved("a.py", f"def load():\n{body}", f"def fetch():\n{body}") == (
        ["a.py", "a.py:fetch"],
        [("a.py", "load")],
    )


def test_a_colon_in_a_files_name_begins_no_name_in_it():
    """The file's own name is known from the call."""
    assert moved("log 10:30.txt", "a", "b") == (["log 10:30.txt"], [])
