"""memd as a process of its own in the test's home: the command, the daemon, the hook."""

import json
import os
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

from transcript import Transcript

MEMD = [sys.executable, "-m", "memd"]
HOOK = Path(__file__).parents[1] / "hooks" / "memd_hook.py"


def eventually(ask, seconds=20.0):
    """The first true answer."""
    end = time.monotonic() + seconds
    while not (answer := ask()):
        assert time.monotonic() < end, f"still {answer!r}"
        time.sleep(0.02)
    return answer


class Home:
    """The test's own home, with a place for Claude Code's transcripts."""

    def __init__(self):
        self.home = Path(os.environ["HOME"])
        self.state = self.home / ".local" / "state" / "memd"
        self.db = self.state / "memd.db"
        self.projects = self.home / ".claude" / "projects"
        self.log = self.home / "run.log"

    def transcript(self, name, folder="-srv-work", **options):
        return Transcript(self.projects / folder / f"{name}.jsonl", **options)

    def run(self, *arguments, **environ):
        return subprocess.run(
            [*MEMD, *map(str, arguments)],
            env={**os.environ, **environ},
            cwd=self.home,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def json(self, *arguments):
        done = self.run(*arguments, "--json")
        assert (done.returncode, done.stderr) == (0, "")
        return json.loads(done.stdout)

    def status(self):
        return self.json("status")

    def start(self, **environ):
        """`memd run`, answering."""
        with self.log.open("ab") as log:
            child = subprocess.Popen(
                [*MEMD, "run"], env={**os.environ, **environ}, cwd=self.home, stdout=log, stderr=log
            )
        eventually(lambda: self.asks(child))
        return child

    def asks(self, child):
        """Whether a daemon answers; fails where it has ended instead."""
        from memd.daemon.wire import ask  # noqa: PLC0415
        from memd.errors import DaemonSilent  # noqa: PLC0415

        assert child.poll() is None, self.log.read_text()
        try:
            return ask(self.state / "memd.sock", "status", {}, 5.0)
        except DaemonSilent:
            return None

    @contextmanager
    def daemon(self, **environ):
        child = self.start(**environ)
        try:
            yield child
        finally:
            child.kill()
            child.wait(10)

    def hook(self, event, transcript, part="-", **payload):
        """The hook as the client runs it."""
        payload = {"session_id": transcript.session, "transcript_path": str(transcript.path), **payload}
        done = subprocess.run(
            [sys.executable, "-I", "-S", HOOK, "claude-code", event, str(part), "--state", self.state],
            input=json.dumps(payload).encode(),
            capture_output=True,
            env={"CLAUDE_CODE_ENTRYPOINT": "cli"},
            timeout=30,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, b"")
        return done.stdout
