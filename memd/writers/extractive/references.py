"""The scene's last section: the exact strings, each line saying what its strings are for.

The best of every kind come first and the rest after them, so that a small budget keeps what counts. A string that an earlier
line already has is not said again.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from memd.extract import files, references
from memd.extract.material import Material

COMMANDS, READS, BEST, STRINGS, PRINTED, A_LINE = 30, 40, 48, 420, 200, 10
"""So many commands, read files and strings; the strings of the first round, those of tools, those of one line."""

_PLACE = re.compile(r"(in |seen in |in my words |in (?:a prompt|the words) of )(`[^`]+`|(?:on )?#\d+)")


def exact(material: Material, above: str) -> Iterator[str]:
    """The lines; `above` is what the scene says before them."""
    root = material.session.cwd
    commands = [_command(command) for command in references.commands(material)[:COMMANDS]]
    reads = [files.relative(file.path, root) for file in files.only_read(files.touched(material.done))][:READS]
    shown = " ".join([above, *commands, *reads])
    strings = list(islice(_new(references.references(material), root, shown), STRINGS))
    yield from commands[:4]
    yield from _lines("read, not changed", reads[:5])
    yield from _by_home(strings[:BEST])
    yield from commands[4:12]
    yield from _lines("read, not changed", reads[5:10])
    yield from _by_home(strings[BEST : BEST * 2])
    yield from commands[12:]
    yield from _lines("read, not changed", reads[10:])
    yield from _by_home(strings[BEST * 2 :])
    shown = " ".join([shown, *(found.text for found in strings)])
    yield from _by_home(list(islice(_new(references.printed(material), root, shown), PRINTED)))


def _command(command: references.Command) -> str:
    failed = " and failed" * (not command.ok)
    runs = f", {command.runs} times" if command.runs > 1 else ""
    return f"- ran{failed} (#{command.number}{runs}): `{command.line}`"


def _new(ranked: Sequence[references.Reference], root: str | None, shown: str) -> Iterator[references.Reference]:
    """The strings that do not stand anywhere yet."""
    for found in ranked:
        text = files.relative(found.text, root)
        if text != root and not _stands(text, shown):
            shown = f"{shown} {text}"
            yield references.Reference(text, found.kind, found.score, found.number, found.home, found.label)


def _stands(text: str, shown: str) -> bool:
    """Whether a string is there as a whole."""
    at = shown.find(text)
    while at >= 0:
        around = shown[at - 1 : at] + shown[at + len(text) : at + len(text) + 1]
        if not re.search(r"\w", around):
            return True
        at = shown.find(text, at + 1)
    return False


def _by_home(strings: Sequence[references.Reference]) -> Iterator[str]:
    """A line for each kind of home, its strings by place: the best first, those of one place together."""
    lines: dict[str, dict[str, list[str]]] = {}
    for found in strings:
        label = f"{found.label} " if found.label and found.kind == "value" else ""
        title, place = _home(found)
        lines.setdefault(title, {}).setdefault(place, []).append(f"{label}`{found.text}`")
    for title, places in lines.items():
        yield from _cut(title, [(place, item) for place, items in places.items() for item in items])


def _home(found: references.Reference) -> tuple[str, str]:
    """What a string is there for, and the place; of a path that was only named, that no plan be taken for a file."""
    match = _PLACE.fullmatch(found.home)
    kind, place = match.groups() if match else (found.home, "")
    title = {"in ": "in changed files", "seen in ": "seen in files that I read"}.get(kind, kind.strip())
    return (f"only named, {title}" if found.kind == "path" and title == "in my words" else title), place


def _cut(title: str, items: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Lines of a few strings each, every place named once a line."""
    for start in range(0, len(items), A_LINE):
        told, text = "", ""
        for place, item in items[start : start + A_LINE]:
            ahead = "; " if place != told else ", "
            text += (ahead if text else "") + (f"{place} " if place != told else "") + item
            told = place
        yield f"- {title}: {text}"


def _lines(title: str, items: Sequence[str]) -> Iterator[str]:
    yield from _cut(title, [("", f"`{item}`") for item in items])
