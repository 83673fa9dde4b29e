"""Markdown with `#` headings into sections of blocks, a block being a paragraph or one list entry."""

import re
from collections.abc import Iterator

_HEADING = re.compile(r"^(#{1,2}) (.+)$")


def sections(text: str) -> dict[str, list[str]]:
    """Heading (without its `#`) -> its blocks, in order."""
    found: dict[str, list[str]] = {}
    name = ""
    for row in text.splitlines():
        heading = _HEADING.match(row) if row.startswith("#") else None
        if heading:
            name = heading[2].strip()
            found.setdefault(name, [])
        elif name:
            found[name].append(row)
    return {name: list(_blocks(rows)) for name, rows in found.items()}


def _blocks(rows: list[str]) -> Iterator[str]:
    block: list[str] = []
    for row in rows:
        blank = not row.strip()
        if block and (blank or row.startswith("- ")):
            yield "\n".join(block)
            block = []
        if not blank:
            block.append(row)
    if block:
        yield "\n".join(block)
