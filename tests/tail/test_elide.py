"""Very long lines: what is cut, how it is counted, and that nothing depends on where the chunks end."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.tail.elide import Caps, elide

SMALL = Caps(line=0, string=40, head=20, output=100_000)


def pieces(line, size):
    return [line[start : start + size] for start in range(0, len(line), size)]


# Texts that are long now and then, full of what a careless cut breaks.
AWKWARD = st.lists(
    st.sampled_from(["x" * 9, '"', "\\", "\n", "é", "漢", "😀", "\ud83d", "\\u12", "\\ud83d", "\0"]), max_size=40
).map("".join)
VALUES = st.recursive(
    AWKWARD | st.integers() | st.none(), lambda inner: st.lists(inner) | st.dictionaries(AWKWARD, inner)
)


@given(VALUES, st.booleans(), st.integers(1, 30))
def test_any_chunks(value, ascii_only, size):
    """JSON stays JSON, the count is exact, and the chunks' size changes nothing."""
    line = json.dumps(value, ensure_ascii=ascii_only).encode(errors="surrogatepass")
    whole = elide([line], SMALL)
    assert whole == elide(pieces(line, size), SMALL)
    short(value, json.loads(whole[0].decode(errors="surrogatepass")))


def short(value, cut):
    """`cut` is `value`, or a prefix of it with the mark."""
    match value:
        case list():
            for one, other in zip(value, cut, strict=True):
                short(one, other)
        case str() if value != cut:
            kept, mark, rest = cut.rpartition(" [memd left out ")
            assert mark
            assert rest.endswith(" bytes]")
            assert value.startswith(kept)
        case dict():
            assert len(cut) <= len(value)
        case _:
            assert value == cut


@given(
    st.binary(max_size=300)
    | st.lists(st.sampled_from([b'"', b"\\", b"x" * 30, b"\xc3", b"\xa9", b"\0" * 33])).map(b"".join)
)
def test_no_json(line):
    """Broken lines are treated alike: no error, and every byte is kept or counted."""
    data, elided = elide([line], SMALL)
    assert (data, elided) == elide(pieces(line, 1), SMALL)
    marks = sum(len(mark) for mark in marks_of(data)) if elided else 0
    assert len(line) == len(data) - marks + elided


def marks_of(data):
    parts = data.split(b" [memd left out ")[1:]
    return [b" [memd left out " + part.partition(b"]")[0] + b"]" for part in parts]


@pytest.mark.parametrize("pad", range(16))
@pytest.mark.parametrize("piece", ["é", "漢", "😀"])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_cut_between_characters(pad, piece, ascii_only):
    """The head ends with a whole character, whether written as UTF-8, as an escape or as a surrogate pair."""
    text = "x" * pad + piece * 100
    data, elided = elide([json.dumps(text, ensure_ascii=ascii_only).encode()], SMALL)
    kept, _, _ = json.loads(data).partition(" [memd left out ")
    assert text.startswith(kept)
    assert kept == kept.encode().decode()
    assert elided > 0


def test_short_strings_stay():
    """A long line of short strings is not cut, only a string over the cap is."""
    line = json.dumps({"a": ["x" * 40] * 50, "b": "y" * 41}).encode()
    assert (line.replace(b"y" * 41, b"y" * 20 + b" [memd left out 21 bytes]"), 21) == elide([line], SMALL)


def test_output_is_bounded():
    """What is long without long strings ends at the cap, and the rest is counted."""
    line = b"[" + b"1," * 1000 + b"1]"
    assert (line[:100], len(line) - 100) == elide(pieces(line, 7), Caps(output=100))


@pytest.mark.parametrize("before", [b"", b'{"a": "torn', b'{"a": 1}'])
@pytest.mark.parametrize("size", [7, 64, 1000, 100_000])
def test_a_record_behind_a_run_of_nul_is_whole(before, size):
    """However long the run is: who writes on at its old offset into a file that was cut leaves one before its record."""
    record = b'{"b": "\0\0"}'
    data, elided = elide(pieces(before + b"\0" * 50_000 + record, size), Caps(string=200, output=300))
    assert (before + b"\0" * 64 + record, 50_000 - 64) == (data, elided)


def test_memory_is_bounded():
    """A string of any length is never held whole."""
    data, elided = elide(b'"' if i == 0 else b"\\n" * 50_000 for i in range(500))
    assert elided == 499 * 100_000 - 64_000
    assert len(data) < 65_000
