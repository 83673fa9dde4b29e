"""Words that would act if they could: on a terminal, on a shell, in a log."""

import ast
import json
import os
import pty
import re
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing, suppress
from html.parser import HTMLParser
from pathlib import Path

import pytest
from documents import ROOT
from opencode_session import OpenCodeSession
from process import HOOK, MEMD, Home, eventually
from rollout import Rollout

EVIL = (
    "Hi\x1b[2J\x1b]0;owned\x07 \x9b31m \u202e$(touch /tmp/owned) `id`; <script>alert(1)</script> \x08\r[x](javascript:1)"
    '\x1b]8;;http://x\x1b\\ \x90q\x9c\u2066\u2028 [bold]r[/] </title></style>" onmouseover="x \' <!-- ]]> <img src=x onerror=x>'
)
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
    with closing(sqlite3.connect(home.db)) as sql, sql:
        sql.execute('UPDATE boundary SET "trigger" = ?', (EVIL,))  # as an older memd took it over
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


class Page(HTMLParser):
    """What a browser would make of a page: its tags, and attributes that act."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.acting = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.acting += [name for name, _ in attrs if name.startswith("on") or name in {"href", "src", "srcset"}]


def test_html_holds_no_script_of_a_transcript(home):
    """What a report is made of stands in it as text: no tag, no attribute and no control character is a transcript's."""
    page = home.home / "report.html"
    done = home.run("report", "--html", page)
    assert done.returncode == 0, done.stderr
    text = page.read_text("utf-8")
    found = Page(text)
    assert (found.tags & {"script", "img", "a", "iframe", "link"}, found.acting, ACTS.findall(text)) == (set(), [], [])


def test_a_report_on_a_terminal_obeys_no_transcript(home):
    """Beside memd's own colours nothing of what is printed is for the terminal."""
    master, slave = pty.openpty()
    child = subprocess.Popen(
        [*MEMD, "report"], env={**os.environ, "TERM": "xterm", "PAGER": "cat"}, stdout=slave, stderr=slave
    )
    os.close(slave)
    shown = b""
    with suppress(OSError):  # the other end is closed
        while piece := os.read(master, 1 << 16):
            shown += piece
    os.close(master)
    assert child.wait(60) == 0
    plain = re.sub(r"\x1b\[[0-9;]*m|\r\n", "", shown.decode())
    assert ("compaction 1" in plain, ACTS.findall(plain)) == (True, [])


def test_ids_in_transcripts_reach_nothing_outside(tmp_path):
    """Rows name their session, its agent and its source as they like: what is no plain word makes no folder."""
    home, codex = Home(), tmp_path / "codex"
    for number, ident in enumerate(("../../../../owned", "..", "x\0y")):
        rollout = Rollout(codex, f"01a22988-7aea-7731-8d65-{number:012}")
        rollout.typed("Hello.")
        rollout.path.write_text(rollout.path.read_text().replace(rollout.path.stem[-36:], json.dumps(ident)[1:-1]))
        assert "names no session" in home.run("ingest", rollout.path).stderr
    base = tmp_path / "opencode.db"
    for ident in ("../../owned", "ses_../x", "ses_a/b"):
        session = OpenCodeSession(base, ident)
        session.typed("Hello.")
        session.close()
    done = home.run("ingest", base)
    assert (done.returncode, "no session in it that memd knows" in done.stderr) == (1, True)
    assert list(home.state.glob("sessions/*/*")) == []


def test_no_shell_is_started():
    """Nothing in memd asks for a shell: programs are started with their arguments as a list."""
    asked = {"os.system", "os.popen", "subprocess.getoutput", "asyncio.create_subprocess_shell"}
    for path in (ROOT / "memd").rglob("*.py"):
        calls = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call)]
        shells = [one for one in calls if any(word.arg == "shell" for word in one.keywords)]
        assert not asked & {ast.unparse(one.func) for one in calls}, path
        assert not [one for one in shells if ast.unparse(one.func).startswith("subprocess.")], path
        # Nor do programs inherit anything but the three streams.
        assert not [
            word.arg for one in calls for word in one.keywords if word.arg in {"pass_fds", "close_fds", "inheritable"}
        ], path


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


@pytest.mark.parametrize("umask", [0, 0o777])
def test_all_that_is_made_is_private_whatever_the_umask(umask):
    """Installed, run, asked by hooks and reported: nobody else can look into anything of memd's, and memd itself into all."""
    home = Home()
    (home.home / ".claude").mkdir()
    transcript = home.transcript("5d1f0c1e-0000-4000-8000-0000000000e3")
    transcript.turn("Make the gateway fast.")
    transcript.compacts()
    before = os.umask(umask)
    try:
        assert home.run("install", "claude-code", "--yes").returncode == 0
        with home.daemon():
            eventually(lambda: home.hook("SessionStart", transcript, 1, source="compact"))
            start = home.home / ".local" / "share" / "memd" / "memd_hook.py"
            subprocess.run([sys.executable, "-I", "-S", start, "claude-code", "Stop"], input=b"{}", check=True)
            made = [path for name in ("state", "share") for path in (home.home / ".local" / name / "memd").rglob("*")]
            modes = {path: path.lstat().st_mode for path in made if not path.is_symlink() and path.suffix != ".pyc"}
            loose = [path for path, mode in modes.items() if mode & 0o777 != (0o700 if stat.S_ISDIR(mode) else 0o600)]
        assert home.run("report", "--html", home.home / "report.html").returncode == 0
    finally:
        os.umask(before)
    assert (home.state / "memd.sock") in made
    assert (loose, (home.home / "report.html").stat().st_mode & 0o777) == ([], 0o600)
