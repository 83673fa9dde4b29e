"""Installations that went wrong elsewhere, tried here from outside: each is something that a person has met.

Named are the cases: one bad entry that silences a whole file, an installer that replaced other people's hooks, a second
run that wiped them, hooks that lead to nothing, homes that are links or several.
"""

import json
import os
import shutil
import subprocess
import time

import pytest
from transcript import SESSION, Transcript

from .conftest import MEMD

FOREIGN = (
    b'{"zeta": 1,\n  "hooks" : {"SessionStart":[{"matcher":"startup","hooks":[{"command":"echo mine","type":"command"}]}],'
    b'\n\t"Stop": [ {"hooks": []} ]}, "unknown": {"b": 1, "a": [1,2,  3]}}'
)


@pytest.fixture
def settings(home):
    path = home / ".claude" / "settings.json"
    path.write_bytes(FOREIGN)
    return path


def _commands(settings):
    hooks = json.loads(settings.read_bytes())["hooks"]
    return [hook["command"] for groups in hooks.values() for group in groups for hook in group["hooks"]]


def _findings(memd):
    return {one["code"]: one for one in json.loads(memd("doctor", "--json").stdout)["findings"]}


def test_one_malformed_entry_of_others_is_named_and_found_later(memd, settings):
    """The client may drop every hook of the file for it: install warns with its place, so does the doctor, nothing is mended."""
    bad = b'{"hooks": {"Stop": [{"matcher": 3, "hooks": []}]}}'
    settings.write_bytes(bad)
    done = memd("install", "--yes")
    assert done.returncode == 0
    assert "hooks.Stop[0]" in done.stdout
    assert "hooks.Stop[0]" in _findings(memd)["hooks-malformed"]["text"]
    memd("doctor", "--fix")
    assert "hooks-malformed" in _findings(memd)
    memd("uninstall")
    assert settings.read_bytes() == bad


def test_an_entry_that_goes_bad_after_installing_is_found(memd, settings):
    """Somebody else's installer broke it a week later: doctor and status say which."""
    memd("install", "--yes")
    settings.write_bytes(settings.read_bytes().replace(b'"matcher":"startup"', b'"matcher":["startup"]'))
    assert "hooks.SessionStart[0]" in _findings(memd)["hooks-malformed"]["text"]


def test_foreign_hooks_of_the_same_event_stay(memd, settings):
    """The list of an event is added to, never replaced; odd order, unknown keys and spacing keep their bytes."""
    memd("install", "--yes")
    after = settings.read_bytes()
    assert "echo mine" in _commands(settings)
    for piece in (
        b'{"zeta": 1,\n  "hooks" : {"SessionStart":[{"matcher":"startup",',
        b'"unknown": {"b": 1, "a": [1,2,  3]}}',
    ):
        assert piece in after
    memd("uninstall")
    assert settings.read_bytes() == FOREIGN


def test_run_after_run_after_an_upgrade_the_file_is_the_same(memd, settings):
    """Install, install, an older version's entries, install: each run ends in the same file, and says what is on disk."""
    memd("install", "--yes")
    wanted = settings.read_bytes()
    assert "already" in memd("install", "--yes").stdout
    assert settings.read_bytes() == wanted
    settings.write_bytes(
        wanted.replace(b'"timeout": 5', b'"timeout": 60').replace(b"PreCompact --", b"PreCompact --old --")
    )
    assert "already" not in memd("install", "--yes").stdout
    assert json.loads(settings.read_bytes()) == json.loads(wanted)
    assert _findings(memd).keys() <= {"daemon-silent", "no-service"}
    assert "echo mine" in _commands(settings)
    memd("uninstall")
    assert settings.read_bytes() == FOREIGN


@pytest.mark.parametrize("gone", ["memd_hook.py", "hook", "bin", "."])
def test_hooks_that_lead_to_nothing_hinder_nobody(memd, home, settings, gone):
    """Deleted without being uninstalled: each command still exits 0 in silence, and only ours is taken out."""
    memd("install", "--yes")
    lost = home / ".local" / "share" / "memd" / gone
    shutil.rmtree(lost) if lost.is_dir() else lost.unlink()
    for command in _commands(settings):
        done = subprocess.run(["sh", "-c", command], input=b"{}", capture_output=True, timeout=20, check=False)
        expected = b"mine\n" if command == "echo mine" else b""
        assert (done.returncode, done.stdout, done.stderr) == (0, expected, b"")
    assert memd("uninstall").returncode == 0
    assert settings.read_bytes() == FOREIGN


def test_a_virtual_environment_that_moved_is_no_loss(memd, home, settings):
    """The hook's interpreter is the one under the environment: nothing in the settings or the link names the environment."""
    memd("install", "--yes")
    link = home / ".local" / "share" / "memd" / "bin" / "python3"
    assert os.readlink(link) == os.path.realpath(MEMD[0])
    assert not any("venv" in command for command in _commands(settings))


def test_a_home_that_is_a_link(memd, home, settings):
    """`~/.claude` leads into a repository of dot files: written through it, the link stays, and nothing is left."""
    real = home / "dotfiles"
    settings.parent.rename(real)
    settings.parent.symlink_to(real)
    assert memd("install", "--yes").returncode == 0
    assert settings.parent.is_symlink()
    assert b"memd_hook.py" in (real / "settings.json").read_bytes()
    assert _findings(memd).keys() <= {"daemon-silent", "no-service"}
    assert memd("uninstall").returncode == 0
    assert (real / "settings.json").read_bytes() == FOREIGN
    assert sorted(path.name for path in home.iterdir()) == [".claude", "dotfiles"]


def test_two_profiles_one_a_farm_of_links(memd, home, settings):
    """Both are looked at, a transcript that is reached by two paths is recorded once, and both are cleaned."""
    farm = home / "work"
    farm.mkdir()
    (settings.parent / "projects").mkdir()
    (farm / "projects").symlink_to(settings.parent / "projects")
    (farm / "settings.json").write_bytes(b"{}")
    assert memd("install", "--yes").returncode == 0
    assert memd("install", "--yes", CLAUDE_CONFIG_DIR=str(farm)).returncode == 0
    process = subprocess.Popen([*MEMD, "run"], cwd=home, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        transcript = Transcript(farm / "projects" / "-srv" / f"{SESSION}.jsonl", cwd=str(home))
        transcript.now().turn("By one path.")
        Transcript(settings.parent / "projects" / "-srv" / f"{SESSION}.jsonl", cwd=str(home)).now().turn(
            "By the other."
        )
        end = time.monotonic() + 30
        while time.monotonic() < end and len(memd("log", SESSION, "--json").stdout.splitlines()) < 4:
            time.sleep(0.2)
        memd("ingest", str(transcript.path))
        shown = [json.loads(line)["text"] for line in memd("log", SESSION, "--json").stdout.splitlines()]
        assert shown == ["By one path.", "Done.", "By the other.", "Done."]
        sessions = json.loads(memd("status", "--json").stdout)["sessions"]
        assert [one["session"] for one in sessions] == [f"claude-code:{SESSION}"]
    finally:
        process.terminate()
        process.wait(20)
    assert memd("uninstall").returncode == 0
    assert (settings.read_bytes(), (farm / "settings.json").read_bytes()) == (FOREIGN, b"{}")
