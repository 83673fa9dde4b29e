"""What loading the encoder takes, and whose order it rests on."""

import subprocess
import sys

import pytest
import tiktoken

from memd.tokens.encoder import Encoder

LOADING = """
import tiktoken
from pathlib import Path
from memd.tokens.encoder import Encoder

def most():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM:"))

before = most()
Encoder().encode("text")
print((most() - before) // 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc")
def test_loading_takes_hardly_more_than_what_stays():
    """What the ranks are read from is gone when tiktoken copies them: 45 MB stay, 71 were taken before."""
    run = subprocess.run([sys.executable, "-c", LOADING], capture_output=True, text=True, check=True)
    assert 30 < int(run.stdout) < 60


def test_a_tiktoken_that_reads_special_tokens_first(monkeypatch):
    """It finds no ordinary ones, and is given them again: nothing is counted by an empty encoder."""
    made, real = [], tiktoken.Encoding

    def other_order(name, *, pat_str, mergeable_ranks, special_tokens):
        special = {token: number.__index__() for token, number in special_tokens.items()}
        made.append(len(mergeable_ranks))
        ranks = mergeable_ranks or {b"a": 0}
        return real(name, pat_str=pat_str, mergeable_ranks=ranks, special_tokens=special)

    monkeypatch.setattr(tiktoken, "Encoding", other_order)
    assert len(Encoder().encode("hello world")) == 2
    assert made == [0, 199_998]
