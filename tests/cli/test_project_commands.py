"""`memd init`, `memd engram` and what `memd doctor` says of `.agent/`."""

import json
import subprocess

import pytest
from transcript import Transcript

ONE = "5d1f0c1e-0000-4000-8000-000000000001"


@pytest.fixture
def work(tmp_path, monkeypatch):
    folder = tmp_path / "work"
    (folder / "deep").mkdir(parents=True)
    subprocess.run(["git", "init"], cwd=folder, check=True, capture_output=True)
    monkeypatch.chdir(folder / "deep")
    return folder


def test_init_finds_the_top_and_asks_nothing(call, work):
    """At the work tree's top from anywhere in it; a second time nothing is made."""
    code, out, _ = call("init")
    assert code == 0
    assert [line for line in out.splitlines() if line.startswith("made ")] == [
        f"made {work}/.agent/{name}" for name in ("constraints.md", "engram.md", "bootstrap.md")
    ]
    assert "is there already" in call("init")[1]
    assert call("init", work / "deep", "--in-repo")[0] == 0
    assert (work / "deep" / ".agent" / ".gitignore").exists()


def test_init_does_not_follow_a_link(call, work, tmp_path):
    """A repository cannot have files made elsewhere."""
    (tmp_path / "elsewhere").mkdir()
    (work / ".agent").symlink_to(tmp_path / "elsewhere")
    assert call("init")[0] == 1
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_doctor_names_lines_that_cannot_be_used(call, work):
    """As notes, with file, line and reason; nothing is changed."""
    call("init")
    agent = work / ".agent"
    (agent / "constraints.md").write_text("# Constraints\n\n1. fine\n   goes on\nnot an entry\n")
    (agent / "engram.md").write_text("- yesterday I understood\n")
    (agent / "facts" / "a.md").write_text(
        "- [confirmed] `main` (src/a.py:1)\n- [confirmed] `other` (src/a.py:1)\n- x\n"
    )
    (work / "src").mkdir()
    (work / "src" / "a.py").write_text("\n\ndef main(): pass\n")
    before = {path: path.read_bytes() for path in agent.rglob("*") if path.is_file()}
    found = json.loads(call("doctor", "--json")[1])["findings"]
    told = [(one["code"], one["text"].partition(": ")[0]) for one in found if one["text"].startswith(".agent/")]
    assert told == [
        ("constraint-form", ".agent/constraints.md:5"),
        ("fact-form", ".agent/facts/a.md:3"),
        ("fact-moved", ".agent/facts/a.md:1"),
        ("fact-source", ".agent/facts/a.md:2"),
        ("engram-form", ".agent/engram.md:1"),
    ]
    assert all(one["note"] for one in found if one["text"].startswith(".agent/"))
    assert {path: path.read_bytes() for path in agent.rglob("*") if path.is_file()} == before


def test_engram_shows_what_lessons_confirmed_and_tidy_makes_facts(call, work, home):
    """A recovery that worked is noted once, with the session; an old entry with a source becomes a fact and is archived."""
    call("init")
    transcript = Transcript(home / f"{ONE}.jsonl", cwd=str(work), at=1_795_990_000)
    transcript.typed("Run the tests.")
    block = {
        "type": "tool_result",
        "tool_use_id": "t1",
        "content": "Exit code 1\nerror: no module named x",
        "is_error": True,
    }
    given = {"command": "pytest tests --all"}
    transcript._answer([{"type": "tool_use", "id": "t1", "name": "Bash", "input": given}], "tool_use")
    transcript.row(type="user", message={"role": "user", "content": [block]}, toolUseResult="Error")
    transcript.runs("pytest -q tests")
    transcript.says("Works.")
    call("ingest", transcript.path)
    call("ingest", transcript.path)
    (noted,) = call("engram")[1].splitlines()
    assert "[confirmed] `pytest tests --all` failed" in noted
    assert noted.endswith(f" of claude-code:{ONE})")
    (work / "src").mkdir()
    (work / "src" / "pool.py").write_text("x = 1\n")
    row = "- [2026-01-01 09:00Z] [confirmed] the pool leaks at src/pool.py:1 (#3)"
    engram = work / ".agent" / "engram.md"
    engram.write_text(f"# Engram\n\n{row}\n- [2026-01-01 09:00Z] [hypothesis] maybe src/pool.py:1\n")
    assert call("engram", "tidy")[1].splitlines()[-1] == "1 became facts"
    fact = "- [confirmed] the pool leaks at src/pool.py:1 (src/pool.py:1)"
    assert (work / ".agent" / "facts" / "pool.md").read_text() == f"# pool\n\n{fact}\n"
    assert engram.read_text() == "# Engram\n\n- [2026-01-01 09:00Z] [hypothesis] maybe src/pool.py:1\n"
    assert (work / ".agent" / "engram-archive.md").read_text() == f"{row}\n"
    assert call("engram", "tidy")[1].splitlines()[-1] == "0 became facts"


def test_tidy_names_a_source_once_and_leaves_a_repositorys_files_readable(call, work):
    """An entry that ends in its source becomes a fact with that source; what others could read they can read since."""
    call("init")
    (work / "pool.py").write_text("x = 1\n")
    agent = work / ".agent"
    (agent / "engram.md").write_text("- [2026-01-01 09:00Z] [confirmed] the pool leaks (pool.py:1) (#3)\n")
    (agent / "engram.md").chmod(0o644)
    call("engram", "tidy")
    assert (agent / "facts" / "pool.md").read_text() == "# pool\n\n- [confirmed] the pool leaks (pool.py:1)\n"
    made = ("engram.md", "engram-archive.md", "facts/pool.md")
    assert {name: oct((agent / name).stat().st_mode & 0o777) for name in made} == dict.fromkeys(made, "0o644")


def test_tidy_says_what_stays_since_its_source_is_not_there(call, work):
    """An entry that is stable but for its source would stay for ever without a word."""
    call("init")
    row = "- [2026-01-01 09:00Z] [confirmed] the pool leaks (pool.py:9)"
    (work / ".agent" / "engram.md").write_text(f"{row}\n- [2026-01-01 09:00Z] [hypothesis] maybe (pool.py:9)\n")
    told = f"memd: left where it is, since its source is not there: {row}\n"
    assert call("engram", "tidy") == (0, "0 became facts\n", told)


def test_a_fact_that_was_struck_is_noted_as_disproved_once(call, work, home):
    """It was given before; the line in the facts stays as people left it, and never becomes a fact again."""
    call("init")
    (work / "pool.py").write_text("workers = 1\n")
    path = work / ".agent" / "facts" / "pool.md"
    path.write_text(
        "- [confirmed] there is one worker, see pool.py:1 (pool.py:1)\n- ~~[confirmed] old news (pool.py:1)~~\n"
    )
    transcript = Transcript(home / f"{ONE}.jsonl", cwd=str(work), at=1_795_990_000)
    for text in ("Look at the pool.", "And again.", "And once more."):
        transcript.turn(text)
        call("ingest", transcript.path)
        path.write_text("- ~~[confirmed] there is one worker, see pool.py:1 (pool.py:1)~~\n")
    (noted,) = call("engram")[1].splitlines()
    assert noted.endswith("[confirmed] disproved: there is one worker, see pool.py:1")
    assert call("engram", "tidy", "--days", "0")[1].splitlines()[-1] == "0 became facts"
