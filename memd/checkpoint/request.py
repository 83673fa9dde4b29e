"""The request to a model, from a text that people can read and override.

The texts have `$names`; what a text does not use is left out, and a `$` that names nothing stays as it is.
"""

from string import Template

from msgspec import Struct

from memd.checkpoint.caps import MIND
from memd.checkpoint.checks import Fault, Given
from memd.checkpoint.digest import Digest
from memd.checkpoint.mind import section
from memd.model import Session
from memd.model.text import quote
from memd.render import Sizer

MIND_PATH, MEMO_PATH = "$mind_path", "$memo_path"
"""Left for whoever makes the working folder: only it knows where that is."""
_PART = "(This is the older part; what came after it follows another time.)\n"
_FORK = "(The session's conversation stands above, as it went; these are the numbers of its entries. Its tools are not yours.)\n"
_PERSON = "Messages marked withdrawn bind nobody."
_OPERATOR = (
    "No person is known here: whoever runs this session without a screen is called the operator, and an entry that rests on "
    "the operator's prompt says so. Messages marked withdrawn bind nobody."
)


class Texts(Struct, frozen=True):
    """The two texts, as they stand in their files."""

    checkpoint: str
    repair: str


NEEDED = {"checkpoint.md": ("mind_path", "memo_path", "digest"), "repair.md": ("faults",)}
"""The names without which a text can lead to no checkpoint, in the order of `Texts`."""


def lacking(texts: Texts) -> dict[str, list[str]]:
    """By file the names that it needs and does not have."""
    named = zip(NEEDED, (texts.checkpoint, texts.repair), strict=True)
    found = {file: set(Template(text).get_identifiers()) for file, text in named}
    return {
        file: gone for file, has in found.items() if (gone := [f"${name}" for name in NEEDED[file] if name not in has])
    }


def first(texts: Texts, session: Session, given: Given, digest: Digest, sizer: Sizer) -> str:
    """The request, complete but for the two paths."""
    caps = given.caps
    sizes = (f"{name} {sizer.count(section(given.mind, name)):,} / {caps.mind(name):,}" for name in MIND)
    values = {
        "session": session.id,
        "cwd": session.cwd or "a directory that is not known",
        "who": _PERSON if given.evidence.person else _OPERATOR,
        "sizes": ", ".join(sizes),
        "memo_room": f"{caps.memo:,}",
        "entry_room": f"{caps.entry:,}",
        "scene_room": f"{caps.scene:,}",
        "next": _next(given),
        "part": _FORK if digest.fork else "" if digest.whole else _PART,
        "digest": digest.text,
    }
    return Template(texts.checkpoint).safe_substitute(values)


def _next(given: Given) -> str:
    said = given.evidence.said.get(given.request) if given.request is not None else None
    if said is None:
        return "The next action."
    words = f"{quote(said.text, 200)} (#{said.number})"
    return f"The next action, tied to the latest explicit request, quoted with its number: {words}."


def repair(texts: Texts, request: str, faults: tuple[Fault, ...], *, scene: bool) -> str:
    """The request once more, behind every fault at once; `scene`: the first answer's scene was right and lies beside."""
    listed = "\n".join(f"- {fault.part}: {fault.text}" for fault in faults)
    told = ", as in scene.md beside the two files" if scene else ", whole, in the form that the request asks for"
    return Template(texts.repair).safe_substitute({"faults": listed, "scene_as": told}) + request
