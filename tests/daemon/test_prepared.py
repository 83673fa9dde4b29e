"""What a hook does not wait for: the daemon has it ready before anybody asks."""

import subprocess
import sys
from contextlib import closing

from chain import Chain

from memd.config import Config, paths
from memd.daemon.pipeline import Pipeline
from memd.store import Seed, Store
from memd.store.blanks import FILES

SHOWN = """
import sys
from memd.config import Config, paths
from memd.daemon.pipeline import Pipeline
Pipeline(Config(), paths({"MEMD_STATE_DIR": sys.argv[1]})).prepare()
print([name for name in ("claude_code", "codex", "opencode") if f"memd.tools.{name}.parse" in sys.modules])
print([name for name in ("search", "tables", "writing") if f"memd.store.{name}" in sys.modules])
"""


def test_the_readers_of_tools_that_are_used_are_imported_at_the_start(tmp_path):
    """Theirs alone; the first row after a start would import them, and a compaction would wait for that."""
    pipeline = Pipeline(Config(), paths({"MEMD_STATE_DIR": str(tmp_path)}))
    for tool in ("claude-code", "opencode"):
        pipeline.store.commit(Seed(f"{tool}:s", tool, "s", None, f"/{tool}"), "", "", [], size=0, now=1)
    pipeline.close()
    run = subprocess.run([sys.executable, "-c", SHOWN, tmp_path], check=False, capture_output=True, text=True)
    assert (run.stdout, run.stderr) == ("['claude_code', 'opencode']\n['search', 'tables', 'writing']\n", "")


def test_the_first_numbers_files_are_there_at_the_start(tmp_path):
    with closing(Pipeline(Config(), paths({"MEMD_STATE_DIR": str(tmp_path)}))) as pipeline:
        pipeline.prepare()
    assert len([path for path in (tmp_path / "memd.blank").iterdir() if path.is_file()]) == FILES


def test_a_rehearsed_commit_leaves_nothing(tmp_path):
    """The whole of the database is as it was."""
    with Store.open(tmp_path / "memd.db") as store:
        before = [*store._db._connection.iterdump()]
        store.rehearse()
        assert before == [*store._db._connection.iterdump()]
        assert not store._db._connection.in_transaction


def test_a_numbers_files_are_there_before_it(tmp_path):
    """Making a file may take a millisecond, and a hook waits for a dozen; they are made again behind the reply."""
    chain = Chain(tmp_path)
    try:
        transcript, lying = chain.transcript(), chain.paths.state / "memd.blank"
        transcript.turn("Make the gateway fast.")
        for number in (1, 2):
            chain.hook("PreCompact", transcript)
            chain.settle()
            assert len([path for path in lying.iterdir() if path.is_file()]) == FILES
            before = {path.stat().st_ino for path in lying.rglob("*")}
            transcript.typed(f"Once more, {number}.")
        chain.hook("PreCompact", transcript)
        taken = {
            path.stat().st_ino
            for path in chain.folders.session("claude-code", transcript.session).rglob("history/0003/**/*")
        }
        assert len(taken) > len(("mind.md", "memo.md", "scene.md", "checkpoint.md", "ready"))
        assert taken < before
    finally:
        chain.close()
