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


class Deliveries:
    """All of one record; times are milliseconds since the epoch."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def give(  # one act, told in the order in which it happens
        self,
        session: str,
        number: int,
        code: str,
        parts: int,
        hook: str,
        at: int,
        *,
        compactions: int,
        origin: str | None = None,
    ) -> None:
        """The text of checkpoint `number` with this receipt code was handed to the tool's hook.

        Told twice under the same code, it counts once, and its hook is the one of whoever knew most of it; receipts that were
        seen before fit it now.
        `origin` is the session whose checkpoint it is, where it is not the session's own (a fork before its first).
        """
        values = (session, origin or session, number, code, at, hook, parts, compactions)
        with self._db.transaction() as sql:
            added = sql.execute(
                "INSERT INTO delivery (session, origin, number, code, at, hook, parts, compactions, short)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0) ON CONFLICT DO NOTHING",
                values,
            )
            if added.rowcount:
                sql.execute(
                    "UPDATE receipt SET delivery = ? WHERE session = ? AND number = ? AND delivery IS NULL"
                    " AND (code = ? OR code = '' AND at >= ?)",
                    (added.lastrowid, session, number, code, at - _SLACK_MS),
                )
            elif hook:
                sql.execute(
                    "UPDATE delivery SET hook = :hook WHERE session = :session AND number = :number AND code = :code"
                    " AND (hook = '' OR substr(:hook, 1, length(hook) + 1) = hook || ':')",
                    {"hook": hook, "session": session, "number": number, "code": code},
                )

    def all(self, session: str) -> list[Delivered]:
        """All deliveries of a session, oldest first, and how far their proof has come."""
        return self._newest(session, -1)[::-1]

    def last(self, session: str) -> Delivered | None:
        """The newest delivery."""
        return next(iter(self._newest(session, 1)), None)

    def _newest(self, session: str, most: int) -> list[Delivered]:
        """The newest first; -1: all."""
        rows = self._db.rows(
            "SELECT id, number, code, at, hook, parts, compactions FROM delivery WHERE session = ?"
            " ORDER BY id DESC LIMIT ?",
            (session, most),
        )
        return [
            Delivered(
                number=number,
                code=code,
                at=at,
                hook=hook,
                parts=parts,
                compactions=compactions,
                **self._proof(row),
            )
            for row, number, code, at, hook, parts, compactions in rows
        ]

    def _proof(self, delivery: int) -> dict[str, Any]:
        """A receipt whose code is another one was never tied to this delivery, so any code is the right one."""
        seen = self._db.rows("SELECT part, code FROM receipt WHERE delivery = ?", (delivery,))
        return {"seen": frozenset(part for part, _ in seen), "ended": any(code for _, code in seen)}


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
