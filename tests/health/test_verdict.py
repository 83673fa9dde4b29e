"""Verdicts: each thing that can be wrong has its code and its remedy, and the worst decides."""

import pytest
from factories import SESSION, START
from msgspec.structs import replace

from memd.health import Facts, Health, judge
from memd.health.verdict import _HOOKS
from memd.model import Boundary, Checkpoint, Delivered, Parts, Session

MADE = Checkpoint(SESSION, 3, START, "extractive", "turn", 9, "AB12CD", Parts("", b"", ""))
GIVEN = Delivered(3, "AB12CD", START, "SessionStart", 2, frozenset({1, 2}), ended=True, compactions=0)
LAST = Boundary(1, 8, START, "auto", 150_000, 9_000)
HOUR = 3_600_000
FINE = Facts(
    Session(SESSION, "claude-code", "x", messages=9), START + HOUR, checkpoint=MADE, delivery=GIVEN, boundary=LAST
)


def codes(**changes):
    verdict = judge(replace(FINE, **changes))
    return verdict.health, [reason.code for reason in verdict.reasons]


def test_nothing_wrong_is_ok():
    """A checkpoint that is current and was seen going in whole."""
    assert codes() == (Health.OK, [])
    assert codes(boundary=None, delivery=None) == (Health.OK, [])


def test_nothing_recorded_is_never():
    """Whatever else is wrong, there is nothing to judge."""
    nobody = Session(SESSION, "claude-code", "x")
    assert codes(session=nobody, checkpoint=None, hooks=("missing",)) == (Health.NEVER, [])


def test_why_nothing_is_recorded_is_told():
    """Where a newer client writes no row that is known, or none that can be read, silence would look like an empty session."""
    nobody = Session(SESSION, "claude-code", "x")
    unread = {"unknown": {"turn-2": 4}, "words": {"prompt": 6}, "damaged": 2, "lag": 9, "lag_ms": 61_000}
    assert codes(session=nobody, checkpoint=None, hooks=("missing",), **unread) == (
        Health.NEVER,
        ["words-unread", "unknown-rows", "unread", "lines-damaged"],
    )


@pytest.mark.parametrize(
    ("health", "code", "changes"),
    [
        (Health.FAILING, "no-checkpoint", {"checkpoint": None}),
        (Health.FAILING, "source-unreadable", {"source_error": "permission denied"}),
        (Health.FAILING, "store-trouble", {"store_error": "the disk is full"}),
        (Health.DEGRADED, "receipt-missing", {"delivery": None}),
        (Health.DEGRADED, "receipt-missing", {"delivery": replace(GIVEN, seen=frozenset(), ended=False)}),
        (Health.DEGRADED, "receipt-missing", {"boundary": replace(LAST, ordinal=2)}),
        (Health.DEGRADED, "receipt-missing", {"boundary": replace(LAST, at=START + HOUR // 2)}),
        (Health.DEGRADED, "receipt-partial", {"delivery": replace(GIVEN, seen=frozenset({1}), ended=False)}),
        (Health.DEGRADED, "receipt-partial", {"delivery": replace(GIVEN, ended=False)}),
        (Health.DEGRADED, "replies-missing", {"obstacle": "/s/sessions/claude-code/x"}),
        (Health.DEGRADED, "replies-missing", {"unready": True}),
        (Health.DEGRADED, "copies-unwritten", {"copies_error": "/s/mind.md: Is a directory"}),
        (Health.DEGRADED, "watches-short", {"watches_short": True}),
        (Health.DEGRADED, "unknown-rows", {"unknown": {"new-type": 7, "other": 3}}),
        (Health.DEGRADED, "words-unread", {"words": {"prompt": 1}, "unknown": {"other": 8}}),
        (Health.STALE, "source-gone", {"source_gone": START}),
        (Health.STALE, "unread", {"lag": 10, "lag_ms": 61_000}),
        (Health.STALE, "behind", {"turns_behind": 3}),
        (Health.STALE, "behind", {"unread": START + HOUR - 61_000}),
        (Health.OK, "undelivered", {"undelivered": (4, 7)}),
        (Health.OK, "two-writers", {"returns": 2}),
        (Health.OK, "lines-damaged", {"damaged": 1}),
        *((Health.DEGRADED, f"hooks-{fault}", {"hooks": (fault,)}) for fault in _HOOKS),
    ],
)
def test_each_fault_has_its_code_and_a_command_that_mends_it(health, code, changes):
    """Alone it decides the verdict."""
    verdict = judge(replace(FINE, **changes))
    assert (verdict.health, [r.code for r in verdict.reasons]) == (health, [code])
    first = "restart " if code == "hooks-silent" else "mv -n /s/" if "obstacle" in changes else "memd "
    assert verdict.reasons[0].fix.startswith(first)
    assert verdict.reasons[0].text


@pytest.mark.parametrize(
    "changes",
    [
        {"delivery": None, "boundary": replace(LAST, at=START + HOUR - 5_000)},
        {"delivery": replace(GIVEN, at=START + HOUR - 5_000, seen=frozenset({1}), ended=False)},
        {"delivery": replace(GIVEN, seen=frozenset(), ended=False), "boundary": None},
        {"unknown": {"new-type": 9}},
        {"lag": 10, "lag_ms": 60_000},
        {"turns_behind": 2},
        {"unread": START + HOUR - 60_000},
    ],
)
def test_what_is_on_its_way_or_little_is_no_fault(changes):
    """A receipt that may still arrive, a few unknown rows, two turns, a minute."""
    assert codes(**changes) == (Health.OK, [])


def test_the_worst_reason_decides_and_comes_first():
    """All reasons are told."""
    health, found = codes(checkpoint=None, hooks=("copy",), source_gone=START)
    assert (health, found) == (Health.FAILING, ["no-checkpoint", "hooks-copy", "source-gone"])


def test_a_lag_says_whether_the_daemon_runs():
    """The remedy differs."""
    fixes = [judge(replace(FINE, lag=1, lag_ms=HOUR, daemon=runs)).reasons[0].fix for runs in (True, False)]
    assert fixes == [f"memd checkpoint {SESSION}", "memd run"]


def test_one_turn_is_not_called_turns():
    """Numbers read as people write them."""
    text = judge(replace(FINE, turns_behind=1, unread=START)).reasons[0].text
    assert text == "the record is ahead of the checkpoint by 1 turn"
