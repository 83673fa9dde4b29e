"""memd's hooks in Codex's hooks.json: put in, taken out, looked over (measured on codex-cli 0.171.0). Bytes in, bytes out.

    $CODEX_HOME/hooks.json      a file of the person's; edited as text (`memd.tools.hookfile`)
    $CODEX_HOME/config.toml     where the client writes which hooks it trusts; here only our entries are taken out again

The client names a hook by its place: file, event, number of the group, number in the group. What a person trusted stays so
only while its place does, so our groups come last in their events, are changed where they stand, and leave an empty group
where others have come behind them.

A hook's command is run by the user's login shell (`-c`). One that exits with 2 at UserPromptSubmit or PreToolUse blocks.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from memd.errors import Refused
from memd.tools import hookfile, splice
from memd.tools.codex import managed, shape, trusted
from memd.tools.hookfile import HookFile
from memd.tools.installing import Files, HookEntry, Plan

TOOL = "codex"
CALLS = "^(Bash|apply_patch)$"
"""The shell and patch tools, in code mode too: there the calls inside the script have these names."""
ENTRIES = (
    HookEntry("SessionStart", part=1),
    HookEntry("PreCompact"),
    HookEntry("UserPromptSubmit"),
    HookEntry("PreToolUse", matcher=CALLS),
    HookEntry("SessionEnd", timeout=2),
)
_WHOLE = frozenset({"SessionStart", "UserPromptSubmit"})
"""The events at which a whole checkpoint may be given: without a limit of 0 the client cuts it at 10,000 bytes."""
HOOKS = HookFile(TOOL, tuple(entry.event for entry in ENTRIES), fixed=True)


def files(home: Path) -> tuple[Path, Path]:
    """The hooks, and what the client itself writes."""
    return home / "hooks.json", home / "config.toml"


def plan(home: Path, before: Files, command: Sequence[str]) -> tuple[Plan]:
    """The installation as a change of the hooks' file. Raises Refused, also where the client would ignore that file."""
    hooks, _ = files(home)
    content = before[hooks]
    try:
        _refuse_ignored(content)
        after = HOOKS.install(content, _groups(command))
    except Refused as error:
        raise Refused(f"{hooks}: {error}") from error
    return (Plan(hooks, content, after, notes(home, before)),)


def notes(home: Path, before: Files) -> tuple[str, ...]:
    """What a person should know of what the client's own settings do to the hooks. Raises Refused where they are broken."""
    _, config = files(home)
    try:
        settings = trusted.load(before[config])
    except Refused as error:
        raise Refused(f"{config}: {error}") from error
    if plugin := plugged(settings):
        raise Refused(
            f"{config}: the plugin {plugin} brings memd's hooks already, trust them in Codex itself; "
            f"or take it out first (codex plugin remove {plugin})"
        )
    if managed.switched_off(config, before) == config:
        return (f"`features.hooks` is false in {config}: no hook runs until that is taken out",)
    return ()


def unplan(home: Path, before: Files, original: Files) -> tuple[Plan, ...]:
    """The removal: our hooks, and the client's entries for them. Raises Refused."""
    hooks, config = files(home)
    content = before[config]
    try:
        removal = Plan(hooks, before[hooks], HOOKS.uninstall(before[hooks], original.get(hooks)))
    except Refused as error:
        raise Refused(f"{hooks}: {error}") from error
    if content is None:
        return (removal,)
    try:
        tables = trusted.ours(content, str(hooks), own(before[hooks]))
        after: bytes | None = trusted.without(content, tables, original.get(config))
    except Refused as error:
        if not any(word in content for word in (b"hooks.json:", trusted.PLUGIN.encode())):
            return (removal,)  # whatever it is
        raise Refused(f"{config}: {error}") from error
    if original.get(config) == b"" and not (after or b"").strip():
        after = None
    plugin = any(names[0] == "plugins" for names in tables)
    return removal, Plan(config, content, after, what="plugin and trust entries" if plugin else "trust entries")


def installed(home: Path, before: Files, command: Sequence[str]) -> tuple[str, ...]:
    """What is wrong, as far as the two files tell; empty when all is well. See `Tool.installed`."""
    hooks, config = files(home)
    try:
        text = hookfile.decode(before[hooks] or b"")
        root = hookfile.parse("{}" if splice.blank(text) else text)
        settings = trusted.load(before[config])
    except Refused:
        return ("unreadable",)
    plugin, off = plugged(settings), {"disabled"} if managed.switched_off(config, before) == config else set[str]()
    if not HOOKS.has_own(root):
        of_plugin = off | trusted.plugin_faults(settings, f"{plugin}:hooks/hooks.json", ENTRIES)
        return tuple(sorted(of_plugin)) if plugin else ("missing",)
    ours = [trusted.hook(chain) for chain in HOOKS.own(root)]
    wrong = {
        "changed": HOOKS.differs(root, _groups(command)),
        "malformed": shape.odd(text, root) is not None,
        "doubled": plugin is not None,
    }
    named = [name for name, found in wrong.items() if found]
    return (*named, *sorted(off | trusted.faults(settings, str(hooks), ours)))


def plugged(settings: Mapping[str, Any]) -> str | None:
    """The name of memd's plugin where the hooks come from that instead: the client has its own list of plugins."""
    there = trusted.table(settings, "plugins", trusted.PLUGIN).get("enabled") is True
    return trusted.PLUGIN if there else None


def own(content: bytes | None) -> tuple[trusted.Hook, ...]:
    """Our hooks in the file as the client names them; none where it cannot be read."""
    try:
        return tuple(trusted.hook(chain) for chain in HOOKS.own(hookfile.parse(hookfile.decode(content or b"{}"))))
    except Refused:
        return ()


def group(entry: HookEntry, command: Sequence[str]) -> dict[str, Any]:
    """One entry as it stands in the list of its event."""
    matcher = {} if entry.matcher is None else {"matcher": entry.matcher}
    whole = {"additionalContextLimit": 0} if entry.event in _WHOLE else {}
    hook = {"type": "command", "command": hookfile.line(TOOL, entry, command), "timeout": entry.timeout, **whole}
    return {**matcher, "hooks": [hook]}


def _groups(command: Sequence[str]) -> list[tuple[str, Mapping[str, Any]]]:
    return [(entry.event, group(entry, command)) for entry in ENTRIES]


def _refuse_ignored(content: bytes | None) -> None:
    text = hookfile.decode(content or b"")
    if splice.blank(text):
        return
    found = shape.odd(text, hookfile.parse(text))
    if found:
        at, what = found
        raise hookfile.refusal(text, at, f"Codex ignores this file: {what}")
