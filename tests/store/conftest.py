"""An open store in a folder of the test's own."""

import pytest

from memd.store import Store


@pytest.fixture
def path(tmp_path):
    return tmp_path / "state" / "memd.db"


@pytest.fixture
def store(path):
    with Store.open(path) as opened:
        yield opened
