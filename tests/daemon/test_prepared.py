"""What a hook does not wait for: the daemon has it ready before anybody asks."""

import subprocess
import sys

from memd.config import Config, paths
from memd.daemon.pipeline import Pipeline
from memd.store import Seed, Store

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


def test_a_rehearsed_commit_leaves_nothing(tmp_path):
    """The whole of the database is as it was."""
    with Store.open(tmp_path / "memd.db") as store:
        before = [*store._db._connection.iterdump()]
        store.rehearse()
        assert before == [*store._db._connection.iterdump()]
        assert not store._db._connection.in_transaction
