"""Counting line by line: never another number than for the text as a whole."""

from hypothesis import given, settings
from hypothesis import strategies as st

from memd import tokens
from memd.tokens import rough

SIGNS = ["a", "/", " ", "`x.py`:", "#12", "- [x]", "的", "é", "\u2028", "\x1c", "3", "'s"]
PIECES = st.sampled_from(["\n", "\r\n", "\n\n", "\n/", "\n /", "\n  ", "\n\t", " \n", ")\n", *SIGNS])


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, max_size=40).map("".join))
def test_a_text_has_the_tokens_of_its_lines(text):
    """Whatever stands around the ends of lines."""
    lines = tokens._LINES.findall(text)
    assert ("".join(lines), lines[-1]) == (text, "")
    assert len(tokens._encoder.encode(text)) == sum(tokens._encoded(line) for line in lines)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.sampled_from([*SIGNS, " ", "\t", "ab", "Zé", "\u3000", "(took 12)", "--x", "\n"]), max_size=40).map(
        "".join
    )
)
def test_a_line_has_the_tokens_of_its_words(text):
    """Whatever blanks stand between them, by the encoder and by rule of thumb."""
    assert len(tokens._encoder.encode(text)) == tokens._words.total(text)
    assert rough.count(text) == tokens._guessed_words.total(text)
