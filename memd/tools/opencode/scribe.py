"""OpenCode's own model as a writer: `opencode run` with a database and an agent of its own (measured on 1.18.33).

Every run is a session, and a session in the person's database would be listed, and taken up by their next `--continue`. So
`OPENCODE_DB` names one beside the working folder, which goes with it; memd reads only the person's. `--pure` loads no plugin,
memd's own neither. The agent comes with the environment and forbids everything but reading and editing two files; reading
outside of the run's directory would be asked about, and nobody is there to answer. Servers of the person's may be started,
their tools are forbidden. Where `steps` are used up the client asks the model for its answer,
and goes on if it calls tools all the same. A run that is given a title asks no model for one.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memd.model import Session
from memd.tools.fields import string, table
from memd.tools.jsonl import objects
from memd.tools.opencode.place import place
from memd.tools.scribe import MEMO, MIND, OWN, ROUNDS, Errand, Said, Start

_PROMPT = (
    "You keep the notes of a coding session for memd, a program beside the agent. You edit the two files that the request names "
    "and answer with one <scene> block."
)
_QUIET = (
    "OPENCODE_PURE",
    "OPENCODE_DISABLE_AUTOCOMPACT",
    "OPENCODE_DISABLE_AUTOUPDATE",
    "OPENCODE_DISABLE_CLAUDE_CODE",
    "OPENCODE_DISABLE_EXTERNAL_SKILLS",
    "OPENCODE_DISABLE_PROJECT_CONFIG",
)
"""Switched on for the run. Files in the person's plugin folder are evaluated even so (their first lines were seen to run)."""
_TOO_LONG = re.compile(r"context (?:length|window)|prompt is too long|maximum context", re.IGNORECASE)


class OpenCodeScribe:
    """The `Scribe` of OpenCode."""

    program = "opencode"

    def places(self, environ: Mapping[str, str]) -> tuple[Path, ...]:
        home = Path(environ.get("HOME") or Path.home())
        return (home / ".opencode" / "bin" / "opencode", home / ".local" / "bin" / "opencode")

    def keeps(self, environ: Mapping[str, str]) -> tuple[Path, ...]:
        return place(environ).roots[:1]

    def reads(self, environ: Mapping[str, str]) -> tuple[Path, ...]:  # noqa: ARG002 - what is given here goes before theirs
        return ()

    def warm(self, session: Session) -> float:  # noqa: ARG002 - the session is in another database
        return 0.0

    def start(self, errand: Errand) -> Start:
        arguments = [
            *("run", "--pure", "--title", OWN, "--format", "json", "--agent", OWN, "--dir", str(errand.folder)),
            *(("--model", errand.model) if errand.model and "/" in errand.model else ()),
        ]
        variables = {
            "OPENCODE_DB": str(errand.spare / "run.db"),
            "OPENCODE_CONFIG_CONTENT": json.dumps({"agent": {OWN: _agent(errand)}, "share": "disabled"}),
            "MEMD_STATE_DIR": str(errand.spare),  # for memd's own plugin, should it be loaded all the same
            "MEMD_SOCKET": str(errand.spare / "none.sock"),
            **dict.fromkeys(_QUIET, "1"),
        }
        return Start(tuple(arguments), variables, frozenset({"OPENCODE"}), errand.request.encode("utf-8", "replace"))

    def said(self, code: int, out: bytes, err: bytes) -> Said:
        rows = list(_rows(out))
        tokens = sum(_tokens(table(table(row, "part"), "tokens")) for row in rows if row.get("type") == "step_finish")
        failed = [_fault(table(row, "error")) for row in rows if row.get("type") == "error"]
        if failed or code:
            last = " ".join(failed[-1:]) or " ".join(err.decode("utf-8", "replace").strip().splitlines()[-1:])
            return Said("", tokens, f"opencode ended with {code}: {last[:200]}", bool(_TOO_LONG.search(last)))
        if sum(row.get("type") == "step_finish" for row in rows) > ROUNDS + 1:
            return Said("", tokens, "it called tools for more rounds than it has")
        texts = [string(table(row, "part"), "text") for row in rows if row.get("type") == "text"]
        return Said(texts[-1] if texts else "", tokens, "" if rows else "opencode ended and said nothing")


def _agent(errand: Errand) -> dict[str, Any]:
    """What the run may do. A path is asked about relative to the directory, or to the root where there is no project."""
    own = [errand.folder / MIND, errand.folder / MEMO]
    edit = {"*": "deny", **{form: "allow" for path in own for form in (path.name, str(path), str(path).lstrip("/"))}}
    permission = {"*": "deny", "read": "allow", "edit": edit, "external_directory": "deny"}
    return {"mode": "primary", "prompt": _PROMPT, "steps": errand.rounds + 1, "permission": permission}


def _rows(out: bytes) -> Iterator[dict[str, Any]]:
    for line in out.splitlines():
        found, _ = objects(line)
        yield from found


def _tokens(used: Mapping[str, Any]) -> int:
    cache = table(used, "cache")
    return sum(count for count in (used.get("input"), cache.get("read"), cache.get("write")) if isinstance(count, int))


def _fault(error: Mapping[str, Any]) -> str:
    return string(table(error, "data"), "message") or string(error, "message") or string(error, "name")


SCRIBE = OpenCodeScribe()
