"""One physical line into objects: whatever state it is in, nothing is raised and nothing behind it is lost."""

import json
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memd.model import Gap
from memd.tools import jsonl
from memd.tools.jsonl import objects

DECODE = jsonl._DECODE

ROW = {"type": "user", "uuid": "a", "message": {"role": "user", "content": 'say "é" \\ 漢 😀 {"type":"user"}'}}
OTHER = {"type": "system", "uuid": "b"}


def line(*rows):
    return b"".join(json.dumps(row, ensure_ascii=False).encode() for row in rows)


def kinds(data):
    return [gap.kind for gap in objects(data)[1]]


@pytest.mark.parametrize(
    "around",
    [
        (b"", b"\r"),
        (b"\xef\xbb\xbf", b""),
        (b" \t", b" \t\r"),
        (b"", b""),
    ],
)
def test_what_stands_around_a_record_is_no_part_of_it(around):
    """A byte-order mark, blanks and the carriage return of a CRLF are passed over."""
    assert objects(around[0] + line(ROW) + around[1]) == ([ROW], [])


@pytest.mark.parametrize("blank", [b"", b"\r", b"  ", b"\xef\xbb\xbf"])
def test_an_empty_line_is_nothing(blank):
    """Nor is it a fault."""
    assert objects(blank) == ([], [])


@pytest.mark.parametrize("count", [1, 300])
def test_nuls_are_counted_and_what_follows_is_kept(count):
    """After a crash a file has runs of NUL: as a line of their own, or glued before a record."""
    nuls = b"\0" * count
    assert kinds(nuls) == ["torn"]
    assert objects(nuls)[0] == []
    assert objects(nuls + line(ROW))[0] == [ROW]
    assert kinds(nuls + line(ROW)) == ["torn"]
    assert objects(line(ROW) + nuls + line(OTHER))[0] == [ROW, OTHER]


def test_two_records_on_one_line():
    """A lost newline loses no record."""
    assert objects(line(ROW, OTHER)) == ([ROW, OTHER], [])
    assert objects(line(ROW) + b" \t" + line(OTHER, ROW)) == ([ROW, OTHER, ROW], [])


def test_twenty_thousand_records_on_one_line_are_read_in_a_moment():
    """A file without newlines is no reason to fail, nor to be slow."""
    start = time.process_time()
    found, gaps = objects(line(OTHER) * 20_000)
    assert (len(found), gaps) == (20_000, [])
    assert time.process_time() - start < 5


@pytest.mark.parametrize("cut", range(1, len(line(ROW))))
def test_a_record_behind_a_torn_one_is_salvaged(cut):
    """Wherever the first was cut: the second is read, and the tear is counted."""
    found, gaps = objects(line(ROW)[:cut] + line(OTHER))
    assert found[-1] == OTHER
    assert [gap.kind for gap in gaps] == ["torn"]


@pytest.mark.parametrize("cut", range(1, len(line(ROW))))
def test_a_record_before_a_torn_one_is_kept(cut):
    """What was whole stays."""
    found, gaps = objects(line(OTHER) + line(ROW)[:cut])
    assert found[0] == OTHER
    assert [gap.kind for gap in gaps] == ["torn"]


def test_all_records_behind_a_torn_one_are_salvaged():
    """A crash tore one, and the newlines behind it are lost as well."""
    data = line(ROW) + line(ROW)[:30] + line(OTHER, ROW) + line(OTHER)
    assert objects(data)[0] == [ROW, OTHER, ROW, OTHER]
    assert kinds(data) == ["torn"]


def test_a_line_of_objects_without_end_is_bounded():
    """Ten megabytes of small objects are not a transcript: the rest is counted as torn, and memory stays small."""
    found, gaps = objects(b'{"type":1}' * 1_000_000)
    assert (len(found), [gap.kind for gap in gaps]) == (50_000, ["torn"])


def test_the_inside_of_a_torn_record_is_no_record():
    """Only an object with a type that reaches to the line's end can be one: a piece of the torn one is none."""
    torn = line({"type": "user", "message": {"content": [{"type": "text", "text": "hi"}], "more": {"type": "x"}}})
    assert objects(torn[:-1]) == ([], objects(torn[:-1])[1])
    assert kinds(torn[:-1]) == ["torn"]


@pytest.mark.parametrize("character", ["\u2028", "\u2029", "\u0085", "\v", "\f", "\t", "\x1c"])
def test_odd_characters_stand_inside_records(character):
    """Line separators of other standards, raw or escaped, are text and are kept."""
    row = {"type": "user", "text": f"one{character}two"}
    assert objects(json.dumps(row).encode()) == ([row], [])
    assert objects(('{"type":"user","text":"one' + character + 'two"}').encode()) == ([row], [])


def test_lone_surrogates_become_what_can_be_stored():
    """Half a character, in a value or in a key, is replaced; a whole pair is kept."""
    found, gaps = objects(rb'{"type":"user","a\ud83d":["x\udc00y","\ud83d\ude00"]}')
    assert (found, gaps) == ([{"type": "user", "a\ufffd": ["x\ufffdy", "😀"]}], [])


def test_bytes_that_are_no_text_are_replaced():
    """A character cut by a crash does not cost its record."""
    assert objects(b'{"type":"user","text":"a\xf0\x9f\x98"}')[0] == [{"type": "user", "text": "a\ufffd"}]


def test_a_number_of_thousands_of_digits_costs_nothing_but_itself():
    """Python refuses to read it; the record and its other fields are there all the same."""
    found, gaps = objects(b'{"type":"user","n":' + b"9" * 50_000 + b',"m":7}' + line(OTHER))
    assert (found, gaps) == ([{"type": "user", "n": None, "m": 7}, OTHER], [])


@pytest.mark.parametrize(
    "line", [b'{"a":' * 20_000, b'{"a":' * 20_000 + b"1" + b"}" * 20_000, b'{"x":"' + b'y"{"' * 400_000]
)
def test_nested_places_are_not_each_read_to_the_end_of_the_line(line, monkeypatch):
    """What is looked at for a record behind a tear is bounded by the line's length; each place alone is not."""
    looked_at = []

    def decode(text, start):
        try:
            value, end = DECODE(text, start)
        except json.JSONDecodeError as error:
            looked_at.append(error.pos - start)
            raise
        except RecursionError:
            looked_at.append(100_000)
            raise
        looked_at.append(end - start)
        return value, end

    monkeypatch.setattr(jsonl, "_DECODE", decode)
    assert objects(line) == ([], [Gap("torn", "a line that is not JSON")])
    assert sum(looked_at) < 10_200_000 + 5 * len(line)


@pytest.mark.parametrize("opening", [b"[", b'{"a":'])
def test_nesting_without_end_is_a_torn_line(opening):
    """A hundred thousand levels, closed or not, are counted in reasonable time; a record behind them is kept."""
    closing = b"]" if opening == b"[" else b"}"
    start = time.process_time()
    deep = b'{"a":' + opening * 100_000 + b"1" + closing * 100_000 + b"}"
    assert kinds(opening * 100_000) == kinds(deep) == ["torn"]
    assert time.process_time() - start < 20
    assert objects(b'{"a":' + b"[" * 100_000 + line(OTHER))[0] == [OTHER]
    assert kinds(b'{"a":' + b"[" * 900 + rb'"\ud800"' + b"]" * 900 + b"}") in ([], ["torn"])


@pytest.mark.parametrize("value", ["[1, 2]", "3", '"text"', "null", "true", "NaN", "-Infinity"])
def test_a_line_that_is_no_object_is_counted(value):
    """Another kind of JSON is malformed; a record behind it is read."""
    assert kinds(value.encode()) == ["malformed"]
    assert objects(value.encode() + b" " + line(ROW))[0] == [ROW]


def test_numbers_that_json_does_not_have():
    """NaN and the infinities inside a record are read as what they are."""
    assert repr(objects(b'{"a":NaN,"b":-Infinity}')) == "([{'a': nan, 'b': -inf}], [])"


PIECES = [
    b'{"type":"user"',
    b'"',
    b"\\",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"\0",
    b"\xc3",
    b"\xa9",
    rb"\ud83d",
    b"1",
    b" ",
]


NUMBERS = [
    *("0", "-0", "-0.0", "0e5", "1E5", "1e400", "1e-400", "4.9e-324", "2.2250738585072011e-308", "0.1", "1e16"),
    *("9223372036854775808", "-9223372036854775809", "18446744073709551615", "18446744073709551616"),
    *("9" * 30, "9" * 310, "9" * 4_000, "9" * 30 + ".5", "1" + "0" * 400 + ".0", "01", "1.", ".5", "+1", "NaN"),
]


@pytest.mark.parametrize("number", NUMBERS)
def test_numbers_are_read_as_python_reads_them(number):
    """Long ones to their last digit, with their sign and their kind; what is none is none."""
    data = b'{"type":"user","n":' + number.encode() + b"}"
    assert repr(objects(data)) == repr(jsonl._patiently(data))


WHOLE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(max_size=3), WHOLE, max_size=4), st.booleans(), st.data())
def test_a_line_is_read_alike_at_once_and_with_patience(row, ascii_only, data):
    """Written by any program, whole or damaged: how it is read is a matter of time, never of what is read."""
    line = bytearray(json.dumps(row, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass"))
    for _ in range(data.draw(st.integers(0, 2))):
        at = data.draw(st.integers(0, len(line)))
        line[at : at + data.draw(st.integers(0, 2))] = data.draw(st.sampled_from([b"", *PIECES]))
    assert repr(objects(bytes(line))) == repr(jsonl._patiently(bytes(line)))


@given(st.binary(max_size=60) | st.lists(st.sampled_from(PIECES), max_size=30).map(b"".join))
@example(b'{"type":"user"}\0{')
def test_no_bytes_raise(data):
    """Any bytes: objects that can be written out again, and a gap for whatever is not one."""
    found, gaps = objects(data)
    assert all(isinstance(row, dict) for row in found)
    json.dumps(found, ensure_ascii=False).encode()
    assert found or gaps or not data.strip(b" \t\r\n\xef\xbb\xbf").strip()


@given(st.data())
def test_a_damaged_line_does_not_reach_the_next(data):
    """Flip, cut or double bytes of a line: a record that stands whole behind it on the line's end is still read."""
    head = bytearray(line(ROW))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(head) - 1))
        head[at : at + data.draw(st.integers(0, 3))] = data.draw(st.sampled_from([b"", *PIECES]))
    assert OTHER in objects(bytes(head) + b" " + line(OTHER))[0]
