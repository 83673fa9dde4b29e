"""The o200k ranks in the form that memd ships, so that counting never waits for a network.

`o200k.bin.xz` is one xz stream: the number of tokens (u32, little endian), a table with the length of each token (u8;
the longest has 128 bytes), then the bytes of all tokens. A token's rank is its place, so ranks are not written at all.
That is 816 kB where the plain file has 3.6 MB, and it loads a little faster than tiktoken reads its own cache.

Source of the ranks: `o200k_base.tiktoken` as OpenAI publishes it for tiktoken (MIT licence), taken from the copy inside
the PyPI package llama-index-core 0.14 (MIT licence), `_static/tiktoken_cache/fb374d419588a4632f3f557e76b4b70aebbca790`.
Its SHA-256 is the `expected_hash` in `tiktoken_ext.openai_public`; a test rebuilds the plain file and compares it.
`PATTERN` is that module's pattern for o200k_base; a test compares that too.
"""

import base64
import lzma
from itertools import accumulate, pairwise
from pathlib import Path

PACKED = Path(__file__).parent / "o200k.bin.xz"

PATTERN = "|".join(  # noqa: FLY002  one alternative a line, as in the source
    (
        r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?""",
        r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?""",
        r"""\p{N}{1,3}""",
        r""" ?[^\s\p{L}\p{N}]+[\r\n/]*""",
        r"""\s*[\r\n]+""",
        r"""\s+(?!\S)""",
        r"""\s+""",
    )
)

_COUNT_BYTES = 4


def from_tiktoken(text: bytes) -> list[bytes]:
    """The tokens by rank, from a `.tiktoken` file: a line `<base64 of the token> <rank>` for each.

    Raises:
        ValueError: a line has another shape, or the ranks are not 0, 1, 2 …: then a rank is no place in a list.
    """
    lines = [line.split() for line in text.splitlines()]
    if [int(rank) for _, rank in lines] != list(range(len(lines))):
        raise ValueError("the ranks of a .tiktoken file must be 0, 1, 2, … in order")
    return [base64.b64decode(token, validate=True) for token, _ in lines]


def to_tiktoken(tokens: list[bytes]) -> bytes:
    """The `.tiktoken` file of these tokens, byte for byte as it was published."""
    return b"".join(b"%s %d\n" % (base64.b64encode(token), rank) for rank, token in enumerate(tokens))


def pack(tokens: list[bytes]) -> bytes:
    """The shipped form of these tokens. Equal tokens may give other bytes under another version of liblzma."""
    table = len(tokens).to_bytes(_COUNT_BYTES, "little") + bytes(map(len, tokens))
    return lzma.compress(table + b"".join(tokens), preset=9 | lzma.PRESET_EXTREME)


def unpack(packed: bytes) -> list[bytes]:
    """The tokens by rank, from the shipped form."""
    raw = lzma.decompress(packed)
    start = _COUNT_BYTES + int.from_bytes(raw[:_COUNT_BYTES], "little")
    ends = accumulate(raw[_COUNT_BYTES:start], initial=start)
    return [raw[begin:end] for begin, end in pairwise(ends)]
