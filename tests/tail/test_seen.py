"""What files were like when they were last looked at: a dictionary of paths that takes a quarter of one."""

import random
import sys

import pytest

from memd.tail import seen
from memd.tail.seen import Seen, state_of

NAMES = ["a", "b.jsonl", "0123456789abcdef", "\udcff\udcfe.jsonl", "日本.jsonl", "a b", "\n", "b.jsonl.bak"]


@pytest.mark.parametrize("most_recent", [1, 3, 1024])
def test_it_is_a_dictionary_of_paths(most_recent, monkeypatch):
    """Whatever is put, taken away and found in any order, it knows what a plain dictionary knows."""
    monkeypatch.setattr(seen, "MOST_RECENT", most_recent)
    chance, known, plain = random.Random(20261130), Seen(), {}
    for _ in range(3000):
        folder = chance.choice(["/home/x", "/home/x/y", "/", "/Ü"])
        names = chance.sample(NAMES, chance.randrange(1, 4))
        found = {name: chance.choice([1, 7, 1 << 63, (1 << 64) - 1]) for name in names}
        place = folder.rstrip("/")
        if chance.random() < 0.3:
            changed = [name for name, state in found.items() if plain.get(f"{place}/{name}") != state]
            assert changed == known.update(folder, found)
            plain |= {f"{place}/{name}": state for name, state in found.items()}
        else:
            state = chance.choice([0, found[names[0]]])
            known.put(f"{place}/{names[0]}", state)
            plain[f"{place}/{names[0]}"] = state
        plain = {path: state for path, state in plain.items() if state}
        assert [plain.get(f"{place}/{name}", 0) for name in NAMES] == [known[f"{place}/{name}"] for name in NAMES]
        assert sorted(plain) == sorted(
            f"{folder.rstrip('/')}/{name}" for folder in known.folders() for name in known.names(folder)
        )


def test_a_file_takes_sixty_bytes():
    """Fifty thousand transcripts in 250 directories stay within three megabytes."""
    known = Seen()
    for folder in range(250):
        known.update(f"/home/user/.claude/projects/{folder}", {f"{name:036x}.jsonl": name + 1 for name in range(200)})
    assert sum(sys.getsizeof(packed) for packed in known._folders.values()) < 3_100_000


def test_a_state_is_never_that_of_a_missing_file(tmp_path):
    """0 says that a file is not there, so that no file that is there may have it, and a change gives another."""
    path = tmp_path / "a"
    path.touch()
    before = state_of(path.stat())
    path.write_bytes(b"more")
    assert 0 < before != state_of(path.stat()) > 0
