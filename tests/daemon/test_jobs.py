"""What goes first of what waits for the worker."""

import queue
import threading
import time

import pytest

from memd.daemon.jobs import Job, Jobs, Reading, Urgency


def old(age):
    return Reading(Urgency.BACKFILL, age, age, None, f"old {age}")


def job(urgency):
    return Job(urgency, 0.0, 0)


LIVE, MADE, LAST = map(job, (Urgency.LIVE, Urgency.MADE, Urgency.LAST))


@pytest.mark.parametrize(
    ("feeding", "expected"),
    [(False, [LIVE, MADE, old(1), old(2), LAST]), (True, [LIVE, old(1), old(2), MADE, LAST])],
)
def test_what_goes_first(feeding, expected):
    """Nothing goes before what is live; an old transcript before what was made of others only where the process is fed by it."""
    jobs = Jobs()
    for one in (LAST, old(2), MADE, old(1), LIVE):
        jobs.put(one)
    assert jobs.waiting() == 5
    assert [jobs.get(0.0, feeding=feeding) for _ in expected] == expected


def test_waiting():
    """Who waits is woken by what comes, and told when nothing did."""
    jobs = Jobs()
    with pytest.raises(queue.Empty):
        jobs.get(0.01, feeding=True)
    began = time.monotonic()
    threading.Timer(0.05, jobs.put, [LIVE]).start()
    assert jobs.get(10.0, feeding=False) == LIVE
    assert time.monotonic() - began < 5
