"""What is looked through after a start, so that a compaction that comes first finds what it rests on."""

import sqlite3
import time
from contextlib import closing
from pathlib import Path

from opencode_session import OpenCodeSession
from transcript import Transcript

from memd.config import Config, paths
from memd.daemon import foresight, keeper
from memd.daemon.pipeline import Pipeline
from memd.extract import references
from memd.model import once
from memd.tools.registry import TOOLS

IDS = [f"5d1f0c1e-0000-4000-8000-00000000000{n}" for n in range(4)]


def pipeline(folder):
    return closing(Pipeline(Config(), paths({"MEMD_STATE_DIR": str(folder / "state")})))


def test_the_sessions_that_were_at_work_last(tmp_path):
    """Of those with entries from lately, newest first; one that is gone is none."""
    with pipeline(tmp_path) as one:
        for age, name in enumerate(IDS):
            transcript = Transcript(tmp_path / "work" / f"{name}.jsonl", at=time.time() - 100 * age)
            transcript.turn("Make it fast.")
            one.ingest(TOOLS["claude-code"], transcript.path)
        Path(tmp_path / "work" / f"{IDS[0]}.jsonl").unlink()
        found = foresight.lately(one.store, 2, time.time() - 250)
    assert [f"claude-code:{name}" for name in IDS[1:3]] == found


def test_sub_agents_take_no_place(tmp_path):
    """They write last while their parent waits for them, and have no checkpoint."""
    with pipeline(tmp_path) as one:
        for path in (IDS[0], f"{IDS[0]}/subagents/agent-abc"):
            transcript = Transcript(tmp_path / "work" / f"{path}.jsonl", session=IDS[0])
            transcript.turn("Make it fast.")
            one.read_whole(TOOLS["claude-code"], transcript.path)
        transcript.now().turn("Look there.")
        one.read_whole(TOOLS["claude-code"], transcript.path)
        assert len([*one.store.sources.paths("claude-code")]) == 2
        assert foresight.lately(one.store, 1, 0) == [f"claude-code:{IDS[0]}"]


def test_sessions_that_share_a_file_are_among_them(tmp_path):
    """Their transcripts are places in a database: which of them were at work the record tells, and the tool which are there."""
    sessions = [OpenCodeSession(tmp_path / "opencode.db", f"ses_{n}{'1' * 21}") for n in range(3)]
    with pipeline(tmp_path) as one:
        for session in sessions:
            session.typed("Make it fast.")
            session.says("Done.")
            one.read_whole(TOOLS["opencode"], session.path)
        with closing(sqlite3.connect(tmp_path / "opencode.db")) as sql, sql:
            sql.execute("DELETE FROM session WHERE id = ?", (sessions[1].session,))
        found = foresight.lately(one.store, 3, time.time() - 250)
    for session in sessions:
        session.close()
    assert {sessions[0].id, sessions[2].id} == set(found)


def test_what_it_rests_on_is_remembered_and_nothing_is_changed(tmp_path):
    """No number, no file: only what a checkpoint would be made of."""
    transcript = Transcript(tmp_path / "work" / f"{IDS[0]}.jsonl")
    transcript.turn("Use maxRetries in conf.py.")
    with pipeline(tmp_path) as one:
        name = one.ingest(TOOLS["claude-code"], transcript.path)
        before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if "sessions" in path.parts}
        once.forget()
        one.keeper.foresee(name)
        assert name in references._written._kept
        assert one.store.checkpoints.numbers(name) == [1]
        assert before == {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if "sessions" in path.parts}


def test_thousands_of_prompts_are_not_looked_through(tmp_path, monkeypatch):
    """What was remembered of them would be let go of before the checkpoint is made; how many there are is known then."""
    monkeypatch.setattr(keeper, "MANY", 1)
    transcript = Transcript(tmp_path / "work" / f"{IDS[0]}.jsonl")
    transcript.turn("Use maxRetries in conf.py.")
    transcript.turn("And minRetries.")
    with pipeline(tmp_path) as one:
        name = one.ingest(TOOLS["claude-code"], transcript.path)
        once.forget()
        one.keeper.foresee(name)
        assert name not in references._written._kept
