"""Lists of one title become one list, their rows of one place one row.

A list is a block whose first row ends in a colon; a row of it is `place: strings`, or one string that begins with a backtick.
A writer gives the best of every kind first, so a title comes again and again; who reads wants it once.
"""

import re
from collections.abc import Iterable

PLACE = re.compile(r"  ([^`\s][^:]*?)(?: \([^)]*\))?: (?=\S)")
CUT = "  …"


def is_list(block: str) -> bool:
    """Whether a block is a list."""
    head, _, rows = block.partition("\n")
    return head.endswith(":") and bool(rows)


def merged(blocks: Iterable[str]) -> list[str]:
    """The blocks, each list joined to the first one of its title."""
    found: dict[str, list[str]] = {}
    for place, block in enumerate(blocks):
        head, *rows = block.split("\n")
        if is_list(block) and not rows[0].startswith("  >"):
            found.setdefault(head, []).extend(rows)
        else:
            found[f"{head}\0{place}"] = rows
    return [
        "\n".join([head.partition("\0")[0], *(rows if "\0" in head else _rows(rows))]) for head, rows in found.items()
    ]


def _rows(rows: list[str]) -> list[str]:
    """The rows, those of one place joined; that something was cut is said once, at the end."""
    joined, placed = dict[str, str](), set[str]()
    for number, row in enumerate(row for row in rows if row != CUT):
        place = PLACE.match(row)
        key = place[1] if place else row.strip().partition(" (")[0] if not row.startswith("  `") else f"\0{number}"
        if key not in joined:
            joined[key] = row
        elif place:
            joined[key] += (" " if key in placed else ": ") + row[place.end() :]
        if place:
            placed.add(key)
    return [*joined.values(), *([CUT] if CUT in rows else [])]
