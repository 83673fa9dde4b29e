"""Facts are held against their source before they are given, found again where it moved, and lines that are none are named."""

import pytest

from memd.daemon.setup import project as setup
from memd.project import engram, facts
from memd.project.identity import find

CODE = "import time\n\n\ndef retry(n):\n    return 2 ** n\n\n\nPOOL = 4\n"
FACTS = """\
# gateway

- [confirmed] `retry` doubles the time (src/gateway.py:4)
- [hypothesis] four workers are enough (src/gateway.py:8)
- ~~[confirmed] there is one worker (src/gateway.py:8)~~
- no grade (src/gateway.py:1)
just text
- [confirmed] without a source
"""


@pytest.fixture
def project(tmp_path):
    root = tmp_path / "root"
    (root / "src").mkdir(parents=True)
    setup.init(tmp_path / "state", root, in_repo=False)
    (root / "src" / "gateway.py").write_text(CODE)
    (root / ".agent" / "facts" / "gateway.md").write_text(FACTS)
    return find(str(root))


def shown(project, known=()):
    return [facts.check(project.root, fact, dict(known)).shown() for fact in facts.facts(project) if not fact.struck]


def test_a_fact_with_its_source_in_place_is_given_as_it_stands(project):
    """A struck one is known and not given."""
    assert shown(project) == [
        "[confirmed] `retry` doubles the time (src/gateway.py:4)",
        "[hypothesis] four workers are enough (src/gateway.py:8)",
    ]
    assert len(facts.facts(project)) == 3


def test_a_fact_whose_line_moved_is_corrected(project):
    """By what its line said when it was first seen, and without that by the words that it quotes."""
    known = facts.sources(project.root, facts.facts(project), {})
    (project.root / "src" / "gateway.py").write_text("# one\n# two\n" + CODE)
    moved = "[confirmed] `retry` doubles the time (src/gateway.py:6, moved from line 4)"
    assert shown(project, known) == [
        moved,
        "[hypothesis] four workers are enough (src/gateway.py:10, moved from line 8)",
    ]
    assert shown(project)[0] == moved


def test_a_fact_whose_source_is_gone_is_a_hypothesis(project):
    """The line changed, or the file is not there."""
    known = facts.sources(project.root, facts.facts(project), {})
    (project.root / "src" / "gateway.py").write_text(CODE.replace("retry", "again").replace("POOL = 4", "POOL = 5"))
    assert [
        text.startswith("[hypothesis]") and "does not show it any more" in text for text in shown(project, known)
    ] == [True] * 2
    (project.root / "src" / "gateway.py").unlink()
    assert all("does not show it any more" in text for text in shown(project))


def test_lines_that_are_no_facts_are_named_with_a_reason(project):
    """File, line, why."""
    assert facts.faults(project) == [
        ("gateway.md", 6, "neither [confirmed] nor [hypothesis]"),
        ("gateway.md", 7, "not a list entry"),
        ("gateway.md", 8, "no source at its end, like (src/a.py:12)"),
    ]


def test_hostile_facts_are_inert(project, tmp_path):
    """A source outside is never read; marks and controls are escaped; a facts file that is a link out is none."""
    (tmp_path / "secret").write_text("`password` here\n")
    (project.root / ".agent" / "facts" / "evil.md").write_text(
        "- [confirmed] `password` (../secret:1)\n- [confirmed] a\x1b[2J (src/gateway.py:1)\n"
    )
    (project.root / ".agent" / "facts" / "out.md").symlink_to(tmp_path / "secret")
    found = [text for text in shown(project) if "password" in text or "2J" in text]
    assert "does not show it any more" in found[0]
    assert "\x1b" not in found[1]
    assert all(fact.file != "out.md" for fact in facts.facts(project))


def test_facts_of_a_module(project):
    """Those with their source in the file, and those in the file of its name."""
    every = facts.facts(project)
    assert facts.about(every, "src/gateway.py")[0].line == 4
    assert facts.about(every, "lib/gateway/http.py") == every
    assert facts.about(every, "src/pool.py") == []


def test_engram_entries_are_read_and_appended_once():
    """Known ones are not appended again; what is confirmed, has a source and is old enough may become a fact."""
    text = (
        "# Engram\n<!-- x\ny -->\n- [2026-11-01 09:00Z] [confirmed] the pool leaks at src/pool.py:12 (#3)\nnonsense\n"
    )
    (entry,), wrong = engram.parse(text)
    assert (entry.grade, entry.source) == ("confirmed", ("src/pool.py", 12))
    assert wrong == [(5, "not like - [2026-11-30 09:00Z] [confirmed] … (#12)")]
    added = engram.fresh(
        ["[confirmed] the pool leaks at src/pool.py:12 (#9)", "[hypothesis] so it is (#4)"], text, "s", 0
    )
    assert added == "- [1970-01-01 00:00Z] [hypothesis] so it is (#4 of s)\n"
    assert engram.parse(added)[1] == []
    assert engram.stable([entry], entry.at + 1) == [entry]
    assert engram.stable([entry], entry.at) == []
