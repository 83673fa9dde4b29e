"""Reads: whole lines, once each, and a restart when the file is no longer what was read."""

import os
import shutil
import time

import pytest

from memd.errors import SourceUnreadable
from memd.tail import lines
from memd.tail.elide import Caps
from memd.tail.lines import Batch, Cursor, Gap, Line, read


@pytest.fixture
def path(tmp_path):
    return tmp_path / "session.jsonl"


def texts(batch):
    return [line.data for line in batch.lines]


def append(path, data):
    with path.open("ab") as file:
        file.write(data)


class TestLines:
    def test_offsets(self, path):
        """Offset and length point at the record's bytes in the file, exactly."""
        path.write_bytes(b'{"a":1}\n\n\xc3\xa9\r\nunfinished')
        batch = read(path, Cursor.start())
        assert (Line(0, 7, b'{"a":1}'), Line(8, 0, b""), Line(9, 3, b"\xc3\xa9\r")) == batch.lines
        assert (batch.cursor.offset, batch.cursor.seen, batch.size) == (13, 23, 23)
        assert not batch.restarted
        assert batch.gaps == ()

    def test_only_newline_ends_a_line(self, path):
        """Characters that str.splitlines takes for line ends stay inside a record; so do NULs and a BOM."""
        record = "\ufeff\0\0a\u2028b\u2029c\x85d\x0be\x0cf\x1cg\rh".encode()
        path.write_bytes(record + b"\n")
        assert [record] == texts(read(path, Cursor.start()))

    def test_unfinished_line(self, path):
        """A line is delivered when its newline comes, whole, and not before."""
        text = 'a {"t":"漢字 é 😀"}'.encode() + b"\n"
        for cut in range(len(text)):
            path.write_bytes(b"first\n" + text[:cut])
            batch = read(path, Cursor.start())
            assert texts(batch) == [b"first"]
            assert texts(read(path, batch.cursor)) == []
            append(path, text[cut:])
            assert [text[:-1]] == texts(read(path, batch.cursor))

    @pytest.mark.parametrize("limit", range(1, 20))
    def test_limit(self, path, limit):
        """Whatever the limit, the lines are the same; a read gives about `limit` bytes, but one line at least."""
        data = "é\n\nlonger than any limit here: 漢字\r\nx\n".encode()
        path.write_bytes(data + b"tail")
        cursor, found = Cursor.start(), []
        while (batch := read(path, cursor, limit)).lines:
            assert len(batch.lines) == 1 or sum(line.length + 1 for line in batch.lines) <= limit
            found += batch.lines
            cursor = batch.cursor
        assert read(path, Cursor.start()).lines == tuple(found)
        assert read(path, Cursor.start()).cursor == cursor

    def test_long_line(self, path):
        """A line over the cap is streamed: its long string is cut, counted, and the next line is where it was."""
        caps = Caps(line=1000, string=500, head=10, output=10_000)
        long = b'{"k":"' + b"y" * 900_000 + b'"}'
        path.write_bytes(b"a\n" + long + b"\nb\n")
        first = read(path, Cursor.start(), caps=caps)
        second = read(path, first.cursor, caps=caps)
        third = read(path, second.cursor, caps=caps)
        cut = b'{"k":"yyyyyyyyyy [memd left out 899990 bytes]"}'
        assert (Line(2, len(long), cut, elided=899_990),) == second.lines
        assert (Line(len(long) + 3, 1, b"b"),) == third.lines
        assert not third.restarted

    def test_long_line_unfinished(self, path):
        """A long line without its newline is not there yet either."""
        caps = Caps(line=1000)
        path.write_bytes(b"y" * 900_000)
        assert read(path, Cursor.start(), caps=caps).lines == ()

    def test_a_hole_is_passed_over(self, path):
        """A terabyte that nobody wrote is not read, whether its line ends or not; what stands behind it is."""
        hole = 1 << 40
        path.write_bytes(b"a\n")
        os.truncate(path, hole)
        first = read(path, Cursor.start())
        assert first.lines == (Line(0, 1, b"a"),)
        before = time.monotonic()
        assert read(path, first.cursor).lines == ()
        with path.open("ab") as file:
            file.write(b'{"b": 1}\n{"c": 2}\n')
        second = read(path, first.cursor)
        length = hole - 2 + 8
        assert second.lines == (Line(2, length, b"\0" * 64 + b'{"b": 1}', elided=length - 72),)
        third = read(path, second.cursor)
        assert (third.lines, third.restarted) == ((Line(hole + 9, 8, b'{"c": 2}'),), False)
        assert time.monotonic() - before < 5


class TestSameFile:
    """Every restart is seen, and nothing that goes on is taken for one."""

    old = b"one\ntwo\nthree\n"

    @pytest.fixture
    def cursor(self, path):
        path.write_bytes(self.old + b"unfini")
        return read(path, Cursor.start()).cursor

    def assert_restarted(self, path, cursor, lost):
        batch = read(path, cursor)
        assert (True, (Gap("overwritten", lost),)) == (batch.restarted, batch.gaps)
        assert read(path, Cursor.start()).lines == batch.lines
        assert read(path, Cursor.start()).cursor == batch.cursor

    def test_truncated(self, path, cursor):
        path.write_bytes(b"new\n")
        self.assert_restarted(path, cursor, lost=6)

    def test_truncated_to_nothing(self, path, cursor):
        path.write_bytes(b"")
        self.assert_restarted(path, cursor, lost=6)

    def test_truncated_and_grown_past_the_offset(self, path, cursor):
        """Size alone would not tell."""
        path.write_bytes(b"new\n" * 10)
        self.assert_restarted(path, cursor, lost=6)

    def test_renamed_over(self, path, cursor, tmp_path):
        """Another file under the same path, longer than the old offset."""
        other = tmp_path / "other"
        other.write_bytes(b"other\n" * 10)
        other.replace(path)
        self.assert_restarted(path, cursor, lost=6)

    def test_head_rewritten(self, path):
        """The last bytes before the offset are the same, the first are not."""
        path.write_bytes(b"old\n" + b"same\n" * 5000)
        cursor = read(path, Cursor.start()).cursor
        path.write_bytes(b"new\n" + b"same\n" * 6000)
        self.assert_restarted(path, cursor, lost=0)

    def test_deleted_and_made_anew(self, path, cursor):
        path.unlink()
        batch = read(path, cursor)
        assert Batch((), cursor, 0, gone=True) == batch
        path.write_bytes(b"new\n" * 10)
        self.assert_restarted(path, batch.cursor, lost=6)

    def test_unread_backlog_lost(self, path):
        """Lines that were seen on disk and overwritten unread are counted."""
        path.write_bytes(b"a" * 99 + b"\n" + b"b" * 899 + b"\n")
        cursor = read(path, Cursor.start(), limit=100).cursor
        path.write_bytes(b"new\n")
        self.assert_restarted(path, cursor, lost=900)

    def test_cut_behind_the_cursor(self, path, cursor):
        """What was read is still there and what was unread is cut off: a gap, but nothing to read again."""
        path.write_bytes(self.old)
        batch = read(path, cursor)
        assert (False, (Gap("overwritten", 6),), ()) == (batch.restarted, batch.gaps, batch.lines)
        assert read(path, batch.cursor).gaps == ()

    def test_copied(self, path, cursor, tmp_path):
        """The same text under another inode goes on (migrated in place, restored from a backup)."""
        copy = tmp_path / "copy"
        shutil.copyfile(path, copy)
        copy.replace(path)
        append(path, b"shed\n")
        batch = read(path, cursor)
        assert (texts(batch), batch.restarted, batch.gaps) == ([b"unfinished"], False, ())
        assert path.stat().st_ino == batch.cursor.inode

    def test_moved(self, path, cursor, tmp_path):
        """A file that moved is read on under its new path."""
        moved = tmp_path / "archived.jsonl"
        path.rename(moved)
        append(moved, b"shed\n")
        assert texts(read(moved, cursor)) == [b"unfinished"]

    def test_nothing_read_yet(self, path):
        """A first line that is not complete has no fingerprint: not an error, not a restart."""
        path.write_bytes(b"unfini")
        cursor = read(path, Cursor.start()).cursor
        assert (cursor.offset, cursor.fingerprint) == (0, b"")
        append(path, b"shed\n")
        batch = read(path, cursor)
        assert (texts(batch), batch.restarted, batch.gaps) == ([b"unfinished"], False, ())

    def test_replaced_while_reading(self, path, cursor, monkeypatch):
        """The fingerprint is of the bytes handed out: a file overwritten during the read is noticed by the next."""
        append(path, b"shed\n")
        real = os.pread

        def overwritten_after(fd, count, offset):
            data = real(fd, count, offset)
            if offset == len(self.old):
                path.write_bytes(b"n" * 100 + b"\n")
            return data

        monkeypatch.setattr(lines.os, "pread", overwritten_after)
        batch = read(path, cursor)
        monkeypatch.undo()
        assert texts(batch) == [b"unfinished"]
        self.assert_restarted(path, batch.cursor, lost=0)


class TestTrouble:
    def test_missing(self, path):
        """A file that is not there is a value."""
        assert Batch((), Cursor.start(), 0, gone=True) == read(path, Cursor.start())
        assert read(path / "below", Cursor.start()).gone

    def test_unreadable(self, path, monkeypatch):
        """A file that is there and cannot be read is an error that names it."""

        def denied(*_):
            raise PermissionError(13, "Permission denied")

        path.write_bytes(b"x\n")
        monkeypatch.setattr(lines.os, "open", denied)
        with pytest.raises(SourceUnreadable, match=r"session\.jsonl: Permission denied"):
            read(path, Cursor.start())

    def test_broken_disk(self, path, monkeypatch):
        """So is a disk or a mount that fails in the middle."""

        def broken(*_):
            raise OSError(5, "Input/output error")

        path.write_bytes(b"x\n")
        monkeypatch.setattr(lines.os, "pread", broken)
        with pytest.raises(SourceUnreadable, match="Input/output error"):
            read(path, Cursor.start())

    def test_no_regular_file(self, tmp_path):
        """Directories are refused, and a FIFO holds nobody up."""
        os.mkfifo(tmp_path / "fifo")
        for name in ("fifo", "."):
            with pytest.raises(SourceUnreadable, match="not a regular file"):
                read(tmp_path / name, Cursor.start())
