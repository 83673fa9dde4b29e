"""memd's part of the status line in Claude Code's settings: behind the person's own, and out again byte for byte."""

import json
import subprocess
from pathlib import Path

import pytest

from memd.errors import Refused
from memd.tools.claude_code import statusline
from memd.tools.registry import tool

COMMAND = ("/data/bin/python3", "-I", "-S", "/data/memd_statusline.py", "--socket", "/s", "--state", "/st")
HOME = Path("/home/p/.claude")
SETTINGS = HOME / "settings.json"
CLAUDE = tool("claude-code")
THEIRS = 'printf "caf\u00e9 %s" "$(jq -r .model.id)"; echo \'quoted\';'
WRITTEN = [
    b"",
    b"{}",
    b"{\n}\n",
    b'{"model": "opus"}',
    b'{\n   "model": "opus",\n   "hooks": {}\n}\n',
    b'{\r\n\t"statusLine": {"type":"command", "command" : %s, "padding": 0},\r\n\t"z": 1\r\n}'
    % json.dumps(THEIRS).encode(),
]


def shown(content):
    return json.loads(content)["statusLine"]["command"]


@pytest.mark.parametrize("before", WRITTEN)
def test_what_is_put_in_comes_out_again(before):
    """With the hooks before it and without: each file keeps its every byte, an odd spelling of the command too."""
    after = statusline.put(before, COMMAND)
    assert "memd_statusline.py claude-code --socket /s" in shown(after)
    assert statusline.take(after, before) == (before or None)
    both = statusline.put(CLAUDE.install(HOME, {SETTINGS: before}, HOOK)[0].after, COMMAND)
    (plan,) = CLAUDE.uninstall(HOME, {SETTINGS: both}, {SETTINGS: before})
    assert plan.after == (before or None)


HOOK = ("/data/bin/python3", "-I", "-S", "/data/memd_hook.py", "--socket", "/s", "--state", "/st")


def test_twice_is_once():
    """The second time nothing differs, and the person's command is not wrapped again."""
    once = statusline.put(WRITTEN[-1], COMMAND)
    assert statusline.put(once, COMMAND) == once
    assert CLAUDE.status_line.there(HOME, {SETTINGS: once})
    assert not CLAUDE.status_line.there(HOME, {SETTINGS: WRITTEN[-1]})


def test_moved_places_are_written_anew():
    """Another socket makes another line around the same command of the person's."""
    moved = tuple("/elsewhere" if word == "/s" else word for word in COMMAND)
    assert statusline.put(statusline.put(WRITTEN[-1], COMMAND), moved) == statusline.put(WRITTEN[-1], moved)


def test_what_others_changed_since_stays():
    """Out comes our part alone, and the person's command goes back in its place."""
    after = statusline.put(WRITTEN[-1], COMMAND).replace(b'"padding": 0', b'"padding": 2')
    assert statusline.take(after, None) == WRITTEN[-1].replace(b'"padding": 0', b'"padding": 2').replace(
        json.dumps(THEIRS).encode(), json.dumps(THEIRS, ensure_ascii=False).encode()
    )


def test_a_line_that_a_person_put_there_by_hand_is_as_good():
    """`memd statusline` in the settings is left as it is, and is not offered again."""
    before = b'{"statusLine": {"type": "command", "command": "memd statusline -- starship"}}'
    assert statusline.put(before, COMMAND) == before
    assert CLAUDE.status_line.there(HOME, {SETTINGS: before})
    assert statusline.take(before, before) == before


@pytest.mark.parametrize("line", ["true", '"text"', '{"type": "command"}', '{"command": 3}'])
def test_what_is_no_command_is_refused(line):
    """With the place; nothing is replaced silently."""
    with pytest.raises(Refused, match="column 16: `statusLine` is not a command"):
        statusline.put(b'{"statusLine": %s}' % line.encode(), COMMAND)


def test_without_the_script_the_persons_line_is_still_there():
    """Should memd be gone, however it went, the shell runs what stood there before, with the same bytes on stdin."""
    line = statusline.line(COMMAND, "printf 'mine: '; cat")
    done = subprocess.run(["sh", "-c", line], input=b"{}", capture_output=True, check=False)
    assert (done.stdout, done.stderr, done.returncode) == (b"mine: {}", b"", 0)
    done = subprocess.run(["sh", "-c", statusline.line(COMMAND, "")], input=b"{}", capture_output=True, check=False)
    assert (done.stdout, done.stderr, done.returncode) == (b"", b"", 0)


def test_the_payload_tells_window_and_fill():
    """As the client sends it; before the first answer nothing is in the window; other events tell neither."""
    usage = {"input_tokens": 7, "output_tokens": 50, "cache_creation_input_tokens": 20, "cache_read_input_tokens": 100}
    context = {"context_window_size": 1_000_000, "total_input_tokens": 9, "current_usage": usage}
    told = CLAUDE.moment("StatusLine", {"session_id": "s", "context_window": context})
    assert (told.window, told.tokens) == (1_000_000, 127)
    new = CLAUDE.moment("StatusLine", {"session_id": "s", "context_window": {**context, "current_usage": None}})
    assert (new.window, new.tokens) == (1_000_000, 0)
    other = CLAUDE.moment("StatusLine", {"session_id": "s", "context_window": 3})
    assert (other.window, other.tokens) == (None, None)
