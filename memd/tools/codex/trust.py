"""How Codex comes to trust memd's hooks: a dialogue with its own server (measured on codex-cli 0.171.0). No I/O here.

`codex app-server` speaks JSON on its standard streams, a message a line. `hooks/list` gives each hook with its key, its hash
and how far it is trusted; `config/batchWrite` stores a hash, which is what the client's own screen does when the person says
"trust". The client writes its `config.toml` itself and keeps every other byte; what counts is what `hooks/list` says then.
"""

from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from typing import Any

from memd.tools import hookfile
from memd.tools.codex.install import ENTRIES, TOOL, files
from memd.tools.codex.place import place
from memd.tools.codex.trusted import PLUGIN
from memd.tools.installing import Talk

_Hooks = Generator[Mapping[str, Any], Any, tuple[list[dict[str, Any]], list[str]] | None]

PROGRAM = ("codex", "-c", "analytics.enabled=false", "app-server")
_CLIENT = {"clientInfo": {"name": "memd", "version": "1"}, "capabilities": {"experimentalApi": True}}
_TRUSTED = frozenset({"trusted", "managed"})


class CodexTrust:
    """See `memd.tools.protocol.Trust`."""

    question = (
        "Codex runs no hook before you have trusted it; until then it skips memd's without a word.\n"
        f"Trust memd's {len(ENTRIES)} hooks now? (Codex itself writes that into its config.toml, for these hooks only)"
    )
    what = "trust entries"
    by_hand = 'start `codex` and choose to review the hooks where it says "Hooks need review"'

    def program(self, home: Path, environ: Mapping[str, str]) -> tuple[Sequence[str], Mapping[str, str]]:
        """The variable is set only for another home than this environment's.

        The client resolves links in it and not in its default, so the same home has other keys then.
        """
        return PROGRAM, {} if place(environ).home == home else {"CODEX_HOME": str(home)}

    def talk(self, home: Path, command: Sequence[str], *, grant: bool) -> Talk:
        yield {"id": 1, "method": "initialize", "params": _CLIENT}
        yield {"method": "initialized"}
        found = yield from _listed(home, 2)
        new = [hook for hook in _own(found, home, command) if hook.get("trustStatus") not in _TRUSTED]
        if grant and new:
            value = {hook["key"]: {"trusted_hash": hook["currentHash"]} for hook in new}
            edit = {"keyPath": "hooks.state", "mergeStrategy": "upsert", "value": value}
            yield {"id": 3, "method": "config/batchWrite", "params": {"edits": [edit], "reloadUserConfig": True}}
            found = yield from _listed(home, 4)
        return _faults(found, home, command)


def _listed(home: Path, number: int) -> _Hooks:
    answer = yield {"id": number, "method": "hooks/list", "params": {"cwds": [str(home)]}}
    try:
        (data,) = answer["data"]
        return [hook for hook in data["hooks"] if isinstance(hook, dict)], [str(one) for one in data["warnings"]]
    except (TypeError, KeyError, ValueError):
        return None


def _own(
    found: tuple[list[dict[str, Any]], list[str]] | None, home: Path, command: Sequence[str]
) -> list[dict[str, Any]]:
    """Our hooks as they were put in, word for word: another command is another hook, whatever it looks like."""
    ours = {hookfile.line(TOOL, entry, command) for entry in ENTRIES}
    name = files(home)[0].name
    hooks = found[0] if found else []
    return [
        hook
        for hook in hooks
        if hook.get("command") in ours
        and hook.get("source") == "user"
        and str(hook.get("sourcePath")).endswith(f"/{name}")
    ]


def _faults(
    found: tuple[list[dict[str, Any]], list[str]] | None, home: Path, command: Sequence[str]
) -> tuple[str, ...] | None:
    if found is None:
        return None
    ours = _own(found, home, command) or [hook for hook in found[0] if hook.get("pluginId") == PLUGIN]
    if len(ours) < len(ENTRIES):
        ignored = any(str(files(home)[0].name) in warning for warning in found[1])
        return ("malformed" if ignored else "changed" if ours else "disabled",)
    states = {str(hook.get("trustStatus")) for hook in ours} - _TRUSTED
    skipped = {"skipped"} if any(hook.get("enabled") is False for hook in ours) else set()
    return tuple(sorted(states | skipped))


TRUST: CodexTrust = CodexTrust()
