"""What was decided with judgement: boxes of the memo, and the runs of models that it took.

A run is entered when it starts, so that a crash of the daemon does not forget what was spent.
"""

import json
from collections.abc import Iterable
from typing import Any

from msgspec.structs import asdict

from memd.model import Problem, Run, Spent, Tick
from memd.store import reading
from memd.store.codes import compact
from memd.store.database import Database


class Judging:
    """All of one record; times are milliseconds since the epoch."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def ticks(self, session: str) -> dict[int, Tick]:
        """The memo's boxes that a person or a model decided on, by message number."""
        rows = self._db.rows(
            "SELECT number, ticked, person FROM tick WHERE session = (SELECT row FROM session WHERE id = ?)", (session,)
        )
        return {number: Tick(number, bool(ticked), bool(person)) for number, ticked, person in rows}

    def tick(self, session: str, decided: Iterable[Tick]) -> None:
        """Decide on boxes. What a person decided, only a person changes."""
        with self._db.transaction() as sql:
            insert(sql, session, decided)

    def start_run(self, run: Run) -> int:
        """A model is run now; the key to end it with."""
        with self._db.transaction() as sql:
            done = sql.execute(
                "INSERT INTO run (session, tool, at, upto, tokens, outcome) VALUES (?, ?, ?, ?, ?, ?)",
                (run.session, run.tool, run.at, run.upto, run.tokens, run.outcome),
            )
            return int(done.lastrowid or 0)

    def end_run(self, key: int, tokens: int, outcome: str, problems: Iterable[Problem] = ()) -> None:
        """What a run cost and came to."""
        with self._db.transaction() as sql:
            told = compact([asdict(problem) for problem in problems])
            sql.execute(
                "UPDATE run SET tokens = ?, outcome = ?, problems = ? WHERE id = ?", (tokens, outcome, told, key)
            )

    def abandon_runs(self) -> None:
        """A fresh process begins: no run of the last one is running any more."""
        with self._db.transaction() as sql:
            sql.execute("UPDATE run SET outcome = 'lost' WHERE outcome = 'running'")

    def runs(self, session: str) -> list[Run]:
        """The runs for a session, oldest first."""
        rows = self._db.rows(
            "SELECT session, tool, at, upto, tokens, outcome, problems FROM run WHERE session = ? ORDER BY id",
            (session,),
        )
        return [
            Run(name, tool, at, upto, tokens, outcome, tuple(Problem(**problem) for problem in json.loads(told)))
            for name, tool, at, upto, tokens, outcome, told in rows
        ]

    def spent(self, since: int) -> Spent:
        """How many runs were started since a time, and the input tokens that they took."""
        found = self._db.row(
            "SELECT count(*), ifnull(sum(tokens), 0) FROM run WHERE at >= ? AND outcome != 'unstarted'", (since,)
        )
        return Spent(*found) if found else Spent(0, 0)

    def tell(self, session: str, upto: int) -> None:
        """A model that wrote was told of everything up to this message."""
        reading.meta_set(self._db, f"told {session}", str(upto))

    def told(self, session: str) -> int:
        """Up to which message the models that wrote were told; 0 where none did."""
        return int(reading.meta_get(self._db, f"told {session}") or 0)

    def take_up(self, session: str, at: int) -> None:
        """A new run of the session begins."""
        reading.meta_set(self._db, f"taken up {session}", str(at))

    def taken_up(self, session: str) -> int:
        """When the present run of a session began, as far as a hook told; 0: its first."""
        return int(reading.meta_get(self._db, f"taken up {session}") or 0)


def insert(sql: Any, session: str, decided: Iterable[Tick]) -> None:
    """Decide on boxes inside a transaction; a person's decision is only changed by a person."""
    sql.executemany(
        "INSERT INTO tick (session, number, ticked, person) SELECT row, ?, ?, ? FROM session WHERE id = ?"
        " ON CONFLICT (session, number) DO UPDATE SET ticked = excluded.ticked, person = excluded.person"
        " WHERE excluded.person >= tick.person",
        [(one.number, one.ticked, one.person, session) for one in decided],
    )
