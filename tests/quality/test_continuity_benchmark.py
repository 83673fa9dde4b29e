"""The benchmark of continuity: it sees what came after a compaction, and memd does not."""

import json
import subprocess
import sys
from pathlib import Path

from transcript import Transcript

from benchmarks import continuity
from memd.config import Config, paths
from memd.daemon.hindsight import Hindsight
from memd.report import past
from memd.report.told import How
from memd.store import Store

ROOT = Path(__file__).parents[2]
NEW = ("Kept by memd", "memd checkpoint", "Any message")
"""How lines begin that have a time, a receipt or a home in them."""
NAME = "5d1f0c1e-7b1a-4b7e-9a52-00000000000a"


def session(path, *, later):
    """A session with one compaction; `later` is what the agent does after it."""
    story = Transcript(path, at=1_796_000_000)
    story.typed("Make the gateway in conf/gateway.toml survive a restart. Keep the old port open.")
    for n in range(4):
        story.uses("Edit", file_path=f"/srv/work/src/part_{n}.py", old_string="", new_string=f"retry_limit_{n} = {n}")
        story.runs(f"make check PART={n}", "12 passed")
    story.says("Set retry_limit_3; next is src/part_1.py.")
    story.compacts()
    later(story)
    return path


def goes_on(story):
    story.runs("make check PART=2")
    story.uses("Edit", file_path="/srv/work/src/part_1.py", old_string="retry_limit_1", new_string="laterName_9")
    story.says("Changed retry_limit_1, retry_limit_3 and src/part_0.py for conf/gateway.toml.")


def stops(story):
    story.says("Something else: otherName_7.")


def place(folder):
    return folder / "projects" / "-srv-work" / f"{NAME}.jsonl"


def text(prefix, folder):
    """What memd makes of a prefix, without what is new in each text."""
    folder.mkdir()
    cut = folder / f"{NAME}.jsonl"
    cut.write_bytes(prefix)
    name = continuity.memd(folder, "ingest", "--tool", "claude-code", str(cut)).split()[0]
    shown = continuity.memd(folder, "show", name, "checkpoint").splitlines()
    shown = [row.replace(str(folder), "") for row in shown]
    return [row for row in shown if not row.startswith(NEW)]


def test_the_checkpoint_is_of_the_prefix_alone(tmp_path):
    """Two sessions that part after the compaction are cut at the same byte, and memd makes the same of both."""
    prefixes, needs = [], []
    for number, later in enumerate((goes_on, stops)):
        path = session(place(tmp_path / f"home{number}"), later=later)
        ((_, seen, boundary, prefix),) = continuity.cases(path)
        prefixes.append(prefix)
        needs.append(past.case(seen, boundary).words)
        assert path.read_bytes().startswith(prefix)
        assert b"compact_boundary" not in prefix
    assert needs[0] != needs[1]
    assert "retry_limit_1" in needs[0]
    one, other = (text(prefix, tmp_path / f"state{n}") for n, prefix in enumerate(prefixes))
    assert one == other
    assert not any("laterName_9" in row or "otherName_7" in row for row in one)


def test_what_is_computed_afterwards_is_what_the_prefix_gives(tmp_path):
    """`memd report` makes the text from the record up to the compaction: the same as from a file that ends there."""
    path = session(place(tmp_path / "home"), later=goes_on)
    name = continuity.memd(tmp_path, "ingest", str(path)).split()[0]
    places = paths({"MEMD_STATE_DIR": str(tmp_path / "state")})
    with Store.open(places.state / "memd.db", readonly=True) as store:
        looks = Hindsight(store, Config(), places)
        seen = looks.past(store.session(name))
        given = looks.given(seen, seen.boundaries[0])
    ((_, _, _, prefix),) = continuity.cases(path)
    rows = [row for row in given.text.splitlines() if not row.startswith(NEW)]
    assert (given.how, rows) == (How.COMPUTED, text(prefix, tmp_path / "other"))


def test_one_command_measures_a_folder(tmp_path):
    """At every size and at memd's own, beside a plain list; what failed would be told."""
    session(place(tmp_path / "home"), later=goes_on)
    out = tmp_path / "continuity.json"
    command = [
        sys.executable,
        "-m",
        "benchmarks",
        "continuity",
        str(tmp_path / "home"),
        "--tokens",
        "1000",
        "--json",
        str(out),
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr
    document = json.loads(out.read_text("utf-8"))
    assert (document["failed"], [row["size"] for row in document["rows"]]) == ([], [1000, 0])
    for row in document["rows"]:
        assert row["tokens"] <= (row["size"] or 12_000)
        assert row["memd"] >= 0.9
        assert row["purpose"] >= 0.8
        assert 0 < row["plain"] <= 1
