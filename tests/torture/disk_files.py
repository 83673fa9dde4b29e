"""What clients, people and power failures do to transcripts that are files, at random."""

import json
import os
import re
import shutil
import time

import zstandard

HOUR = 3600.0
OURS = re.compile(r"[\w:-]+ says \d{5}\.")
"""What each text that a source writes begins with, once in the world."""


class Source:
    """What a client writes."""

    by_turns = False
    """Whether two windows wrote by turns, and all of it is still there."""


class Jsonl(Source):
    """A transcript that is a file; its client's rows are written by `rows`, which gives bytes to `_write`."""

    def __init__(self, rows, chance):
        self.rows, self.chance = rows, chance
        self.path = rows.path
        self._rest = b""  # the second half of a line that the client has begun to write
        self._count = 0
        rows.raw = self._write

    @property
    def id(self):
        return self.rows.id

    @property
    def transcript(self):
        """The file as it is called now."""
        return self.path

    def text(self, words=20):
        self._count += 1
        filler = " é" * self.chance.randrange(words)
        return f"{self.rows.id} says {self._count:05}.{filler}"

    def seen(self):
        """What a reader that is through has read: the file's name, and its bytes up to the last line's end."""
        if not self.path.exists():
            return ()
        content = self.path.read_bytes()
        return (content[: content.rfind(b"\n") + 1],)

    def plain(self):
        """The texts of whole lines, as anybody finds them who knows no tool: the reader is held against it."""
        content = self._content()
        lines = content[: content.rfind(b"\n") + 1].split(b"\n")
        return {text for line in lines if self.says(_row(line)) for text in OURS.findall(line.decode())}

    def says(self, row):
        """Whether what a row says is to be recorded."""
        return isinstance(row, dict)

    def _content(self):
        return self.path.read_bytes() if self.path.exists() else b""

    def goes_on(self, seen):
        """Whether what was read is still there; a file that is not there was not written over."""
        now = self.seen()
        return not seen or not now or now[0].startswith(seen[0])

    def turn(self):
        """A prompt and its answer."""
        self.rows.typed(self.text())
        self.rows.says(self.text())

    # What only adds.

    def append(self):
        self._finish()
        match self.chance.randrange(5):
            case 0:
                self.rows.runs(f"make {self._count}", self.text())
            case 1:
                self.rows.typed(self.text(words=2_000))
            case _:
                self.turn()

    def partial(self):
        """The client is in the middle of a line; the rest comes with the next thing that it writes, or never."""
        self._finish()
        written = []
        self.rows.raw = written.append
        self.rows.typed(self.text())
        self.rows.says(self.text())
        self.rows.raw = self._write
        data = b"".join(written)
        at = self.chance.randrange(1, len(data))
        self._write(data[:at])
        self._rest = data[at:] if self.chance.random() < 0.7 else b""

    def clock(self):
        """The machine's clock jumps: the rows that come are of another hour, and so is the file."""
        self.rows._at += self.chance.uniform(-2, 2) * HOUR
        if self.path.exists():
            then = time.time() + self.chance.uniform(-2, 0) * HOUR
            os.utime(self.path, (then, then))

    # What takes away.

    def truncate(self):
        if self.path.exists():
            self._rest = b""
            os.truncate(self.path, self.chance.randrange(self.path.stat().st_size + 1))

    def replace(self):
        """Another file takes the name: it begins as the old one, or goes on from all of it."""
        if self.path.exists():
            old = self.path.read_bytes()
            self._renamed_over(old[: self.chance.choice([0, self.chance.randrange(len(old) + 1), len(old)])])

    def rewrite(self):
        """The same rows in another spelling, as a client's own migration leaves them, or without all of one message."""
        if self.path.exists():
            self._finish()
            lines = self.path.read_bytes().splitlines()
            dropped = f"says {self.chance.randrange(1, self._count + 2):05}.".encode()
            gone = dropped if self.chance.random() < 0.3 else None
            self._renamed_over(b"".join(_spelled(line) for line in lines if gone is None or gone not in line))

    def delete(self):
        self._rest = b""
        self.path.unlink(missing_ok=True)

    def copy_truncate(self):
        if self.path.exists():
            self._rest = b""
            shutil.copyfile(self.path, self.path.with_name("rotated.bak"))
            os.truncate(self.path, 0)

    def away(self):
        """Renamed, and back after a while or with the next thing that is written."""
        if self.path.exists():
            aside = self.path.with_name("aside")
            os.replace(self.path, aside)
            time.sleep(self.chance.uniform(0, 0.02))
            os.replace(aside, self.path)

    ADDING = ("append", "append", "append", "partial", "clock", "away", "compress")
    TAKING = ("truncate", "replace", "rewrite", "delete", "copy_truncate")

    def compress(self):
        """Only one client does that."""

    def ready(self):
        """As it is when its client goes on."""

    def close(self):
        """Nothing is open."""

    def _finish(self):
        self.ready()
        self._write(self._rest)
        self._rest = b""

    def _write(self, data):
        if data:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab") as file:
                file.write(data)

    def _renamed_over(self, content):
        self._rest = b""
        fresh = self.path.with_name("fresh.tmp")
        fresh.write_bytes(content)
        fresh.replace(self.path)


class Windows(Jsonl):
    """A transcript into which two windows may write by turns, row by row, the second one opened at any moment of the first's."""

    ADDING = (*Jsonl.ADDING, "windows")

    def windows(self):
        self._finish()
        for _ in range(self.chance.randrange(6)):  # the second one is opened in the middle of a turn, or between two
            self._goes_on()
        ends, busy = [self.rows._last] * 2, [self.chance.random() < 0.5, False]
        order = [0, 1, 1] * 3
        order += [self.chance.randrange(2) for _ in range(self.chance.randrange(12))]
        for window in order:
            self.rows._last = ends[window]
            if busy[window]:
                busy[window] = self._goes_on()
            else:
                self.rows.typed(self.text())
                busy[window] = True
            ends[window] = self.rows._last
        self.by_turns = True

    def _goes_on(self):
        """A window's agent does one thing more; whether its turn goes on."""
        if self.chance.random() < 0.5:
            self.rows.runs(f"make {self._count}", self.text())
            return True
        self.rows.says(self.text(), end=(ends := self.chance.random() < 0.5))
        return not ends


class Rollouts(Jsonl):
    """A rollout, which its client compresses in place and unpacks again when the thread goes on."""

    @property
    def packed(self):
        return self.path.with_name(self.path.name + ".zst")

    @property
    def transcript(self):
        return self.packed if self.packed.exists() else self.path

    def says(self, row):
        """The conversation's own rows; where one of them is torn, the client's events that repeat it are not the conversation."""
        return super().says(row) and row.get("type") == "response_item"

    def _content(self):
        if self.packed.exists():
            return zstandard.ZstdDecompressor().decompressobj().decompress(self.packed.read_bytes())
        return super()._content()

    def compress(self):
        if self.path.exists() and self.path.stat().st_size:
            self._finish()
            fresh = self.path.with_name("packed.tmp")
            fresh.write_bytes(zstandard.compress(self.path.read_bytes()))
            fresh.replace(self.packed)
            self.path.unlink()

    def ready(self):
        if self.packed.exists():
            fresh = self.path.with_name("unpacked.tmp")
            fresh.write_bytes(zstandard.ZstdDecompressor().decompressobj().decompress(self.packed.read_bytes()))
            fresh.replace(self.path)
            self.packed.unlink()

    def delete(self):
        self.packed.unlink(missing_ok=True)
        super().delete()


def _spelled(line):
    try:
        return json.dumps(json.loads(line), separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
    except ValueError:
        return line + b"\n"


def _row(line):
    try:
        return json.loads(line)
    except ValueError:
        return None
