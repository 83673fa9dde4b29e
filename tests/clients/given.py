"""What memd gave back, as the client took it: read from the client's own record, checked against what the model got."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from .claude_code import ClaudeCode
from .scripted_model import Request

OPENING = re.compile(r"memd checkpoint (?P<number>\d+), part (?P<part>\d+) of (?P<parts>\d+)")
ENDING = re.compile(r"memd checkpoint (?P<number>\d+) of (?P<session>\S+) ends here; receipt (?P<receipt>\w{6})")
LABEL = re.compile(r"background \([^()]+\), not typed by the person:")


@dataclass(frozen=True)
class Given:
    """One injection: its parts in their order."""

    parts: tuple[str, ...]

    @property
    def text(self) -> str:
        """All of it."""
        return "\n".join(part.removesuffix("\n") for part in self.parts)

    @property
    def ending(self) -> re.Match[str]:
        """The end mark, which is the last line of the last part and of no other.

        Raises:
            AssertionError: It is not there, or not alone.
        """
        lines = [line for part in self.parts for line in part.splitlines()]
        marks = [mark for line in lines if (mark := ENDING.fullmatch(line))]
        if len(marks) != 1 or not ENDING.fullmatch(lines[-1]):
            raise AssertionError(f"{len(marks)} end marks, the last line is {lines[-1]!r}")
        return marks[0]

    def unlabelled(self, words: str) -> list[str]:
        """Lines that show these words with no label, on them or right above them, that they are not the person's."""
        shown = [line for line in self.text.splitlines() if line.strip()]
        return [
            line
            for above, line in zip(["", *shown], shown, strict=False)
            if words in line and not LABEL.search(line) and not LABEL.search(above)
        ]


def in_order(texts: Iterable[str]) -> tuple[str, ...]:
    """The parts by their numbers: the client adds them in the order in which the hooks were done."""
    return tuple(sorted(texts, key=lambda text: int(mark["part"]) if (mark := OPENING.search(text)) else 0))


def given_after_compaction(client: ClaudeCode, request: Request) -> Given:
    """What the hooks gave at the last compaction, all of which reached the model in this request.

    Raises:
        AssertionError: Nothing was given, or it did not reach the model as it was given.
    """
    parts = in_order(client.contexts_after_compaction())
    if not parts:
        raise AssertionError("no hook gave anything at the last compaction")
    for part in parts:
        if part not in request.text:
            raise AssertionError(f"request {request.number} does not hold what a hook gave: {part[:200]!r}")
    return Given(parts)
