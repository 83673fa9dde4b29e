"""Which hooks Codex trusts, by the text of its `config.toml` (measured on codex-cli 0.171.0).

    [hooks.state."<path of hooks.json>:session_start:<group>:<hook>"]
    trusted_hash = "sha256:…"
    enabled = false                   # only where the person switched it off

A hook without such an entry, or with the hash of another one, is skipped without a word. The hash is that of the hook's
event, matcher and handler as JSON with sorted names and without blanks; the client's defaults are in it. So an entry tells
whether it is for what stands there now. The client itself writes these entries and keeps everything else in the file.
"""

import hashlib
import json
import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from msgspec import Struct

from memd.errors import Refused
from memd.tools.hookfile import Chain
from memd.tools.installing import HookEntry

_DEFAULT_TIMEOUT = 600
_HEADER = re.compile(r"[ \t]*\[[ \t]*(?:hooks|plugins|marketplaces)\b.*\]")
_ENTRY = re.compile(r"[ \t]*\w+[ \t]*=")
PLUGIN = "memd@memd"
"""The name of memd's plugin in the client's list: the plugin, and the marketplace that the folder is."""


class Hook(Struct, frozen=True):
    """A hook of ours as it stands in `hooks.json`, under the name that its place gives it."""

    place: str
    """The end of its key: `session_start:<group>:<hook>`."""
    sha256: str

    def key(self, file: str) -> str:
        """Its key in the configuration."""
        return f"{file}:{self.place}"


def hook(chain: Chain) -> Hook:
    """What the client makes of an own hook."""
    (_, _, _), (_, _, _), (path, event, group), (_, handlers, at) = chain
    name = snake(path[1])
    entry, handler = event.items[group].node.value, dict(handlers.items[at].node.value)
    numbers = {key: int(handler[key]) for key in ("timeout", "additionalContextLimit") if _is_number(handler.get(key))}
    whole = {"timeout": _DEFAULT_TIMEOUT, "async": False, **handler, **numbers}
    identity = {"event_name": name, "hooks": [whole]}
    if isinstance(entry.get("matcher"), str):
        identity["matcher"] = entry["matcher"]
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return Hook(f"{name}:{group}:{at}", f"sha256:{digest}")


def _is_number(value: Any) -> bool:
    return isinstance(value, float) and value >= 0


def load(content: bytes | None) -> dict[str, Any]:
    """The configuration; a byte order mark is none of it, as for Codex. Raises Refused where it is not TOML; says where."""
    try:
        return tomllib.loads((content or b"").decode("utf-8-sig"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise Refused(f"not TOML ({error}); mend the file first, nothing was changed") from error


def table(value: Any, *names: str) -> dict[str, Any]:
    """A table inside others; empty where there is none."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def faults(config: Mapping[str, Any], file: str, hooks: Collection[Hook]) -> set[str]:
    """What keeps these hooks from running, one by one: `untrusted`, `modified`, `skipped`."""
    found = set[str]()
    states = table(config, "hooks", "state")
    for one in hooks:
        entry = _entry(states, file, one)
        if entry.get("trusted_hash") is None:
            found.add("untrusted")
        elif entry["trusted_hash"] != one.sha256:
            found.add("modified")
        if entry.get("enabled") is False:
            found.add("skipped")
    return found


def plugin_faults(config: Mapping[str, Any], file: str, entries: Sequence[HookEntry]) -> set[str]:
    """The same for a plugin's hooks, of which only the places are known here: what stands there is the client's copy."""
    hooks = [Hook(f"{snake(entry.event)}:0:0", "") for entry in entries]
    return faults(config, file, hooks) - {"modified"}


def snake(event: str) -> str:
    """An event's name as it is in keys: `session_start` for `SessionStart`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", event).lower()


def _entry(states: Mapping[str, Any], file: str, one: Hook) -> dict[str, Any]:
    """The entry of a hook. The home may be written in another way there (a link): then its hash says whose it is."""
    exact = states.get(one.key(file))
    if isinstance(exact, dict):
        return exact
    found = (table(states, key) for key in states if key.endswith(f"/hooks.json:{one.place}"))
    return next((entry for entry in found if entry.get("trusted_hash") == one.sha256), {})


Names = tuple[str, ...]
"""A table of the configuration by the names that lead to it."""


def ours(content: bytes, file: str, hooks: Collection[Hook]) -> list[Names]:
    """The tables that the client wrote for these hooks, and for memd's plugin, where that is or was there."""
    config = load(content)
    states = table(config, "hooks", "state")
    of_hooks = [key for key in states if any(_is_for(key, states[key], file, one) for one in hooks)]
    of_plugin = [key for key in states if key.startswith(f"{PLUGIN}:")]
    named = [("plugins", PLUGIN), ("marketplaces", PLUGIN.partition("@")[2])]
    there = [names for names in named if table(config, *names)]
    return [*(("hooks", "state", key) for key in (*of_hooks, *of_plugin)), *there]


def without(content: bytes, tables: Sequence[Names], original: bytes | None) -> bytes:
    """The configuration without these tables; `original`: as it was before them, if that is known.

    All else keeps its bytes and its meaning. Where one is written in a way that the client does not write, all stay: that is
    somebody else's text, and means nothing once the hooks are gone.
    """
    if not tables:
        return content
    text, wanted = content.decode("utf-8"), load(content)
    for names in tables:
        text = _cut(text, names)
        del table(wanted, *names[:-1])[names[-1]]
    if not table(wanted, "hooks", "state") and "state" not in table(load(original or b""), "hooks"):
        text = _cut(text, ("hooks", "state"))
    return text.encode() if _full(load(text.encode())) == _full(wanted) else content


def _is_for(key: str, entry: Any, file: str, one: Hook) -> bool:
    if key == one.key(file):
        return True
    return key.endswith(f"/hooks.json:{one.place}") and table(entry).get("trusted_hash") == one.sha256


def _cut(text: str, names: Names) -> str:
    """Cuts a table with the plain values in it, and the blank line before it."""
    lines = text.splitlines(keepends=True)
    for start, line in enumerate(lines):
        if not _HEADER.match(line) or _named(line) != names:
            continue
        end = start + 1
        while end < len(lines) and _ENTRY.match(lines[end]):
            end += 1
        blank = start > 0 and not lines[start - 1].strip()
        return "".join([*lines[: start - blank], *lines[end:]])
    return text


def _named(header: str) -> Names:
    """The names in a table's header; empty where it is none."""
    try:
        value: Any = tomllib.loads(header)
    except tomllib.TOMLDecodeError:
        return ()
    names = []
    while isinstance(value, dict) and value:
        ((name, value),) = value.items()
        names.append(name)
    return tuple(names)


def _full(config: dict[str, Any]) -> dict[str, Any]:
    """What a configuration says, without the tables that may stand there empty."""
    hooks = {name: value for name, value in table(config, "hooks").items() if value or name != "state"}
    whole = {**config, "hooks": hooks}
    return {name: value for name, value in whole.items() if value or name not in {"hooks", "plugins", "marketplaces"}}
