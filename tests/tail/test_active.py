"""What is worth a close look: the latest files and the directories down to them."""

from memd.tail import active
from memd.tail.active import Active


def test_chain():
    """Every directory from the root down to the file, so that its next neighbour is seen too."""
    some = Active(["/s"])
    some.touch("/s/2026/11/30/a.jsonl", 1.0)
    assert some.directories() == ["/s", "/s/2026/11/30", "/s/2026/11", "/s/2026"]


def test_outside_the_roots():
    """Of a file elsewhere, only its own directory."""
    some = Active(["/s"])
    some.touch("/other/deep/a.jsonl", 1.0)
    assert some.directories() == ["/s", "/other/deep"]


def test_cap_on_directories():
    """The latest stay, and the roots always."""
    some = Active(["/r", "/s"], most_directories=2)
    for name in "abc":
        some.touch(f"/s/{name}/x.jsonl", 1.0)
    assert some.directories() == ["/r", "/s", "/s/c", "/s/b"]


def test_cooling():
    """A file is hot for an hour after its last change."""
    some = Active(["/s"])
    some.touch("/s/a", 0.0)
    some.touch("/s/b", 1.0)
    some.touch("/s/a", active.HOT_FOR)
    assert some.files(active.HOT_FOR + 2) == ["/s/a"]
    assert some.last == active.HOT_FOR
    some.forget("/s/a")
    assert some.files(0.0) == []


def test_cap_on_files():
    some = Active(["/s"])
    for number in range(active.MOST_HOT + 5):
        some.touch(f"/s/{number}", 1.0)
    assert len(some.files(1.0)) == active.MOST_HOT
    assert some.files(1.0)[0] == "/s/5"
