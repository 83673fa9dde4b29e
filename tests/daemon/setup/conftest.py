"""A home with Claude Code in it, and stand-ins for the service managers."""

import os
from pathlib import Path

import pytest

from memd import config

SYSTEMCTL = """#!/bin/sh
echo "$@" >> "$HOME/systemctl.log"
[ -e "$HOME/no-session" ] && { echo 'Failed to connect to bus' >&2; exit 1; }
case "$*" in
    *"restart memd.service")
        [ -e "$HOME/no-namespaces" ] && grep -q ProtectHome= "$HOME/.config/systemd/user/memd.service" && exit 1
        [ -e "$HOME/broken" ] && { echo 'Job for memd.service failed.' >&2; exit 1; }
        touch "$HOME/active" ;;
    *"enable memd.service") touch "$HOME/enabled" ;;
    *"disable --now memd.service") rm -f "$HOME/enabled" "$HOME/active" ;;
    *ExecMainStatus*) [ -e "$HOME/no-namespaces" ] && echo 226 ;;
    *is-enabled*) [ -e "$HOME/enabled" ] ;;
    *is-active*) [ -e "$HOME/active" ] ;;
esac
"""


@pytest.fixture
def home():
    """The test's own home, with Claude Code's folder."""
    place = Path(os.environ["HOME"])
    (place / ".claude").mkdir()
    return place


@pytest.fixture
def settings_file(home):
    """The person's settings, which are not memd's."""
    path = home / ".claude" / "settings.json"
    path.write_bytes(b'{\n\t"model": "opus"\n}')
    path.chmod(0o640)
    return path


@pytest.fixture
def places():
    """Memd's places in this home."""
    return config.paths(os.environ)


@pytest.fixture
def systemctl(tmp_path, home, monkeypatch):
    """A systemd that remembers what it was told; `no-session`, `broken` and `no-namespaces` in the home make it fail."""
    program = tmp_path / "bin" / "systemctl"
    program.parent.mkdir()
    program.write_text(SYSTEMCTL)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    return home / "systemctl.log"
