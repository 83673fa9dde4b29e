"""JSON text that is edited by inserting and cutting, so that all the rest stays byte for byte as its owner wrote it.

`parse` gives a tree of spans; `append`, `replace` and `cut` give new text. After each edit the text is parsed anew:
settings files are small, and no span can be out of date. What is inserted takes over the file's own manner: line ends,
indentation, or everything on one line. `append` puts its text directly behind the last member and `cut` takes away exactly
that, so one undoes the other (only the blanks inside an empty container have to be told to `cut`).

It is as strict as JSON itself, as the tools that read these files are: no comments, no trailing commas, no NaN. A byte
order mark at the start is passed over. All errors are `json.JSONDecodeError`, with line and column.
"""

import json
import re
from collections.abc import Callable
from json import JSONDecodeError
from typing import Any

from msgspec import Struct

_BLANKS = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder(parse_int=float)  # an int of 5,000 digits is valid JSON, and no Python int
_MARK = "\ufeff"


class Node(Struct, frozen=True):
    """A value and the span of text that it takes."""

    start: int
    end: int
    value: Any
    """What `json.loads` gives, but all numbers are floats."""
    items: tuple["Item", ...] = ()
    """The members of an object or the elements of an array, in the order of the text."""

    def get(self, key: str) -> "Node | None":
        """The member of that name; of several the last, which is the one that counts for all readers."""
        return next((item.node for item in reversed(self.items) if item.key == key), None)


class Item(Struct, frozen=True):
    """A member or element: `start` is where its key begins, or the value itself in an array."""

    key: str | None
    start: int
    node: Node


class Style(Struct, frozen=True):
    """How a file is laid out. `indent` None: everything stands on one line."""

    newline: str
    indent: str | None
    colon: str

    def dumps(self, value: Any, margin: str | None) -> str:
        """`value` as text, its further lines indented by `margin`; on one line where there is none."""
        if margin is None or self.indent is None:
            comma = "," if self.colon == ":" else ", "
            return json.dumps(value, ensure_ascii=False, separators=(comma, self.colon))
        text = json.dumps(value, ensure_ascii=False, indent=self.indent, separators=(",", self.colon))
        return text.replace("\n", self.newline + margin)


def parse(text: str) -> Node:
    """The tree of a whole file.

    Raises:
        JSONDecodeError: it is not JSON; nested beyond what can be followed counts as that too.
    """
    try:
        root = _value(text, _skip(text, len(_MARK) if text.startswith(_MARK) else 0))
    except RecursionError:
        raise JSONDecodeError("Nested too deeply", text, 0) from None
    if (end := _skip(text, root.end)) != len(text):
        raise JSONDecodeError("Extra data", text, end)
    return root


def blank(text: str) -> bool:
    """Whether the file holds nothing at all."""
    return not text.removeprefix(_MARK).strip(" \t\n\r")


def style(text: str, root: Node) -> Style:
    """The manner of a file, by its first member; a file without one is laid out as the tools themselves do it."""
    newline = next((end for end in ("\r\n", "\n", "\r") if end in text), "\n")
    if not root.items:
        return Style(newline, "  ", ": ")
    first = root.items[0]
    lead = text[root.start + 1 : first.start]
    indent = re.split(r"[\r\n]", lead)[-1] or "  " if newline in lead else None
    key_end = _DECODER.raw_decode(text, first.start)[1] if first.key is not None else first.start
    return Style(newline, indent, ":" if text[key_end : first.node.start] == ":" else ": ")


def append(text: str, parent: Node, depth: int, key: str | None, value: Any) -> str:
    """The text with one more member (`key`) or element (None) at the end of `parent`.

    `depth` is the number of containers around the new one: 1 in the root.
    """
    manner = style(text, parse(text))
    if parent.items:
        last = parent.items[-1]
        lead = text[len(text[: last.start].rstrip(" \t\r\n")) : last.start]
        margin = re.split(r"[\r\n]", lead)[-1] if manner.newline in lead else None
        lead = lead or manner.colon.removeprefix(":")
        return text[: last.node.end] + "," + lead + _item(manner, key, value, margin) + text[last.node.end :]
    margin, before, after = None, "", ""
    if manner.indent is not None:
        margin = manner.indent * depth
        before, after = manner.newline + margin, manner.newline + manner.indent * (depth - 1)
    return text[: parent.start + 1] + before + _item(manner, key, value, margin) + after + text[parent.end - 1 :]


def replace(text: str, node: Node, value: Any) -> str:
    """The text with another value in a node's place, laid out like the file, or on one line where the old one was."""
    manner, old = style(text, parse(text)), text[node.start : node.end]
    line = text[: node.start].replace("\r", "\n").rpartition("\n")[2]
    margin = line[: len(line) - len(line.lstrip(" \t"))] if "\n" in old or "\r" in old else None
    return text[: node.start] + manner.dumps(value, margin) + text[node.end :]


def cut(text: str, parent: Node, index: int, inner: str = "") -> str:
    """The text without one item of `parent`; `inner` is what stays between the brackets when it was the only one."""
    items = parent.items
    if len(items) == 1:
        return text[: parent.start + 1] + inner + text[parent.end - 1 :]
    if index:
        return text[: items[index - 1].node.end] + text[items[index].node.end :]
    return text[: items[0].start] + text[items[1].start :]


def _item(manner: Style, key: str | None, value: Any, margin: str | None) -> str:
    name = "" if key is None else json.dumps(key, ensure_ascii=False) + manner.colon
    return name + manner.dumps(value, margin)


def _skip(text: str, at: int) -> int:
    found = _BLANKS.match(text, at)
    return found.end() if found else at


def _value(text: str, at: int) -> Node:
    match text[at : at + 1]:
        case "{":
            return _container(text, at, "}", _member)
        case "[":
            return _container(text, at, "]", _element)
        case "N" | "I":
            raise JSONDecodeError("Expecting value", text, at)
    if text.startswith("-I", at):
        raise JSONDecodeError("Expecting value", text, at)
    value, end = _DECODER.raw_decode(text, at)
    return Node(at, end, value)


def _container(text: str, start: int, close: str, read: Callable[[str, int], Item]) -> Node:
    items: list[Item] = []
    at = _skip(text, start + 1)
    more = text[at : at + 1] != close
    while more:
        items.append(read(text, at))
        at = _skip(text, items[-1].node.end)
        more = text[at : at + 1] == ","
        at = _skip(text, at + 1) if more else at
    if text[at : at + 1] != close:
        raise JSONDecodeError(f"Expecting ',' or '{close}'", text, at)
    values = [item.node.value for item in items]
    value = values if close == "]" else dict(zip((item.key for item in items), values, strict=True))
    return Node(start, at + 1, value, tuple(items))


def _element(text: str, at: int) -> Item:
    return Item(None, at, _value(text, at))


def _member(text: str, at: int) -> Item:
    if text[at : at + 1] != '"':
        raise JSONDecodeError("Expecting a name in double quotes", text, at)
    key, end = _DECODER.raw_decode(text, at)
    colon = _skip(text, end)
    if text[colon : colon + 1] != ":":
        raise JSONDecodeError("Expecting ':'", text, colon)
    return Item(key, at, _value(text, _skip(text, colon + 1)))
