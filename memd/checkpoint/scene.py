"""scene.md: six headings, and the one block of an answer that it is taken from."""

import re

from memd.checkpoint.mind import NONE

HEADINGS = ("Current step", "Progress", "Waiting on", "Next step", "Pitfalls", "Exact references")
SHORTEST = 200
"""Characters that a scene has at least."""

_BLOCK = re.compile(r"<scene>(.*?)</scene>", re.DOTALL)
_TAG = re.compile(r"</?scene>")
_HEADING = re.compile(r"^#{1,6}\s.*$", re.MULTILINE)


def block(answer: str) -> tuple[str, str]:
    """The scene in a writer's answer, and what is wrong with the answer; one of the two is empty."""
    tags = _TAG.findall(answer)
    found = _BLOCK.search(answer)
    if tags == ["<scene>", "</scene>"] and found:
        return found[1].strip() + "\n", ""
    if not tags:
        return "", "the answer has no <scene> block"
    count = min(tags.count("<scene>"), tags.count("</scene>"))
    return (
        "",
        f"the answer has {count} <scene> blocks" if count > 1 else "the <scene> block is not closed or not opened",
    )


def headings(scene: str) -> tuple[str, ...]:
    """The headings as they stand."""
    return tuple(row.strip() for row in _HEADING.findall(scene))


def sections(scene: str) -> dict[str, str]:
    """What stands under each heading of the second level."""
    pieces = re.split(r"^## (.+)$", scene, flags=re.MULTILINE)
    return {name.strip(): text.strip() for name, text in zip(pieces[1::2], pieces[2::2], strict=True)}


def document(found: dict[str, str]) -> str:
    """The file, from what stands under each heading."""
    return "\n\n".join(f"## {name}\n\n{found.get(name, '').strip() or NONE}" for name in HEADINGS) + "\n"
