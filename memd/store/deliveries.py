"""What was handed to a tool's hook, and what its transcript shows of it.

A receipt belongs to the newest delivery of its session with its number; the code decides where the receipt has one. A
part without a code may be an old row that a fork copied, so it must not be older than the delivery by more than a
minute. Either side may be recorded first: a hook that found the daemon down answers from disk. What fits nothing is
kept, unmatched.
"""

import sqlite3
from typing import Any

from memd.model import Delivered, Receipt
from memd.store.database import Database

_SLACK_MS = 60_000


def give(database: Database, session: str, given: Delivered, origin: str) -> None:
    """Record that a text was handed out, once; receipts that were seen before fit it now."""
    with database.transaction() as sql:
        added = sql.execute(
            "INSERT INTO delivery (session, origin, number, code, at, hook, parts, compactions, short)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0) ON CONFLICT DO NOTHING",
            (
                session,
                origin,
                given.number,
                given.code,
                given.at,
                given.hook,
                given.parts,
                given.compactions,
            ),
        )
        if added.rowcount:
            sql.execute(
                "UPDATE receipt SET delivery = ? WHERE session = ? AND number = ? AND delivery IS NULL"
                " AND (code = ? OR code = '' AND at >= ?)",
                (added.lastrowid, session, given.number, given.code, given.at - _SLACK_MS),
            )


def add_receipt(sql: sqlite3.Connection, session: str, receipt: Receipt) -> None:
    """Record what the transcript shows, once, with the delivery that it proves."""
    sql.execute(
        "INSERT OR IGNORE INTO receipt (session, delivery, number, part, parts, code, at, named, hook) VALUES ("
        ":session, (SELECT max(id) FROM delivery WHERE session = :session AND number = :number"
        "  AND (code = :code OR :code = '' AND (:at IS NULL OR :at >= at - :slack))),"
        " :number, :part, :parts, :code, :at, :named, :hook)",
        {
            "session": session,
            "number": receipt.number,
            "part": receipt.part,
            "parts": receipt.parts,
            "code": receipt.code or "",
            "at": receipt.at,
            "named": receipt.session,
            "hook": receipt.hook,
            "slack": _SLACK_MS,
        },
    )


def deliveries(database: Database, session: str) -> list[Delivered]:
    """All deliveries of a session, oldest first."""
    rows = database.rows(
        "SELECT id, number, code, at, hook, parts, compactions FROM delivery WHERE session = ? ORDER BY id",
        (session,),
    )
    return _delivered(database, rows)


def last_delivery(database: Database, session: str) -> Delivered | None:
    """The newest delivery of a session."""
    rows = database.rows(
        "SELECT id, number, code, at, hook, parts, compactions FROM delivery WHERE session = ?"
        " ORDER BY id DESC LIMIT 1",
        (session,),
    )
    return next(iter(_delivered(database, rows)), None)


def _delivered(database: Database, rows: list[tuple[Any, ...]]) -> list[Delivered]:
    return [
        Delivered(
            number=number,
            code=code,
            at=at,
            hook=hook,
            parts=parts,
            compactions=compactions,
            **_proof(database, row),
        )
        for row, number, code, at, hook, parts, compactions in rows
    ]


def _proof(database: Database, delivery: int) -> dict[str, Any]:
    """A receipt whose code is another one was never tied to this delivery, so any code is the right one."""
    seen = database.rows("SELECT part, code FROM receipt WHERE delivery = ?", (delivery,))
    return {"seen": frozenset(part for part, _ in seen), "ended": any(code for _, code in seen)}
