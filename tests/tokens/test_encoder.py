"""The encoder against tiktoken: the same tokens, whatever the text."""

import random
import tracemalloc
from pathlib import Path

import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.tokens import merging, ranks
from memd.tokens.encoder import Encoder, characters
from memd.tokens.table import NONE, Table

TOKENS = ranks.unpack(ranks.PACKED.read_bytes())
OURS = Encoder()
PIECES = [
    "hello",
    " worl",
    "Zé",
    "\n",
    "\n\n",
    "    ",
    "\r",
    "'ll",
    "é",
    "的测试",
    "\N{GRINNING FACE}",
    "\u0301",
    "ſ",
    "1234",
    "==/",
]


@pytest.fixture(scope="module")
def theirs():
    """o200k by tiktoken, from the ranks that memd ships."""
    numbered = {token: rank for rank, token in enumerate(TOKENS)}
    return tiktoken.Encoding("o200k", pat_str=ranks.PATTERN, mergeable_ranks=numbered, special_tokens={})


def spelled(encoding, text):
    """The bytes of each token."""
    return [TOKENS[rank] for rank in encoding.encode_ordinary(text)]


def test_documents(theirs):
    """Prose, tables and code: token for token."""
    root = Path(__file__).parents[2]
    for path in [*sorted((root / "docs").glob("*.md")), *sorted((root / "memd" / "tools").rglob("*.py"))]:
        text = path.read_text("utf-8")
        assert spelled(theirs, text) == OURS.encode(text)
        assert len(OURS.encode(text)) == OURS.count(text)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60) | st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_any_text(theirs, text):
    """Characters of all of Unicode, and what stands where pieces end."""
    assert spelled(theirs, text) == OURS.encode(text)


@pytest.mark.parametrize("letters", ["etaoinshrdlu", "的用户要求测试记录", "=-/"])
def test_long_pieces(theirs, letters):
    """Hundreds of letters without an end: each merge has two neighbours that change."""
    rng = random.Random(7)
    for size in (1, 2, 3, 50, 700):
        text = "".join(rng.choice(letters) for _ in range(size))
        assert spelled(theirs, text) == OURS.encode(text)


def test_each_token_is_found_and_nothing_else():
    """A look at the table gives the place of a token; of other bytes it says that they are none."""
    table = Table(ranks.PACKED.read_bytes())
    assert [table.rank(token) for token in TOKENS] == list(range(len(TOKENS)))
    known = set(TOKENS)
    assert {table.rank(token + b"\xff") for token in TOKENS if token + b"\xff" not in known} == {NONE}
    assert table.pairs(b"the") == [TOKENS.index(b"th"), TOKENS.index(b"he")]


def test_a_piece_that_is_a_token_is_one():
    """Also where merges alone would not make it one."""
    table = Table(ranks.PACKED.read_bytes())
    assert [merging.ends(token, table) for token in TOKENS[-2_000:]] == [[len(token)] for token in TOKENS[-2_000:]]


def test_characters_of_tokens():
    """A character that the last token begins is not counted."""
    tokens = OURS.encode("a\N{EGYPTIAN HIEROGLYPH A001}")
    assert [characters(tokens[:end]) for end in range(len(tokens) + 1)] == [0, 1, 1, 1, 1, 2]


def test_it_is_small():
    """What stays is a tenth of a dictionary of the tokens and its copies."""
    tracemalloc.start()
    encoder = Encoder()
    encoder.count("loaded")
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 8 << 20
