"""Which entries of a session are copies is asked at each refresh."""

import sqlite3

from memd.store import Store, reading


def test_a_session_without_copies_is_not_read_for_them(path, monkeypatch):
    """The question goes to the index of copies alone, however many entries the session has."""
    asked = []
    with Store.open(path) as store:
        rows = store._db.rows
        monkeypatch.setattr(store._db, "rows", lambda sql, given=(): asked.append(sql) or rows(sql, given))
        assert reading.copies(store._db, "claude-code:none") == {}
    with sqlite3.connect(path) as plain:
        plan = plain.execute("EXPLAIN QUERY PLAN " + asked[0], ("claude-code:none",)).fetchall()
    assert [line for *_, line in plan if "message" in line] == ["SEARCH message USING INDEX message_copy (session=?)"]
