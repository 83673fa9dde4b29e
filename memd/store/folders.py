"""The checkpoint's files: what people read, and what hooks give back when the daemon is down.

    <state>/sessions/<tool>/<id>/history/0007/{mind,memo,scene,checkpoint}.md and ready/<EVENT>[.<source>][.<part>]
    <state>/sessions/<tool>/<id>/history/0007/changes.diff           what a model or a person changed in mind and memo
    <state>/sessions/<tool>/<id>/{mind,memo,scene,checkpoint}.md    copies of the current number's
    <state>/sessions/<tool>/<id>/recent.md, skills/<name>.md        what it names: the newest messages, texts of skills
    <state>/sessions/<tool>/<id>/ready -> history/0007/ready        one link, so that all parts change at once
    <state>/sessions/<tool>/<id>/standing                           the text of every request, where a tool takes one

Other replies for the same number go into history/0007/ready.2, ready.3, …

A number is written whole under another name and then given its own; the record's row makes it current, then the link leads
hooks to it. The copies at the top, for people, come last, `checkpoint.md` behind the others: no hook waits for them. Link and
copies are made again at start where a crash came between, or a power cut left zeros in their place.
"""

import os
import time
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from msgspec import Struct, field

from memd import files
from memd.model import Checkpoint, marks

_TEXTS = ("mind.md", "memo.md", "scene.md", "checkpoint.md")
_EDITABLE = frozenset({"mind.md", "memo.md"})
_OPENING = 100
"""Bytes in which the first line of checkpoint.md ends."""
_PATCH = "changes.diff"
_TRIES = 10
_LATELY = 7 * 86_400
"""Seconds since a number was written in which its files are looked into at a start: what a power cut takes was written last."""


_TICK = 20_000_000
"""Nanoseconds: the clock of file systems goes on in steps of up to half of it, also between an empty file and its folder."""


class Replies(Struct, frozen=True):
    """What hooks give back for one checkpoint; number 0 and nothing where there is none yet."""

    number: int = 0
    by_name: Mapping[str, bytes] = field(default_factory=dict)

    def get(self, name: str) -> bytes:
        """The reply of that name; a part that is not there is an empty reply."""
        return self.by_name.get(name, b"")


class Standing(Struct, frozen=True):
    """The text that a tool takes in every request since its last compaction."""

    compactions: int
    """How many lay behind when it was made."""
    about: str
    """What it was made for beside that; no spaces."""
    reply: bytes


class Folders:
    """The folders of all sessions under one state directory."""

    def __init__(self, state: Path) -> None:
        self.state = state
        self._root = state / "sessions"

    def session(self, tool: str, native: str) -> Path:
        """The folder of one session; it need not be there."""
        return self._root / tool / native

    def write(
        self, folder: Path, checkpoint: Checkpoint, text: str, ready: Mapping[str, bytes], patch: str = ""
    ) -> None:
        """Write a number whole into history, not yet current; `patch` is what its writer changed in mind and memo."""
        target = _numbered(folder, checkpoint.number)
        fresh = target.with_name(f".{target.name}.new")
        files.remove_tree(fresh)
        files.private_dir(fresh / "ready")
        parts = checkpoint.parts
        mind, scene, whole = (one.encode("utf-8", "replace") for one in (parts.mind, parts.scene, text))
        for name, content in zip(_TEXTS, (mind, parts.listed, scene, whole), strict=True):
            files.write_new(fresh / name, content)
        if patch:
            files.write_new(fresh / _PATCH, patch.encode("utf-8", "replace"))
        for name, reply in ready.items():
            files.write_new(fresh / "ready" / name, reply)
        files.remove_tree(target)  # a number that was written and never became current
        fresh.rename(target)

    def last(self, folder: Path) -> int:
        """The highest number in history; 0 where there is none."""
        return max((int(path.name) for path in (folder / "history").glob("[0-9]*") if path.name.isdigit()), default=0)

    def publish(self, folder: Path, number: int) -> None:
        """Make the link for hooks that of the current number."""
        if self.published(folder) != number:
            _link(folder / "ready", _numbered(folder, number) / "ready")

    def copy(self, folder: Path, taken: Collection[bytes] = ()) -> None:
        """Make the copies at the top those of the number that hooks find, where they are another's or hold nothing.

        What a person changed in one of them stays, and is taken before the next number; `taken` was.
        """
        before, number = self.copied(folder), self.published(folder)
        if before == number and self._whole(folder):
            return
        for name in _TEXTS:
            content = files.read_bytes_or_none(_numbered(folder, number) / name)
            if content is None or files.holds(folder / name, content):
                continue
            if name not in _EDITABLE or self._ours(folder, name, before, taken):
                _put(folder / name, content)

    def _ours(self, folder: Path, name: str, since: int, taken: Collection[bytes]) -> bool:
        """Whether a copy is of a number since that one, was taken, or holds nothing; a link is none."""
        content = None if (folder / name).is_symlink() else files.read_bytes_or_none(folder / name)
        if not content or not content.strip(b"\0") or content in taken:
            return True
        numbers = (path for path in (folder / "history").glob("[0-9]*") if path.name.isdigit())
        return any(files.holds(path / name, content) for path in numbers if int(path.name) >= since)

    def standing_in_copies(self, folder: Path) -> set[int]:
        """Of each copy that a person may edit the newest number that has its text."""
        since, numbers = self.copied(folder), (path.name for path in (folder / "history").glob("[0-9]*"))
        kept = sorted((one for one in map(int, filter(str.isdigit, numbers)) if one >= since), reverse=True)
        texts = {name: files.read_bytes_or_none(folder / name) for name in _EDITABLE if (folder / name).is_file()}
        found = (
            [number for number in kept if text is not None and files.holds(_numbered(folder, number) / name, text)]
            for name, text in texts.items()
        )
        return {numbers[0] for numbers in found if numbers}

    def copied(self, folder: Path) -> int:
        """The number whose copies stand at the top, as the last of them says; 0 where there is none."""
        try:
            with files.opened(folder / _TEXTS[-1]) as file:
                found = marks.find(file.read(_OPENING).decode("ascii", "replace"))
        except OSError:
            return 0
        return found.number if found else 0

    def lay_beside(self, folder: Path, texts: Mapping[str, str]) -> None:
        """Make the files that a checkpoint names (`recent.md`, `skills/x.md`) these."""
        for name, text in texts.items():
            content = text.encode("utf-8", "replace")
            if not files.holds(folder / name, content):
                files.private_dir((folder / name).parent)
                _put(folder / name, content)
        for old in folder.glob("skills/*"):
            if f"skills/{old.name}" not in texts:
                old.unlink(missing_ok=True)

    def published(self, folder: Path) -> int:
        """The number whose replies hooks find; 0 where they find none."""
        try:
            return int(Path(os.path.realpath(folder / "ready", strict=True)).parent.name)
        except (OSError, ValueError):
            return 0

    def ready(self, folder: Path, number: int) -> bool:
        """Whether hooks find this number, and every reply that was written for it.

        They are written once, one after the other: a folder that was changed after its newest file has lost or got one.
        """
        link = folder / "ready"
        try:
            if int(os.path.basename(os.path.dirname(os.readlink(link)))) != number:  # noqa: PTH115, PTH119, PTH120 - after each turn
                return False
            with os.scandir(link) as replies:
                newest = max((reply.stat().st_mtime_ns for reply in replies), default=0)
            return os.stat(link).st_mtime_ns <= newest + _TICK  # noqa: PTH116
        except (OSError, ValueError):
            return False

    def obstacle(self, folder: Path) -> str | None:
        """What stands where the session's folder, or one that it lies in, has to be and is no folder."""
        above = (self._root, folder.parent, folder, folder / "history")
        return next((str(place) for place in above if os.path.lexists(place) and not place.is_dir()), None)

    def sound(self, folder: Path, number: int) -> bool:
        """Whether hooks find this number, and its files, where they were written or changed lately, hold something."""
        place = _numbered(folder, number)
        try:
            if self.published(folder) != number:
                return False
            changed = max(one.stat().st_mtime for one in (place, folder / "ready"))
            if time.time() - changed > _LATELY:
                return True
            if not self.ready(folder, number) or self.copied(folder) != number:
                return False
            whole = self._whole(folder) and self.kept(folder, number)
            return whole and all(map(_begins, (folder / "ready").iterdir()))
        except OSError:
            return False

    def kept(self, folder: Path, number: int) -> bool:
        """Whether the texts of a number are there and hold something."""
        return self._whole(_numbered(folder, number))

    def _whole(self, folder: Path) -> bool:
        try:
            return all(_begins(folder / name) for name in _TEXTS)
        except OSError:
            return False

    def replies(self, folder: Path) -> Replies:
        """The ready replies, all of the same number and made at the same time."""
        link = folder / "ready"
        for _ in range(_TRIES):
            try:
                target = link.readlink()
                found = {path.name: path.read_bytes() for path in (folder / target).iterdir()}
                if link.readlink() == target:
                    return Replies(int(target.parent.name), found)
            except FileNotFoundError:  # none yet, or others took their place just now
                continue
            except (OSError, ValueError):
                break
        return Replies()

    def replace_replies(self, folder: Path, number: int, ready: Mapping[str, bytes]) -> None:
        """Other replies for a number that is current, because what lies behind the session changed.

        The old ones stay until the next exchange: somebody may be reading them. A name is not used twice.
        """
        place, used = _numbered(folder, number), Path(os.path.realpath(folder / "ready"))
        count = int(used.suffix[1:] or 1) if str(used.parent) == os.path.realpath(place) else 1
        fresh = place / f"ready.{count + 1}"
        files.remove_tree(fresh)
        files.private_dir(fresh)
        for name, reply in ready.items():
            files.write_new(fresh / name, reply)
        _link(folder / "ready", fresh)
        for old in place.glob("ready*"):
            if old.name not in {fresh.name, used.name}:
                files.remove_tree(old)

    def standing(self, folder: Path) -> Standing | None:
        """The text that stands in every request, None where there is none."""
        head, line, reply = (files.read_bytes_or_none(folder / "standing") or b"").partition(b"\n")
        try:
            compactions, about = head.decode("ascii").split(" ")
            return Standing(int(compactions), about, reply) if line else None
        except ValueError:
            return None

    def let_stand(self, folder: Path, text: Standing) -> None:
        """From now on this text stands."""
        files.private_dir(folder)
        files.write_atomic(folder / "standing", f"{text.compactions} {text.about}\n".encode() + text.reply)

    def text(self, folder: Path, number: int) -> str | None:
        """What checkpoint `number` gave back."""
        content = files.read_bytes_or_none(_numbered(folder, number) / "checkpoint.md")
        return None if content is None else content.decode("utf-8", "replace")

    def patch(self, folder: Path, number: int) -> str | None:
        """What the writer of checkpoint `number` changed; None where that is not kept."""
        content = files.read_bytes_or_none(_numbered(folder, number) / _PATCH)
        return None if content is None else content.decode("utf-8", "replace")

    def drop(self, folder: Path, numbers: Iterable[int]) -> None:
        """Forget old numbers."""
        for number in numbers:
            files.remove_tree(_numbered(folder, number))


def _numbered(folder: Path, number: int) -> Path:
    return folder / "history" / f"{number:04}"


def _put(path: Path, content: bytes) -> None:
    """A link in a copy's place is taken away: what it leads to is somebody's file."""
    if path.is_symlink():
        path.unlink()
    files.write_atomic(path, content, durable=False)


def _begins(path: Path) -> bool:
    """Whether a file holds a text, as far as its first byte tells; a reply may be empty."""
    with files.opened(path) as file:
        first = file.read(1)
    return first != b"\0" and (first != b"" or path.name not in _TEXTS)


def _link(link: Path, place: Path) -> None:
    """Point a link to a folder below the one that it is in, in one step; a copy of such a folder in its place goes."""
    if link.is_dir() and not link.is_symlink():
        files.remove_tree(link)
    fresh = link.with_name(".ready.new")
    fresh.unlink(missing_ok=True)
    fresh.symlink_to(place.relative_to(link.parent))
    fresh.replace(link)
