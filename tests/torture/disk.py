"""What clients, people and power failures do to transcripts, at random: one source for each of the three tools.

Every operation changes the real file or database. Each text that is written is there once in the world, so that a text in
the record tells how often its line was recorded. An operation says before it acts whether it takes something away.
"""

import json
import os
import shutil
import sqlite3
import time
from contextlib import suppress

import zstandard
from opencode_session import OpenCodeSession
from rollout import Rollout
from transcript import Transcript

HOUR = 3600.0


class Jsonl:
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


class Rollouts(Jsonl):
    """A rollout, which its client compresses in place and unpacks again when the thread goes on."""

    @property
    def packed(self):
        return self.path.with_name(self.path.name + ".zst")

    @property
    def transcript(self):
        return self.packed if self.packed.exists() else self.path

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


class Rows:
    """A session in OpenCode's database."""

    ADDING = ("append", "append", "append", "checkpoint", "vacuum", "clock", "update")
    TAKING = ("remove", "again", "replaced")

    def __init__(self, rows, chance):
        self.rows, self.chance = rows, chance
        self._count = 0

    @property
    def id(self):
        return self.rows.id

    @property
    def transcript(self):
        return self.rows.path

    def text(self):
        self._count += 1
        return f"{self.rows.id} says {self._count:05}." + " é" * self.chance.randrange(20)

    def turn(self):
        self.rows.typed(self.text())
        self.rows.says(self.text())

    def seen(self):
        """The ids of the session's events, in order."""
        sql = self.rows._sql
        rows = sql.execute("SELECT id FROM event WHERE aggregate_id = ? ORDER BY seq", (self.rows.session,))
        return tuple(ident for (ident,) in rows)

    def goes_on(self, seen):
        """Whether the events that were read are still there."""
        return self.seen()[: len(seen)] == seen

    def append(self):
        if self.chance.random() < 0.3:
            self.rows.runs(f"make {self._count}", self.text())
        else:
            self.turn()

    def clock(self):
        self.rows._at += int(self.chance.uniform(-2, 2) * HOUR * 1000)

    def checkpoint(self):
        self.rows._sql.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def vacuum(self):
        with suppress(sqlite3.OperationalError):  # memd is reading: the client tries another time
            self.rows._sql.execute("VACUUM")

    def update(self):
        """The client changes its row of the session."""
        self.rows._sql.execute(
            "UPDATE session SET title = ?, time_updated = time_updated + 1", (f"Title {self._count}",)
        )

    def remove(self):
        """The newest events are deleted, as an older copy that was put in place would lack them, and the session goes on.

        It goes on by more than was taken away: a log of exactly the old length is no news before its next event.
        """
        least = max(0, self.rows._seq - self.chance.randrange(6))
        sql = self.rows._sql
        sql.execute("BEGIN")
        sql.execute("DELETE FROM event WHERE aggregate_id = ? AND seq > ?", (self.rows.session, least))
        sql.execute("UPDATE event_sequence SET seq = ? WHERE aggregate_id = ?", (least, self.rows.session))
        sql.execute("COMMIT")
        self.rows._seq = least
        self.turn()

    def again(self):
        """The session is deleted and imported, and goes on: the same events under other ids."""
        sql = self.rows._sql
        sql.execute("BEGIN")
        sql.execute("UPDATE event SET id = id || 'x' WHERE aggregate_id = ?", (self.rows.session,))
        sql.execute("COMMIT")
        self.turn()

    def replaced(self):
        """The database is replaced by a copy of itself, as a backup that is put back."""
        self.checkpoint()
        self.rows.close()
        copy = self.rows.database.with_name("copy.tmp")
        shutil.copyfile(self.rows.database, copy)
        for suffix in ("-wal", "-shm"):
            self.rows.database.with_name(self.rows.database.name + suffix).unlink(missing_ok=True)
        copy.replace(self.rows.database)
        self.rows._sql = sqlite3.connect(self.rows.database, isolation_level=None)

    def close(self):
        self.rows.close()


def sources(home, chance, epoch):
    """A session of each tool under a home, with ids of their own."""
    native = f"5d1f0c1e-0000-4000-8000-{epoch:012}"
    thread = f"01a22988-7aea-7731-8d65-{epoch:012}"
    claude = Transcript(home / ".claude" / "projects" / "-srv-work" / f"{native}.jsonl")
    codex = Rollout(home / ".codex" / "sessions", thread)
    base = home / ".local" / "share" / "opencode" / "opencode.db"
    opencode = OpenCodeSession(base, f"ses_{epoch:022}")
    return [Jsonl(claude, chance), Rollouts(codex, chance), Rows(opencode, chance)]


def _spelled(line):
    try:
        return json.dumps(json.loads(line), separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
    except ValueError:
        return line + b"\n"
