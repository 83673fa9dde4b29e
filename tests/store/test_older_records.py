"""Records that each version's own code made of one transcript: today's code opens them, and they go on.

`tests/data/records/record_NN.db.xz` is the file of version NN, at rest, after `memd ingest` of `session.jsonl` (which then lay at
`/home/dev/.claude/projects/-home-dev-invoices/`) and `memd checkpoint`. Before a step is added to `MIGRATIONS`, the record of the
version that it ends is made in the same way and put there.
"""

import lzma
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from transcript import Transcript

from memd import config
from memd.daemon.pipeline import Pipeline
from memd.store import Store
from memd.store.migrations import MIGRATIONS
from memd.tools.registry import TOOLS

RECORDS = Path(__file__).parents[1] / "data" / "records"
NAMES = sorted(RECORDS.glob("record_*.db.xz"))
SESSION = "claude-code:5d1f0c1e-0000-4000-8000-0000000000f1"


def laid(home):
    """The transcript that all were made of, in a home."""
    place = home / ".claude" / "projects" / "-home-dev-invoices" / f"{SESSION.partition(':')[2]}.jsonl"
    place.parent.mkdir(parents=True)
    shutil.copyfile(RECORDS / "session.jsonl", place)
    return place


def pipeline(home, transcript):
    """Today's, over a record, after the transcript was read to its end."""
    chosen, paths = config.load({"MEMD_STATE_DIR": str(home / "state"), "MEMD_CONFIG": "/nowhere", "HOME": str(home)})
    pipe = Pipeline(chosen, paths, environ={"HOME": str(home)})
    while pipe.step(TOOLS["claude-code"], transcript).more:
        pass
    return pipe


def put(record, home, transcript):
    """The record in its place, as if its transcript had always been where it is now."""
    place = home / "state" / "memd.db"
    place.parent.mkdir(mode=0o700)
    place.write_bytes(lzma.decompress(record.read_bytes()))
    place.chmod(0o600)
    with closing(sqlite3.connect(place)) as sql, sql:
        sql.execute("UPDATE source SET path = ?", (str(transcript),))
        sql.execute("UPDATE session SET path = ?", (str(transcript),))
    return place


def told(store):
    """What a session's record tells of messages and calls."""
    records = store.messages(SESSION)
    said = [(one.number, one.channel, one.grade, one.text, one.in_force) for one in records]
    return said, [(done.kind, done.target, done.state, done.result) for done in store.operations(SESSION)]


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """What today's code makes of the transcript."""
    home = tmp_path_factory.mktemp("today")
    with closing(pipeline(home, laid(home))) as today:
        return told(today.store)


def test_there_is_one_of_each_version():
    """A record of every shape that people can have; the newest may still change."""
    numbers = [int(path.name[7:9]) for path in NAMES]
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(numbers) >= len(MIGRATIONS) - 1


@pytest.mark.parametrize("record", NAMES, ids=lambda path: path.name[:9])
def test_a_record_of_each_version_is_what_today_s_code_makes_of_its_transcript(record, tmp_path, expected):
    """Its messages, calls, checkpoint and index; nothing of it is broken, and it goes on where it was."""
    transcript = laid(tmp_path)
    place = put(record, tmp_path, transcript)
    with Store.open(place) as store:
        assert told(store) == expected
        made = store.checkpoints.current(SESSION)
        assert (made.number, made.upto) == (1, len(expected[0]))
        assert "never touch the ledger table" in made.parts.mind + made.parts.memo
        assert [hit.number for word in ("ledger", "金额") for hit in store.search(word, now=0)][:2] == [1, 1]
        assert store._db.rows("PRAGMA integrity_check") == [("ok",)]
        assert store._db.rows("PRAGMA foreign_key_check") == []
        assert store._db.rows("PRAGMA user_version") == [(len(MIGRATIONS),)]
    Transcript(transcript, cwd="/home/dev/invoices").turn("And show it to Ada.", "Shown.")
    with closing(pipeline(tmp_path, transcript)) as today:
        today.refresh(SESSION, "turn")
        said, calls = told(today.store)
        assert (said[:-2], calls) == expected
        assert [text for *_, text, _ in said[-2:]] == ["And show it to Ada.", "Shown."]
        assert today.store.checkpoints.current(SESSION).number == 2
