"""A machine that somebody manages: what the real clients do with a person's hooks there, and what memd says of it.

The managers' folders are below /etc, which each test has to itself: a mount that only the processes under test see.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .claude_code import ClaudeCode
from .codex import Codex
from .memd_process import COMMAND, Memd

pytestmark = pytest.mark.client

ETC = ("passwd", "group", "nsswitch.conf", "hosts", "localtime", "ld.so.cache", "ssl")
"""What a client reads there."""


@pytest.fixture
def etc(tmp_path: Path) -> Path:
    """The folder that stands for /etc."""
    if (
        sys.platform != "linux"
        or subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode
    ):
        pytest.skip("no mounts of one's own here")
    folder = tmp_path / "etc"
    folder.mkdir()
    for found in (Path("/etc") / name for name in ETC):
        if found.is_dir():
            shutil.copytree(found, folder / found.name, symlinks=True)
        elif found.exists():
            shutil.copyfile(found, folder / found.name)
    return folder


def inside(etc: Path, command: Path) -> Path:
    """A program that runs `command` where the folder is /etc."""
    wrapper = etc.parent / f"managed-{command.name}"
    mounts = f"mount --make-rprivate / && mount --bind '{etc}' /etc"
    wrapper.write_text(f'#!/bin/sh\nexec unshare -m sh -c "{mounts} && exec \'{command}\' \\"\\$@\\"" sh "$@"\n')
    wrapper.chmod(0o755)
    return wrapper


def findings(memd: Memd, etc: Path) -> dict[str, str]:
    """What the doctor says there of the hooks, by code."""
    command = [inside(etc, Path(COMMAND[0])), *COMMAND[1:], "doctor", "--json"]
    said = subprocess.run(command, env=memd.env, cwd=memd.cwd, capture_output=True, text=True, timeout=60, check=False)
    return {one["code"]: one["text"] for one in json.loads(said.stdout)["findings"] if one["code"].startswith("hooks-")}


def test_claude_code(claude: ClaudeCode, memd: Memd, etc: Path) -> None:
    """Where only the manager's hooks are allowed a person's do not run, and the doctor names file and setting."""
    claude.program = inside(etc, claude.program)
    settings, ran = json.loads(claude.settings.read_text(encoding="utf-8")), claude.home / "ran"
    settings["hooks"]["SessionStart"].append({"hooks": [{"type": "command", "command": f"touch {ran}"}]})
    claude.settings.write_text(json.dumps(settings), encoding="utf-8")
    claude.headless("hello")
    assert ran.exists()
    ran.unlink()
    (etc / "claude-code").mkdir()
    (etc / "claude-code" / "managed-settings.json").write_text('{"allowManagedHooksOnly": true}')
    claude.headless("hello")
    assert not ran.exists()
    why = "allowManagedHooksOnly is true in /etc/claude-code/managed-settings.json"
    assert findings(memd, etc) == {"hooks-managed": f"claude-code: no hook of yours runs: {why}"}


def test_codex(codex: Codex, codex_memd: Memd, etc: Path) -> None:
    """The client's own list has no hook of the person's then; the doctor says which file is why.

    The manager's `config.toml` stands below the person's own, whose word counts; `managed_config.toml` above it.
    """
    codex.program = inside(etc, codex.program)
    listed = lambda: codex.ask("hooks/list", {"cwds": [str(codex.project)]})["data"][0]["hooks"]  # noqa: E731
    assert listed()
    (etc / "codex").mkdir()
    (etc / "codex" / "requirements.toml").write_text("allow_managed_hooks_only = true\n")
    assert not listed()
    why = "allow_managed_hooks_only is true in /etc/codex/requirements.toml"
    assert findings(codex_memd, etc) == {"hooks-managed": f"codex: no hook of yours runs: {why}"}
    (etc / "codex" / "requirements.toml").unlink()
    own, on, off = (
        codex.config.read_text(encoding="utf-8"),
        "\n[features]\nhooks = true\n",
        "\n[features]\nhooks = false\n",
    )
    for name, above, below in (("config.toml", off, on), ("managed_config.toml", on, off)):
        (etc / "codex" / name).write_text(above)
        codex.config.write_text(own + below, encoding="utf-8")
        assert listed()
        assert findings(codex_memd, etc) == {}
        (etc / "codex" / name).unlink()
