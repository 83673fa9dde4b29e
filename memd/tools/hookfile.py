"""memd's hooks in a JSON file of a person's, as several tools have it: put in, taken out. Text in, text out.

    {"hooks": {EVENT: [{"matcher": …, "hooks": [{"type": "command", "command": …}, …]}, …]}}

The file is edited as text (`memd.tools.splice`), so what others wrote keeps its every byte; what cannot be edited so (not
JSON, `hooks` of another type) is refused. Own hooks are known by their command, which runs `memd_hook.py` for the tool,
wherever they stand and whoever moved them; all others are not looked into.

The command is a line for a shell. It ends in `|| :`, because Python's exit code for a script that is gone is 2, and a hook
that exits with 2 blocks what it was called for.

For some tools the place of a hook in its event's list is part of its name (`fixed`). There nobody else's hook may move:
ours are changed where they stand, new ones come last, and one that others stand behind leaves an empty group.
"""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from json import JSONDecodeError
from typing import Any

from msgspec import Struct

from memd.errors import Refused
from memd.tools import splice
from memd.tools.installing import HookEntry
from memd.tools.splice import Node

HOOK = "memd_hook.py"
VACANT: Mapping[str, Any] = {"hooks": []}
"""What stands where a group of ours stood, that others stand behind: a client passes it over."""

Path = tuple[str, ...]
Chain = list[tuple[Path, Node, int]]
"""From the root to an own hook: each container's path, its node, and which of its items leads on."""
Groups = Sequence[tuple[str, Mapping[str, Any]]]
"""Events, each with a group that its list should hold."""


class HookFile(Struct, frozen=True):
    """How one tool's hooks are found and put in."""

    tool: str
    events: tuple[str, ...]
    fixed: bool = False

    def own(self, root: Node) -> Iterator[Chain]:
        """Every hook of ours, in the order of the text; other people's shapes are passed over."""
        for a, hooks in enumerate(root.items):
            if hooks.key != "hooks" or not isinstance(hooks.node.value, dict):
                continue
            for b, event in enumerate(hooks.node.items):
                place = ("hooks", str(event.key))
                for c, entry in enumerate(event.node.items if isinstance(event.node.value, list) else ()):
                    found = entry.node.get("hooks") if isinstance(entry.node.value, dict) else None
                    for d, hook in enumerate(found.items if found and isinstance(found.value, list) else ()):
                        if found and self._is_own(hook.node.value):
                            yield [
                                ((), root, a),
                                (place[:1], hooks.node, b),
                                (place, event.node, c),
                                ((*place, ""), found, d),
                            ]

    def _is_own(self, hook: Any) -> bool:
        if not isinstance(hook, dict) or not isinstance(hook.get("command"), str):
            return False
        arguments = hook.get("args")
        words = [word for word in arguments if isinstance(word, str)] if isinstance(arguments, list) else []
        whole = " ".join([hook["command"], *words])
        return re.search(rf"{re.escape(HOOK)}\b.*\s{self.tool}(\s|$)", whole, re.DOTALL) is not None

    def has_own(self, root: Node) -> bool:
        """Whether any hook of ours is in the file."""
        return any(True for _ in self.own(root))

    def differs(self, root: Node, wanted: Groups) -> bool:
        """Whether our entries are not exactly the wanted ones, each once, in any order."""
        found = [entry(root, chain) for chain in self.own(root)]
        return len(found) != len(wanted) or any(one not in found for one in wanted)

    def install(self, before: bytes | None, wanted: Groups) -> bytes:
        """The file with the wanted groups in it; the same bytes where they are there already.

        Raises:
            Refused: the file is not UTF-8 or not JSON, or `hooks` is not what the tools document; says where.
        """
        text = decode(before or b"")
        if splice.blank(text):
            text += "{}\n"
        root = parse(text)
        self._check_types(text, root)
        if not self.differs(root, wanted):
            return before or b""
        if self.fixed:
            return encode(self._settled(text, wanted))
        text = self._without_own(text, dict.fromkeys(self._sections(), ""))
        for event, group in wanted:
            text = _with(text, event, group)
        return encode(text)

    def uninstall(self, before: bytes | None, original: bytes | None) -> bytes | None:
        """The file without our hooks, and without the containers that were made for them.

        `original` is what the file held before the installation: b"" for nothing or no file, None when it is not known;
        then containers that end up empty count as made. The answer is None when nothing but an empty object would be left
        of a file that began as nothing.

        Raises:
            Refused: the file is not JSON any more.
        """
        if HOOK.encode() not in (before or b""):
            return before  # whatever it is
        text = decode(before or b"")
        if not self.has_own(parse(text)):
            return before
        text = self._without_own(text, self._sections_of(original))
        if original is not None and splice.blank(decode(original)) and not parse(text).items:
            return None
        return encode(text)

    def _sections(self) -> tuple[Path, ...]:
        return (("hooks",), *(("hooks", event) for event in self.events))

    def _check_types(self, text: str, root: Node) -> None:
        hooks = root.get("hooks")
        if hooks and not isinstance(hooks.value, dict):
            raise refusal(text, hooks.start, "`hooks` is not an object")
        for event in self.events:
            section = hooks and hooks.get(event)
            if section and not isinstance(section.value, list):
                raise refusal(text, section.start, f"`hooks.{event}` is not a list")

    def _settled(self, text: str, wanted: Groups) -> str:
        """Own groups changed where they stand, the missing ones appended, and those that are too many taken out."""
        groups = dict(wanted)
        text = self._without_own(text, dict.fromkeys(self._sections(), ""), spare=frozenset(groups))
        for event, group in wanted:
            chains = (chain for chain in self.own(parse(text)) if chain[1][1].items[chain[1][2]].key == event)
            chain = next(chains, None)
            if chain is None:
                text = _with(text, event, group)
                continue
            _, parent, index = chain[2]
            if parent.items[index].node.value != group:
                text = splice.replace(text, parent.items[index].node, group)
        return text

    def _without_own(self, text: str, kept: dict[Path, str], spare: frozenset[str] = frozenset()) -> str:
        """Cuts own hooks out, the last one first; of the events in `spare` the first that stands alone in a group stays.

        `kept` are the containers that stay when empty, and the blanks that belong into them.
        """
        while chain := self._surplus(parse(text), spare):
            path, parent, index = chain.pop()
            while len(parent.items) == 1 and chain and path not in kept:
                path, parent, index = chain.pop()
            if self.fixed and len(chain) == 2 and index < len(parent.items) - 1:
                text = splice.replace(text, parent.items[index].node, dict(VACANT))
            else:
                text = splice.cut(text, parent, index, kept.get(path, ""))
        return text

    def _surplus(self, root: Node, spare: frozenset[str]) -> Chain | None:
        """The last own hook that is not spared."""
        last, spared = None, set[str]()
        for chain in self.own(root):
            event = chain[2][0][1]
            if event in spare and event not in spared and len(chain[3][1].items) == 1 and _seen(root, chain):
                spared.add(event)
            else:
                last = chain
        return last

    def _sections_of(self, original: bytes | None) -> dict[Path, str]:
        """The containers that were there before us, each with its blanks where it was empty."""
        text = decode(original or b"")
        if splice.blank(text):
            return {}
        root = parse(text)
        hooks = root.get("hooks")
        there = {(): root, ("hooks",): hooks}
        there |= {("hooks", event): hooks and hooks.get(event) for event in self.events}
        return {
            path: "" if node.items else text[node.start + 1 : node.end - 1]
            for path, node in there.items()
            if node and isinstance(node.value, dict | list)
        }


def line(tool: str, entry: HookEntry, command: Sequence[str]) -> str:
    """One entry's command for a shell: TOOL EVENT PART go in behind the script; it exits 0 whatever is missing."""
    at = next(place for place, word in enumerate(command) if word.endswith(HOOK)) + 1
    part = () if entry.part is None else (str(entry.part),)
    words = (*command[:at], tool, entry.event, *part, *command[at:])
    return shlex.join(words) + " 2>/dev/null || :"


def entry(root: Node, chain: Chain) -> tuple[str, Any] | None:
    """An own hook's event and group; None where the client does not see it, because the same key comes again later."""
    (path, event, index) = chain[2]
    return (path[1], event.items[index].node.value) if _seen(root, chain) else None


def decode(data: bytes) -> str:
    """The file's text. Raises Refused where it is not UTF-8."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        row = data.count(b"\n", 0, error.start) + 1
        raise Refused(f"line {row}: not UTF-8; mend the file first, nothing was changed") from error


def encode(text: str) -> bytes:
    """The text as bytes. Raises Refused where a path of memd's own cannot be written in UTF-8."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise Refused("a path of memd's is not UTF-8: choose others by MEMD_STATE_DIR and XDG_DATA_HOME") from error


def parse(text: str) -> Node:
    """The file's tree. Raises Refused where it is not a JSON object."""
    try:
        root = splice.parse(text)
    except JSONDecodeError as error:
        raise refusal(text, error.pos, f"not JSON ({error.msg})") from error
    if not isinstance(root.value, dict):
        raise refusal(text, root.start, "not a JSON object")
    return root


def refusal(text: str, at: int, what: str) -> Refused:
    """What is wrong, with its line and column."""
    row, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
    return Refused(f"line {row}, column {column}: {what}; mend the file first, nothing was changed")


def _seen(root: Node, chain: Chain) -> bool:
    hooks, (path, event, _) = chain[1][1], chain[2]
    return hooks is root.get("hooks") and event is hooks.get(path[1])


def _with(text: str, event: str, group: Mapping[str, Any]) -> str:
    root = parse(text)
    hooks = root.get("hooks")
    if not hooks:
        return _with(splice.append(text, root, 1, "hooks", {}), event, group)
    section = hooks.get(event)
    if not section:
        return _with(splice.append(text, hooks, 2, event, []), event, group)
    return splice.append(text, section, 3, None, group)
