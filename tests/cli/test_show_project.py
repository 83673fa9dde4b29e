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
