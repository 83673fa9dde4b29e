"""What the daemon's tests start from: the chain, at rest soon after each thing that happens."""

import pytest
from chain import Chain

from memd.daemon import worker as workers


@pytest.fixture
def chain(tmp_path, monkeypatch):
    monkeypatch.setattr(workers, "LATER", 0.05)
    chain = Chain(tmp_path)
    yield chain
    chain.close()
