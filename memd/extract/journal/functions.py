"""Functions and classes that a piece of source defines, and what an edit did to them. Pure, by line shapes alone."""

import re
from difflib import SequenceMatcher
from pathlib import PurePosixPath

MOST, PIECE = 40, 20_000
"""Definitions of one piece that are kept, and characters that are looked at."""
ALIKE = 0.6
"""Share of a definition's text that must stay for a changed name to be a renaming."""

_NAME = r"([A-Za-z_$][\w$]{0,80})"
_SCRIPT = re.compile(
    rf"^[ \t]*(?:export[ \t]+)?(?:default[ \t]+)?(?:async[ \t]+)?(?:function\*?|class|interface)[ \t]+{_NAME}"
    rf"|^[ \t]*(?:export[ \t]+)?(?:const|let|var)[ \t]+{_NAME}[^=\n]{{0,80}}=[ \t]*(?:async[ \t]*)?"
    r"(?:function\b|\([^)\n]*\)[^=\n]{0,60}=>|\w+[ \t]*=>)",
    re.MULTILINE,
)
_MODIFIED = (
    r"^[ \t]*(?:(?:public|private|protected|internal|static|final|abstract|synchronized|async|override|virtual|sealed"
    r"|partial|default|open|suspend|inline|data|mutating|fileprivate)[ \t]+)"
)
_BRACED = re.compile(
    rf"{_MODIFIED}*(?:class|interface|enum|record|struct)[ \t]+{_NAME}"
    rf"|{_MODIFIED}+(?:<[^>\n]{{1,80}}>[ \t]+)?[\w<>\[\],.?]{{1,120}}[ \t]+{_NAME}[ \t]*\(",
    re.MULTILINE,
)
_C = re.compile(
    rf"^(?:class|struct|enum)[ \t]+{_NAME}"
    rf"|^(?!return\b|else\b|typedef\b|#)[A-Za-z_][\w \t*&:<>,]{{0,160}}[ \t*&:]{_NAME}[ \t]*\([^;\n]*$",
    re.MULTILINE,
)
_SHAPES = {
    ".py": re.compile(rf"^[ \t]*(?:async[ \t]+def|def|class)[ \t]+{_NAME}", re.MULTILINE),
    ".js": _SCRIPT,
    ".jsx": _SCRIPT,
    ".mjs": _SCRIPT,
    ".cjs": _SCRIPT,
    ".ts": _SCRIPT,
    ".tsx": _SCRIPT,
    ".go": re.compile(rf"^func[ \t]+(?:\([^)\n]*\)[ \t]*)?{_NAME}", re.MULTILINE),
    ".rs": re.compile(
        rf"^[ \t]*(?:pub(?:\([^)\n]*\))?[ \t]+)?(?:async[ \t]+)?(?:fn|struct|enum|trait)[ \t]+{_NAME}", re.MULTILINE
    ),
    **dict.fromkeys((".java", ".cs"), _BRACED),
    **dict.fromkeys((".c", ".h", ".cc", ".cpp", ".hpp"), _C),
    ".kt": re.compile(
        rf"{_MODIFIED}*(?:fun[ \t]+(?:<[^>\n]{{1,80}}>[ \t]+)?(?:\w+\.)?|class[ \t]+|object[ \t]+|interface[ \t]+){_NAME}",
        re.MULTILINE,
    ),
    ".swift": re.compile(rf"{_MODIFIED}*(?:func|class|struct|enum|protocol|actor)[ \t]+{_NAME}", re.MULTILINE),
    ".rb": re.compile(rf"^[ \t]*(?:def|class|module)[ \t]+(?:self\.)?{_NAME}", re.MULTILINE),
    ".php": re.compile(
        rf"^[ \t]*(?:(?:public|private|protected|static|final|abstract)[ \t]+)*(?:function|class)[ \t]+{_NAME}",
        re.MULTILINE,
    ),
    ".sh": re.compile(rf"^[ \t]*(?:function[ \t]+)?{_NAME}[ \t]*\(\)", re.MULTILINE),
}


def defined(path: str, text: str) -> list[str]:
    """The names that a piece of a source file defines, in order; nothing for a file of another kind."""
    shape = _SHAPES.get(PurePosixPath(path).suffix.lower())
    if shape is None:
        return []
    names = (next(filter(None, match.groups()), "") for match in shape.finditer(text[:PIECE]))
    return list(dict.fromkeys(filter(None, names)))[:MOST]


def changes(path: str, old: str, new: str) -> list[tuple[str | None, str | None]]:
    """(old name, new name) for each definition that came, went, or has another name since."""
    before, after = defined(path, old), defined(path, new)
    gone, come = [name for name in before if name not in after], [name for name in after if name not in before]
    if len(gone) == len(come) == 1 and _renamed(old, new, gone[0], come[0]):
        return [(gone[0], come[0])]
    return [*((name, None) for name in gone), *((None, name) for name in come)]


def _renamed(old: str, new: str, gone: str, come: str) -> bool:
    same = re.sub(rf"\b{re.escape(gone)}\b", lambda _: come, old)
    return SequenceMatcher(None, same.splitlines(), new.splitlines(), autojunk=False).ratio() >= ALIKE
