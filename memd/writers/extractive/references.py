"""The scene's last section: the exact strings, each line saying what its strings are for.

They come in rounds: each takes the best that is left of every kind (commands, files read, strings) and is twice as large as
the one before, so that a small budget keeps what counts. Strings of one home stand together, blanks between them. A string
that an earlier line already has is not said again.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, count, filterfalse, islice

from memd.extract import files, mentions, references
from memd.extract.material import Material
from memd.extract.mentions import Home
from memd.extract.references import Reference
from memd.model import State
from memd.model.once import once
from memd.model.text import line, named
from memd.writers.extractive.phrases import listed

COMMANDS, CHANGED, READS, STRINGS = 5, 8, 8, 32
"""So many of each are in the first round."""
MOST = 1_200
"""Strings in all."""
RAN, SHOWN = "commands run", "files shown by commands, newest first"
_WORD = re.compile(r"(\w+)")
TITLES = {mentions.CHANGED: "files changed, newest first", mentions.READ: "files read, newest first"}


def exact(material: Material, touched: Sequence[files.Touched], above: str) -> Iterator[str]:
    """The lines; `above` is what the scene says before them."""
    root = material.session.cwd
    changed, read, ran = files.changed(touched), files.only_read(touched), references.commands(material)
    shown = " ".join(
        [
            above,
            *(command.line for command in ran),
            *(files.relative(path, root) for file in touched for path in (file.path, file.was) if path),
        ]
    )
    ranked = chain(references.references(material), references.printed(material))
    strings = islice(_new(ranked, root, shown), MOST)
    titles = _Titles(changed, root)
    for times in (1 << power for power in count()):
        homes = _Homes(islice(strings, STRINGS * times), titles)
        lists = [
            *listed(RAN, map(_command, ran[: COMMANDS * times])),
            *listed(TITLES[mentions.CHANGED], map(homes.changed, changed[: CHANGED * times])),
            *listed(TITLES[mentions.READ], map(homes.read, filter(_placed, read[: READS * times]))),
            *listed(SHOWN, map(homes.read, filterfalse(_placed, read[: READS * times]))),
            *homes.left(),
        ]
        ran, changed, read = ran[COMMANDS * times :], changed[CHANGED * times :], read[READS * times :]
        if not lists:
            return
        yield from lists


class _Titles:
    """In which list a string belongs, and to which place there; worked out once for each home."""

    def __init__(self, changed: Iterable[files.Touched], root: str | None) -> None:
        self.root = root
        self._changed = {file.was: file.path for file in changed if file.was} | {
            file.path: file.path for file in changed
        }
        """Where a file is now, by that and by the path that it had."""
        self._known: dict[tuple[Home, bool], tuple[str, str]] = {}

    def of(self, found: Reference) -> tuple[str, str]:
        """The list's title, and the place."""
        asked = found.home, found.kind == "path"
        known = self._known.get(asked)
        if known is None:
            now = self._changed.get(found.home.place)
            title = TITLES[mentions.CHANGED] if now else _title(found)
            known = self._known[asked] = title, files.relative(now or found.home.place, self.root)
        return known


class _Homes:
    """The strings of one round by home: a list for each kind of it, a row for each place. A file that is listed has its own."""

    def __init__(self, found: Iterable[tuple[str, Reference]], titles: _Titles) -> None:
        self._root = titles.root
        self._homes = defaultdict[tuple[str, str], list[str]](list)
        for text, one in found:
            self._homes[titles.of(one)].append(_named(text, one))

    def changed(self, file: files.Touched) -> str:
        path = files.relative(file.path, self._root)
        what = "deleted" if file.gone else "changed"
        was = f", was {files.relative(file.was, self._root)}" if file.was else ""
        return _row(f"{path} ({what} #{file.number}{was})", self._homes.pop((TITLES[mentions.CHANGED], path), []))

    def read(self, file: files.Touched) -> str:
        path = files.relative(file.path, self._root)
        return _row(f"{path} (read)", self._homes.pop((TITLES[mentions.READ], path), []))

    def left(self) -> Iterator[str]:
        """What belongs to no listed file."""
        lists: dict[str, list[str]] = {}
        for (title, place), strings in self._homes.items():
            lists.setdefault(title, []).append(_row(place, strings))
        for title, rows in lists.items():
            yield from listed(title, rows)


def _placed(file: files.Touched) -> bool:
    """Whether it is known where a file is; a shell may have been anywhere."""
    return file.path.startswith(("/", "~"))


def _row(place: str, strings: Sequence[str]) -> str:
    return ": ".join(filter(None, (place, " ".join(strings))))


def _command(command: references.Command) -> str:
    """A command line, when it ran last, and whether it failed."""
    failed = " failed" * (command.last.state is State.FAILED)
    return f"`{command.line}` (#{command.last.number}){failed}"


def _new(ranked: Iterable[Reference], root: str | None, shown: str) -> Iterator[tuple[str, Reference]]:
    """The strings that do not stand anywhere yet as a whole (nothing of a word right before or behind them), as they are shown.

    A string of up to three words is known at once; for others the text is looked through where it has all their words, each with
    the two behind it.
    """
    texts, said = [shown], set(_runs(shown, 3))
    for found in ranked:
        text = files.relative(found.text, root)
        if text in said or text == root:
            continue
        needed = _needed(text)
        if needed <= said:
            texts = [" ".join(texts)]
            if _stands(text, texts[0]):
                continue
        said |= needed
        texts.append(text)
        yield text, found


@once(8_192)
def _needed(text: str) -> frozenset[str]:
    """What must be said where a string stands; one with blanks may stand in two texts that follow each other."""
    return _runs(text, 2 if " " in text else 3)


def _runs(text: str, most: int) -> frozenset[str]:
    """The words of a text, and each two (or three) that follow each other with what lies between."""
    words = _WORD.split(text)[1:-1]
    if len(words) == 1:
        return frozenset(words)
    longer = (map("".join, zip(*(words[at::2] for at in range(2 * n - 1)), strict=False)) for n in range(2, most + 1))
    return frozenset(chain(words[::2], *longer))


def _stands(text: str, shown: str) -> bool:
    """Whether a string is there as a whole."""
    at = shown.find(text)
    while at >= 0:
        around = shown[at - 1 : at] + shown[at + len(text) : at + len(text) + 1]
        if not _WORD.search(around):
            return True
        at = shown.find(text, at + 1)
    return False


def _title(found: Reference) -> str:
    """What a string is there for; of a path that was only named, that no plan be taken for a file."""
    only = found.kind == "path" and found.home.title == "in my words"
    return f"only named {found.home.title}" if only else TITLES.get(found.home.title) or named(found.home.title)


def _named(text: str, found: Reference) -> str:
    """A string as it stands in a line: a pattern between backticks, for it may have blanks; a bare value behind its word."""
    if found.kind == "pattern" or " " in text:
        return f"`{line(text, 200)}`"
    return f"({found.label} {text})" if found.label and found.kind == "value" else text
