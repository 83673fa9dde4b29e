"""Words that would act if they could: on a terminal, on a shell, in a log."""

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from documents import ROOT
from process import HOOK, Home, eventually

EVIL = "Hi\x1b[2J\x1b]0;owned\x07 \x9b31m \u202e$(touch /tmp/owned) `id`; <script>alert(1)</script> \x08\r[x](javascript:1)"
ACTS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture
def home():
    home = Home()
    transcript = home.transcript("5d1f0c1e-0000-4000-8000-0000000000e1", cwd=f"/srv/{EVIL}")
    transcript.typed(EVIL)
    transcript.runs(f"echo '{EVIL}'", EVIL)
    transcript.says(EVIL)
    transcript.row(type="custom-title", customTitle=EVIL)
    transcript.compacts(summary=EVIL)
    transcript.turn(EVIL)
    assert home.run("ingest", transcript.path).returncode == 0
    return home


@pytest.mark.parametrize("command", [("status",), ("status", "claude-code:5d1f0c1e")], ids=" ".join)
def test_the_status_prints_nothing_that_a_terminal_would_obey(home, command):
    """Control characters and those that turn the writing round are shown as escapes."""
    done = home.run(*command)
    assert done.returncode == 0, done.stderr
    assert ACTS.findall(done.stdout + done.stderr) == []


def test_what_is_recorded_is_exact(home):
    (first, *_) = [json.loads(line) for line in home.run("log", "--json").stdout.splitlines()]
    assert first["text"] == EVIL


def test_html_holds_no_script_of_a_transcript(home):
    """What a report is made of stands in it as text."""
    page = home.home / "report.html"
    done = home.run("report", "--html", page)
    assert done.returncode == 0, done.stderr
    assert "<script>alert(1)" not in page.read_text("utf-8")


def test_no_shell_is_started():
    """Nothing in memd asks for a shell: programs are started with their arguments as a list."""
    asked = {"os.system", "os.popen", "subprocess.getoutput", "asyncio.create_subprocess_shell"}
    for path in (ROOT / "memd").rglob("*.py"):
        calls = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call)]
        shells = [one for one in calls if any(word.arg == "shell" for word in one.keywords)]
        assert not asked & {ast.unparse(one.func) for one in calls}, path
        assert not [one for one in shells if ast.unparse(one.func).startswith("subprocess.")], path


def test_a_hooks_environment_is_nowhere():
    """What stands in the variables of a hook's process is neither sent, stored nor logged."""
    home = Home()
    transcript = home.transcript("5d1f0c1e-0000-4000-8000-0000000000e2")
    transcript.turn("Make the gateway fast.")
    secret = "only-in-the-environment-4711"
    with home.daemon():
        eventually(lambda: home.hook("SessionStart", transcript, 1, source="compact"))
        payload = json.dumps(
            {"session_id": transcript.session, "transcript_path": str(transcript.path), "source": "compact"}
        )
        for event in ("SessionStart", "PreCompact", "UserPromptSubmit", "Unheard"):
            subprocess.run(
                [sys.executable, "-I", "-S", HOOK, "claude-code", event, "1", "--state", home.state],
                input=payload.encode(), env={"TOKEN": secret, "CLAUDE_CODE_ENTRYPOINT": "cli"}, check=True, capture_output=True,
            )  # fmt: skip
    files = [path for path in Path(home.home).rglob("*") if path.is_file() and not path.is_symlink()]
    assert [path for path in files if secret.encode() in path.read_bytes()] == []
