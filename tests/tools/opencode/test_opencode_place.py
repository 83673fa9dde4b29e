"""Where OpenCode's things are, and what a path or a file's start says."""

from pathlib import Path

import pytest
from opencode_rows import DATA, MADE, SESSION, TOOL, Database, read_on, row, text, user

from memd.tools.opencode import identity, place
from memd.tools.protocol import Identity

HOME = {"HOME": "/home/me"}


def test_places():
    """The usual ones, and those that the environment names."""
    found = place.place(HOME)
    assert found.home == Path("/home/me/.config/opencode")
    assert found.roots == (Path("/home/me/.local/share/opencode"),)
    assert found.history == Path("/home/me/.local/state/opencode/prompt-history.jsonl")
    assert not found.present
    named = {"XDG_DATA_HOME": "/d", "XDG_STATE_HOME": "/s", "XDG_CONFIG_HOME": "/c"}
    found = place.place({**HOME, **named})
    assert (found.home, found.roots) == (Path("/c/opencode"), (Path("/d/opencode"),))
    assert found.history == Path("/s/opencode/prompt-history.jsonl")


@pytest.mark.parametrize(
    ("given", "path"),
    [("/x/y.db", "/x/y.db"), ("mine.db", "/home/me/.local/share/opencode/mine.db"), (":memory:", None), ("", None)],
)
def test_a_database_that_the_environment_names(given, path):
    """As the client reads `OPENCODE_DB`; its folder is looked into as well."""
    environ = {**HOME, "OPENCODE_DB": given}
    assert place.named(environ) == (Path(path) if path else None)
    assert (Path("/x") in place.place(environ).roots) == (given == "/x/y.db")


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("/d/opencode/opencode.db", True),
        ("/d/opencode/opencode.db-wal", True),
        ("/d/opencode/opencode-dev.db-wal", True),
        ("/d/opencode/opencode.db-shm", False),
        ("/d/opencode/other.db", False),
        ("/x/y.db", True),
        ("/x/y.db-wal", True),
        ("/d/opencode/storage/session/p/ses_1.json", True),
        ("/d/opencode/storage/message/ses_1/msg_1.json", False),
        ("/d/opencode/storage/part/msg_1/prt_1.json", False),
        ("/d/opencode/storage/session_diff/ses_1.json", False),
        ("/d/opencode/storage/project/p.json", False),
        ("/d/opencode/log/opencode.log", False),
        ("/d/opencode/tool-output/tool_1", False),
        ("/d/opencode/auth.json", False),
    ],
)
def test_wanted(path, wanted):
    """Databases, their logs, and the old storage; credentials and everything else are never opened."""
    assert place.wanted(Path(path), Path("/x/y.db")) == wanted


def test_enters():
    """Snapshots, tool output and parts by the thousand hold no transcripts; beside a named database nothing else is looked at."""
    assert place.enters("/home/me/.local/share/opencode", HOME)
    assert place.enters("/home/me/.local/share/opencode/storage/session/p", HOME)
    assert not place.enters("/home/me/.local/share/opencode/storage/part", HOME)
    assert not place.enters("/home/me/.local/share/opencode/snapshot", HOME)
    named = {**HOME, "OPENCODE_DB": "/x/y.db"}
    assert [place.enters(one, named) for one in ("/x", "/x/other", "/home/me/.local/share/opencode")] == [
        True,
        False,
        True,
    ]


def test_a_session_s_path(tmp_path):
    """A session in a database lies below it, also where that is gone; what lies in a folder is itself."""
    assert place.split(Path("/d/opencode.db/ses_1")) == (Path("/d/opencode.db"), "ses_1")
    assert place.split(Path("/d/storage/session/p/ses_1.json")) is None
    assert place.split(tmp_path / "ses_1") is None


def test_a_folder_is_no_session(tmp_path):
    """Whatever its name: a folder can be read below, a session cannot."""
    for name in ("session", "sessions", "ses_1"):
        (tmp_path / name).mkdir()
        assert not TOOL.there(tmp_path / name)


def start(path):
    return path.read_bytes()[: 1 << 16].split(b"\n")


def test_claims(base, tmp_path):
    """A database by its tables, whatever its name; a session's file and an export by how they begin."""
    renamed = base.path.with_name("copy.sqlite")
    base.sql.execute("PRAGMA wal_checkpoint(truncate)")
    renamed.write_bytes(base.path.read_bytes())
    old = next((DATA / "storage" / "session").glob("*/*.json"))
    for path in (base.path, renamed, old, DATA / "export.json"):
        assert TOOL.claims(path, start(path))
    other = Database(tmp_path / "other.db", "CREATE TABLE message (id)")
    other.sql.execute("PRAGMA wal_checkpoint(truncate)")
    plain = tmp_path / "plain.json"
    plain.write_text('{"id": "x"}')
    for path in (other.path, plain, DATA / "prompt-history.jsonl", DATA / "run.jsonl"):
        assert not TOOL.claims(path, start(path))
    other.close()


def created(**info):
    return row("session.created", info={"id": SESSION, "time": {"created": MADE}, **info})


def whose(base, **info):
    base.session()
    base.log(created(**info), *user("m1", text("go")))
    path = base.path / SESSION
    return TOOL.identify(path, [line.data for line in read_on(path).lines])


def test_identity(base):
    """By the session's first row."""
    assert whose(base) == Identity(SESSION)


def test_a_child(base):
    """Another session started it."""
    assert whose(base, parentID="ses_parent") == Identity(SESSION, "ses_parent")


@pytest.mark.parametrize("own", [{"metadata": {"memd": True}}, {"agent": "memd-writer"}])
def test_memd_s_own_runs_are_no_sessions(base, own):
    """Known by the session's metadata, or by the agent that it was made for."""
    assert whose(base, **own) is None


@pytest.mark.parametrize("parent", [5, "", SESSION, "../x"])
def test_a_parent_that_is_none(base, parent):
    """A value that names no other session."""
    assert whose(base, parentID=parent) == Identity(SESSION)


def test_no_rows_no_session():
    """A session of which nothing can be read yet is not named."""
    assert identity.identify(Path("/d/opencode.db/ses_1"), []) is None
    assert identity.identify(Path("/d/opencode.db/ses_1"), [b"rubbish"]) == Identity("ses_1")
