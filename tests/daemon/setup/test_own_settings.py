"""The answer that is kept in memd's own settings file, and taken back."""

from dataclasses import replace

import pytest

from memd import config
from memd.daemon.setup import ledger, own
from memd.daemon.setup.removal import take_out
from memd.daemon.setup.systemd import Systemd
from memd.errors import Refused


@pytest.fixture
def file(places):
    places.config.parent.mkdir(parents=True)
    return places.config


def _remove(places):
    return take_out(places, [], ledger.read(places), Systemd({"PATH": "/nowhere", "HOME": "/nowhere"}), whole=True)[0]


@pytest.mark.parametrize(
    "content", [b"", b'[log]\nlevel = "debug"', b"# mine\r\n\r\nguard = false\r\n[trust]\r\nhosts = []\r\n"]
)
def test_a_line_is_added_and_taken_back(places, file, content):
    """Whatever the file begins or ends with: it is still TOML, the rest keeps its bytes, and its mode stays."""
    file.write_bytes(content)
    file.chmod(0o640)
    before = config.read(file)
    own.keep(places, {"backfill_days": 7})
    assert file.read_bytes().endswith(content)
    assert config.read(file) == replace(before, backfill_days=7)
    assert own.answered(config.read(file), "backfill_days")
    assert _remove(places) == [f"the answers in {file}"]
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (content, 0o640)


def test_a_file_that_was_not_there_goes_again(places):
    """With its folders."""
    own.keep(places, {"backfill_days": 30})
    assert places.config.read_bytes() == b"backfill_days = 30  # answered to memd install\n"
    assert places.config.stat().st_mode & 0o777 == 0o600
    _remove(places)
    assert not places.config.parent.parent.exists()
    assert not places.state.exists()


def test_what_was_added_since_stays(places, file):
    """Only the line goes, wherever it stands now."""
    file.write_bytes(b"guard = false\n")
    own.keep(places, {"backfill_days": 30})
    file.write_bytes(b"# on top\n" + file.read_bytes() + b"keep_days = 9\n")
    _remove(places)
    assert file.read_bytes() == b"# on top\nguard = false\nkeep_days = 9\n"


def test_what_the_person_wrote_over_it_is_theirs(places, file):
    """A line without the mark is not ours, and a file that is gone is no trouble."""
    own.keep(places, {"backfill_days": 30})
    file.write_bytes(b"backfill_days = 5\n")
    assert _remove(places) == []
    assert file.read_bytes() == b"backfill_days = 5\n"
    own.keep(places, {"backfill_days": 30})
    file.unlink()
    assert _remove(places) == []


def test_what_cannot_be_written_is_one_line(places, file):
    """A folder in its place."""
    file.mkdir()
    with pytest.raises(Refused, match="cannot be read: Is a directory"):
        own.keep(places, {"backfill_days": 30})
