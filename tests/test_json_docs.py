"""docs/json.md is the contract of every JSON output: each example and each field is held against a real run."""

import json
import os
import re
import subprocess

import pytest
from documents import ROOT, cells, fences, section
from played import EXAMPLE, MEMD, played
from transcript import Transcript

from memd.cli import COMMANDS, cli
from memd.model import Channel

JSON = (ROOT / "docs" / "json.md").read_text("utf-8")

VOLATILE = {"pid", "version", "since", "at", "socket", "path", "cwd", "receipt", "offset", "size", "length", "number"}
VOLATILE |= {"mind", "memo", "scene", "total", "have", "want", "queue", "messages", "score", "upto", "checkpoint"}
"""Fields whose values differ from run to run; of all others the example shows what a real run gives."""
TYPES = {"integer": int, "string": str, "boolean": bool, "number": (int, float), "null": type(None), "object": dict}


def options(command):
    return {option for parameter in command.params for option in parameter.opts}


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    """What the commands of docs/json.md print: the session is played, `ingest` and `doctor` find an empty home."""
    empty = tmp_path_factory.mktemp("empty")
    with played(tmp_path_factory.mktemp("played") / "home") as stage:
        return {
            name: stage.memd(*words, **({"HOME": str(empty)} if name in {"ingest", "doctor"} else {}))
            for name, words in commands().items()
        }


def commands():
    lines = [content.split()[1:] for _, language, content in fences(JSON) if language == "sh"]
    return {words[0]: [str(EXAMPLE) if word == EXAMPLE.name else word for word in words] for words in lines}


@pytest.fixture
def troubled(tmp_path):
    """A status with reasons in it: the agent is there, its hooks are not."""
    (tmp_path / ".claude").mkdir()
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    subprocess.run([*MEMD, "ingest", EXAMPLE], env=env, check=True, capture_output=True)
    return json.loads(subprocess.run([*MEMD, "status", "--json"], env=env, check=True, capture_output=True).stdout)


def example(name):
    (found,) = [content for head, language, content in fences(JSON, f"memd {name}") if language == "json"]
    return json.loads(found)


def documented(name):
    """Field -> allowed types, from the section's table."""
    rows = [row for row in cells(section(JSON, f"memd {name}")) if len(row) == 3]
    return {row[0].strip("`"): tuple(row[1].split(", ")) for row in rows}


JSON_COMMANDS = ["status", "log", "show", "search", "report", "ingest", "checkpoint", "config", "doctor"]


def test_every_json_output_is_documented():
    """A command has `--json` exactly if docs/json.md has a section for it."""
    having = [name for name in COMMANDS if "--json" in options(cli.get_command(None, name))]
    assert sorted(having) == sorted(JSON_COMMANDS) == sorted(commands())
    assert [name for name in JSON_COMMANDS if not section(JSON, f"memd {name}")] == []


@pytest.mark.parametrize("name", JSON_COMMANDS)
def test_each_example_is_what_a_real_run_prints(outputs, name):
    """The same fields of the same types, and the same values where they do not differ from run to run."""
    assert outputs[name].stdout.count("\n") == 1, outputs[name].stderr
    same(example(name), json.loads(outputs[name].stdout), name)


def same(shown, real, where):
    if isinstance(shown, dict):
        assert isinstance(real, dict), where
        assert list(shown) == list(real), where
        for key in shown:
            same(shown[key], real[key], f"{where}.{key}")
    elif isinstance(shown, list):
        assert isinstance(real, list), where
        if "…" in shown:  # and so on
            shown, real = shown[:-1], real[: len(shown) - 1]
        assert len(shown) == len(real), where
        for one, other in zip(shown, real, strict=True):
            same(one, other, f"{where}[]")
    elif where.rpartition(".")[2] in VOLATILE:
        assert type(shown) is type(real), where
    elif isinstance(shown, str) and shown.endswith("…"):
        assert real.startswith(shown[:-1]), where
    else:
        assert shown == real, where


@pytest.mark.parametrize("name", JSON_COMMANDS)
def test_each_field_is_documented_with_its_type(outputs, name):
    """Every field of a real run stands in the table; every field in the table is there, or its place is empty."""
    covers(documented(name), json.loads(outputs[name].stdout))


def test_reasons_are_documented_too(troubled):
    """A status that has something to complain about has no other fields."""
    assert troubled["sessions"][0]["reasons"]
    covers(documented("status"), troubled)


def test_a_report_with_breaks_is_documented_too(tmp_path):
    """A summary that can be read, and something that was done twice."""
    story = Transcript(tmp_path / "projects" / "-srv-work" / "one.jsonl")
    story.typed("Go on with src/part_1.py, please.")
    for n in range(4):
        story.uses("Read", "x = 1", file_path="/srv/work/src/part_1.py") if n == 0 else story.runs(f"true {n}")
    story.compacts(summary="It was about src/part_1.py.")
    story.uses("Read", "x = 1", file_path="/srv/work/src/part_1.py")
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    subprocess.run([*MEMD, "ingest", story.path], env=env, check=True, capture_output=True)
    found = json.loads(subprocess.run([*MEMD, "report", "--json"], env=env, check=True, capture_output=True).stdout)
    assert found["sessions"][0]["compactions"][0]["breaks"]
    assert found["overall"]["both"]["paths"] == 1.0
    covers(documented("report"), found)


def covers(table, real):
    for path, value in leaves(real, ""):
        assert path in table, path
        assert any(
            isinstance(value, TYPES[kind]) and (kind == "boolean") == isinstance(value, bool) for kind in table[path]
        ), path
    for path in table:
        assert reached(real, [step for step in re.split(r"\.|(?=\[\])", path) if step]), path


def leaves(value, path):
    """(path, scalar) for every scalar, lists as `[]`."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, f"{path}.{key}".lstrip("."))
    elif isinstance(value, list):
        for inner in value:
            yield from leaves(inner, f"{path}[]")
    else:
        yield path, value


def reached(value, steps):
    """Whether the path is there; what is null or empty on the way counts as being there."""
    if value is None or value == [] or not steps:
        return True
    if steps[0] == "[]":
        return all(reached(one, steps[1:]) for one in value)
    return steps[0] in value and reached(value[steps[0]], steps[1:])


def test_every_channel_is_documented():
    """docs/json.md has each channel, and no other."""
    rows = [row[0].strip("`") for row in cells(section(JSON, "memd log")) if len(row) == 2]
    assert rows == [channel.value for channel in Channel]
