"""What a command loads before it does anything: each module costs everybody who types the command."""

import os
import subprocess
import sys

import pytest
from transcript import Transcript

LOADED = """
import sys
from memd.cli import main

sys.argv = ["memd", *sys.argv[1:]]
try:
    main()
except SystemExit:
    print(*sys.modules, file=sys.stderr)
"""
LIBRARIES = {"asyncio", "pydantic", "rich", "structlog", "tiktoken", "watchdog", "zstandard", "logging"}
READING = {
    "memd.daemon.pipeline",
    "memd.extract.shell",
    "memd.model.masking",
    "memd.model.secrets",
    "memd.model.strings",
    "memd.store.migrations",
    "memd.store.search",
    "memd.store.writing",
    "memd.tools.claude_code.parse",
    "memd.tools.codex.source",
    "memd.tools.fields",
}
"""What reads transcripts, and makes, writes and searches the record."""
LOOKING = (LIBRARIES - {"zstandard"}) | READING | {"hashlib", "tomllib"}
"""The record keeps texts by zstandard, half a millisecond to import."""
SETTINGS = LIBRARIES | READING | {"memd.model", "memd.store", "sqlite3"}


@pytest.fixture
def loaded(memd, tmp_path, home):
    """The modules that a command loads, its output in a pipe and a session in the record."""
    transcript = Transcript(tmp_path / "projects" / "5d1f0c1e-0000-4000-8000-000000000001.jsonl", cwd=str(home))
    transcript.turn("Make the gateway fast.")
    assert memd("ingest", str(transcript.path)).returncode == 0

    def run(*arguments):
        command = [sys.executable, "-c", LOADED, *arguments]
        done = subprocess.run(command, cwd=home, env=os.environ, capture_output=True, text=True, timeout=60, check=True)
        assert done.stdout
        return set(done.stderr.splitlines()[-1].split())

    return run


NEEDLESS = {
    ("--version",): SETTINGS | {"memd.config", "pathlib"},
    ("--help",): SETTINGS | {"memd.config"},
    ("statusline", "--help"): SETTINGS | {"memd.config"},
    ("config",): SETTINGS - {"memd.model"},
    ("status",): LOOKING,
    ("status", "--json"): LOOKING,
    ("status", "5d1f0c1e"): LOOKING,
    ("show",): LOOKING | {"memd.tools.registry"},
    ("log",): LOOKING | {"memd.tools.registry"},
    ("search", "gateway"): LOOKING - {"memd.store.search"},
}


def test_a_command_loads_only_what_it_needs(loaded):
    """No library for the daemon, no parser of transcripts, no terminal's table in a pipe; status no more modules than it did."""
    surplus = {command: loaded(*command) & needless for command, needless in NEEDLESS.items()}
    assert {command: found for command, found in surplus.items() if found} == {}
    assert len([name for name in loaded("status") if name.partition(".")[0] == "memd"]) <= 70
