"""A database of the client's, fresh for each test."""

import pytest
from opencode_rows import Database


@pytest.fixture
def base(tmp_path):
    """An empty database in a data directory of its own."""
    made = Database(tmp_path / "data" / "opencode" / "opencode.db")
    yield made
    made.close()
