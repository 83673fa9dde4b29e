"""What tests of reading ahead start from."""

import pytest
from owner import STEP, Owner, opened, written

from memd.daemon import ahead, life, reader
from memd.daemon import worker as workers


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """A few kilobytes are many steps, and worth a process."""
    monkeypatch.setattr(reader, "STEP", STEP)
    monkeypatch.setattr(ahead, "STEP", STEP)
    monkeypatch.setattr(life, "STEP", STEP)
    monkeypatch.setattr(ahead, "ENOUGH", 1)
    monkeypatch.setattr(workers, "ENOUGH", 1)
    monkeypatch.setattr(ahead, "LEAST", 1)
    monkeypatch.setattr(life, "DECK", 1 << 20)


@pytest.fixture
def owner(tmp_path):
    with opened(tmp_path) as pipeline:
        owner = Owner(pipeline)
        yield owner
        owner.ahead.stop()


@pytest.fixture
def transcript(tmp_path):
    return written(tmp_path, "5d1f0c1e")
