"""The benchmarks of the table run, and the page shows what they measured; how fast, is for a quiet machine."""

import json
import subprocess
import sys

import pytest
from documents import ROOT

from benchmarks import table
from benchmarks.outcome import Row

SHORT = {
    "reading": ["--megabytes", "2", "--rounds", "1"],
    "latency": ["--seconds", "2", "--live", "5"],
    "growth": ["--sessions", "12", "--megabytes", "2", "--events", "20"],
    "backfill": ["--sessions", "4", "--megabytes", "2"],
}


@pytest.mark.parametrize("name", SHORT)
def test_each_benchmark_runs_alone_and_tells_what_it_promised(name, tmp_path):
    """A row has what was measured, beside what, and whether the promise was kept."""
    out = tmp_path / "out.json"
    command = [sys.executable, "-m", "benchmarks", name, "--json", str(out), *SHORT[name]]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr
    document = json.loads(out.read_text("utf-8"))
    assert document["rows"]
    assert not document.get("wrong")
    for row in document["rows"]:
        assert row["met"] is (row["measure"] <= row["target"])
        assert row["what"] in done.stdout


def test_a_promise_that_is_not_kept_is_said_to_be():
    """A row that misses its target stands in the table with `no`."""
    row = Row("hook", "9 ms", "bare: 7 ms", 1.29, 1.25)
    assert row.cells() == ("hook", "9 ms", "bare: 7 ms", "1.29 x", "<= 1.25 x", "**no**")


def test_the_page_shows_what_was_measured():
    """Between its marks the page is what the command made of its last run: no figure there is written by hand."""
    page = table.PAGE.read_text("utf-8")
    shown = page.partition(table.BEGIN)[2].partition(table.END)[0].strip().splitlines()
    assert table.page(json.loads(table.LAST.read_text("utf-8"))) == shown
