"""The three real clients behind one shape, for promises that hold beside each of them."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import codex as codex_calls
from . import opencode as opencode_calls
from .claude_code import ClaudeCode
from .client import Answer
from .codex import LIMIT, PATCH, Codex
from .memd_process import Memd
from .opencode import FULL, OpenCode
from .scripted_model import ScriptedModel, Tool, Turn
from .story import shell
from .waiting import eventually


@dataclass
class Agent:
    """A client in a project with memd beside it, and what its model can do there; `session` is of its first prompt."""

    memd: Memd
    model: ScriptedModel
    project: Path
    session: str = ""

    def says(self, prompt: str) -> None:
        """A prompt, headless, in the same session; answered when this returns."""
        answer = self._run(prompt)
        self.session = self.session or answer.session

    def compacts(self, number: int) -> None:
        """The session is compacted for the `number`th time and goes on, and memd knows it."""
        self._compact()
        eventually(lambda: self.memd.session(self.session)["compactions"] == number)

    def asked(self) -> list[Any]:
        """The requests of the conversation, in order."""
        return [request for request in self.model.requests if request.offers_tools and not request.asks_for_summary]

    def text(self, request: Any) -> str:
        """All that a request holds, wherever hooks and plugins put their texts."""
        raise NotImplementedError

    def reads(self, path: str) -> Turn:
        """The model reads a file."""
        raise NotImplementedError

    def edits(self, path: str, old: str, new: str) -> Turn:
        """The model changes a file."""
        raise NotImplementedError

    def runs(self, command: str) -> Turn:
        """The model runs a shell line."""
        raise NotImplementedError

    def connects(self, name: str, command: list[str]) -> None:
        """The person connects a server of tools (MCP), and allows them."""
        raise NotImplementedError

    def asks(self, server: str, tool: str, **arguments: str) -> Turn:
        """The model calls a connected server's tool."""
        raise NotImplementedError

    def _run(self, prompt: str) -> Answer:
        raise NotImplementedError

    def _compact(self) -> None:
        raise NotImplementedError


@dataclass
class OnClaude(Agent):
    """Claude Code."""

    client: ClaudeCode | None = None

    def text(self, request: Any) -> str:
        return str(request.text)

    def reads(self, path: str) -> Turn:
        return Turn(tools=(Tool("Read", {"file_path": str(self.project / path)}),))

    def edits(self, path: str, old: str, new: str) -> Turn:
        arguments = {"file_path": str(self.project / path), "old_string": old, "new_string": new}
        return Turn(tools=(Tool("Edit", arguments),))

    def runs(self, command: str) -> Turn:
        return shell(command)

    def connects(self, name: str, command: list[str]) -> None:
        assert self.client is not None
        program, *rest = command
        settings = json.loads(self.client.settings.read_text(encoding="utf-8"))
        settings["permissions"]["allow"].append(f"mcp__{name}")
        self.client.settings.write_text(json.dumps(settings), encoding="utf-8")
        path = self.client.home / ".claude.json"
        server = {"type": "stdio", "command": program, "args": rest}
        known = json.loads(path.read_text(encoding="utf-8"))
        path.write_text(json.dumps({**known, "mcpServers": {name: server}}), encoding="utf-8")

    def asks(self, server: str, tool: str, **arguments: str) -> Turn:
        return Turn(tools=(Tool(f"mcp__{server}__{tool}", arguments),))

    def _run(self, prompt: str) -> Answer:
        assert self.client is not None
        return self.client.headless(prompt, *(["--continue"] if self.session else []))

    def _compact(self) -> None:
        self._run("/compact")
        self._run("Go on.")


@dataclass
class OnCodex(Agent):
    """Codex: it reads with the shell, changes files with patches, and compacts by itself in a headless turn."""

    client: Codex | None = None

    def text(self, request: Any) -> str:
        return "\n".join(request.given)

    def reads(self, path: str) -> Turn:
        return codex_calls.run(f"cat {path}")

    def edits(self, path: str, old: str, new: str) -> Turn:
        sides = [*(f"-{line}" for line in old.splitlines()), *(f"+{line}" for line in new.splitlines())]
        body = "\n".join(["*** Begin Patch", f"*** Update File: {path}", "@@", *sides, "*** End Patch", ""])
        return Turn(tools=(Tool(PATCH, {"input": body}),))

    def runs(self, command: str) -> Turn:
        return codex_calls.run(command)

    def connects(self, name: str, command: list[str]) -> None:
        assert self.client is not None
        program, *rest = command
        with self.client.config.open("a", encoding="utf-8") as file:
            file.write(f"\n[mcp_servers.{name}]\ncommand = {json.dumps(program)}\nargs = {json.dumps(rest)}\n")

    def asks(self, server: str, tool: str, **arguments: str) -> Turn:
        return Turn(tools=(Tool(f"mcp__{server}/{tool}", arguments),))

    def _run(self, prompt: str) -> Answer:
        assert self.client is not None
        return self.client.headless(*(["resume", self.session] if self.session else []), prompt)

    def _compact(self) -> None:
        self.model.push(codex_calls.run("echo one", tokens=LIMIT + 1_000), Turn("Done."))
        self._run("Look once more.")


@dataclass
class OnOpenCode(Agent):
    """OpenCode: what its plugin gives stands in the system messages, advice behind the calls' results.

    A full window compacts by itself; that takes one start of the client, the server's way would take two.
    """

    client: OpenCode | None = None

    def text(self, request: Any) -> str:
        return "\n".join([*request.systems, *request.texts])

    def reads(self, path: str) -> Turn:
        return Turn(tools=(Tool("read", {"filePath": str(self.project / path)}),))

    def edits(self, path: str, old: str, new: str) -> Turn:
        arguments = {"filePath": str(self.project / path), "oldString": old, "newString": new}
        return Turn(tools=(Tool("edit", arguments),))

    def runs(self, command: str) -> Turn:
        return opencode_calls.shell(command)

    def connects(self, name: str, command: list[str]) -> None:
        assert self.client is not None
        settings = json.loads(self.client.settings.read_text(encoding="utf-8"))
        settings["mcp"] = {name: {"type": "local", "command": command, "enabled": True}}
        self.client.settings.write_text(json.dumps(settings), encoding="utf-8")

    def asks(self, server: str, tool: str, **arguments: str) -> Turn:
        return Turn(tools=(Tool(f"{server}_{tool}", arguments),))

    def _run(self, prompt: str) -> Answer:
        assert self.client is not None
        return self.client.headless(prompt, *(["--continue"] if self.session else []))

    def _compact(self) -> None:
        self.model.push(opencode_calls.shell("echo one", tokens=FULL), Turn("Done."))
        self._run("Look once more.")


MADE: dict[str, Callable[[Callable[[str], Any]], Agent]] = {
    "claude-code": lambda of: OnClaude(of("memd"), of("model"), of("claude").project, client=of("claude")),
    "codex": lambda of: OnCodex(of("codex_memd"), of("responses"), of("codex").project, client=of("codex")),
    "opencode": lambda of: OnOpenCode(
        of("opencode_memd"), of("chat_model"), of("opencode").project, client=of("opencode")
    ),
}
"""What makes each from the fixtures."""
