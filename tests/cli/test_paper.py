"""What `show`, `log` and `search` give to eyes: colours, ages, a pager as in git, and still every word."""

import os
import re

import pytest
from transcript import Transcript

from .conftest import at_a_terminal

ONE = "5d1f0c1e-0000-4000-8000-000000000001"
SAID = "Keep <div> and `code` as they are."


@pytest.fixture
def transcript(tmp_path, call, home, monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("PAGER", "sed 's/^/| /'")
    transcript = Transcript(tmp_path / "projects" / f"{ONE}.jsonl", cwd=str(tmp_path), at=1_795_990_000)
    transcript.turn(SAID)
    call("ingest", transcript.path)
    return transcript


def seen(*arguments):
    """What a terminal shows of a command that ends well, with its colours."""
    code, said = at_a_terminal([], *arguments)
    assert code == 0
    return said.replace("\r\n", "\n")


def plain(said):
    return re.sub(r"\x1b\[[0-9;]*m", "", said)


@pytest.mark.parametrize("part", ["checkpoint", "mind", "memo", "scene"])
def test_a_terminal_sees_every_word_that_a_pipe_gets(call, transcript, part):
    """Markdown is coloured, never set anew: what looks like a tag or a code is still there."""
    shown = seen("--no-pager", "show", ONE, part)
    assert plain(shown).splitlines() == call("show", ONE, part)[1].splitlines()
    assert "\x1b[" in shown


@pytest.mark.parametrize("words", [["show", ONE], ["log", ONE], ["search", "code"]])
def test_the_pager_is_the_persons_own(transcript, words, monkeypatch):
    """PAGER as a line for the shell; without it, with --no-pager, or where it is `cat`, the text is just printed."""
    assert all(line.startswith("| ") for line in seen(*words).splitlines())
    assert "| " not in seen("--no-pager", *words)[:2]
    monkeypatch.setenv("PAGER", "cat")
    assert "| " not in seen(*words)[:2]


def test_a_pipe_has_no_pager_and_no_colours(call, transcript):
    for words in (["show", ONE], ["log", ONE], ["search", "code"]):
        out = call(*words)[1]
        assert not out.startswith("| ")
        assert "\x1b" not in out


def test_less_prints_what_fits(transcript, monkeypatch):
    """Where LESS is not set it is git's FRX: a short text does not have to be left with q."""
    monkeypatch.setenv("PAGER", "echo $LESS; cat")
    monkeypatch.delenv("LESS", raising=False)
    assert seen("log", ONE).startswith("FRX\n")
    monkeypatch.setenv("LESS", "S")
    assert seen("log", ONE).startswith("S\n")


def test_ages_and_what_was_found(transcript):
    """The log and the hits tell how long ago; what was found stands out."""
    assert re.search(r"#1 2026-11-29 22:\d\dZ human.typed.* ago\n", plain(seen("--no-pager", "log", ONE)))
    hit = seen("--no-pager", "search", "code")
    assert " ago" in plain(hit)
    assert re.search(r"\x1b\[1;33mcode\x1b\[0m", hit)
    assert plain(hit).splitlines()[1] == f"    {SAID}"


def test_a_broken_pager_keeps_nothing_back(transcript, monkeypatch):
    """One that is not there is passed over."""
    monkeypatch.setenv("PAGER", "no-such-pager-anywhere")
    assert SAID in plain(seen("log", ONE))
    assert os.environ["PAGER"] not in seen("log", ONE)
