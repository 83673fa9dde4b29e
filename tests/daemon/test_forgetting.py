"""Forgetting through the daemon, retention, and what may be read again."""

import json
import time

import pytest

from memd.daemon import forgetting
from memd.model import Channel

CANARY = "zqcanary7788"
DAY = 86_400


def traces(chain):
    return [
        str(path) for path in chain.paths.state.rglob("*") if path.is_file() and CANARY.encode() in path.read_bytes()
    ]


@pytest.fixture
def spoken(chain):
    """A session with a sub-agent, a compaction and a delivered checkpoint."""
    transcript = chain.transcript()
    transcript.turn(f"Remember {CANARY}.", CANARY)
    transcript.runs(f"echo {CANARY}", CANARY)
    child = chain.transcript(f"{transcript.session}/subagents/agent-abc", session=transcript.session)
    child.turn(CANARY, CANARY)
    chain.read(transcript, child)
    transcript.compacts(summary=CANARY)
    chain.read(transcript)
    chain.parts(transcript)
    chain.settle()
    return transcript


def test_a_forgotten_session_leaves_no_byte(chain, spoken):
    """Record, index, folders, ready replies, sub-agents: no file below the state folder holds what was said."""
    other = chain.transcript("other")
    other.turn("Another session.")
    chain.read(other)
    assert traces(chain)
    answer = chain.control("forget", sessions=[spoken.id])
    assert answer == {"sessions": [spoken.id, f"{spoken.id}/abc"], "clean": True}
    assert traces(chain) == []
    assert [one.id for one in chain.store.sessions(children=True)] == [other.id]
    assert not chain.folders.session("claude-code", spoken.session).exists()
    assert chain.folders.session("claude-code", "other").exists()


def test_a_forgotten_session_is_not_read_again(chain, spoken):
    """However it goes on, and whatever sub-agents it gets; its hooks get nothing and nobody stumbles."""
    chain.control("forget", sessions=[spoken.id])
    spoken.turn(f"More {CANARY}")
    child = chain.transcript(f"{spoken.session}/subagents/agent-new", session=spoken.session)
    child.turn(CANARY)
    chain.read(spoken, child)
    assert chain.hook("PreCompact", spoken, trigger="auto") in {None, b""}
    assert chain.parts(spoken) == [b""] * 4
    chain.settle()
    assert traces(chain) == []
    assert chain.troubles.lines() == []


def test_what_was_left_to_do_of_a_forgotten_session_is_not_done(chain, spoken):
    """A hook has its reply before the files that the checkpoint names are written, or the disk was full for them."""
    for number in range(80):
        spoken.turn(f"{number} {CANARY} " + f"and word {number} " * 60)
    spoken.compacts(summary=CANARY)
    chain.read(spoken)
    chain.job(lambda pipeline: pipeline.refresh_for_hook(spoken.id, "compact"))
    chain.control("forget", sessions=[spoken.id])
    chain.job(lambda pipeline: pipeline.finish(spoken.id))
    assert traces(chain) == []
    assert not chain.folders.session("claude-code", spoken.session).exists()


def test_named_it_comes_back_and_with_its_folder_it_does_not(chain, spoken):
    """`ingest` of the directory passes it over; `ingest` of the file itself brings it and its sub-agents back."""
    chain.control("forget", sessions=[spoken.id])
    other = chain.transcript("other")
    other.turn("Another session.")
    assert chain.control("ingest", paths=[str(spoken.path.parent)]) == {"sessions": [other.id], "problems": []}
    assert chain.control("ingest", paths=[str(spoken.path)])["sessions"] == [spoken.id, f"{spoken.id}/abc"]
    assert chain.store.message(spoken.id, 1).text == f"Remember {CANARY}."
    assert chain.folders.published(chain.folders.session("claude-code", spoken.session)) == 1
    spoken.turn("It goes on.")
    chain.read(spoken)
    assert chain.store.messages(spoken.id, channels={Channel.HUMAN_TYPED})[-1].text == "It goes on."


def aged(chain, name, days):
    transcript = chain.transcript(name, at=time.time() - days * DAY)
    transcript.turn(f"{name}")
    chain.read(transcript)
    long_ago = "UPDATE session SET seen_at = last_at WHERE id = ?"
    chain.job(lambda pipeline: pipeline.store._db._connection.execute(long_ago, (transcript.id,)) and None)
    return transcript


def retain(chain, keep_days, now=None):
    at = int((now or time.time()) * 1000)
    return chain.job(lambda pipeline: forgetting.retain(pipeline, keep_days, at))


def test_old_sessions_go_once_a_day(chain):
    """Those that had no entry for `keep_days`, but pinned ones; not again before a day has gone by."""
    old, pinned, young = (aged(chain, name, days) for name, days in (("old", 91), ("pinned", 91), ("young", 89)))
    chain.control("pin", session=pinned.id, pinned=True)
    assert retain(chain, 90) == [old.id]
    assert {one.id for one in chain.store.sessions()} == {pinned.id, young.id}
    assert retain(chain, 30) == []
    assert retain(chain, 30, time.time() + DAY) == [young.id]
    chain.control("pin", session=pinned.id, pinned=False)
    assert retain(chain, 30, time.time() + 3 * DAY) == [pinned.id]


def test_an_old_transcript_that_a_person_ingests_is_kept_as_long_as_a_new_one(chain):
    """Its days count from when it was read; `--older-than` looks at its entries alone."""
    old = chain.transcript("old", at=time.time() - 400 * DAY)
    old.turn("From last year.")
    chain.control("ingest", paths=[str(old.path)])
    assert retain(chain, 90) == []
    assert [one.id for one in forgetting.older(chain.store, 399, int(time.time() * 1000))] == [old.id]
    assert retain(chain, 90, time.time() + 91 * DAY) == [old.id]


def test_a_clock_that_goes_back_does_not_stop_retention(chain):
    """A last time that is still to come is no last time."""
    old = aged(chain, "old", 91)
    assert retain(chain, 900, time.time() + 400 * DAY) == []
    assert retain(chain, 90) == [old.id]


def test_what_age_took_is_recorded_again_when_it_goes_on(chain):
    """Untouched it stays away, so that it is not read and forgotten day after day; with a new line it is back, whole."""
    old = aged(chain, "old", 91)
    retain(chain, 90)
    chain.read(old)
    assert chain.store.sessions() == []
    old.now().turn("I am back.")
    chain.read(old)
    assert [record.text for record in chain.store.messages(old.id, channels={Channel.HUMAN_TYPED})] == [
        "old",
        "I am back.",
    ]


def test_a_sub_agent_that_still_works_keeps_its_session(chain):
    """The family is as old as its newest entry."""
    old = aged(chain, "old", 91)
    child = chain.transcript("old/subagents/agent-abc", session="old")
    child.turn("Still here.")
    chain.read(child)
    assert retain(chain, 90) == []
    assert retain(chain, 90, time.time() + 92 * DAY) == [old.id, f"{old.id}/abc"]


def test_within_a_directory(chain):
    """By the directory in which it was started, or one above; pinned ones and others stay."""
    for name, cwd in (("a", "/srv/x/deep"), ("b", "/srv/xy"), ("c", "/srv/x")):
        transcript = chain.transcript(name, cwd=cwd)
        transcript.turn("Hello.")
        chain.read(transcript)
    chain.control("pin", session="claude-code:c", pinned=True)

    def found(glob):
        return [one.id for one in forgetting.within(chain.store, glob, "/srv", "/home/me")]

    assert found("/srv/x") == ["claude-code:a"]
    assert found("x*") == ["claude-code:b", "claude-code:a"]
    assert found("/nowhere") == []


def test_bytes_that_a_reader_holds_go_later(chain, spoken, monkeypatch):
    """Where another process reads an older state, the answer says so, and the next day's turn cleans up."""
    monkeypatch.setattr("memd.store.forgetting.VACUUM_LIMIT", 0)
    sql = chain.store._db._connection
    sql.execute("BEGIN")
    sql.execute("SELECT count(*) FROM message").fetchone()
    chain.job(lambda pipeline: pipeline.store._db._connection.execute("PRAGMA busy_timeout = 10"))
    assert not chain.control("forget", sessions=[spoken.id])["clean"]
    sql.execute("COMMIT")
    assert traces(chain)
    retain(chain, 90)
    assert traces(chain) == []


def test_what_was_not_recorded_cannot_be_forgotten(chain):
    """Nothing happens."""
    assert json.dumps(chain.control("forget", sessions=["claude-code:nobody"])) == '{"sessions": [], "clean": true}'
