"""What OpenCode and its user do to its database, at random."""

import shutil
import sqlite3
from contextlib import suppress

from disk_files import HOUR, OURS, Source


class Rows(Source):
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

    def plain(self):
        """The texts in the session's events, as anybody finds them who knows no tool."""
        rows = self.rows._sql.execute("SELECT data FROM event WHERE aggregate_id = ?", (self.rows.session,))
        return {text for (data,) in rows for text in OURS.findall(data)}

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
