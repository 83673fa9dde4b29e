"""Cursors: their form on disk, and what their fingerprints notice."""

import pytest

from memd.errors import StoreTrouble
from memd.tail.cursor import Cursor, Trail


def trail_of(data: bytes, offset: int) -> Trail:
    return Trail.of(lambda start, count: data[start : start + count], offset)


class TestForm:
    def test_on_disk(self):
        """The JSON form is kept in the store: it is pinned here, and so is the hash (blake2b, 16 bytes)."""
        trail = Trail()
        trail.feed(b'{"a":1}\n')
        cursor = Cursor(device=2049, inode=2**64 - 1, offset=8, seen=11, fingerprint=trail.fingerprint())
        text = (
            '{"v":1,"device":2049,"inode":18446744073709551615,"offset":8,"seen":11,'
            '"fingerprint":"75b2b53df34bc823b9cb9b5f6dd39929"}'
        )
        assert text == cursor.dumps()
        assert cursor == Cursor.loads(text)

    def test_start(self):
        """A file that was never read has the zero cursor."""
        text = '{"v":1,"device":0,"inode":0,"offset":0,"seen":0,"fingerprint":""}'
        assert text == Cursor.start().dumps()
        assert Cursor.start() == Cursor.loads(text)

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "\0\0\0\0",
            "[]",
            "7",
            '{"v":1}',
            '{"v":2,"device":0,"inode":0,"offset":0,"seen":0,"fingerprint":""}',
            '{"v":1,"device":0,"inode":0,"offset":-1,"seen":0,"fingerprint":""}',
            '{"v":1,"device":0,"inode":0,"offset":0,"seen":0,"fingerprint":"xy"}',
            '{"v":1,"device":null,"inode":0,"offset":0,"seen":0,"fingerprint":""}',
        ],
    )
    def test_damaged(self, text):
        """A damaged cursor, or a newer memd's, is the store's trouble, never a guess."""
        with pytest.raises(StoreTrouble, match="cursor in the store"):
            Cursor.loads(text)


class TestTrail:
    def test_nothing_read(self):
        """Too short to compare is "not yet": nothing read, no fingerprint."""
        assert Trail().fingerprint() == b""
        assert trail_of(b"whatever", 0).fingerprint() == b""

    @pytest.mark.parametrize("size", [1, 4095, 4096, 4097, 8191, 8192, 8193, 50_000])
    @pytest.mark.parametrize("step", [7, 4096, 10_000, 50_000])
    def test_fed_or_read(self, size, step):
        """A trail fed while reading is the one that a later look at the file gives."""
        data = bytes(i * i % 251 for i in range(size))
        fed = Trail()
        for start in range(0, size, step):
            fed.feed(data[start : start + step])
        assert trail_of(data, size).fingerprint() == fed.fingerprint()

    @pytest.mark.parametrize("at", [0, 4095, 46_000, 49_999])
    def test_notices(self, at):
        """One changed byte at either end of what was read is noticed."""
        data = bytearray(50_000)
        before = trail_of(data, 50_000).fingerprint()
        data[at] = 1
        assert before != trail_of(data, 50_000).fingerprint()
