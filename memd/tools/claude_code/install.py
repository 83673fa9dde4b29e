"""memd's hooks in Claude Code's settings.json: put in, taken out, looked over. Bytes in, bytes out.

The file is the person's; `memd.tools.hookfile` edits it as text. Other people's entries are not looked into, but for the
one note that is worth it: a client may drop every hook of a file in which one entry is malformed.

The command (measured on 2.1.332) is a line for `sh`: older clients know no `args`. A PreCompact hook that exits with 2
blocks the compaction. Each command of an event is another string (the part's number): the client runs equal ones once.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from memd.errors import Refused
from memd.tools import hookfile, splice
from memd.tools.claude_code import plugin
from memd.tools.hookfile import HookFile
from memd.tools.installing import Files, HookEntry, Plan

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
KEPT = 30
"""Days that the client keeps transcripts by itself."""
HOOKS = HookFile(TOOL, tuple(dict.fromkeys(entry.event for entry in ENTRIES)))


def files(home: Path) -> tuple[Path]:
    """The person's own settings."""
    return (home / "settings.json",)


def plan(home: Path, before: Files, command: Sequence[str]) -> tuple[Plan]:
    """The installation as a change of the settings file, with notes on what is odd in it. Raises Refused."""
    (path,) = files(home)
    try:
        return (Plan(path, before[path], install(before[path], command), notes(before[path])),)
    except Refused as error:
        raise Refused(f"{path}: {error}") from error


def unplan(home: Path, before: Files, original: Files) -> tuple[Plan]:
    """The removal as a change of the settings file. Raises Refused."""
    (path,) = files(home)
    try:
        hooks = uninstall(before[path], original.get(path))
        after = plugin.without(hooks)
        return (Plan(path, before[path], after, what="hooks" if after == hooks else "plugin entries"),)
    except Refused as error:
        raise Refused(f"{path}: {error}") from error


def install(before: bytes | None, command: Sequence[str]) -> bytes:
    """The settings with memd's hooks, see `HookFile.install`; `command` is the hook's argv: interpreter, script, options."""
    return HOOKS.install(before, _groups(command))


def uninstall(before: bytes | None, original: bytes | None) -> bytes | None:
    """The settings without memd's hooks, see `HookFile.uninstall`."""
    return HOOKS.uninstall(before, original)


def installed(before: bytes | None, command: Sequence[str]) -> tuple[str, ...]:
    """What is wrong with the hooks in the file; empty when all is well.

    `unreadable` (not JSON), `missing` (none of ours), `changed` (not as they should be), `disabled` (disableAllHooks),
    `malformed` (an entry of somebody else, for which the client may drop all hooks), `doubled` (our plugin is there as well).
    """
    try:
        text = hookfile.decode(before or b"")
        root = hookfile.parse("{}" if splice.blank(text) else text)
    except Refused:
        return ("unreadable",)
    ours = HOOKS.has_own(root)
    plugged = plugin.enabled(root)
    faults = {
        "missing": not ours and not plugged,
        "changed": ours and HOOKS.differs(root, _groups(command)),
        "disabled": root.value.get("disableAllHooks") is True,
        "malformed": any(True for _ in _malformed(root.value)),
        "doubled": ours and plugged,
    }
    return tuple(name for name, found in faults.items() if found)


def deletes_after(before: Files) -> int:
    """Days after which the client deletes transcripts: `cleanupPeriodDays`, at least 1 (measured on 2.1.332), else 30."""
    for content in before.values():
        try:
            found = hookfile.parse(hookfile.decode(content or b"{}")).value.get("cleanupPeriodDays")
        except Refused:
            continue
        if isinstance(found, float) and found >= 1:
            return int(found)
    return KEPT


def notes(before: bytes | None) -> tuple[str, ...]:
    """What a person should know of their file, one line each. Raises Refused as `HookFile.install` does."""
    text = hookfile.decode(before or b"")
    root = hookfile.parse("{}" if splice.blank(text) else text)
    said = {
        "disableAllHooks is true: no hook runs until that is taken out": root.value.get("disableAllHooks") is True,
        f"the plugin {plugin.NAME} brings the same hooks: take one of the two out (`claude plugin uninstall "
        f"{plugin.NAME}`)": plugin.enabled(root),
    }
    odd = (f"{where}: one malformed entry can switch off all hooks of this file" for where in _malformed(root.value))
    return (*(note for note, holds in said.items() if holds), *odd)


def _groups(command: Sequence[str]) -> list[tuple[str, Mapping[str, Any]]]:
    return [(entry.event, group(entry, command)) for entry in ENTRIES]


def group(entry: HookEntry, command: Sequence[str]) -> dict[str, Any]:
    """One entry as it stands in the list of its event."""
    matcher = {} if entry.matcher is None else {"matcher": entry.matcher}
    hook = {"type": "command", "command": hookfile.line(TOOL, entry, command), "timeout": entry.timeout}
    return {**matcher, "hooks": [hook]}


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
