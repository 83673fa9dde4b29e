"""How a text that a model or a person wrote is shown: with the consent guard, and with nothing in it that imitates memd's marks.

The files keep their exact bytes; only what is given back is made here.
"""

from difflib import unified_diff

from memd.checkpoint.evidence import Evidence
from memd.checkpoint.mind import CITED, HEADINGS, MISSION, mission, parse
from memd.checkpoint.scene import HEADINGS as SCENE
from memd.extract.material import Material
from memd.model import Parts, marks

_KEPT = frozenset({*HEADINGS, *(f"## {name}" for name in SCENE)})


def parts(given: Parts, material: Material) -> Parts:
    """The three texts as they are given back."""
    evidence = Evidence({record.number: record for record in material.said})
    return Parts(_escaped(guarded(given.mind, evidence)), given.listed, _escaped(given.scene))


def diff(before: Parts, after: Parts) -> str:
    """What was changed in mind and memo, as a patch."""
    texts = (("mind.md", before.mind, after.mind), ("memo.md", before.memo, after.memo))
    return "".join(
        row if row.endswith("\n") else f"{row}\n"
        for name, old, new in texts
        for row in unified_diff(
            old.splitlines(keepends=True), new.splitlines(keepends=True), f"a/{name}", f"b/{name}", n=1
        )
    )


def guarded(mind: str, evidence: Evidence) -> str:
    """The first words of every message that an agreement, a decision or a mission's end rests on, beside it."""
    read = parse(mind)
    ended = [b for b in read.bullets.get(MISSION, ()) if (one := mission(b)) is not None and one.status != "active"]
    for bullet in (*(bullet for name in CITED for bullet in read.bullets.get(name, ())), *ended):
        if beside := evidence.beside(bullet):
            mind = mind.replace(f"{bullet.text}\n", f"{bullet.text.rstrip()} [{beside}]\n", 1)
    return mind


def _escaped(text: str) -> str:
    return "\n".join(row if row.rstrip() in _KEPT else marks.escape(row) for row in text.split("\n"))
