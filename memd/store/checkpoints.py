"""Checkpoints: the row makes a number current, the texts are kept with it so that damaged files can be repaired.

Numbers are never used twice, so the newest row is never dropped.
"""

import json
import sqlite3
from collections.abc import Collection, Iterable
from typing import Any

from msgspec.structs import asdict

from memd.errors import NotFound, Refused
from memd.model import Checkpoint, Parts, Problem, Tick, TokenCounts
from memd.store import judging
from memd.store.codes import compact
from memd.store.database import Database
from memd.store.packs import plain, squeezed

_EXTRACTIVE = "extractive"


class Checkpoints:
    """All of one record; times are milliseconds since the epoch."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def add(self, checkpoint: Checkpoint, digest: str, ticks: Iterable[Tick] = ()) -> None:
        """Make a checkpoint the session's current one; what it decided on boxes of the memo is decided with it.

        Raises:
            NotFound: no such session.
            Refused: its number does not follow the last one (somebody else was quicker).
        """
        with self._db.transaction() as sql:
            insert(sql, checkpoint, digest)
            judging.insert(sql, checkpoint.session, ticks)

    def confirm(self, session: str, upto: int) -> None:
        """What came up to message `upto` changed nothing in the current checkpoint."""
        with self._db.transaction() as sql:
            sql.execute(
                "UPDATE checkpoint SET upto = ? WHERE upto < ? AND session = (SELECT row FROM session WHERE id = ?)"
                " AND number = (SELECT max(number) FROM checkpoint c WHERE c.session = checkpoint.session)",
                (upto, upto, session),
            )

    def note(self, session: str, problems: Iterable[Problem]) -> None:
        """What a model's run came to that changed nothing: shown with the current checkpoint."""
        with self._db.transaction() as sql:
            sql.execute(
                "UPDATE checkpoint SET noted = ? WHERE session = (SELECT row FROM session WHERE id = ?)"
                " AND number = (SELECT max(number) FROM checkpoint c WHERE c.session = checkpoint.session)",
                (_compact(problems), session),
            )

    def judged(self, session: str) -> list[int]:
        """The checkpoints that a model wrote or a person edited, newest first."""
        rows = self._db.rows(
            "SELECT number FROM checkpoint JOIN session s ON s.row = session WHERE s.id = ? AND writer != ? ORDER BY number DESC",
            (session, _EXTRACTIVE),
        )
        return [number for (number,) in rows]

    def current(self, session: str) -> Checkpoint | None:
        """The newest checkpoint, texts included."""
        return self._read(session, None)

    def get(self, session: str, number: int) -> Checkpoint | None:
        """One checkpoint, texts included."""
        return self._read(session, number)

    def numbers(self, session: str) -> list[int]:
        """The numbers that are kept, ascending."""
        rows = self._db.rows(
            "SELECT number FROM checkpoint JOIN session s ON s.row = session WHERE s.id = ? ORDER BY number", (session,)
        )
        return [number for (number,) in rows]

    def upto(self, session: str) -> int | None:
        """The message that the current checkpoint is as of; no text is unpacked for that."""
        found = self._db.row(
            "SELECT upto FROM checkpoint JOIN session s ON s.row = session WHERE s.id = ? ORDER BY number DESC LIMIT 1",
            (session,),
        )
        return found[0] if found else None

    def digest(self, session: str) -> str | None:
        """The digest that the current checkpoint was added with."""
        found = self._db.row(
            "SELECT digest FROM checkpoint JOIN session s ON s.row = session WHERE s.id = ? ORDER BY number DESC LIMIT 1",
            (session,),
        )
        return found[0] if found else None

    def prune(self, session: str, spared: Collection[int] = (), *, keep: int = 10) -> list[int]:
        """Drop all but those that were given back or written by a model, the last `keep` others, and what is `spared`.

        Returns:
            The dropped numbers, ascending. The current checkpoint is never among them.
        """
        with self._db.transaction() as sql:
            plain = sql.execute(
                "SELECT c.rowid, c.number, c.number = (SELECT max(number) FROM checkpoint WHERE session = s.row)"
                " FROM checkpoint c JOIN session s ON s.row = c.session WHERE s.id = ? AND c.writer = ?"
                " AND NOT EXISTS (SELECT 1 FROM delivery d WHERE d.origin = s.id AND d.number = c.number)"
                " ORDER BY c.number DESC",
                (session, _EXTRACTIVE),
            ).fetchall()
            dropped = [(row, number) for row, number, current in plain[keep:] if not current and number not in spared]
            sql.executemany("DELETE FROM checkpoint WHERE rowid = ?", ((row,) for row, _ in dropped))
        return sorted(number for _, number in dropped)

    def _read(self, session: str, number: int | None) -> Checkpoint | None:
        """The checkpoint with this number, or the current one."""
        found = self._db.row(
            'SELECT s.id, number, at, writer, "trigger", upto, receipt, mind, memo, scene, c.tokens, problems, noted'
            " FROM checkpoint c JOIN session s ON s.row = c.session"
            " WHERE s.id = :session AND (:number IS NULL OR number = :number) ORDER BY number DESC LIMIT 1",
            {"session": session, "number": number},
        )
        if found is None:
            return None
        *head, mind, memo, scene, tokens, problems, noted = found
        id_, at_number, at, writer, trigger, upto, receipt = head
        return Checkpoint(
            session=id_,
            number=at_number,
            at=at,
            writer=writer,
            trigger=trigger,
            upto=upto,
            receipt=receipt,
            parts=Parts(plain(mind).decode(), plain(memo), plain(scene).decode()),
            tokens=TokenCounts(**json.loads(tokens)) if tokens else None,
            problems=_problems(problems),
            noted=_problems(noted),
        )


def insert(sql: sqlite3.Connection, checkpoint: Checkpoint, digest: str) -> None:
    """Make a checkpoint the current one, inside a transaction."""
    found = sql.execute(
        "SELECT row, (SELECT ifnull(max(number), 0) FROM checkpoint WHERE session = row) FROM session WHERE id = ?",
        (checkpoint.session,),
    ).fetchone()
    if found is None:
        raise NotFound(f"no session {checkpoint.session} is recorded")
    row, last = found
    if last and checkpoint.number != last + 1:  # the first may follow those of a record that was lost
        raise Refused(f"checkpoint {checkpoint.number} of {checkpoint.session} does not follow {last}")
    sql.execute(
        'INSERT INTO checkpoint (session, number, at, writer, "trigger", upto, receipt, digest, tokens, problems,'
        " noted, mind, memo, scene) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        _row(row, checkpoint, digest),
    )


def _row(session: int, checkpoint: Checkpoint, digest: str) -> tuple[Any, ...]:
    parts = checkpoint.parts
    return (
        session,
        checkpoint.number,
        checkpoint.at,
        checkpoint.writer,
        checkpoint.trigger,
        checkpoint.upto,
        checkpoint.receipt,
        digest,
        compact(asdict(checkpoint.tokens)) if checkpoint.tokens else None,
        _compact(checkpoint.problems),
        _compact(checkpoint.noted),
        *(squeezed(text) for text in (parts.mind.encode(), parts.listed, parts.scene.encode())),
    )


def _compact(problems: Iterable[Problem]) -> str:
    return compact([asdict(problem) for problem in problems])


def _problems(text: str) -> tuple[Problem, ...]:
    return tuple(Problem(**problem) for problem in json.loads(text))
