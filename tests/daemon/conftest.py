"""What the daemon's tests start from: the chain, at rest soon after each thing that happens."""

import pytest
from chain import Chain

from memd.daemon import giving, planning, telling


@pytest.fixture
def chain(tmp_path, monkeypatch):
    """Looks come in time however busy the machine is; a test that is about those that do not says so."""
    monkeypatch.setattr(planning, "LATER", 0.05)
    monkeypatch.setattr(giving, "LOOK", 20.0)
    monkeypatch.setattr(telling, "IN_TIME", 20.0)
    chain = Chain(tmp_path)
    yield chain
    chain.close()
