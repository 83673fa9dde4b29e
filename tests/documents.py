"""Just enough of Markdown for what the documents are made of: fenced blocks, sections, tables, headings."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")] + sorted(
    (ROOT / "docs").glob("*.md")
)


def fences(text, heading=None):
    """(heading, language, content) of each fenced block."""
    found, at, block = [], "", None
    for line in text.splitlines():
        if line.startswith("```"):
            if block is None:
                block = (line.removeprefix("```"), [])
            else:
                found.append((at, block[0], "\n".join(block[1])))
                block = None
        elif block is not None:
            block[1].append(line)
        elif line.startswith("#"):
            at = line.lstrip("# ")
    return [one for one in found if heading in {None, one[0]}]


def section(text, heading):
    return re.split(r"^## ", text.partition(f"\n## {heading}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]


def cells(text):
    """The body rows of every table, each a list of its cells."""
    rows = []
    for line in text.splitlines():
        row = [cell.strip() for cell in line.split("|")[1:-1]]
        if row and set("".join(row)) <= set("-:"):
            rows.pop()  # the row above was the head
        elif row and line.startswith("|"):
            rows.append(row)
    return rows
