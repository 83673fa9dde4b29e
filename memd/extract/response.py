"""What the agent did with a text that it was given: it read a file that the text names, it said the text's code. Pure."""

import re
from collections.abc import Sequence

from msgspec.structs import replace

from memd.extract import files
from memd.model import Delivered, Done, Record


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
