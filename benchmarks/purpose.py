"""How many references of a checkpoint share their line with what they are for.

A reference is a word in the sense of `needs.words` outside quotations (people's messages, the agent's words). A line is an
entry of a list: a row, and for the rows below a title that ends in a colon, the title with it. What a reference is for is told
where its line has, beside it, a word of language or another reference that it belongs to (the file that it stands in, the
message that it was written on). A bare string in a line of its own tells nothing; neither does a line of strings alone.
"""

import re

from benchmarks import needs

_LANGUAGE = re.compile(r"(?<![\w./`-])[A-Za-z]{3,}(?![\w./`-])")
_PLACE = re.compile(r"^\s+\S+(?: \(#\d+\))?: |^\s+(?:on|by|of) [^:]+: ")
_QUOTED = ("Mission", "Memo", "Prompts", "Earlier messages")


def entries(text: str) -> list[tuple[str, str]]:
    """The lines that are no quotation, each with the title that it stands under."""
    found, title, skip = list[tuple[str, str]](), "", True
    for row in text.splitlines():
        if row.startswith("## "):
            skip, title = row[3:].startswith(_QUOTED), ""
        elif row.startswith("The current request"):
            skip = True
        elif (
            not skip
            and row.strip()
            and not row.lstrip().startswith((">", "(left out", "memd checkpoint", "Any message"))
        ):
            title = row if row.endswith(":") else title if row.startswith("  ") else ""
            found.append((row, title))
    return found


def share(text: str, *, title_counts: bool = True) -> float | None:
    """The share of the references that share their line with what they are for; None where there are none."""
    told = total = 0
    for row, title in entries(text):
        found = needs.words(row)
        rest = row
        for word in found:
            rest = rest.replace(word, " ")
        clear = (
            _PLACE.match(row) or _LANGUAGE.search(rest) or (title_counts and title != row and _LANGUAGE.search(title))
        )
        total += len(found)
        told += len(found) * bool(clear)
    return told / total if total else None
