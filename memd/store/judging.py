"""What was decided with judgement: boxes of the memo, and the runs of models that it took.

A run is entered when it starts, so that a crash of the daemon does not forget what was spent.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from memd.model import Problem, Run, Spent, Tick
from memd.store.database import Database
from memd.store.writing import compact


def ticks(database: Database, session: str) -> dict[int, Tick]:
    """The boxes that somebody decided on, by message number."""
    rows = database.rows(
        "SELECT number, ticked, person FROM tick WHERE session = (SELECT row FROM session WHERE id = ?)", (session,)
    )
    return {number: Tick(number, bool(ticked), bool(person)) for number, ticked, person in rows}


def tick(database: Database, session: str, decided: Iterable[Tick]) -> None:
    """Decide on boxes; a person's decision is only changed by a person."""
    with database.transaction() as sql:
        insert(sql, session, decided)


def insert(sql: Any, session: str, decided: Iterable[Tick]) -> None:
    """The same inside a transaction."""
    sql.executemany(
        "INSERT INTO tick (session, number, ticked, person) SELECT row, ?, ?, ? FROM session WHERE id = ?"
        " ON CONFLICT (session, number) DO UPDATE SET ticked = excluded.ticked, person = excluded.person"
        " WHERE excluded.person >= tick.person",
        [(one.number, one.ticked, one.person, session) for one in decided],
    )


def start_run(database: Database, run: Run) -> int:
    """Enter a run; its key."""
    with database.transaction() as sql:
        done = sql.execute(
            "INSERT INTO run (session, tool, at, upto, tokens, outcome) VALUES (?, ?, ?, ?, ?, ?)",
            (run.session, run.tool, run.at, run.upto, run.tokens, run.outcome),
        )
        return int(done.lastrowid or 0)


def end_run(database: Database, key: int, tokens: int, outcome: str, problems: Iterable[Problem]) -> None:
    """What a run cost and came to."""
    with database.transaction() as sql:
        told = compact([asdict(problem) for problem in problems])
        sql.execute("UPDATE run SET tokens = ?, outcome = ?, problems = ? WHERE id = ?", (tokens, outcome, told, key))


def abandon(database: Database) -> None:
    """Runs of a process that is gone; see `Store.abandon_runs`."""
    with database.transaction() as sql:
        sql.execute("UPDATE run SET outcome = 'lost' WHERE outcome = 'running'")


def runs(database: Database, session: str) -> list[Run]:
    """A session's runs, oldest first."""
    rows = database.rows(
        "SELECT session, tool, at, upto, tokens, outcome, problems FROM run WHERE session = ? ORDER BY id", (session,)
    )
    return [
        Run(name, tool, at, upto, tokens, outcome, tuple(Problem(**problem) for problem in json.loads(told)))
        for name, tool, at, upto, tokens, outcome, told in rows
    ]


def spent(database: Database, since: int) -> Spent:
    """How many runs were started since a time, and the input tokens that they took."""
    found = database.row("SELECT count(*), ifnull(sum(tokens), 0) FROM run WHERE at >= ?", (since,))
    return Spent(*found) if found else Spent(0, 0)
