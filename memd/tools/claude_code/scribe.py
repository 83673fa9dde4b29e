"""Claude Code's own model as a writer: `claude -p`, with nothing of the person's set-up in it (measured on 2.1.332).

`--safe-mode` switches off CLAUDE.md files, hooks, plugins, skills and MCP servers, and keeps the person's login; `--bare` would
not read it. Without `--setting-sources ''` the person's own allow rules would hold as well, and any file could be edited. In
`dontAsk` what no rule allows is refused: here all but reading in two folders and editing two files; a rule's path is absolute
when it begins with two slashes. `--no-session-persistence` leaves no transcript, so that `--continue` finds the person's
session. The client adds no project for the working folder to its own file. `--max-turns` counts answers: one more than
rounds of tools.

A fork of a session sends its system prompt, tools and messages byte for byte as the session did, whatever is switched off
for the run, and refuses the tools all the same. The one exception is the first block of the system prompt, which names the entry
point: so of a session on a screen a fork is not surely in the cache, of a headless one it is. A fork has no mark of memd's on it,
and needs none: it leaves no transcript.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memd.model import Session
from memd.tools.claude_code.place import place
from memd.tools.fields import string, table
from memd.tools.scribe import MEMO, MIND, OWN, Errand, Said, Start

_SYSTEM = (
    "You keep the notes of a coding session for memd, a program beside the agent. You edit the two files that the request names "
    "and answer with one <scene> block."
)
_INSIDE = frozenset(
    {
        "CLAUDECODE",
        "CLAUDE_CODE_CHILD_SESSION",
        "CLAUDE_CODE_MESSAGING_SOCKET",
        "CLAUDE_CODE_MESSAGING_TOKEN",
        "CLAUDE_CODE_SESSION_ATTENDED",
        "CLAUDE_CODE_SESSION_ID",
        "CLAUDE_ENV_FILE",
        "CLAUDE_PID",
        "CLAUDE_PROJECT_DIR",
    }
)
"""What a client puts into the environment of what it starts: not ours to pass on."""
WARM = 240.0
"""The provider keeps a prefix for five minutes after it was last asked for; the run needs a moment to begin."""
_ENTRY, _HEADLESS = "CLAUDE_CODE_ENTRYPOINT", "sdk-cli"
_REPLAYS = (2, 1, 332)
"""The client whose forks were compared with their sessions, request by request."""
_TOO_LONG = re.compile(r"prompt is too long|input length and .{0,20}max_tokens.{0,20}exceed", re.IGNORECASE)


class ClaudeScribe:
    """The `Scribe` of Claude Code."""

    program = "claude"

    def places(self, environ: Mapping[str, str]) -> tuple[Path, ...]:
        home = Path(environ.get("HOME") or Path.home())
        return (home / ".local" / "bin" / "claude", place(environ).home / "local" / "claude")

    def keeps(self, environ: Mapping[str, str]) -> tuple[Path, ...]:
        found = place(environ).home
        return (found, found / ".claude.json" if environ.get("CLAUDE_CONFIG_DIR") else found.with_name(".claude.json"))

    def reads(self, environ: Mapping[str, str]) -> tuple[Path, ...]:  # noqa: ARG002 - they are left out altogether
        return ()

    def warm(self, session: Session) -> float:
        version = tuple(int(part) for part in re.findall(r"\d+", session.version or "")[:3])
        return WARM if session.entrypoint == _HEADLESS and version >= _REPLAYS else 0.0

    def start(self, errand: Errand) -> Start:
        rules = [f"Edit(/{errand.folder / MIND})", f"Edit(/{errand.folder / MEMO})"]
        rules += [f"Read(/{errand.cwd}/**)"] if _plain(errand.cwd) else []
        arguments = [
            *("-p", "--output-format", "json", "--no-session-persistence"),
            *("--safe-mode", "--setting-sources", "", "--settings", '{"disableAllHooks":true}', "--strict-mcp-config"),
            *("--permission-mode", "dontAsk", "--tools", "Read,Edit", "--allowedTools", *rules),
            *("--max-turns", str(errand.rounds + 1)),
            *(("--resume", errand.fork, "--fork-session") if errand.fork else ("--system-prompt", _SYSTEM)),
        ]
        arguments += ["--model", errand.model] if errand.model else []
        mark = {"DISABLE_AUTO_COMPACT": "1"} if errand.fork else {_ENTRY: OWN}
        own = {"DISABLE_AUTOUPDATER": "1", **mark}
        return Start(tuple(arguments), own, _INSIDE | {_ENTRY}, errand.request.encode("utf-8", "replace"))

    def said(self, code: int, out: bytes, err: bytes) -> Said:
        result = _result(out)
        if result is None:
            last = (err or out).decode("utf-8", "replace").strip().splitlines()[-1:]
            return Said(fault=f"claude ended with {code} and no result: {' '.join(last)[:200]}")
        text, tokens = string(result, "result"), _tokens(result)
        if result.get("subtype") == "error_max_turns":
            return Said("", tokens, "it called tools for more rounds than it has")
        if result.get("is_error") or code:
            return Said(
                "", tokens, f"claude says: {text[:200] or string(result, 'subtype')}", bool(_TOO_LONG.search(text))
            )
        return Said(text, tokens)


def _result(out: bytes) -> Mapping[str, Any] | None:
    """The object in which the run ends; whatever else was printed is not looked at."""
    try:
        found = json.loads(out.strip().rpartition(b"\n")[2])
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and found.get("type") == "result" else None


def _plain(cwd: str | None) -> bool:
    """Whether a path can stand in a rule: no sign that a rule reads as more than itself."""
    return cwd is not None and cwd.startswith("/") and len(cwd) > 1 and not re.search(r"[*?\[\]{}()!\\,]", cwd)


def _tokens(result: Mapping[str, Any]) -> int:
    """Of every model that was asked, what is new and what came from or went into a cache."""
    used = table(result, "modelUsage")
    names = ("inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens")
    counts = (table(used, model).get(name) for model in used for name in names)
    return sum(count for count in counts if isinstance(count, int))


SCRIBE = ClaudeScribe()
