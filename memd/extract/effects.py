"""What a shell line changes outside of its own files, and which of it is hard to take back. Pure.

The table is in `memd/extract/verbs.py`. A command that a program is handed to run elsewhere (`ssh`), or on what only running it
shows (`xargs`, `find -exec`), is looked at like any other; what is told then is the whole that was typed.
"""

import re

from msgspec import Struct

from memd.extract import argv, cut, shell
from memd.extract.argv import Carried
from memd.extract.cut import Simple
from memd.extract.programs import known, of
from memd.extract.sql import statements
from memd.extract.verbs import Row
from memd.model.once import once

_QUOTED = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"")
_ONLY_ASKS = re.compile(r"\s--(?:help|dry-run|check|version)(?![\w-])(?!=(?:false|none))")
_LOOKS = re.compile(
    r"(?:df|du|ps|uptime|who\w*|hostname|journalctl|free|id|uname|env|printenv|top|lsof|netstat|ss|stat|test|\[)(?:\s|$)"
)


class Deed(Struct, frozen=True):
    """One command that changes something.

    Attributes:
        part: where it stands, with its here-document.
        text: the command; where it works on what another one finds, the pipeline up to it.
        hard: it is hard to take back.
        again: it is done again whenever there is a reason to.
    """

    part: Simple
    text: str
    hard: bool
    again: bool


@once(2_048)
def deeds(command: str, deeper: int = cut.DEEPEST) -> tuple[Deed, ...]:
    """The simple commands of a line that change something outside the working copy, or cannot be undone, in order.

    So many commands that are handed from one to the next (`ssh`, `xargs`) are looked into.
    """
    return tuple(found for part in cut.simple(command) if (found := deed(part, deeper)) is not None)


def deed(part: Simple, deeper: int = cut.DEEPEST) -> Deed | None:
    """What a simple command changes; None where it changes nothing of the kind."""
    carried = argv.carried(part.text, part.document or part.fed) if deeper else None
    inner = deeds(carried.line, deeper - 1) if carried else ()
    if carried and (inner or (carried.stays and _unknown(carried.line))):
        return Deed(
            part, whole(part, carried), any(one.hard for one in inner), bool(inner) and all(one.again for one in inner)
        )
    rows, rest = of(part.text)
    bare = _QUOTED.sub("''", rest)
    if _ONLY_ASKS.search(f" {bare}") or (shell.trivial(part.text) and not known(part.text)):
        return None
    rest = f"{rest} {part.document}".rstrip()
    for row in rows:
        behind = _behind(row, rest, part)
        if row.fits(behind, f" {bare}"):
            return Deed(part, part.piped if row.fed else part.text, row.hard_in(behind), row.again)
    return None


def _behind(row: Row, rest: str, part: Simple) -> str:
    """What a row's pattern is held against: what stands behind the program, and what comes through the pipe."""
    if row.sql:
        return statements(argv.words(part.written)[1:], part.document or part.fed)
    return f"{rest} {part.fed}" if row.fed else rest


def whole(part: Simple, carried: Carried) -> str:
    """What was typed of a command that is handed another: with the pipeline up to it where that brings what it works on."""
    return part.text if carried.elsewhere and not part.fed else part.piped


def _unknown(line: str) -> bool:
    """Whether something in a line that runs elsewhere is not known to change nothing."""
    parts = cut.simple(line)
    return any(
        not (shell.trivial(p.text) or shell.tests(p.text) or _LOOKS.match(p.text) or known(p.text)) for p in parts
    )


def lasting(command: str) -> tuple[str, ...]:
    """The commands of a line that must not be done twice."""
    return tuple(one.text for one in deeds(command) if not one.again)


def repeated(command: str) -> bool:
    """Whether all that a line changes is done again whenever there is a reason to, as installing what the project needs is."""
    found = deeds(command)
    return bool(found) and all(one.again for one in found)
