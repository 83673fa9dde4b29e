"""The shipped ranks are o200k's, byte for byte, and anybody can build them anew."""

import hashlib
import lzma
import subprocess
import sys

import pytest
import tiktoken_ext.openai_public

from memd.tokens import pack, ranks


@pytest.fixture
def published(monkeypatch):
    """What tiktoken itself says about o200k_base, the download left out."""
    asked = {}

    def load(_url, *, expected_hash):
        asked["expected_hash"] = expected_hash
        return {}

    monkeypatch.setattr(tiktoken_ext.openai_public, "load_tiktoken_bpe", load)
    return tiktoken_ext.openai_public.o200k_base() | asked


def test_the_ranks_are_the_published_ones(published):
    """The plain file rebuilt from the packed one has the hash that tiktoken expects of OpenAI's."""
    text = ranks.to_tiktoken(ranks.unpack(ranks.PACKED.read_bytes()))
    assert hashlib.sha256(text).hexdigest() == published["expected_hash"]


def test_the_pattern_is_the_published_one(published):
    """Text is split into words as tiktoken splits it for o200k_base."""
    assert published["pat_str"] == ranks.PATTERN


def test_the_longest_token():
    """`clip` relies on it: no token has more than 128 bytes."""
    assert max(map(len, ranks.unpack(ranks.PACKED.read_bytes()))) == 128


def test_format():
    """The packed form is pinned: a count, the lengths, the bytes, in one xz stream."""
    raw = b"\x03\0\0\0" + b"\x01\x02\x03" + b"abcdef"
    assert ranks.unpack(lzma.compress(raw)) == [b"a", b"bc", b"def"]
    assert lzma.decompress(ranks.pack([b"a", b"bc", b"def"])) == raw


def test_packing_again(tmp_path, monkeypatch, capsys):
    """`python -m memd.tokens.pack FILE` makes the packed file from the plain one."""
    text = b"YQ== 0\nYmM= 1\nZGVm 2\n"
    (tmp_path / "plain").write_bytes(text)
    monkeypatch.setattr(pack, "PACKED", tmp_path / "packed")
    pack.main(str(tmp_path / "plain"))
    tokens = ranks.unpack((tmp_path / "packed").read_bytes())
    assert tokens == [b"a", b"bc", b"def"]
    assert ranks.to_tiktoken(tokens) == text
    assert hashlib.sha256(text).hexdigest() in capsys.readouterr().out


def test_packing_needs_a_file():
    """Without the file it says how it is used and changes nothing."""
    run = subprocess.run([sys.executable, "-m", "memd.tokens.pack"], capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert run.stderr == "usage: python -m memd.tokens.pack RANKS_FILE\n"


@pytest.mark.parametrize("text", [b"YQ== 1\n", b"YQ== 0\nYg== 2\n", b"YQ==\n", b"Y!== 0\n"])
def test_other_files_are_refused(text):
    """A file whose ranks have gaps, or that is something else, is not packed: places could not stand for ranks."""
    with pytest.raises(ValueError):
        ranks.from_tiktoken(text)
