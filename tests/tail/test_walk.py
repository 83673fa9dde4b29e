"""A random walk of writers, replacers and a reader that crashes, against a model of what is on the disk.

The model knows the bytes that were handed out. As long as the file still begins with them, every line comes exactly
once; once it does not, the reader has to say so and to begin again, and nothing that is complete in the new content
is missed.
"""

import os
import shutil
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from memd.tail.elide import Caps
from memd.tail.lines import Cursor, read

# Newlines are frequent here, characters have two bytes, and pieces end anywhere.
PIECES = st.lists(st.sampled_from([b"x", b"\n", b"\r", "é".encode(), b"\xc3"]), max_size=12).map(b"".join)
CAPS = Caps(line=6, string=100, head=10, output=1000)  # lines over 6 bytes take the way of the very long ones


class Walk(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.path = self.folder / "session.jsonl"
        self.content = None  # what is on the disk; None: no file
        self.stored = Cursor.start().dumps()  # the store: the cursor and, in one transaction with it,
        self.handled = b""  # the bytes whose lines it has

    def teardown(self):
        shutil.rmtree(self.folder)

    @rule(data=PIECES)
    def append(self, data):
        with self.path.open("ab") as file:
            file.write(data)
        self.content = (self.content or b"") + data

    @rule(at=st.integers(0, 40))
    def truncate(self, at):
        if self.content is not None:
            self.content = self.content[:at]
            os.truncate(self.path, len(self.content))

    @rule(data=PIECES)
    def truncate_and_regrow(self, data):
        """Also: made anew after it was deleted."""
        self.content = data
        self.path.write_bytes(data)

    @rule(data=PIECES, keep=st.integers(0, 40))
    def rename_over(self, data, keep):
        """Another file takes the path; it may begin as the old one did, or be a whole copy of it."""
        self.content = (self.content or b"")[:keep] + data
        (self.folder / "other").write_bytes(self.content)
        (self.folder / "other").replace(self.path)

    @rule(data=PIECES)
    def copy_and_truncate(self, data):
        if self.content is not None:
            shutil.copyfile(self.path, self.folder / "rotated")
            os.truncate(self.path, 0)
            self.content = b""
            self.append(data)

    @rule()
    def delete(self):
        self.path.unlink(missing_ok=True)
        self.content = None

    @rule(limit=st.integers(1, 30), crash=st.booleans())
    def read(self, limit, crash):
        batch = read(self.path, Cursor.loads(self.stored), limit, caps=CAPS)
        if self.content is None:
            assert batch.gone
            return
        start = self.expected_start()
        whole = self.content[: self.content.rfind(b"\n") + 1]
        given = b"".join(line.data + b"\n" for line in batch.lines)
        assert [self.content[line.offset :][: line.length] for line in batch.lines] == [x.data for x in batch.lines]
        assert batch.restarted == (start < len(self.handled))
        assert bool(batch.gaps) >= batch.restarted
        assert whole[start:].startswith(given)
        assert bool(given) == bool(whole[start:])
        assert batch.cursor.offset == start + len(given)
        if not crash:
            self.stored, self.handled = batch.cursor.dumps(), self.content[:start] + given

    def expected_start(self):
        return len(self.handled) if self.content.startswith(self.handled) else 0

    @invariant()
    def nothing_is_missed(self):
        """Whenever the reader catches up, it has every complete line, and nothing of an unfinished one."""
        if self.content is None:
            return
        cursor, found = Cursor.loads(self.stored), self.content[: self.expected_start()]
        for _ in range(len(self.content) + 1):  # each read gives a line, so this is enough
            batch = read(self.path, cursor, caps=CAPS)
            found += b"".join(line.data + b"\n" for line in batch.lines)
            cursor = batch.cursor
        assert found == self.content[: self.content.rfind(b"\n") + 1]


TestWalk = Walk.TestCase
TestWalk.settings = settings(
    max_examples=200, stateful_step_count=30, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
