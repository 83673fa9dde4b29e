"""`memd install`, `memd uninstall` and `memd doctor` from outside, in a fresh home."""

import json
import os
import subprocess
import time
from contextlib import contextmanager

import pytest
from devices import made_device
from transcript import SESSION, Transcript

from memd.cli.install_asking import diff
from memd.files import Lock
from memd.tools.installing import Plan

from .conftest import MEMD, at_a_terminal


def _snapshot(folder):
    """Every path below the folder with its mode and content."""
    return {
        str(path.relative_to(folder)): (path.lstat().st_mode, path.read_bytes() if path.is_file() else None)
        for path in sorted(folder.rglob("*"))
    }


@contextmanager
def _daemon(home, **environ):
    """`memd run` for the time of the block."""
    out = subprocess.DEVNULL
    process = subprocess.Popen([*MEMD, "run"], cwd=home, stdout=out, stderr=out, env={**os.environ, **environ})
    try:
        yield process
    finally:
        process.terminate()
        process.wait(20)


class TestInstall:
    def test_the_change_is_shown_made_and_proved(self, memd, home):
        """A diff, the files, the hook's exit code, and what comes next."""
        done = memd("install", "--yes")
        assert (done.returncode, done.stderr) == (0, "")
        assert '+   "hooks": {' in done.stdout
        assert "claude-code: the hook was run once: exit 0 in " in done.stdout
        assert "No daemon answers yet" in done.stdout
        assert "Next: " in done.stdout
        assert "memd_hook.py" in (home / ".claude" / "settings.json").read_text()

    def test_what_stands_in_the_settings_runs(self, memd, home):
        """Each command, as the client runs it: exit 0, no word on either stream without a daemon."""
        memd("install", "--yes")
        hooks = json.loads((home / ".claude" / "settings.json").read_text())["hooks"]
        payload = b'{"session_id": "s", "source": "startup", "cwd": "/"}'
        for command in (hook["command"] for groups in hooks.values() for group in groups for hook in group["hooks"]):
            done = subprocess.run(["sh", "-c", command], input=payload, capture_output=True, timeout=20, check=False)
            assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")

    @pytest.mark.parametrize("arguments", [["--dry-run"], ["--dry-run", "--yes", "--service"], []])
    def test_nothing_is_written_unasked(self, memd, home, arguments):
        """A dry run only shows; without a terminal nobody can be asked, and it says what to do."""
        before = _snapshot(home)
        done = memd("install", *arguments)
        assert '+   "hooks": {' in done.stdout
        assert _snapshot(home) == before
        if arguments:
            assert (done.returncode, "Nothing was written." in done.stdout) == (0, True)
        else:
            assert done.returncode == 1
            assert "--yes" in done.stderr

    def test_twice_is_once(self, memd, home):
        """The second time says so, and nothing differs."""
        memd("install", "--yes")
        before = _snapshot(home)
        done = memd("install")
        assert done.returncode == 0
        assert "already" in done.stdout
        assert _snapshot(home) == before

    def test_a_file_that_is_not_json_is_refused(self, memd, home):
        """One line with path, line and column; nothing is written anywhere."""
        settings = home / ".claude" / "settings.json"
        settings.write_text('{\n  // mine\n  "a": 1\n}')
        before = _snapshot(home)
        done = memd("install", "--yes")
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith(f"memd: {settings}: line 2, column 3: not JSON")
        assert len(done.stderr.splitlines()) == 1
        assert _snapshot(home) == before

    def test_no_agent_is_refused_and_named_ones_are_not(self, memd, home):
        """Where nothing is found a person may still name one."""
        absent = str(home / "absent")
        done = memd("install", "--yes", CLAUDE_CONFIG_DIR=absent)
        assert done.returncode == 1
        assert f"claude-code in {absent}" in done.stderr
        assert memd("install", "claude-code", "--yes", CLAUDE_CONFIG_DIR=absent).returncode == 0
        assert memd("install", "nosuch", "--yes").returncode == 1

    def test_notes_are_told(self, memd, home):
        """What would keep the hooks from running is said before."""
        (home / ".claude" / "settings.json").write_text('{"disableAllHooks": true}')
        assert "note: " in memd("install", "--dry-run").stdout

    def test_yes_alone_starts_no_service(self, memd, home):
        """It was not asked for."""
        memd("install", "--yes")
        assert not list(home.rglob("memd.service"))

    def test_a_service_where_there_can_be_none(self, memd, home):
        """Said plainly, with what to do instead; the hooks are in."""
        done = memd("install", "--yes", "--service", PATH="/nowhere")
        assert done.returncode == 1
        assert (
            "the hooks are in, the service is not: there is no systemd here; start it by hand: `memd run`"
            in done.stderr
        )
        assert "exit 0" in done.stdout
        assert not list(home.rglob("memd.service"))

    def test_through_to_the_daemon_and_back(self, memd, home):
        """With a daemon running the proof goes the whole way, and the doctor has nothing to mend."""
        memd("install", "--yes")
        with _daemon(home) as process:
            for _ in range(100):
                done = memd("install", "--yes")
                if "answered" in done.stdout:
                    break
                time.sleep(0.1)
            assert f"The daemon answered through the hook (pid {process.pid})" in done.stdout
            found = {one["code"] for one in json.loads(memd("doctor", "--json").stdout)["findings"]}
            assert found <= {"no-service"}


class TestAsking:
    def test_no_changes_nothing(self, home):
        """One question, and it may be answered with no."""
        before = _snapshot(home)
        code, said = at_a_terminal(["n"], "install")
        assert code == 1
        assert said.count("[Y/n]") == 1
        assert _snapshot(home) == before

    def test_yes_and_no_service(self, home, tmp_path, monkeypatch):
        """The service is a question of its own; how far back to read is asked once."""
        program = tmp_path / "systemctl"
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
        code, said = at_a_terminal(["y", "n", "7", "n", "n"], "install")
        assert code == 0
        assert (said.count("[Y/n]"), said.count("how many days")) == (2, 1)
        assert "`memd install --service` starts it" in said
        assert not list(home.rglob("memd.service"))
        settings = home / ".config" / "memd" / "config.toml"
        answer = "# answered to memd install\n"
        assert settings.read_text() == f"backfill_days = 7  {answer}trust.hosts = []  {answer}"
        code, said = at_a_terminal([], "install", "--yes")
        assert (code, "[Y/n]" in said) == (0, False)
        assert not list(home.rglob("memd.service"))
        code, said = at_a_terminal(["", ""], "install")
        assert (code, said.count("[Y/n]"), said.count("how many days")) == (0, 1, 0)
        assert len(list(home.rglob("memd.service"))) == 1
        assert at_a_terminal([], "uninstall", "--yes")[0] == 0
        assert not settings.parent.exists()

    def test_broken_settings_of_memds_own(self, memd, home):
        """The daemon could not start with them: said before anything is written, with file and key."""
        settings = home / ".config" / "memd" / "config.toml"
        settings.parent.mkdir(parents=True)
        settings.write_text("backfil_days = 3\n")
        before = _snapshot(home)
        done = memd("install", "--yes")
        assert (done.returncode, done.stdout) == (1, "")
        assert "backfil_days: no such setting" in done.stderr
        assert _snapshot(home) == before


class TestUninstall:
    def test_the_home_is_as_before(self, memd, home):
        """Bytes, modes, folders."""
        before = _snapshot(home)
        memd("install", "--yes")
        done = memd("uninstall")
        assert (done.returncode, done.stderr) == (0, "")
        assert f"removed the hooks in {home}/.claude/settings.json" in done.stdout
        assert _snapshot(home) == before

    def test_never_installed(self, memd, home):
        """Says so, exits 0, and is not put off by a file that is no JSON."""
        (home / ".claude" / "settings.json").write_text("{ not json")
        before = _snapshot(home)
        done = memd("uninstall", "--yes")
        assert (done.returncode, done.stdout) == (0, "memd is not installed here: nothing to take away.\n")
        assert _snapshot(home) == before

    def test_the_record_stays_and_is_named(self, memd, home):
        """Only --purge takes it, then or later, with the folders that were made around it."""
        before = _snapshot(home)
        memd("install", "--yes")
        record = home / ".local" / "state" / "memd" / "sessions" / "x"
        record.mkdir(parents=True)
        done = memd("uninstall", "--yes")
        assert f"The record stays in {record.parent.parent}" in done.stdout
        assert sorted(path.name for path in record.parent.parent.iterdir()) == ["installed", "sessions"]
        assert "nothing to take away" in memd("uninstall").stdout
        assert memd("uninstall", "--purge", "--yes").returncode == 0
        assert _snapshot(home) == before

    def test_a_named_tool(self, memd, home):
        """The last tool takes the hook with it."""
        before = _snapshot(home)
        memd("install", "--yes")
        assert memd("uninstall", "claude-code").returncode == 0
        assert _snapshot(home) == before


class TestPurge:
    def test_everything_goes(self, memd, home):
        """State, data, settings, and the folders that were made for them."""
        before = _snapshot(home)
        memd("install", "--yes")
        (home / ".local" / "state" / "memd" / "memd.db").touch()
        (home / ".config" / "memd").mkdir(parents=True)
        (home / ".config" / "memd" / "config.toml").touch()
        done = memd("uninstall", "--purge", "--yes")
        assert done.returncode == 0
        (home / ".config").rmdir()  # made by this test
        assert _snapshot(home) == before

    def test_it_is_asked_for(self, memd, home):
        """Without --yes a person has to say so, at a terminal."""
        memd("install", "--yes")
        before = _snapshot(home)
        done = memd("uninstall", "--purge")
        assert done.returncode == 1
        assert "--yes" in done.stderr
        code, said = at_a_terminal([""], "uninstall", "--purge")
        assert (code, "[y/N]" in said) == (1, True)
        assert _snapshot(home) == before

    def test_a_home_is_not_removed(self, memd, home):
        """MEMD_STATE_DIR may say anything: a folder that holds the home, or where the person stands, stays."""
        (home / "inner").mkdir()
        before = _snapshot(home)
        for place in (home, home / "inner", home / "inner" / ".."):
            done = memd("uninstall", "--purge", "--yes", MEMD_STATE_DIR=str(place), HOME=str(home / "inner"))
            assert done.returncode == 1
            assert "memd will not remove it" in done.stderr
        assert _snapshot(home) == before

    @pytest.mark.parametrize("name", ["shared", "memd"])
    def test_other_peoples_files_in_the_state_folder_stay(self, memd, home, name):
        """MEMD_STATE_DIR may name a folder that was in use before: it was removed with all that was theirs."""
        place = home / name
        theirs = [place / "theirs", place / "projects" / "house" / "plan", place / "writing" / "novel"]
        ours = [
            place / "memd.db",
            place / "memd.db-wal",
            place / "projects" / "house-0123456789" / "state.md",
            place / "sessions" / "codex" / "one" / "memo.md",
            place / "opencode" / "alive.json",
            place / "opencode" / "alive.json.4711",
            place / "installed" / ".memd-x1y2.tmp",
            place / "damaged" / "2026-12-01T010203" / "memd.db",
        ]
        for file in (*theirs, *ours):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch()
        done = memd("uninstall", "--purge", "--yes", MEMD_STATE_DIR=str(place))
        assert (done.returncode, done.stderr) == (0, "")
        assert f"{place} stays: memd did not make all that is in it" in done.stdout
        assert sorted(file for file in place.rglob("*") if file.is_file()) == sorted(theirs)
        assert sorted(each.name for each in place.iterdir()) == ["projects", "theirs", "writing"]

    def test_a_state_folder_of_any_name_goes_whole_where_all_in_it_is_memds(self, memd, home):
        """After real work in it: an installation, a record that was damaged, a daemon's life, a project."""
        place, project = home / "elsewhere", home / "work"
        here = {"MEMD_STATE_DIR": str(place)}
        memd("install", "--yes", **here)
        place.joinpath("memd.db").write_bytes(b"no database" * 1_000)
        with _daemon(home, **here):
            end = time.monotonic() + 20
            while not (place / "damaged").exists() or "memd.sock" not in os.listdir(place):
                assert time.monotonic() < end, os.listdir(place)
                time.sleep(0.05)
            project.mkdir()
            transcript = Transcript(home / ".claude" / "projects" / "-w" / f"{SESSION}.jsonl", cwd=str(project))
            transcript.turn("Make it.")
            transcript.runs("git push")
            memd("ingest", str(transcript.path), **here)
        made = {"damaged", "installed", "memd.db", "memd.lock", "projects", "sessions"}
        assert made <= set(os.listdir(place))
        done = memd("uninstall", "--purge", "--yes", **here)
        assert (done.returncode, f"removed {place}" in done.stdout) == (0, True)
        assert not place.exists()

    @pytest.mark.parametrize("kind", ["folder", "device"])
    def test_what_is_named_as_the_settings_and_is_no_file_stays(self, memd, home, kind):
        """MEMD_CONFIG may say anything too: `/dev/null`, which root could remove, or a folder with other people's files."""
        memd("install", "--yes")
        place = home / "named"
        if kind == "folder":
            place.mkdir()
            (place / "theirs").touch()
        else:
            made_device(place)
        before = place.lstat().st_ino, sorted(home.glob("named/*"))
        done = memd("uninstall", "--purge", "--yes", MEMD_CONFIG=str(place))
        assert (done.returncode, (home / ".local" / "state" / "memd").exists()) == (0, False)
        assert (place.lstat().st_ino, sorted(home.glob("named/*"))) == before

    def test_not_under_a_running_daemon(self, memd, home):
        """It would write its record again; nothing is touched until it is ended."""
        memd("install", "--yes")
        with _daemon(home) as process:
            for _ in range(100):
                if "daemon-silent" not in memd("doctor", "--json").stdout:
                    break
                time.sleep(0.1)
            done = memd("uninstall", "--purge", "--yes")
            assert done.returncode == 1
            assert "a daemon is running" in done.stderr
            assert "memd_hook.py" in (home / ".claude" / "settings.json").read_text()
            done = memd("uninstall", "--yes")
            said = f"A daemon is still running and goes on recording: end it (pid {process.pid}).\n"
            assert (done.returncode, done.stdout.endswith(said)) == (0, True)

    def test_not_beside_a_memd_that_does_not_answer(self, memd, home):
        """A daemon that was stopped would make its record anew when it is woken, and so would a command at work."""
        memd("install", "--yes")
        with Lock(home / ".local" / "state" / "memd" / "memd.lock"):
            before = _snapshot(home)
            done = memd("uninstall", "--purge", "--yes")
            assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
            assert f"end it first (`kill -9 {os.getpid()}`)" in done.stderr
            assert _snapshot(home) == before
            done = memd("uninstall", "--yes")
            assert (done.returncode, f"(pid {os.getpid()}) and may go on recording" in done.stdout) == (0, True)

    def test_no_single_tool(self, memd):
        """The record is of all tools."""
        assert memd("uninstall", "claude-code", "--purge").returncode == 2


class TestDoctor:
    def test_exit_code_and_json(self, memd, home):
        """1 and the command that mends each fault; --fix mends what is safe."""
        assert memd("doctor").returncode == 1
        memd("install", "--yes")
        (home / ".local" / "share" / "memd" / "memd_hook.py").unlink()
        done = memd("doctor", "--json")
        assert done.returncode == 1
        answer = json.loads(done.stdout)
        assert answer["ok"] is False
        assert {"code", "text", "fix", "note"} == set(answer["findings"][0])
        assert "hook-missing" in {one["code"] for one in answer["findings"]}
        mended = json.loads(memd("doctor", "--fix", "--json").stdout)
        assert [one["code"] for one in mended["mended"]] == ["hook-missing"]
        assert "daemon-silent: no daemon answers" in memd("doctor").stdout


def test_the_diff_is_one_that_patch_understands(tmp_path):
    """Also for files without a final newline, with odd line ends, and for new ones."""
    for before, after in [
        (b"a\r\nb", b"a\r\nc\n"),
        (b"a", b"b"),
        (b"a\x0cb\n", b"a\x0cc\n"),
        (b"\xe2\x80\xa8\n", b"x\n"),
    ]:
        path = tmp_path / "f"
        path.write_bytes(before)
        text = "".join(diff(Plan(path, before, after)))
        (tmp_path / "p").write_bytes(text.encode())
        subprocess.run(["git", "apply", "--unsafe-paths", "-p0", "p"], cwd=tmp_path, check=True)
        assert path.read_bytes() == after
    assert "".join(diff(Plan(path, None, b"x\n"))).startswith("--- /dev/null\n")
