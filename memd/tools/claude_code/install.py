"""memd's hooks in Claude Code's settings.json: put in, taken out, looked over. Bytes in, bytes out.

The file is the person's. It is edited as text (`memd.tools.splice`), so what others wrote keeps its every byte; what
cannot be edited so (not JSON, `hooks` of another type) is refused. Own entries are known by their command, which runs
`memd_hook.py` for this tool, wherever they stand and whoever moved them; all others are not looked into, but for the
one note that is worth it: a client may drop every hook of a file in which one entry is malformed.

The command (measured on 2.1.332) is a line for `sh`: older clients know no `args`. It ends in `|| :`, because Python's
exit code for a script that is gone is 2, and a PreCompact hook that exits with 2 blocks the compaction. Each command of
an event is another string (the part's number): the client runs equal ones once.
"""

import re
import shlex
from collections.abc import Iterator, Sequence
from json import JSONDecodeError
from typing import Any

from memd.errors import Refused
from memd.tools import splice
from memd.tools.protocol import HookEntry, Place, Plan
from memd.tools.splice import Node

HOOK = "memd_hook.py"
TOOL = "claude-code"
RESTORED = "compact|resume|fork"
"""The sources of a session start after which a whole checkpoint may be given: only then there is a second part."""
CALLS = "Read|Edit|MultiEdit|Write|NotebookEdit|Glob|Grep|Bash|PowerShell"
"""The reading, editing and shell tools: no other call is looked at."""
ENTRIES = (
    HookEntry("SessionStart", part=1),
    HookEntry("SessionStart", matcher=RESTORED, part=2),
    HookEntry("SessionStart", matcher=RESTORED, part=3),
    HookEntry("SessionStart", matcher=RESTORED, part=4),
    HookEntry("PreCompact"),
    HookEntry("UserPromptSubmit"),
    HookEntry("PreToolUse", matcher=CALLS),
    HookEntry("SessionEnd", timeout=2),
)

_OWN = re.compile(rf"{re.escape(HOOK)}\b.*\s{TOOL}(\s|$)", re.DOTALL)
_SECTIONS = (("hooks",), *(("hooks", event) for event in dict.fromkeys(entry.event for entry in ENTRIES)))

Path = tuple[str, ...]
Chain = list[tuple[Path, Node, int]]
"""From the root to an own hook: each container's path, its node, and which of its items leads on."""


def plan(place: Place, before: bytes | None, command: Sequence[str]) -> Plan:
    """The installation as a change of the settings file, with notes on what is odd in it. Raises Refused."""
    try:
        return Plan(place.settings, before, install(before, command), notes(before))
    except Refused as error:
        raise Refused(f"{place.settings}: {error}") from error


def unplan(place: Place, before: bytes | None, original: bytes | None) -> Plan:
    """The removal as a change of the settings file. Raises Refused."""
    try:
        return Plan(place.settings, before, uninstall(before, original))
    except Refused as error:
        raise Refused(f"{place.settings}: {error}") from error


def install(before: bytes | None, command: Sequence[str]) -> bytes:
    """The settings with memd's hooks. `command` is the hook's argv: interpreter, script, options (see `line`).

    The same bytes come back when the hooks are there already; own entries of another make are replaced.

    Raises:
        Refused: the file is not UTF-8 or not JSON, or `hooks` is not what the client documents; says where.
    """
    text = _decode(before or b"")
    if splice.blank(text):
        text += "{}\n"
    root = _root(text)
    _check_types(text, root)
    if not _differs(root, command):
        return before or b""
    text = _without_own(text, dict.fromkeys(_SECTIONS, ""))
    for entry in ENTRIES:
        text = _with(text, entry, command)
    return _encode(text)


def uninstall(before: bytes | None, original: bytes | None) -> bytes | None:
    """The settings without memd's hooks, and without the containers that were made for them.

    `original` is what the file held before the installation: b"" for nothing or no file, None when it is not known;
    then containers that end up empty count as made. The answer is None when nothing but an empty object would be left
    of a file that began as nothing.

    Raises:
        Refused: the file is not JSON any more.
    """
    if HOOK.encode() not in (before or b""):
        return before  # whatever it is
    text = _decode(before or b"")
    if not any(True for _ in _own(_root(text))):
        return before
    text = _without_own(text, _sections_of(original))
    if original is not None and splice.blank(_decode(original)) and not _root(text).items:
        return None
    return _encode(text)


def installed(before: bytes | None, command: Sequence[str]) -> tuple[str, ...]:
    """What is wrong with the hooks in the file; empty when all is well.

    `unreadable` (not JSON), `missing` (none of ours), `changed` (not as they should be), `disabled` (disableAllHooks),
    `malformed` (an entry of somebody else, for which the client may drop all hooks).
    """
    try:
        text = _decode(before or b"")
        root = _root("{}" if splice.blank(text) else text)
    except Refused:
        return ("unreadable",)
    faults = {
        "missing": not any(True for _ in _own(root)),
        "changed": any(True for _ in _own(root)) and _differs(root, command),
        "disabled": root.value.get("disableAllHooks") is True,
        "malformed": any(True for _ in _malformed(root.value)),
    }
    return tuple(name for name, found in faults.items() if found)


def notes(before: bytes | None) -> tuple[str, ...]:
    """What a person should know of their file, one line each. Raises Refused as `install` does."""
    text = _decode(before or b"")
    settings = {} if splice.blank(text) else _root(text).value
    disabled = ["disableAllHooks is true: no hook runs until that is taken out"]
    odd = [f"{where}: one malformed entry can switch off all hooks of this file" for where in _malformed(settings)]
    return tuple((disabled if settings.get("disableAllHooks") is True else []) + odd)


def line(entry: HookEntry, command: Sequence[str]) -> str:
    """One entry's command for `sh`: TOOL EVENT PART go in behind the script; it exits 0 whatever is missing."""
    at = next(place for place, word in enumerate(command) if word.endswith(HOOK)) + 1
    part = () if entry.part is None else (str(entry.part),)
    words = (*command[:at], TOOL, entry.event, *part, *command[at:])
    return shlex.join(words) + " 2>/dev/null || :"


def group(entry: HookEntry, command: Sequence[str]) -> dict[str, Any]:
    """One entry as it stands in the list of its event."""
    matcher = {} if entry.matcher is None else {"matcher": entry.matcher}
    hook = {"type": "command", "command": line(entry, command), "timeout": entry.timeout}
    return {**matcher, "hooks": [hook]}


def _decode(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        row = data.count(b"\n", 0, error.start) + 1
        raise Refused(f"line {row}: not UTF-8; mend the file first, nothing was changed") from error


def _encode(text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise Refused("a path of memd's is not UTF-8: choose others by MEMD_STATE_DIR and XDG_DATA_HOME") from error


def _root(text: str) -> Node:
    try:
        root = splice.parse(text)
    except JSONDecodeError as error:
        raise _refusal(text, error.pos, f"not JSON ({error.msg})") from error
    if not isinstance(root.value, dict):
        raise _refusal(text, root.start, "not a JSON object")
    return root


def _refusal(text: str, at: int, what: str) -> Refused:
    row, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
    return Refused(f"line {row}, column {column}: {what}; mend the file first, nothing was changed")


def _check_types(text: str, root: Node) -> None:
    hooks = root.get("hooks")
    if hooks and not isinstance(hooks.value, dict):
        raise _refusal(text, hooks.start, "`hooks` is not an object")
    for _, event in _SECTIONS[1:]:
        section = hooks and hooks.get(event)
        if section and not isinstance(section.value, list):
            raise _refusal(text, section.start, f"`hooks.{event}` is not a list")


def _own(root: Node) -> Iterator[Chain]:
    """Every hook of ours, in the order of the text; other people's shapes are passed over."""
    for a, hooks in enumerate(root.items):
        if hooks.key != "hooks" or not isinstance(hooks.node.value, dict):
            continue
        for b, event in enumerate(hooks.node.items):
            place = ("hooks", str(event.key))
            for c, entry in enumerate(event.node.items if isinstance(event.node.value, list) else ()):
                found = entry.node.get("hooks") if isinstance(entry.node.value, dict) else None
                for d, hook in enumerate(found.items if found and isinstance(found.value, list) else ()):
                    if found and _is_own(hook.node.value):
                        yield [
                            ((), root, a),
                            (place[:1], hooks.node, b),
                            (place, event.node, c),
                            ((*place, ""), found, d),
                        ]


def _is_own(hook: Any) -> bool:
    if not isinstance(hook, dict) or not isinstance(hook.get("command"), str):
        return False
    arguments = hook.get("args")
    words = [word for word in arguments if isinstance(word, str)] if isinstance(arguments, list) else []
    return _OWN.search(" ".join([hook["command"], *words])) is not None


def _differs(root: Node, command: Sequence[str]) -> bool:
    """Whether our entries are not exactly the wanted ones, each once, in any order."""
    found = [_entry(root, chain) for chain in _own(root)]
    wanted = [(entry.event, group(entry, command)) for entry in ENTRIES]
    return len(found) != len(wanted) or any(entry not in found for entry in wanted)


def _entry(root: Node, chain: Chain) -> tuple[str, Any] | None:
    """An own hook's event and group; None where the client does not see it, because the same key comes again later."""
    (path, event, index), hooks = chain[2], chain[1][1]
    seen = hooks is root.get("hooks") and event is hooks.get(path[1])
    return (path[1], event.items[index].node.value) if seen else None


def _without_own(text: str, kept: dict[Path, str]) -> str:
    """Cuts all own hooks out. `kept` are the containers that stay when empty, and the blanks that belong into them."""
    while chain := next(_own(_root(text)), None):
        path, parent, index = chain.pop()
        while len(parent.items) == 1 and chain and path not in kept:
            path, parent, index = chain.pop()
        text = splice.cut(text, parent, index, kept.get(path, ""))
    return text


def _sections_of(original: bytes | None) -> dict[Path, str]:
    """The containers that were there before us, each with its blanks where it was empty."""
    text = _decode(original or b"")
    if splice.blank(text):
        return {}
    root = _root(text)
    hooks = root.get("hooks")
    there = {(): root, ("hooks",): hooks} | {path: hooks and hooks.get(path[1]) for path in _SECTIONS[1:]}
    return {
        path: "" if node.items else text[node.start + 1 : node.end - 1]
        for path, node in there.items()
        if node and isinstance(node.value, dict | list)
    }


def _with(text: str, entry: HookEntry, command: Sequence[str]) -> str:
    root = _root(text)
    hooks = root.get("hooks")
    if not hooks:
        return _with(splice.append(text, root, 1, "hooks", {}), entry, command)
    section = hooks.get(entry.event)
    if not section:
        return _with(splice.append(text, hooks, 2, entry.event, []), entry, command)
    return splice.append(text, section, 3, None, group(entry, command))


def _malformed(settings: dict[str, Any]) -> Iterator[str]:
    """The places of hooks that do not have the client's shape."""
    hooks = settings.get("hooks", {})
    if not isinstance(hooks, dict):
        yield "hooks"
        return
    for event, groups in hooks.items():
        if not isinstance(groups, list):
            yield f"hooks.{event}"
            continue
        for number, entry in enumerate(groups):
            if not _well_formed(entry):
                yield f"hooks.{event}[{number}]"


def _well_formed(entry: Any) -> bool:
    if not isinstance(entry, dict) or not isinstance(entry.get("matcher", ""), str):
        return False
    hooks = entry.get("hooks")
    return isinstance(hooks, list) and all(_well_formed_hook(hook) for hook in hooks)


def _well_formed_hook(hook: Any) -> bool:
    if not isinstance(hook, dict) or not isinstance(hook.get("type"), str):
        return False
    return hook["type"] != "command" or isinstance(hook.get("command"), str)
