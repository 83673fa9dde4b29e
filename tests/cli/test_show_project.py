"""`memd show` of what is the project's: the journal."""

import json

import pytest
from transcript import Transcript

ONE = "5d1f0c1e-0000-4000-8000-000000000001"


@pytest.fixture
def session(tmp_path, call):
    (tmp_path / "work").mkdir()
    one = Transcript(tmp_path / f"{ONE}.jsonl", cwd=str(tmp_path / "work"), at=1_795_990_000)
    one.typed("Drop the old file.")
    one.runs("git rm old.txt && git commit -m 'Drop it'", "[main 1a2b3c4] Drop it")
    one.says("Done.")
    call("ingest", one.path)
    return one


def test_the_journal_of_a_session(call, session):
    """A line for each operation, and in JSON the fields of the file."""
    code, out, _ = call("show", ONE, "journal")
    assert code == 0
    assert out.splitlines() == [
        "2026-11-29 22:06Z delete old.txt (exit 0: [main 1a2b3c4] Drop it, #2)",
        "2026-11-29 22:06Z commit git commit -m 'Drop it' (exit 0: [main 1a2b3c4] Drop it, #2)",
    ]
    answer = json.loads(call("show", ONE, "journal", "--json")[1])
    assert list(answer) == ["version", "session", "number", "part", "text", "entries"]
    assert (answer["number"], answer["part"], answer["text"] + "\n") == (None, "journal", out)
    assert answer["entries"][0] == {
        "ts": "2026-11-29T22:06:40.150Z",
        "op": "delete",
        "target": "old.txt",
        "from": None,
        "to": None,
        "result": "exit 0: [main 1a2b3c4] Drop it",
        "session": session.id,
        "number": 2,
        "exit": 0,
    }


def test_a_number_is_a_checkpoints(call, session):
    """The journal has none."""
    assert call("show", ONE, "journal", "--number", "1")[0] == 2


def test_anchors_and_state_of_the_sessions_project(call, session, tmp_path):
    """Each anchor is looked for as it is shown; the state is as it is now."""
    session.runs("touch new.txt other.txt")
    call("ingest", session.path)
    (tmp_path / "work" / "new.txt").write_text("")
    answer = json.loads(call("show", ONE, "anchors", "--json")[1])
    assert [(one["path"], one["name"], one["kind"], one["stale"]) for one in answer["anchors"]] == [
        ("new.txt", None, "file", False),
        ("other.txt", None, "file", True),
    ]
    assert "other.txt (file, 2026-11-29 22:06Z, not there)" in call("show", ONE, "anchors")[1]
    assert call("show", ONE, "state")[1].startswith("# State of work\n")


def test_a_session_of_another_machine_has_no_project(call, tmp_path):
    """One line says so."""
    transcript = Transcript(tmp_path / f"{ONE}.jsonl", cwd="/nowhere/at/all")
    transcript.turn("Go.")
    call("ingest", transcript.path)
    code, out, err = call("show", ONE, "anchors")
    assert (code, out) == (1, "")
    assert "has no project here" in err
