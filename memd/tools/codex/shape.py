"""For which `hooks.json` Codex drops every hook that is in it (measured on codex-cli 0.171.0, one variant after the other).

The client reads the file into types of its own and gives up at the first thing that does not fit: a top-level name beside
`description` and `hooks`, a name twice, a handler without a type, a timeout that is no whole number, a byte order mark. It
passes over unknown events and unknown names inside groups and handlers, empty groups, and a matcher that is no regular
expression (that one group only). It says so in a warning that few people see.
"""

import re
from collections.abc import Iterator

from memd.tools.splice import Node

EVENTS = frozenset(
    {
        *(
            "SessionStart",
            "SessionEnd",
            "UserPromptSubmit",
            "PreToolUse",
            "PermissionRequest",
            "PostToolUse",
            "PreCompact",
        ),
        *("PostCompact", "SubagentStart", "SubagentStop", "Stop", "Interrupt", "PreModelRequest", "PostModelRequest"),
    }
)
_NEEDS = {"command": ("command",), "mcp_tool": ("server",), "prompt": (), "agent": ()}
_TEXTS = frozenset({"command", "statusMessage"})
_WHOLE = frozenset({"timeout", "additionalContextLimit"})

Odd = tuple[int, str]
"""Where in the text, and what."""


def odd(text: str, root: Node) -> Odd | None:
    """The first thing for which the client ignores the whole file; None when there is none."""
    if text.startswith("\ufeff"):
        return 0, "a byte order mark"
    return next(_root(text, root), None)


def _root(text: str, root: Node) -> Iterator[Odd]:
    yield from _twice(root)
    for item in root.items:
        if item.key not in {"description", "hooks"}:
            yield item.start, f"`{item.key}`: only `description` and `hooks` may stand here"
        elif item.key == "description" and not isinstance(item.node.value, str | None):
            yield item.node.start, "`description` is not a text"
        elif item.key == "hooks":
            yield from _events(text, item.node)


def _events(text: str, hooks: Node) -> Iterator[Odd]:
    if not isinstance(hooks.value, dict):
        yield hooks.start, "`hooks` is not an object"
        return
    yield from _twice(hooks, EVENTS)
    for item in hooks.items:
        if item.key not in EVENTS:
            continue
        if not isinstance(item.node.value, list):
            yield item.node.start, f"`hooks.{item.key}` is not a list"
        for group in item.node.items:
            yield from _group(text, group.node)


def _group(text: str, group: Node) -> Iterator[Odd]:
    if not isinstance(group.value, dict):
        yield group.start, "a group that is not an object"
        return
    yield from _twice(group, frozenset({"matcher", "hooks"}))
    matcher, handlers = group.get("matcher"), group.get("hooks")
    if matcher and not isinstance(matcher.value, str | None):
        yield matcher.start, "a matcher that is not a text"
    if handlers and not isinstance(handlers.value, list):
        yield handlers.start, "`hooks` of a group is not a list"
    for handler in handlers.items if handlers else ():
        yield from _handler(text, handler.node)


def _handler(text: str, handler: Node) -> Iterator[Odd]:
    kind = handler.value.get("type") if isinstance(handler.value, dict) else None
    if kind not in _NEEDS:
        yield handler.start, f"a hook of the type {kind!r}" if kind else "a hook without a type"
        return
    yield from _twice(handler, frozenset({"type", "command", "timeout", "statusMessage", "async"}))
    for name in _NEEDS[kind]:
        if not isinstance(handler.value.get(name), str):
            yield handler.start, f"a hook of the type {kind} without `{name}`"
    for item in handler.items:
        value = item.node.value
        if item.key in _TEXTS and not isinstance(value, str | None):
            yield item.node.start, f"`{item.key}` is not a text"
        if item.key == "async" and not isinstance(value, bool):
            yield item.node.start, "`async` is neither true nor false"
        if item.key in _WHOLE and value is not None and not re.fullmatch(r"\d+", text[item.node.start : item.node.end]):
            yield item.node.start, f"`{item.key}` is not a whole number"


def _twice(node: Node, names: frozenset[str] | None = None) -> Iterator[Odd]:
    seen = set[str | None]()
    for item in node.items:
        if item.key in seen and (names is None or item.key in names):
            yield item.start, f"`{item.key}` stands there twice"
        seen.add(item.key)
