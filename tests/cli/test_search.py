"""`memd search` as a person has it."""

import json

import pytest
from transcript import Transcript

from .conftest import at_a_terminal


@pytest.fixture
def spoken(home, memd):
    """A recorded session."""
    transcript = Transcript(home / "chat" / "one.jsonl")
    transcript.typed("The totals must be exact, 数据库不要改。")
    transcript.says("The totals are exact now.")
    assert memd("ingest", transcript.path).returncode == 0
    return transcript


def test_a_hit_says_where_it_is_and_marks_the_words(memd, spoken):
    """Session, number, time, channel, and the words in their context."""
    done = memd("search", "TOTALS", "exact", "--human")
    head, snippet = done.stdout.splitlines()
    assert head.startswith("claude-code:one #1 20")
    assert head.endswith("Z human.typed")
    assert snippet == "    The «totals» must be «exact», 数据库不要改。"
    assert done.returncode == 0


def test_what_is_found_as_json(memd, spoken):
    """One object; the marks cut the words out of the snippet."""
    done = memd("search", "数据库", "--session", "one", "--json")
    found = json.loads(done.stdout)
    (hit,) = found.pop("hits")
    assert found == {"version": 1, "query": "数据库"}
    assert (hit["session"], hit["number"], hit["channel"], hit["grade"]) == (
        "claude-code:one",
        1,
        "human.typed",
        "proved",
    )
    ((first, last),) = hit["marks"]
    assert hit["snippet"][first:last] == "数据库"
    assert set(hit) == {"session", "number", "at", "channel", "grade", "withdrawn", "snippet", "marks", "score"}


def test_nothing_found(memd, spoken):
    """One line and exit 1 for a person, an empty list and exit 0 for a program."""
    done = memd("search", "absent(", '"')
    assert (done.returncode, done.stdout, done.stderr) == (
        1,
        "",
        "memd: nothing found for 'absent( \"'; fewer words find more\n",
    )
    done = memd("search", "absent", "--json")
    assert (done.returncode, json.loads(done.stdout)["hits"]) == (0, [])


def test_no_record_yet(memd):
    """Said in one line."""
    done = memd("search", "anything")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)


PLAIN = {"LC_ALL": "C", "PYTHONUTF8": "0"}


@pytest.mark.parametrize("coding", ["ascii", "latin-1:strict"])
def test_a_locale_that_knows_no_letters(memd, spoken, coding):
    """Words are UTF-8 where they come from and where they go to, whatever Python is told to take them for."""
    plain = {**PLAIN, "PYTHONIOENCODING": coding}
    done = memd("search", "数据库", "ÉXACT", **plain)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[1] == "    The totals must be «exact», «数据库»不要改。"
    assert memd("config", "ignore", "/srv/Ä/**", **plain).stdout.startswith('ignore = ["/srv/Ä/**"]')


def test_a_terminal_in_such_a_locale(memd, spoken, monkeypatch):
    """What is shown to eyes goes another way than what goes through a pipe."""
    for name, value in {**PLAIN, "PYTHONIOENCODING": "ascii", "PAGER": "cat", "TERM": "xterm"}.items():
        monkeypatch.setenv(name, value)
    for words in (["search", "数据库"], ["log", "one"], ["show", "one"], ["status", "one"], ["status"]):
        code, said = at_a_terminal([], *words)
        assert code == 0
        assert "数据库" in said


def test_words_that_are_no_text_find_nothing(memd, spoken):
    done = memd("search", b"tot\xff", "\udcff-x")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("memd: nothing found for ")
