"""Which shape a database has, by a number: what a reader asks, who needs nothing of how `migrations` made it."""

import sqlite3

NEWEST = 14
"""Steps that `migrations` has; a test holds it to them."""


def version(sql: sqlite3.Connection) -> int:
    """How many steps this file has seen."""
    return int(sql.execute("PRAGMA user_version").fetchone()[0])
