"""The benchmark of the journal counts right; how fast it is, is for a quiet machine."""

import json
import subprocess
import sys

from documents import ROOT


def test_the_benchmark_counts_right(tmp_path):
    """Each operation has its line in the record and in the file, each file its two anchors."""
    document = tmp_path / "journal.json"
    command = [
        sys.executable,
        "-m",
        "benchmarks",
        "journal",
        "--operations",
        "2500",
        "--files",
        "50",
        "--json",
        document,
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(document.read_text("utf-8"))
    assert [found[name] for name in ("lines", "entries", "anchors", "wrong")] == [2500, 2500, 100, False]
