"""The real OpenCode, pinned, in a home of its own, talking to a scripted model.

What it takes to run it unattended (measured on 1.18.33): a provider of the OpenAI-compatible kind, which is inside the
client; no list of models fetched; a project under git; every XDG directory named, so that nothing around it is used.
"""

import json
import os
import sqlite3
import subprocess
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from memd.tools.opencode.plugin import PLUGIN, STAND_IN, filled

from .client import Answer, Client
from .npm import pinned
from .scripted_model import Tool, Turn
from .story import NEW, OLD
from .terminal import Terminal, terminal
from .waiting import eventually

VERSION = "1.18.33"
PACKAGE = "opencode-ai"
WINDOW, REPLY = 60_000, 4_000
"""Tokens of the scripted model's window and of its longest answer."""
FULL = 57_000
"""Tokens at which the client compacts by itself: the window less the answer."""


def pinned_opencode(folder: Path, version: str = VERSION) -> Path:
    """The path of `opencode`, whose package has a script of its own that links the platform's binary into place."""
    return pinned(folder, PACKAGE, version, "opencode", "postinstall.mjs")


def shell(command: str, *, tokens: int | None = None) -> Turn:
    """The model runs a command."""
    return Turn(tools=(Tool("bash", {"command": command, "description": "Run a command"}),), tokens=tokens)


def edit(config: Path) -> list[Turn]:
    """The model reads the file and sets the value."""
    return [
        Turn("Reading the settings.", (Tool("read", {"filePath": str(config)}),)),
        Turn(tools=(Tool("edit", {"filePath": str(config), "oldString": OLD, "newString": NEW}),)),
    ]


def as_run(words: str) -> str:
    """What `opencode run` makes of an argument with blanks in it: that is what the model gets and the client stores."""
    return '"' + words.replace('"', '\\"') + '"'


@dataclass
class OpenCode(Client):
    """A home directory with a client, and a project to work on."""

    def prepare(self) -> None:
        """Write what a person who has used the client before would have in their home and project."""
        self.make(self.settings.parent)
        subprocess.run(["git", "init", "-q", self.project], env=self.env, timeout=30, check=True)
        model = {"tool_call": True, "limit": {"context": WINDOW, "output": REPLY}}
        config = {
            "$schema": "https://opencode.ai/config.json",
            "autoupdate": False,
            "share": "disabled",
            "model": "scripted/m1",
            "small_model": "scripted/m1",
            "enabled_providers": ["scripted"],
            "provider": {
                "scripted": {
                    "npm": "@ai-sdk/openai-compatible",
                    "name": "Scripted",
                    "options": {"baseURL": f"{self.model_url}/v1", "apiKey": "dummy"},
                    "models": {"m1": {"name": "m1", **model}},
                }
            },
            "permission": {"bash": "allow", "edit": "allow", "webfetch": "deny"},
        }
        self.settings.write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")

    @property
    def settings(self) -> Path:
        """The person's own opencode.json."""
        return self.home / ".config" / "opencode" / "opencode.json"

    @property
    def own(self) -> dict[str, str]:
        """The registry is an address that refuses: what would be fetched there must not be needed."""
        return {
            "XDG_CONFIG_HOME": str(self.home / ".config"),
            "XDG_DATA_HOME": str(self.home / ".local" / "share"),
            "XDG_STATE_HOME": str(self.home / ".local" / "state"),
            "XDG_CACHE_HOME": str(self.home / ".cache"),
            "TMPDIR": str(self.temporary),
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "npm_config_registry": "http://127.0.0.1:9",
        }

    def put_in(self, plugin: bytes, socket: Path, state: Path) -> None:
        """Put memd's plugin in by hand, with the stand-in for what the client would fetch."""
        files = {PLUGIN: filled(plugin, str(socket), str(state)), **STAND_IN}
        for path, content in files.items():
            place = self.settings.parent / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)

    def headless(self, prompt: str, *options: str) -> Answer:
        """Run `opencode run` once, to its end."""
        done = self.run("run", "--format", "json", *options, prompt)
        said = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        texts = [event["part"]["text"] for event in said if event["type"] == "text"]
        session = said[0]["sessionID"] if said else ""
        return Answer(done.returncode, "\n".join(texts) or done.stderr, session)

    @contextmanager
    def screen(self, *options: str) -> Iterator["Screen"]:
        """Run the client on a terminal of its own; it is ready for the first prompt."""
        socket, ended = f"memd-oc-{os.getpid()}", self.temporary / "exit-code"
        command = [str(self.program), *options]
        with terminal(command, socket=socket, cwd=self.project, env=self.env, ended=ended) as screen:
            screen.wait_for("ctrl+p commands", seconds=90)
            yield Screen(screen.socket, screen.env, screen.ended)

    @contextmanager
    def server(self, *options: str, name: str = "serve") -> Iterator["Server"]:
        """`opencode serve` for the time of the block."""
        log = self.home / "serve.log"
        with log.open("wb") as out:
            process = subprocess.Popen(
                [self.program, name, "--port", "0", *options],
                env=self.env,
                cwd=self.project,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
            )
        try:
            said = eventually(lambda: [w for w in log.read_text().split() if w.startswith("http://127.")], seconds=60)
            yield Server(said[0])
        finally:
            process.terminate()
            process.wait(15)

    @contextmanager
    def empty_registry(self) -> Iterator[list[str]]:
        """A registry of packages that has none, for the time of the block; what was asked of it.

        One that refuses connections would make the client wait over a minute wherever it wants a package.
        """
        asked: list[str] = []
        handler = type("Asked", (_NoPackages,), {"asked": asked})
        with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
            thread.start()
            self.extra["npm_config_registry"] = f"http://127.0.0.1:{server.server_port}"
            try:
                yield asked
            finally:
                del self.extra["npm_config_registry"]
                server.shutdown()
                thread.join()

    def query(self, sql: str, *values: str) -> list[tuple[Any, ...]]:
        """What the client's database says; nothing while there is none."""
        database = self.home / ".local" / "share" / "opencode" / "opencode.db"
        if not database.exists():
            return []
        with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as rows:
            return rows.execute(sql, values).fetchall()

    @property
    def session(self) -> str:
        """The id of the only session in this home that no other session started."""
        ((only,),) = self.query("select id from session where parent_id is null")
        return only

    def command(self, name: str, template: str) -> None:
        """Write a command of the person's own."""
        path = self.settings.parent / "command" / f"{name}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"---\ndescription: {name}\n---\n{template}\n", encoding="utf-8")

    def answered(self, number: int, *, seconds: float = 30.0) -> None:
        """Wait until so many answers of the only session have come to their end, summaries not counted."""
        sql = """select count(*) from message, session on session.id = session_id where parent_id is null
                 and message.data->>'role' = 'assistant' and message.data->>'finish' = 'stop'
                 and message.data->>'summary' is null"""
        eventually(lambda: (self.query(sql) or [(0,)])[0][0] >= number, seconds=seconds)


class _NoPackages(BaseHTTPRequestHandler):
    asked: list[str]

    def do_GET(self) -> None:
        self.asked.append(self.path)
        self.send_error(404)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (the base class names it so)
        """Say nothing."""


class Screen(Terminal):
    """The client's screen: a box around the words, and something else beside them."""

    def type(self, text: str) -> None:
        """Type the text, see its first words and then nothing more come, and press Enter apart from it."""
        self._tmux("send-keys", "-t", "main", "-l", "--", text)
        eventually(lambda: text[:30] in self.screen())
        shown = ""
        while shown != (shown := self.screen()):
            time.sleep(0.3)
        self.press("Enter")


@dataclass(frozen=True)
class Server:
    """A running `opencode serve`."""

    url: str

    def post(self, path: str, body: dict[str, Any]) -> Any:
        """One call of its API; what it says."""
        request = urllib.request.Request(
            f"{self.url}{path}", json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=120) as answer:
            said = answer.read()
        return json.loads(said) if said else None

    def prompt(self, session: str, text: str) -> Any:
        """One prompt, answered."""
        return self.post(f"/session/{session}/message", {"parts": [{"type": "text", "text": text}]})

    def compact(self, session: str) -> None:
        """What /compact does."""
        self.post(f"/session/{session}/summarize", {"providerID": "scripted", "modelID": "m1"})
