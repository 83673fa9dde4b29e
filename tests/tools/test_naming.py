"""The exact strings that stand for what an excerpt leaves out."""

import re

import pcre2
import pytest
from growth import growth
from hypothesis import example, given
from hypothesis import strategies as st

from memd.tools import naming as naming_of
from memd.tools.naming import naming

APART = re.compile(r"[\s\"'`<>(){}\[\],;|=→]+")
KINDS = (
    r"\w[/._]\w",
    r"[a-z\d][A-Z]",
    r"[a-f]\d|\d[a-f]",
    r"\w-\w+-\w|[A-Z]-\d",
    r"\A--\w|\A#\d",
)
"""A path or a name of code, a hump, a hash, two hyphens or an issue, an option or an issue."""
DULL = re.compile(r"\d*(\.\d*)?|[\d:TZ+./-]*[-:/][\d:TZ+./-]*")


def reference(text):
    """The same, a word after the other and a kind after the other."""
    words = [word for word in dict.fromkeys(APART.split(text)) if any(re.search(kind, word) for kind in KINDS)]
    words.sort(key=lambda word: re.search(r"[/\d]", word) is None)
    names = [word.strip(".:,*-") for word in words]
    names = [name for name in names if not DULL.fullmatch(name)]
    return f"; in them: {' '.join(names)}" if names else ""


PIECES = st.sampled_from(
    [
        *' aAfz09.-_/#:*é→\n"(~,=\u00a0\u2028٣',
        "the ",
        "The end. ",
        "src/",
        "file.py",
        "a-b",
        "--flag",
        " 12:30 ",
        "ABC-1",
    ]
)


@given(st.lists(PIECES, max_size=40).map("".join))
@example("Wait. It is one-sided: see A-1, b-2 and foo-bar-baz. ")
@example("a\u00a0b.c a\u2028b.c a\x1fb.c a\x85b.c")
@example("١a a١ x٣.٤ ３/４")
def test_what_is_passed_over_quickly_is_no_exact_string(text):
    """Every word that one of the kinds matches is named, in order, and no other, whatever stands around it."""
    assert naming(text) == reference(text)


def test_half_a_character_does_no_harm():
    """It stands in its word as it was."""
    assert naming("see src/\ud83dx.py now") == "; in them: src/\ud83dx.py"


def test_a_system_that_forbids_machine_code(monkeypatch):
    """The same words are found without, where a hardened system lets no program make any."""
    text = b"See src/main.py, the 2nd of 3 files from 12:30 (issue #12): read_all, readAll and 3f2a. "

    def refuse(_):
        raise pcre2.LibraryError(-48)  # no memory that may be executed

    left = naming_of._compiled(naming_of._WORDS).sub(b"$1 ", text)
    monkeypatch.setattr(pcre2._cy, "jit_compile", refuse)
    assert naming_of._compiled(naming_of._WORDS).sub(b"$1 ", text) == left


@pytest.mark.parametrize(
    "piece", [*"aA0*", "a ", "A ", "1: ", "a-", "- ", ":.", "a.b", "Aa", "a a-a a. ", "--a ", "1.:", "/1"]
)
def test_no_text_makes_it_slow(piece):
    """Time follows the size: what is passed over is not gone through again and again."""
    texts = (piece * (size // len(piece)) + "*x" for size in (30_000, 60_000 - 2))
    assert growth(naming, *texts) < 3
