"""How many references of a checkpoint share their line with what they are for.

A reference is a word in the sense of `needs.words` outside quotations (people's messages, the agent's words). What it is for is
told where its line has, beside all references in it, a word of language (`changed`, `failed`, the words of a command), or begins
with the place that its strings belong to (`src/app.py (#5): …`, `on #12: …`). A title above the line does not count.
"""

import re

from memd.report import needs

_LANGUAGE = re.compile(r"(?<![\w./`-])[A-Za-z]{3,}(?![\w./`-])")
_PLACE = re.compile(r"^\s+\S+(?: \([^)]*\))?: |^\s+(?:on|by|of) [^:]+: ")
_QUOTED = ("Mission", "Memo", "Prompts", "Earlier messages")


def lines(text: str) -> list[str]:
    """The lines that are no quotation and no title."""
    found, skip = list[str](), True
    for row in text.splitlines():
        if row.startswith("## "):
            skip = row[3:].startswith(_QUOTED)
        elif row.startswith("The current request"):
            skip = True
        elif not skip and not row.lstrip().startswith((">", "(left out", "memd checkpoint", "Any message")):
            found.append(row)
    return found


def share(text: str) -> float | None:
    """The share of the references that share their line with what they are for; None where there are none."""
    told = total = 0
    for row in lines(text):
        found, rest = needs.words(row), row
        for word in found:
            rest = rest.replace(word, " ")
        total += len(found)
        told += len(found) * bool(_PLACE.match(row) or _LANGUAGE.search(rest))
    return told / total if total else None
