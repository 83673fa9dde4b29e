"""The hook's copy and the link to the interpreter."""

import subprocess
import sys
from pathlib import Path

import pytest

from memd import assets
from memd.daemon.setup import hook
from memd.daemon.setup.hook import look, refresh_hook, remove_hook
from memd.daemon.setup.proof import prove
from memd.tools.installing import HookEntry


def _mode(path):
    return path.lstat().st_mode & 0o777


def test_both_are_made(places):
    """The copies are the shipped ones, the link leads to a real interpreter outside of any virtual environment."""
    refresh_hook(places)
    assert (places.data / "hook" / "memd_hook.py").read_bytes() == assets.read("hooks", "memd_hook.py")
    assert (places.data / "memd_hook.py").read_bytes() == assets.read("hooks", "memd_hook_start.py")
    assert (places.data / "memd_statusline.py").read_bytes() == assets.read("hooks", "memd_statusline.py")
    target = (places.data / "bin" / "python3").readlink()
    assert target == target.resolve()
    assert not target.is_relative_to(sys.prefix) or sys.prefix == sys.base_prefix
    assert [_mode(path) for path in (places.data, places.data / "bin", places.data / "memd_hook.py")] == [
        0o700,
        0o700,
        0o600,
    ]
    assert look(places).ok


def test_nothing_is_done_twice(places):
    """What is right already is not even touched: a hook may be running."""
    refresh_hook(places)
    before = [path.lstat() for path in sorted(places.data.rglob("*"))]
    refresh_hook(places)
    assert [(s.st_ino, s.st_mtime_ns) for s in before] == [
        (s.st_ino, s.st_mtime_ns) for s in (path.lstat() for path in sorted(places.data.rglob("*")))
    ]


@pytest.mark.parametrize("target", ["/nowhere/python3", "/bin/sh"])
def test_a_wrong_link_is_pointed_anew(places, target):
    """An upgrade of Python takes the old interpreter away; the command in the settings stays as it is."""
    refresh_hook(places)
    link = places.data / "bin" / "python3"
    link.unlink()
    link.symlink_to(target)
    assert look(places).link == "broken"
    refresh_hook(places)
    assert look(places).link == "ok"


def test_neither_the_environments_link_nor_a_shim_is_taken(tmp_path, monkeypatch):
    """Those go with the environment or need its variables; what lies under them stays."""
    shim = tmp_path / "python3"
    shim.symlink_to(hook.interpreter())
    real = hook.interpreter()
    monkeypatch.setattr(sys, "_base_executable", str(shim))
    monkeypatch.setattr(sys, "executable", "/some/venv/bin/python")
    assert hook.interpreter() == real


def test_another_interpreter_works_but_is_told(places, tmp_path):
    """It runs, so nothing is broken; it is only not the one under this memd."""
    refresh_hook(places)
    wrapper = tmp_path / "python3"
    wrapper.write_text(f'#!/bin/sh\nexec {hook.interpreter()} "$@"\n')
    wrapper.chmod(0o755)
    link = places.data / "bin" / "python3"
    link.unlink()
    link.symlink_to(wrapper)
    assert (look(places).link, look(places).stale) == ("ok", True)


def test_faults_are_told_apart(places):
    """Missing, differing, and that nothing was installed at all."""
    assert (look(places).copy, look(places).link, look(places).ok) == ("missing", "missing", False)
    refresh_hook(places)
    (places.data / "memd_hook.py").write_text("# an older one")
    assert (look(places).copy, look(places).ok) == ("differs", False)


def test_removal_leaves_only_what_is_not_ours(places):
    """The folders go when they are empty; on macOS the record lies in the same one."""
    assert remove_hook(places) == []
    refresh_hook(places)
    (places.data / "memd.db").touch()
    assert len(remove_hook(places)) == 4
    assert [path.name for path in places.data.iterdir()] == ["memd.db"]


def test_the_hook_really_runs(places, monkeypatch):
    """The proof runs what the tool will run: exit 0, and silence without a daemon."""
    refresh_hook(places)
    proof = prove(places, "claude-code", HookEntry("SessionStart", part=1), {"HOME": "/nowhere"})
    assert (proof.exit_code, proof.said) == (0, "")
    assert proof.seconds < 5


def test_a_broken_hook_is_no_proof(places):
    """Without the shell's safety net a missing script shows."""
    refresh_hook(places)
    (places.data / "memd_hook.py").unlink()
    proof = prove(places, "claude-code", HookEntry("PreCompact"), {})
    assert proof.exit_code == 2
    assert "No such file" in proof.said
    (places.data / "bin" / "python3").unlink()
    assert prove(places, "claude-code", HookEntry("PreCompact"), {}).exit_code == 127


def test_the_command_is_stable(places):
    """No version, no interpreter's version, no virtual environment in it: it never changes over upgrades."""
    data, state = str(places.data), str(places.state)
    assert hook.command(places) == (
        f"{data}/bin/python3", "-I", "-S", f"{data}/memd_hook.py", "--socket", str(places.socket), "--state", state,
    )  # fmt: skip


def test_a_shim_is_seen_through(places):
    """The interpreter that is linked to starts by itself, without the environment that a shim would need."""
    refresh_hook(places)
    link = places.data / "bin" / "python3"
    done = subprocess.run(
        [link, "-I", "-S", "-c", "import sys; print(sys.prefix)"], env={}, capture_output=True, check=True
    )
    assert Path(done.stdout.decode().strip()) == Path(sys.base_prefix)


def test_the_hook_is_started_from_its_compiled_form(places):
    """The first start compiles it, the next ones take that; taken away it leaves nothing, compiled forms included."""
    refresh_hook(places)
    for _ in range(2):
        subprocess.run([*hook.command(places)[:4], "claude-code", "SessionEnd"], input=b"{}", check=True)
    compiled = list((places.data / "hook" / "__pycache__").iterdir())
    assert [path.name.startswith("memd_hook.") for path in compiled] == [True]
    remove_hook(places)
    assert not places.data.exists()


def test_a_start_without_its_hook_stays_silent(places):
    """Half an installation must not say a word: the agent would read it."""
    refresh_hook(places)
    (places.data / "hook" / "memd_hook.py").unlink()
    command = [*hook.command(places)[:4], "claude-code", "PreCompact"]
    done = subprocess.run(command, input=b"{}", capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (0, b"")
