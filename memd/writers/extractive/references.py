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


def exact(material: Material, above: str) -> Iterator[str]:
    """The lines; `above` is what the scene says before them."""
    root = material.session.cwd
    commands = [_command(command) for command in references.commands(material)[:COMMANDS]]
    reads = [files.relative(file.path, root) for file in files.only_read(files.touched(material.done))][:READS]
    shown = " ".join([above, *commands, *reads])
    strings = list(islice(_new(references.references(material), root, shown), STRINGS))
    yield from commands[:12]
    yield from _lines("read, not changed", reads[:10])
    yield from _by_home(strings[:BEST])
    yield from commands[12:]
    yield from _lines("read, not changed", reads[10:])
    yield from _by_home(strings[BEST:])
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
    """Strings of one home together, the home of the best first."""
    homes: dict[str, list[str]] = {}
    for found in strings:
        label = f"{found.label} " if found.label and found.kind == "value" else ""
        homes.setdefault(_home(found), []).append(f"{label}`{found.text}`")
    for home, items in homes.items():
        yield from _joined(home, items)


def _home(found: references.Reference) -> str:
    """What a path is that was only named is said, so that nobody takes a plan for a file."""
    return f"only named, {found.home}" if found.kind == "path" and found.home.startswith("in my words") else found.home


def _lines(title: str, items: Sequence[str]) -> Iterator[str]:
    yield from _joined(title, [f"`{item}`" for item in items])


def _joined(title: str, items: Sequence[str]) -> Iterator[str]:
    """Lines of a few items each, so that a budget can cut between them."""
    for start in range(0, len(items), A_LINE):
        yield f"- {title}: " + ", ".join(items[start : start + A_LINE])
