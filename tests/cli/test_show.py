"""`memd show`: exactly what would be given back, its parts, older numbers, other budgets; and which session is meant."""

import json
import re

import pytest
from transcript import Transcript, given

from memd import tokens
from memd.store.folders import Folders

ONE, TWO = "5d1f0c1e-0000-4000-8000-000000000001", "5d1f0c1e-0000-4000-8000-000000000002"


@pytest.fixture
def sessions(tmp_path, call):
    """The first has three checkpoints; the second is newer and lives in the current directory."""
    one = Transcript(tmp_path / f"{ONE}.jsonl", at=1_795_990_000)
    for number in range(3):
        one.turn(f"Requirement {number}: the gateway must answer on port 944{number}.")
        one.runs(f"sed -i s/a/{number}/ gateway.toml")
        call("ingest", one.path)
    two = Transcript(tmp_path / f"{TWO}.jsonl", cwd=str(tmp_path), at=1_795_980_000)
    two.turn("The older one, here.")
    call("ingest", two.path)
    return one, two


def test_the_checkpoint_is_what_the_hooks_give_back(call, sessions, home):
    """Byte for byte, the end mark last."""
    code, out, _ = call("show", ONE)
    folders = Folders(home / ".local" / "state" / "memd")
    replies = folders.replies(folders.session("claude-code", ONE))
    assert code == 0
    assert out == given(replies.get("SessionStart.compact.1")).rstrip("\n") + "\n"
    assert re.search(rf"memd checkpoint 3 of claude-code:{ONE} ends here; receipt [A-Z0-9]{{6}}\n\Z", out)


@pytest.mark.parametrize(
    ("part", "start"), [("mind", "# Where I am"), ("memo", ""), ("scene", "## Current step"), ("files", "")]
)
def test_parts(call, sessions, part, start):
    code, out, _ = call("show", ONE, part)
    assert code == 0
    assert out.startswith(start)
    answer = json.loads(call("show", ONE, part, "--json")[1])
    assert list(answer) == ["version", "session", "number", "part", "text"]
    assert (answer["version"], answer["session"], answer["number"]) == (1, f"claude-code:{ONE}", 3)
    assert (answer["part"], answer["text"].rstrip("\n")) == (part, out.rstrip("\n"))


def test_a_part_alone_is_of_the_session_that_is_meant(call, sessions, tmp_path):
    """Without a session: the newest of this directory, though another is newer."""
    assert json.loads(call("show", "memo", "--json")[1])["session"] == f"claude-code:{TWO}"
    assert json.loads(call("show", "--json")[1])["session"] == f"claude-code:{TWO}"


def test_the_newest_where_none_is_of_this_directory(call, sessions, tmp_path, monkeypatch):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert json.loads(call("show", "--json")[1])["session"] == f"claude-code:{ONE}"
    (tmp_path / "elsewhere").rmdir()  # and in a directory that is not there any more
    assert json.loads(call("show", "--json")[1])["session"] == f"claude-code:{ONE}"


def test_older_numbers(call, sessions):
    first = call("show", ONE, "--number", "1")[1]
    assert "port 9440" in first
    assert "port 9441" not in first
    assert first.splitlines()[-1].startswith(f"memd checkpoint 1 of claude-code:{ONE} ends here")
    for number in ("9", "0", "-1", "99999999999999999999"):
        code, out, err = call("show", ONE, "--number", number)
        assert (code, out) == (1, "")
        assert err == f"memd: claude-code:{ONE} has no checkpoint {number} any more; kept: 1, 2, 3\n"


@pytest.mark.parametrize("budget", [1, 60, 300, 306, 312, 318, 324, 330, 336, 1_000, 100_000])
def test_within_so_many_tokens(call, sessions, budget):
    """Whatever the budget, the command works; where there is room for the marks it is kept."""
    code, out, _ = call("show", ONE, "--tokens", budget)
    assert code == 0
    assert out.splitlines()[-1].startswith("memd checkpoint 3 of ")
    if budget >= 300:
        assert tokens.count(out) <= budget


@pytest.mark.parametrize(
    "words",
    [
        ["--tokens", "0"],
        ["--tokens", "x"],
        ["mind", "--tokens", "9"],
        ["--number", "x"],
        [ONE, "nonsense"],
        ["--nonsense"],
    ],
)
def test_wrong_usage(call, sessions, words):
    code, out, err = call("show", *words)
    assert (code, out) == (2, "")
    assert "Usage: memd show" in err


def test_which_session_is_meant(call, sessions):
    """A unique prefix with or without the tool; what fits several or none is told."""
    for text in (ONE, f"claude-code:{ONE}", ONE[:-1] + "1", f"claude-code:{ONE}"[:-1] + "1"):
        assert json.loads(call("show", text, "--json")[1])["session"] == f"claude-code:{ONE}"
    code, out, err = call("show", ONE[:8])
    assert (code, out) == (1, "")
    assert err == f"memd: '5d1f0c1e' fits 2 sessions: claude-code:{ONE}, claude-code:{TWO}\n"
    code, _, err = call("show", "nonsense\x1b[31m")
    assert (code, err) == (1, "memd: no session begins with 'nonsense\\x1b[31m'; `memd status --all` lists them\n")


@pytest.mark.parametrize("command", ["show", "log", "checkpoint"])
def test_nothing_recorded_yet(call, command):
    code, out, err = call(command)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert "nothing recorded yet" in err


def test_checkpoint_makes_one_only_of_something_new(call, sessions):
    """The number stays where nothing changed, and grows where something did."""
    assert call("checkpoint", ONE) == (0, f"claude-code:{ONE}: checkpoint 3\n", "")
    sessions[0].turn("Requirement 3.")
    code, out, _ = call("checkpoint", ONE, "--json")
    assert (code, json.loads(out)) == (0, {"version": 1, "session": f"claude-code:{ONE}", "number": 4, "problems": []})
    sessions[0].path.unlink()
    assert call("checkpoint", ONE)[0] == 0


def test_a_model_that_cannot_be_run_is_told_and_ends_with_one(call, sessions, monkeypatch, tmp_path):
    """The reason on stderr, exit code 1, and the extractive checkpoint is there."""
    (tmp_path / "empty").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    code, out, err = call("checkpoint", ONE, "--writer", "agent")
    assert (code, out) == (1, "")
    told = err.splitlines()
    assert told[0].startswith("memd: run: claude is neither on the PATH of memd nor where it usually is; ")
    assert told[-1] == f"memd: claude-code:{ONE}: the model wrote nothing that can be used; checkpoint 3 stays"
