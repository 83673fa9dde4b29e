"""What a text was given for, and what the agent did with it: it read a file that the text names, it said its code. Pure."""

import re
from collections.abc import Sequence

from msgspec.structs import replace

from memd.extract import files
from memd.model import Boundary, Delivered, Done, Record

LATER = 60_000
"""Milliseconds within which a compaction's row may follow on what its hooks gave."""


def given_for(deliveries: Sequence[Delivered], boundaries: Sequence[Boundary]) -> list[Boundary | None]:
    """The compaction that each text was given for; None for one from before any. Deliveries oldest first.

    It is the last one that lay behind. Where that has its text already, or there was none, it is the next one if its row came
    right after: Claude Code writes that when it has asked its hooks.
    """
    by_ordinal, served, found = {one.ordinal: one for one in boundaries}, set[int](), list[Boundary | None]()
    for given in deliveries:
        last, coming = by_ordinal.get(given.compactions), by_ordinal.get(given.compactions + 1)
        if last is None or last.ordinal in served:
            soon = coming is not None and coming.at is not None and given.at < coming.at < given.at + LATER
            last = coming if soon else last
        served.update([] if last is None else [last.ordinal])
        found.append(last)
    return found


def answered(
    given: Delivered, calls: Sequence[Done], texts: Sequence[Record], folders: Sequence[str], *, asked: bool
) -> Delivered:
    """The delivery with what came of it; the same where nothing did.

    Args:
        given: the text as it was handed over.
        calls: tool calls; those from before the delivery do not count.
        texts: what the agent wrote; the same.
        folders: below these (with a slash at the end) lie the files that the text names.
        asked: the text asks for its code.
    """
    since = [call for call in calls if call.at is not None and call.at >= given.at]
    opened = any(file.path.startswith(tuple(folders)) and file.reads for file in files.touched(since))
    code = re.compile(rf"(?<![A-Za-z0-9]){re.escape(given.code)}(?![A-Za-z0-9])")
    said = asked and any(r.at is not None and r.at >= given.at and code.search(r.text) for r in texts)
    return replace(given, opened=opened, acknowledged=said)
