"""memd's part of Claude Code's status line, in its settings.json (measured on 2.1.332).

    "statusLine": {"type": "command", "command": …, "padding"?, "refreshInterval"?}

The client runs the one command for a shell and shows what it prints, line by line, colours included. A person's command stays:
ours carries it as a word of its own and runs it. It is given back from there, so that uninstalling needs no other memory; and
should memd's script be gone, the line falls back to it.
"""

import json
import shlex
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from memd.errors import Refused
from memd.tools import hookfile, splice
from memd.tools.claude_code import install
from memd.tools.installing import Files, Plan
from memd.tools.splice import Node

TOOL = "claude-code"
KEY = "statusLine"
SCRIPT = "memd_statusline.py"
EVENT = "StatusLine"
BY_HAND = "memd statusline"
"""A person put it there themselves, which is as good."""
_THEIRS = "theirs="


class ClaudeLine:
    """The `StatusLine` of Claude Code."""

    event = EVENT

    def put(self, home: Path, before: Files, command: Sequence[str]) -> Plan:
        """See `StatusLine.put`."""
        (path,) = install.files(home)
        try:
            return Plan(path, before[path], put(before[path], command), what="part of the status line")
        except Refused as error:
            raise Refused(f"{path}: {error}") from error

    def there(self, home: Path, before: Files) -> bool:
        """See `StatusLine.there`."""
        (path,) = install.files(home)
        try:
            command = _command(hookfile.parse(hookfile.decode(before[path] or b"{}")))
            return command is not None and any(name in command.value for name in (SCRIPT, BY_HAND))
        except Refused:
            return False


def unplan(home: Path, before: Files, original: Files) -> tuple[Plan, ...]:
    """The removal of the hooks and of our part in the line, which was put in behind them. Raises Refused."""
    (path,) = install.files(home)
    try:
        rest = take(before[path], original.get(path))
    except Refused as error:
        raise Refused(f"{path}: {error}") from error
    return tuple(replace(plan, before=before[path]) for plan in install.unplan(home, {path: rest}, original))


def put(before: bytes | None, command: Sequence[str]) -> bytes:
    """The settings with our part in the line. Raises Refused where it is not a command, or the file is not JSON."""
    text = hookfile.decode(before or b"")
    if splice.blank(text):
        text += "{}\n"
    root = hookfile.parse(text)
    there = root.get(KEY)
    if there is None:
        return hookfile.encode(splice.append(text, root, 1, KEY, {"type": "command", "command": line(command, "")}))
    theirs = _command(root)
    if theirs is None:
        raise hookfile.refusal(text, there.start, f"`{KEY}` is not a command")
    if BY_HAND in theirs.value:
        return before or b""
    wanted = line(command, _embedded(theirs.value) if SCRIPT in theirs.value else theirs.value)
    return hookfile.encode(text if wanted == theirs.value else splice.replace(text, theirs, wanted))


def take(before: bytes | None, original: bytes | None) -> bytes | None:
    """The settings without our part: the person's command as it was written, or no line where there was none.

    `original` and the answer are as for `HookFile.uninstall`.
    """
    if SCRIPT.encode() not in (before or b""):
        return before
    text = hookfile.decode(before or b"")
    root = hookfile.parse(text)
    ours = _command(root)
    if ours is None or SCRIPT not in ours.value:
        return before
    if theirs := _embedded(str(ours.value)):
        return hookfile.encode(text[: ours.start] + _written(theirs, original) + text[ours.end :])
    index = max(place for place, item in enumerate(root.items) if item.key == KEY)
    known = hookfile.decode(original or b"")
    if len(root.items) == 1 and original is not None and splice.blank(known):
        return None
    return hookfile.encode(splice.cut(text, root, index, _inner(known)))


def line(command: Sequence[str], theirs: str) -> str:
    """The command for a shell; a script that is gone leaves the person's own."""
    at = next(place for place, word in enumerate(command) if word.endswith(SCRIPT)) + 1
    words = shlex.join([*command[:at], TOOL, *command[at:]])
    if not theirs:
        return f"{words} 2>/dev/null || :"
    return f'{_THEIRS}{shlex.quote(theirs)}; {words} -- "$theirs" 2>/dev/null || eval "$theirs"'


def _command(root: Node) -> Node | None:
    """The command that fills the line."""
    there = root.get(KEY)
    command = there.get("command") if there and isinstance(there.value, dict) else None
    return command if command and isinstance(command.value, str) else None


def _embedded(command: str) -> str:
    """The person's command in one of ours; empty where there is none."""
    if not command.startswith(_THEIRS):
        return ""
    try:
        first = shlex.split(command)[0]
    except ValueError:  # somebody changed it
        return ""
    return first.removeprefix(_THEIRS).removesuffix(";")


def _written(theirs: str, original: bytes | None) -> str:
    """The command as JSON, in the person's own spelling where that is known."""
    try:
        text = hookfile.decode(original or b"{}")
        known = _command(hookfile.parse(text))
    except Refused:
        known = None
    if known and known.value == theirs:
        return text[known.start : known.end]
    return json.dumps(theirs, ensure_ascii=False)


def _inner(original: str) -> str:
    """The blanks between the braces of a file that was an empty object."""
    if splice.blank(original):
        return ""
    root = hookfile.parse(original)
    return "" if root.items else original[root.start + 1 : root.end - 1]


LINE: ClaudeLine = ClaudeLine()
