"""What `memd install` offers beside the hooks: the status line, and editors whose prompts are a person's typing."""

import json

from memd import config

from .conftest import at_a_terminal

THEIRS = b'{"statusLine": {"type": "command", "command": "echo \\u00e9"}}'


def test_the_status_line_only_if_asked(memd, home):
    """Without the option nothing of it changes; with it ours comes behind; uninstalling gives the bytes back."""
    settings = home / ".claude" / "settings.json"
    settings.write_bytes(THEIRS)
    memd("install", "--yes")
    assert json.loads(settings.read_bytes())["statusLine"]["command"] == "echo é"
    done = memd("install", "claude-code", "--statusline", "--yes")
    assert "adds memd's hooks and part of the status line" in done.stdout
    assert "memd_statusline.py" in json.loads(settings.read_bytes())["statusLine"]["command"]
    memd("install", "--yes")
    assert "memd_statusline.py" in json.loads(settings.read_bytes())["statusLine"]["command"]
    assert "removed the hooks and part of the status line" in memd("uninstall").stdout
    assert settings.read_bytes() == THEIRS


def test_at_a_terminal_it_is_offered_and_shown(home):
    """After the change itself; the more of the diff is shown, and it is not offered again."""
    code, said = at_a_terminal(["y", "y", "30", "y"], "install", "--no-service")
    assert code == 0
    assert said.count("in claude-code's status line too") == 1
    assert '+   "statusLine": {' in said
    code, said = at_a_terminal([], "install", "--no-service")
    assert (code, "status line too" in said) == (0, False)
    assert config.read(home / ".config" / "memd" / "config.toml").trust.hosts == ("claude-vscode",)


def test_a_status_line_of_another_kind_is_left(memd, home):
    """One line that says where; nothing is written."""
    settings = home / ".claude" / "settings.json"
    settings.write_bytes(b'{"statusLine": true}')
    done = memd("install", "--statusline", "--yes")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "line 1, column 16: `statusLine` is not a command" in done.stderr
    assert settings.read_bytes() == b'{"statusLine": true}'


def test_a_tool_without_a_status_line_says_so(memd, home):
    (home / ".config" / "opencode").mkdir(parents=True)
    done = memd("install", "opencode", "--statusline", "--yes")
    assert (done.returncode, done.stderr) == (1, "memd: opencode has no status line that a command fills\n")


def test_an_editor_is_trusted_beforehand(memd, home):
    """Without a terminal the option says it; a second one is added to those that are there; uninstalling takes it back."""
    memd("install", "--yes", "--trust-host", "codex_vscode")
    memd("install", "--yes", "--trust-host", "my-editor")
    path = home / ".config" / "memd" / "config.toml"
    assert config.read(path).trust.hosts == ("codex_vscode", "my-editor")
    memd("uninstall")
    assert not path.exists()


def test_statusline_by_hand_says_what_it_is_for(memd, home):
    """At a terminal there is nobody to read from; in the settings it gives the line, here without a daemon."""
    code, said = at_a_terminal([], "statusline")
    assert code == 2
    assert "this is for the status line of claude-code" in said
    done = memd("statusline", "--", "echo", "mine", NO_COLOR="1")
    assert (done.returncode, done.stdout, done.stderr) == (0, "mine  ○ memd not running\n", "")
    assert memd("statusline", "--", "echo one word", NO_COLOR="1").stdout == "one word  ○ memd not running\n"
