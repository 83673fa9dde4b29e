"""Counting: exact, offline, never twice for the same text, and on no text does it fall over."""

import os
import subprocess
import sys
import threading
import weakref
from pathlib import Path

import pytest

from memd import tokens
from memd.tokens.encoder import Encoder
from memd.tokens.seen import Seen

PROSE = "".join(path.read_text("utf-8") for path in sorted(Path(tokens.__file__).parents[1].glob("*.py")))


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    """Nothing counted before; the encoder itself is loaded once for the whole module."""
    monkeypatch.setattr(tokens, "_seen", Seen(8192))


@pytest.fixture
def encoded(monkeypatch):
    """The texts that were really encoded, in order."""
    texts = []
    encode = tokens._encoder.encode
    monkeypatch.setattr(tokens._encoder, "encode", lambda text: texts.append(text) or encode(text))
    return texts


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 0),
        ("hello world", 2),
        ("hello worl", 3),
        ("先把测试跑完再说", 7),
        ("\N{GRINNING FACE}", 1),
        ("<|endoftext|>", 7),
        ("\ud83d", 1),
        ("a\ud83d\ude00b", 3),
    ],
)
def test_known_texts(text, expected):
    """Counts are o200k's; marks of special tokens are ordinary words, a lone surrogate is one unknown character."""
    assert tokens.count(text) == expected


@pytest.mark.parametrize("character", [" ", "\n", "\t", "a", "=", "的", "\ud83d", "\N{GRINNING FACE}"])
def test_endless_runs(character):
    """A run of two million equal characters is counted, where a single call of the tokenizer would panic or crawl."""
    assert 2_000_000 / 128 <= tokens.count(character * 2_000_000) <= 2_000_000 * 2


def test_long_texts_are_nearly_exact():
    """Over many chunks a few tokens too many are counted, not one too few."""
    text = PROSE * (1 + 400_000 // len(PROSE))
    exact = len(tokens._encoder.encode(text))
    assert exact <= tokens.count(text) <= exact * 1.0003


def test_lines_are_not_cut():
    """Chunks end after a newline where there is one in reach, else at 16 Ki characters."""
    lines = "x" * 999 + "\n"
    assert {chunk[-1] for chunk in tokens._chunks(lines * 100)} == {"\n"}
    assert [len(chunk) for chunk in tokens._chunks("x" * 40_000)] == [16_384, 16_384, 7_232]


def test_unchanged_text_is_not_counted_twice(encoded):
    """The second count of a text costs a hash."""
    assert tokens.count(PROSE) == (tokens.count(PROSE), encoded.clear())[0]
    assert encoded == []


def test_a_growing_text_is_counted_where_it_grew(encoded):
    """A longer text has the chunks of the shorter one, but for its last."""
    text = "one line of many\n" * 5_000
    tokens.count(text)
    before = len(encoded)
    tokens.count(text + "and one more\n")
    assert set(encoded[before:]) <= {"and", " one", " more\n"}


def test_memory_of_counts_is_bounded():
    """The last ones that were asked for are known, and never more than twice as many."""
    seen = Seen(2)
    for number, text in enumerate("abc"):
        seen.put(text, number)
    assert seen.get("a") == 0
    seen.put("d", 3)
    assert [seen.get(text) for text in "adb"] == [0, 3, None]
    assert len(seen) <= 4


def test_release(monkeypatch):
    """Released, the encoder is gone from memory; known counts need none, and a new text loads it again."""
    monkeypatch.setattr(tokens, "_encoder", Encoder())
    assert not tokens.loaded()
    tokens.release()
    known = tokens.count("known")
    assert tokens.loaded()
    encoding = weakref.ref(tokens._encoder._encoding)
    tokens.release()
    assert not tokens.loaded()
    assert encoding() is None
    assert tokens.count("known") == known
    assert not tokens.loaded()
    assert tokens.count("unknown") > 0
    assert tokens.loaded()


def test_threads_load_one_encoder(monkeypatch):
    """Several threads that count at once share one load of 50 MB."""
    loads = []
    load = sys.modules["memd.tokens.encoder"]._load
    monkeypatch.setattr("memd.tokens.encoder._load", lambda: loads.append(1) or load())
    encoder = Encoder()
    threads = [threading.Thread(target=encoder.encode, args=("text",)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert loads == [1]


OFFLINE = """
import os, sys

def forbid(event, args):
    writing = event == "open" and args[2] & (os.O_WRONLY | os.O_RDWR) and "__pycache__" not in str(args[0])
    if writing or event.startswith("socket.") or event in ("os.mkdir", "subprocess.Popen"):
        raise SystemExit(f"{event} {args}")

sys.addaudithook(forbid)
from memd import tokens
assert "tiktoken" not in sys.modules
assert tokens.clip("hello world again", 2) == "hello world"
print(tokens.count("hello world"))
"""


def test_no_network_and_no_cache(tmp_path):
    """A new process counts without a socket, a written file or tiktoken's cache; importing the room loads nothing."""
    environment = os.environ | {"TMPDIR": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    run = subprocess.run([sys.executable, "-c", OFFLINE], env=environment, capture_output=True, text=True, check=False)
    assert (run.stdout, run.stderr) == ("2\n", "")
    assert list(tmp_path.iterdir()) == []
