"""What OpenCode's plugin asks and what it gets: pinned, because the plugin is written in another language."""

import json
from pathlib import Path

import pytest

from memd import assets
from memd.model import Kind
from memd.tools.opencode import hooks, plugin
from memd.tools.protocol import Moment

SESSION = "ses_dd5676abaffe1wR0FjBorUF8Od"


@pytest.mark.parametrize(
    ("event", "payload", "moment"),
    [
        (
            "Request",
            {"session_id": SESSION, "cwd": "/w", "model": "scripted/m1", "context": 60_000, "output": 4_000},
            Moment("Request", None, SESSION, "/w", window=60_000),
        ),
        ("PreCompact", {"session_id": SESSION, "cwd": "/w"}, Moment("PreCompact", None, SESSION, "/w")),
        ("Note", {"session_id": SESSION}, Moment("Note", None, SESSION)),
        ("Request", {"cwd": "/w"}, None),
        ("Request", {"session_id": 7}, None),
    ],
)
def test_a_payload_is_a_moment(event, payload, moment):
    """Session and directory are all that is needed; without a session it is none."""
    assert hooks.moment(event, payload) == moment


PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** Add File: b.py\n+z\n*** End Patch"


@pytest.mark.parametrize(
    ("tool", "args", "calls"),
    [
        ("read", {"filePath": "/w/a"}, [(Kind.READ, "/w/a")]),
        ("edit", {"filePath": "/w/a", "oldString": "x", "newString": "y"}, [(Kind.EDIT, "/w/a")]),
        ("bash", {"command": "git push"}, [(Kind.COMMAND, "git push")]),
        ("apply_patch", {"patchText": PATCH}, [(Kind.EDIT, "a.py"), (Kind.CREATE, "b.py")]),
        ("read", None, [(Kind.READ, "")]),
        ("", {}, []),
    ],
)
def test_an_announced_call(tool, args, calls):
    """What it is about to do, a patch file by file, in the turn of the message that is answered."""
    payload = {"session_id": SESSION, "cwd": "/w", "turn": "msg_1", "call_id": "c1", "tool": tool, "args": args}
    moment = hooks.moment("Call", payload)
    assert (moment.turn, [(call.kind, call.target) for call in moment.calls]) == ("msg_1", calls)


def test_a_text_goes_as_it_is():
    """The plugin passes on what it gets; a note gets nothing."""
    assert [hooks.reply(event, "naïve – words\n") for event in ("Request", "PreCompact", "Note")] == [
        "naïve – words\n".encode(),
        "naïve – words\n".encode(),
        b"",
    ]


@pytest.mark.parametrize(
    ("window", "threshold"), [(None, None), (60_000, 48_000), (200_000, 168_000), (1_000_000, 968_000)]
)
def test_the_window_less_an_answer_is_the_threshold(window, threshold):
    """A small window's answers are short, a large one's at most 32,000 tokens."""
    assert hooks.threshold(window) == threshold


def test_the_shipped_plugin_is_filled_with_two_places():
    """Only its two lines change, and what they hold can be read back, whatever is in the path."""
    shipped = assets.read("hooks", "opencode/memd.js")
    socket, state = '/tmp/"quoted"/memd.sock', "/home/ä\\b/memd"

    lines = plugin.filled(shipped, socket, state).decode().splitlines()

    changed = [line for line, old in zip(lines, shipped.decode().splitlines(), strict=True) if line != old]
    values = [json.loads(line.partition(" = ")[2]) for line in changed]
    assert [line.partition(" = ")[0] for line in changed] == ["const SOCKET", "const STATE"]
    assert values == [socket, state]


def test_a_plugin_without_its_lines_is_refused():
    """A plugin that would look in the wrong place is not written."""
    with pytest.raises(ValueError, match="SOCKET"):
        plugin.filled(b"export default 1\n", "/s", "/d")


def test_the_stand_in_says_what_the_client_looks_for():
    """The name of the client's package among the root's dependencies, beside a `node_modules` that is there."""
    lock = json.loads(plugin.STAND_IN[Path("package-lock.json")])

    assert lock["packages"][""]["dependencies"] == {"@opencode-ai/plugin": "*"}
    assert [path.parts[0] for path in plugin.STAND_IN] == ["package-lock.json", "node_modules"]


@pytest.mark.parametrize(
    ("there", "needs"),
    [
        ([], False),
        (["opencode.json", ".gitignore", "plugin/memd.js", "agent/x.md", "command/y.md"], False),
        (["plugin/mine.ts"], True),
        (["plugins/memd.js"], True),
        (["tool/mine.js"], True),
        (["package.json"], True),
        (["package-lock.json"], True),
        (["bun.lock"], True),
        (["node_modules/.package-lock.json"], True),
    ],
)
def test_a_folder_that_may_need_packages_gets_no_stand_in(there, needs):
    """A person's own plugin would be dropped without a word."""
    assert plugin.needs_packages(map(Path, there)) == needs
