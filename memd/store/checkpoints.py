"""Checkpoints: the row makes a number current, the texts are kept with it so that damaged files can be repaired.

Numbers are never used twice, so the newest row is never dropped.
"""

import json
import sqlite3
from collections.abc import Iterable
from typing import Any

from msgspec.structs import asdict

from memd.errors import NotFound, Refused
from memd.model import Checkpoint, Parts, Problem, Tick, TokenCounts
from memd.store import judging
from memd.store.database import Database
from memd.store.packs import plain, squeezed
from memd.store.texts import compact

_EXTRACTIVE = "extractive"


def add(database: Database, checkpoint: Checkpoint, digest: str, ticks: Iterable[Tick] = ()) -> None:
    """Make a checkpoint the current one; see `Store.add_checkpoint`."""
    with database.transaction() as sql:
        insert(sql, checkpoint, digest)
        judging.insert(sql, checkpoint.session, ticks)


def insert(sql: sqlite3.Connection, checkpoint: Checkpoint, digest: str) -> None:
    """The same inside a transaction."""
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
        *(squeezed(text.encode()) for text in (checkpoint.parts.mind, checkpoint.parts.memo, checkpoint.parts.scene)),
    )


def _compact(problems: Iterable[Problem]) -> str:
    return compact([asdict(problem) for problem in problems])


def _problems(text: str) -> tuple[Problem, ...]:
    return tuple(Problem(**problem) for problem in json.loads(text))


def confirm(database: Database, session: str, upto: int) -> None:
    """The current checkpoint holds for everything up to here; see `Store.confirm_checkpoint`."""
    with database.transaction() as sql:
        sql.execute(
            "UPDATE checkpoint SET upto = ? WHERE upto < ? AND session = (SELECT row FROM session WHERE id = ?)"
            " AND number = (SELECT max(number) FROM checkpoint c WHERE c.session = checkpoint.session)",
            (upto, upto, session),
        )


def note(database: Database, session: str, problems: Iterable[Problem]) -> None:
    """What went wrong beside the current checkpoint; see `Store.note_problems`."""
    with database.transaction() as sql:
        sql.execute(
            "UPDATE checkpoint SET noted = ? WHERE session = (SELECT row FROM session WHERE id = ?)"
            " AND number = (SELECT max(number) FROM checkpoint c WHERE c.session = checkpoint.session)",
            (_compact(problems), session),
        )


def judged(database: Database, session: str) -> list[int]:
    """The numbers that were not written by the program alone, newest first."""
    rows = database.rows(
        "SELECT number FROM checkpoint JOIN session s ON s.row = session WHERE s.id = ? AND writer != ? ORDER BY number DESC",
        (session, _EXTRACTIVE),
    )
    return [number for (number,) in rows]


def get(database: Database, session: str, number: int | None) -> Checkpoint | None:
    """The checkpoint with this number, or the current one."""
    found = database.row(
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
        parts=Parts(*(plain(kept).decode() for kept in (mind, memo, scene))),
        tokens=TokenCounts(**json.loads(tokens)) if tokens else None,
        problems=_problems(problems),
        noted=_problems(noted),
    )


def numbers(database: Database, session: str) -> list[int]:
    """The numbers that are kept, ascending."""
    rows = database.rows(
        "SELECT number FROM checkpoint JOIN session s ON s.row = session WHERE s.id = ? ORDER BY number", (session,)
    )
    return [number for (number,) in rows]


def digest(database: Database, session: str) -> str | None:
    """The digest of the current checkpoint's content."""
    found = database.row(
        "SELECT digest FROM checkpoint JOIN session s ON s.row = session WHERE s.id = ? ORDER BY number DESC LIMIT 1",
        (session,),
    )
    return found[0] if found else None


def prune(database: Database, session: str, keep: int) -> list[int]:
    """Drop what history need not keep; see `Store.prune_checkpoints`."""
    with database.transaction() as sql:
        plain = sql.execute(
            "SELECT c.rowid, c.number, c.number = (SELECT max(number) FROM checkpoint WHERE session = s.row)"
            " FROM checkpoint c JOIN session s ON s.row = c.session WHERE s.id = ? AND c.writer = ?"
            " AND NOT EXISTS (SELECT 1 FROM delivery d WHERE d.origin = s.id AND d.number = c.number)"
            " ORDER BY c.number DESC",
            (session, _EXTRACTIVE),
        ).fetchall()
        dropped = [(row, number) for row, number, current in plain[keep:] if not current]
        sql.executemany("DELETE FROM checkpoint WHERE rowid = ?", ((row,) for row, _ in dropped))
    return sorted(number for _, number in dropped)
