"""What the tests of faults ask of a daemon that is in one, and a small disk to make some of them on."""

import subprocess
from contextlib import contextmanager

import pytest
from process import eventually

from memd.daemon import again
from memd.errors import MemdError
from memd.store import Store

AGAIN = again.AGAIN + 30
"""Seconds within which what failed is tried again, on a busy machine."""


def texts(home, transcript):
    """What is recorded of a session; nothing while the record cannot be read."""
    try:
        with Store.open(home.db, readonly=True) as store:
            return [record.text for record in store.messages(transcript.id)]
    except MemdError:
        return []


def recorded(home, transcript, count, seconds=20.0):
    return eventually(lambda: home.db.exists() and len(texts(home, transcript)) >= count, seconds)


def codes(home):
    return {reason["code"] for one in home.status()["sessions"] for reason in one["reasons"]}


@contextmanager
def small_disk(place, options):
    """A file system of its own, without which these faults cannot be made."""
    place.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "tmpfs", place], capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip(f"no small disk can be mounted here: {done.stderr.strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", place], check=True)
