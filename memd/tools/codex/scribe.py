"""Codex's own model as a writer: `codex exec --ephemeral` without tools, its answer in fields (measured on 0.171.0).

Codex cannot be held to two files, so the run may write nothing (`-s read-only`) and has no shell; both files go with the
request and come back in the answer, whose shape is given as a schema. `--ephemeral` leaves no rollout. Hooks, apps, plugins and
the person's MCP servers are switched off: each server by its name, since a table that is given empty is merged with theirs. Their
global AGENTS.md still goes with the request: nothing switches that off but leaving their settings aside, and with those
the provider that they chose. There is no limit of rounds; the time is one.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memd.model import Session
from memd.tools.codex.place import place
from memd.tools.fields import string, table
from memd.tools.jsonl import objects
from memd.tools.scribe import MEMO, MIND, OWN, Errand, Said, Start

_FIELDS = ("mind", "memo", "scene")
_SCHEMA = {
    "type": "object",
    "properties": {name: {"type": "string"} for name in _FIELDS},
    "required": list(_FIELDS),
    "additionalProperties": False,
}
_OFF = (
    *("hooks", "apps", "plugins", "goals", "shell_tool", "unified_exec", "multi_agent", "memories", "browser_use"),
    *("computer_use", "image_generation", "tool_search", "view_image"),
)
_NAMED = re.compile(r"[A-Za-z0-9_-]+\Z")
_TOO_LONG = re.compile(r"context window|context_length_exceeded|maximum context length", re.IGNORECASE)
_HOW = """

----

In this client you have no tools and cannot edit files. Here are both as they are:

<mind.md>
{mind}</mind.md>

<memo.md>
{memo}</memo.md>

Answer with an object of three fields: `mind` and `memo`, each the whole text of its file as it should be, or an empty text
where it stays as it is; and `scene`, the <scene> block with its tags.
"""


class CodexScribe:
    """The `Scribe` of Codex."""

    program = "codex"

    def places(self, environ: Mapping[str, str]) -> tuple[Path, ...]:
        home = Path(environ.get("HOME") or Path.home())
        return (home / ".local" / "bin" / "codex",)

    def keeps(self, environ: Mapping[str, str]) -> tuple[Path, ...]:
        return (place(environ).home,)

    def reads(self, environ: Mapping[str, str]) -> tuple[Path, ...]:
        return (place(environ).home / "config.toml",)

    def warm(self, session: Session) -> float:  # noqa: ARG002 - without the tools that are switched off its requests begin otherwise
        return 0.0

    def start(self, errand: Errand) -> Start:
        schema = errand.spare / "answer.json"
        settings = ['approval_policy="never"', "notify=[]", 'history.persistence="none"', 'web_search="disabled"']
        settings += ["project_doc_max_bytes=0", *_servers(errand.read)]
        settings += [
            f"features.{feature}=false" for feature in _OFF
        ]  # unlike `--disable` no error where one is unknown
        arguments = [
            *("exec", "--ephemeral", "--json", "--skip-git-repo-check", "-s", "read-only", "--thread-source", OWN),
            *(part for setting in settings for part in ("-c", setting)),
            *("-C", str(errand.folder), "--output-schema", str(schema)),
            *(("-m", errand.model) if errand.model else ()),
            "-",
        ]
        request = errand.request + _HOW.format(mind=errand.mind, memo=errand.memo)
        given = {schema: json.dumps(_SCHEMA).encode()}
        return Start(tuple(arguments), stdin=request.encode("utf-8", "replace"), files=given)

    def said(self, code: int, out: bytes, err: bytes) -> Said:
        rows = list(_rows(out))
        ended: dict[str, Any] = next((row for row in reversed(rows) if row.get("type") == "turn.completed"), {})
        tokens = _tokens(table(ended, "usage"))
        failed = [string(row, "message") or string(table(row, "error"), "message") for row in rows if _is_error(row)]
        if not ended or code:
            last = " ".join(failed[-1:]) or " ".join(err.decode("utf-8", "replace").strip().splitlines()[-1:])
            return Said("", tokens, f"codex ended with {code}: {last[:200]}", bool(_TOO_LONG.search(last)))
        items = [table(row, "item") for row in rows if row.get("type") == "item.completed"]
        text = next((string(item, "text") for item in reversed(items) if item.get("type") == "agent_message"), "")
        return _answer(text, tokens)


def _servers(read: Mapping[Path, bytes]) -> Iterator[str]:
    """What switches the person's MCP servers off; of a file that cannot be read none is known to Codex either."""
    for content in read.values():
        try:
            servers = tomllib.loads(content.decode("utf-8-sig")).get("mcp_servers", {})
        except (ValueError, RecursionError):
            continue
        for name in servers if isinstance(servers, dict) else ():
            key = name if _NAMED.match(name) else json.dumps(name)
            yield f"mcp_servers.{key}.enabled=false"


def _rows(out: bytes) -> Iterator[dict[str, Any]]:
    for line in out.splitlines():
        found, _ = objects(line)
        yield from found


def _is_error(row: Mapping[str, Any]) -> bool:
    return row.get("type") in {"error", "turn.failed"}


def _tokens(usage: Mapping[str, Any]) -> int:
    """Codex counts what came from a cache among the input."""
    count = usage.get("input_tokens")
    return count if isinstance(count, int) else 0


def _answer(text: str, tokens: int) -> Said:
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        return Said("", tokens, "its answer has not the form that was asked for")
    files = {MIND: string(answer, "mind"), MEMO: string(answer, "memo")}
    return Said(
        string(answer, "scene"), tokens, files={name: _whole(content) for name, content in files.items() if content}
    )


def _whole(text: str) -> str:
    return text if text.endswith("\n") else f"{text}\n"


SCRIBE = CodexScribe()
