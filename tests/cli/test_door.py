"""The door of the command line: help, exit codes 0, 1, 2, 3, and never a traceback that nobody asked for."""

import os
import socket
import stat
import subprocess
import time

import pytest
from process import Home, eventually
from transcript import Transcript

from memd import config
from memd.cli import COMMANDS, cli
from memd.cli import log as log_command
from memd.store import migrations

from .conftest import MEMD


@pytest.mark.parametrize("words", [["--help"], ["-h"], ["--version"], *([name, "--help"] for name in COMMANDS)])
def test_help(call, words):
    """Every command explains itself, on stdout, without touching anything."""
    code, out, err = call(*words)
    assert (code, err) == (0, "")
    assert words == ["--version"] or out.startswith(f"Usage: memd {words[0] if words[0] in COMMANDS else '[OPTIONS]'}")
    assert not Home().state.exists()


def test_every_command_is_listed_with_its_line(call):
    out = call("--help")[1]
    assert [name for name in COMMANDS if f"\n  {name} " not in out] == []


@pytest.mark.parametrize(
    "words", [["nonsense"], ["--nonsense"], ["ingest"], ["log", "a", "b"], ["status", "--nonsense"]]
)
def test_wrong_usage_is_2(call, words):
    code, out, err = call(*words)
    assert (code, out) == (2, "")
    assert err.startswith("Usage: memd ")
    assert "Traceback" not in err


@pytest.mark.parametrize(("typed", "said"), [("stauts", "is `memd status` meant?"), ("frobnicate", "'frobnicate'\n")])
def test_a_misspelt_command_names_the_one_that_is_like_it(call, typed, said):
    """Wrong usage, and the way on where there is one."""
    code, _, err = call(typed)
    assert (code, err.splitlines()[-1].startswith(f"Error: there is no command '{typed}'")) == (2, True)
    assert said in err


def test_a_defect_is_3_with_a_log_file_that_has_the_rest(call, tmp_path, monkeypatch):
    """One line names the file; the file is private and holds the traceback; --debug shows it as well."""
    transcript = Transcript(tmp_path / "5d1f0c1e.jsonl")
    transcript.turn("Make the gateway fast.")
    call("ingest", transcript.path)
    monkeypatch.setattr(log_command, "_shown", lambda *_, **__: 1 / 0)
    file = Home().state / "memd.log"
    assert call("log") == (3, "", f"memd: a defect in memd; the details are in {file}\n")
    assert "ZeroDivisionError" in file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    code, _, err = call("--debug", "log")
    assert (code, "ZeroDivisionError" in err) == (3, True)


def test_a_defect_that_cannot_be_logged_says_so(call, tmp_path, monkeypatch):
    transcript = Transcript(tmp_path / "5d1f0c1e.jsonl")
    transcript.turn("Make the gateway fast.")
    call("ingest", transcript.path)
    (Home().state / "memd.log").mkdir()
    monkeypatch.setattr(log_command, "_shown", lambda *_, **__: 1 / 0)
    code, _, err = call("log")
    assert (code, err.count("\n")) == (3, 1)
    assert "could not be logged" in err


@pytest.mark.parametrize("words", [["run"], ["ingest", "x.jsonl"], ["checkpoint"], ["log"], ["show"]])
def test_a_state_folder_that_cannot_be_made_is_one_line(call, tmp_path, monkeypatch, words):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("MEMD_STATE_DIR", str(tmp_path / "file" / "state"))
    code, out, err = call(*words)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert err.startswith("memd: ")
    assert str(tmp_path / "file") in err


@pytest.mark.parametrize("words", [["run"], ["ingest", "x.jsonl"], ["checkpoint"], ["log"], ["show"], ["status"]])
@pytest.mark.parametrize("content", ["guard = maybe", "nonsense = 1", "\x00", "[inject]\nmax_tokens = -1"])
def test_broken_settings_are_one_line_that_names_the_file(call, tmp_path, monkeypatch, words, content):
    (tmp_path / "config.toml").write_text(content)
    monkeypatch.setenv("MEMD_CONFIG", str(tmp_path / "config.toml"))
    code, out, err = call(*words)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert err.startswith(f"memd: {tmp_path / 'config.toml'}: ")


@pytest.mark.parametrize("words", [["log"], ["show"], ["status"], ["checkpoint"], ["ingest", "x.jsonl"]])
def test_a_damaged_record_is_one_line(call, words):
    """Bytes that are no database: said with the path, nothing is changed; only the daemon sets it aside."""
    home = Home()
    home.state.mkdir(parents=True, mode=0o700)
    home.db.write_bytes(b"nonsense " * 1_000)
    code, out, err = call(*words)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert f"memd's record {home.db} cannot be used: the file is damaged" in err
    assert home.db.read_bytes() == b"nonsense " * 1_000


def test_a_full_disk_behind_the_output_is_one_line(tmp_path):
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full here")
    transcript = Transcript(tmp_path / "5d1f0c1e.jsonl")
    transcript.turn("Make the gateway fast.")
    Home().run("ingest", transcript.path)
    with open("/dev/full", "wb") as full:
        done = subprocess.run([*MEMD, "log"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=30, check=False)
    assert (done.returncode, done.stderr) == (1, "memd: cannot go on: No space left on device\n")


@pytest.mark.parametrize("words", [["status"], ["status", "--json"], ["show"], ["log"], ["search", "fast"], ["config"]])
def test_a_closed_output_is_no_defect(words, tmp_path):
    """`memd log >&-`, as some who start programs do it: nobody reads it, and it ends well."""
    transcript = Transcript(tmp_path / "5d1f0c1e.jsonl")
    transcript.turn("Make the gateway fast.")
    Home().run("ingest", transcript.path)
    line = ["sh", "-c", 'exec "$@" <&- >&-', "sh", *MEMD, *words]
    done = subprocess.run(line, stderr=subprocess.PIPE, text=True, timeout=30, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("words", [["status"], ["log"], ["demo", "--fast"]])
def test_a_reader_that_has_seen_enough_is_no_failure(words, tmp_path):
    """`memd status | head`: the pipe is closed before all of it is written."""
    transcript = Transcript(tmp_path / "5d1f0c1e.jsonl")
    transcript.turn("Make the gateway fast.")
    Home().run("ingest", transcript.path)
    end, start = os.pipe()
    os.close(end)
    done = subprocess.run([*MEMD, *words], stdout=start, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    os.close(start)
    assert (done.returncode, done.stderr) == (0, "")


_SESSION = ["status", "log", "show", "checkpoint", "memo", "report", "forget"]


@pytest.mark.parametrize("command", _SESSION)
@pytest.mark.parametrize("name", ["", "\udcff"], ids=["empty", "no UTF-8"])
def test_a_name_that_no_session_can_have_is_one_line(call, tmp_path, command, name):
    """Above all, an empty one does not mean the newest session: a script's variable may be unset."""
    transcript = Transcript(tmp_path / "5d1f0c1e.jsonl")
    transcript.turn("Make the gateway fast.")
    call("ingest", transcript.path)
    code, out, err = call(command, name)
    assert (code, out, err.count("\n")) == (1, "", 1)


@pytest.mark.parametrize("words", [["show", "5d1f", "checkpoint", "--tokens"], ["search", "fast", "--limit"]])
def test_a_number_beyond_all_measure_means_all(call, tmp_path, words):
    transcript = Transcript(tmp_path / "5d1f0c1e.jsonl")
    transcript.turn("Make the gateway fast.")
    call("ingest", transcript.path)
    code, out, err = call(*words, "9" * 30)
    assert (code, err) == (0, "")
    assert "gateway" in out


def test_a_daemon_that_is_silent_is_one_line(call, tmp_path, monkeypatch):
    """Something holds the lock and nobody is at the socket."""
    from memd.daemon import sole  # noqa: PLC0415
    from memd.files import Lock  # noqa: PLC0415

    monkeypatch.setattr(sole.alone, "__defaults__", (0.1,))
    home = Home()
    home.state.mkdir(parents=True, mode=0o700)
    with Lock(home.state / "memd.lock"):
        code, out, err = call("ingest", tmp_path)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert "try again later" in err


def test_a_daemon_that_takes_questions_and_never_answers_is_named_at_once(call, tmp_path, monkeypatch):
    """It was stopped (SIGSTOP, a debugger), or it hangs: nobody waits half a minute to be told whose lock it is."""
    from memd.daemon import sole  # noqa: PLC0415
    from memd.files import Lock  # noqa: PLC0415

    monkeypatch.setattr(sole, "SILENT", 0.2)
    home = Home()
    home.state.mkdir(parents=True, mode=0o700)
    with Lock(home.state / "memd.lock"), socket.socket(socket.AF_UNIX) as stopped:
        stopped.bind(str(config.load(os.environ)[1].socket))
        stopped.listen()
        before = time.monotonic()
        code, out, err = call("ingest", tmp_path)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert f"(pid {os.getpid()})" in err
    assert "stopped, or it hangs" in err
    assert time.monotonic() - before < 5


def test_windows_is_refused_in_a_line(call, monkeypatch):
    """Not by the first thing of POSIX's that is missing; help and version are there."""
    monkeypatch.setattr("sys.platform", "win32")
    said = "memd: Windows is not supported; where the agent runs in WSL, memd runs there\n"
    assert call("status") == (1, "", said)
    assert call("--version")[0] == 0


def test_no_command_reads_more_than_it_needs():
    """`memd --help` must stay quick: no command's module is read for it."""
    assert not any(hasattr(value, "callback") for value in vars(cli).get("commands", {}).values())


ACTING = "\x1b[31m\u202e\n"
"""What a terminal acts on, and a line end that would make two lines of one."""


TYPED = (
    ("init {}", 0),
    ("init {}/missing", 1),
    ("init --{}", 2),
    ("{}", 2),
    ("log a {}", 2),
    ("log --number {}", 2),
    ("log --channel {}", 2),
    ("show a {}", 2),
    ("ingest {}", 1),
    ("ingest {}/missing", 1),
    ("ingest --tool {} .", 1),
    ("config {}", 1),
    ("config ignore {}", 0),
    ("config checkpoint.writer {}", 1),
    ("checkpoint {}", 1),
    ("memo {}", 1),
    ("forget {}", 1),
    ("forget --older-than {}", 2),
    ("report {}", 1),
    ("search {}", 1),
    ("status {}", 1),
    ("engram {}", 2),
    ("install {}", 1),
    ("uninstall {}", 1),
    ("doctor {}", 2),
)
"""Commands, `{}` being what somebody else named so, and their exit codes."""


def test_what_was_typed_never_acts_on_the_terminal(call, tmp_path):
    """Names and words of somebody else are told with what acts in them escaped: a directory's name may be a trap."""
    transcript = Transcript(tmp_path / "5d1f0c1e.jsonl")
    transcript.turn("Make the gateway fast.")
    call("ingest", transcript.path)
    (tmp_path / ACTING).mkdir()
    wrong = {}
    for line, code in TYPED:
        end, out, err = call(*(word.format(ACTING) for word in line.split(" ")))
        if end != code or set("\x1b\u202e") & set(out + err) or (code == 1 and err.count("\n") != 1):
            wrong[line] = (end, out, err)
    assert wrong == {}


@pytest.mark.parametrize("name", ["memd.db", "memd.lock"])
def test_a_folder_where_memd_keeps_a_file_is_one_line(call, tmp_path, name):
    """No command makes a defect of it: it says what is in the way."""
    (Home().state / name).mkdir(parents=True)
    Transcript(tmp_path / "5d1f0c1e.jsonl").turn("Make the gateway fast.")
    code, out, err = call("ingest", tmp_path / "5d1f0c1e.jsonl")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert err.startswith(f"memd: {Home().state / name} is a folder, and memd's ")


def test_a_daemon_of_an_older_memd_is_named_where_its_record_cannot_be_read(call, monkeypatch):
    """With what starts it anew: `memd run` and `memd ingest`, which bring an older record up to date, do not while it runs."""
    home = Home()
    transcript = home.transcript("5d1f0c1e-0000-4000-8000-000000000001")
    transcript.turn("Make the gateway fast.")
    steps = (*migrations.MIGRATIONS, lambda sql: sql.execute("CREATE TABLE later (x)"))
    with home.daemon() as child:
        eventually(lambda: home.status()["sessions"])
        monkeypatch.setattr(migrations, "MIGRATIONS", steps)
        monkeypatch.setattr("memd.store.shape.NEWEST", len(steps))
        for words in (("status",), ("show",), ("checkpoint",)):
            code, _, err = call(*words)
            assert (code, f"(pid {child.pid}) is of an older memd" in err, "`memd doctor` names" in err) == (
                1,
                True,
                True,
            )
        assert call("ingest", transcript.path)[0] == 0
        out = call("doctor")[1]
        assert ("daemon-outdated" in out, f"kill {child.pid}" in out) == (True, True)
    code, _, err = call("status")
    assert (
        code,
        "`memd run` or `memd ingest` brings it up to date" in err,
        "daemon-outdated" in call("doctor")[1],
    ) == (1, True, False)
    assert call("ingest", transcript.path)[0] == 0
    assert call("status")[0] == 0


@pytest.mark.parametrize("words", [["init"], ["engram"], ["ingest", "a.jsonl"]])
def test_a_current_directory_that_was_removed_is_named(tmp_path, words):
    """The system names no file then, and nobody would know which one is missing."""
    gone = tmp_path / "gone"
    gone.mkdir()
    line = 'rmdir "$PWD" && exec "$0" "$@"'
    done = subprocess.run(["sh", "-c", line, *MEMD, *words], cwd=gone, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "memd: the current directory: No such file or directory\n")


def test_the_doctor_works_where_the_current_directory_was_removed(tmp_path):
    """What it looks at is elsewhere, but for the files of a project that is none."""
    gone = tmp_path / "gone"
    gone.mkdir()
    line = 'rmdir "$PWD" && exec "$0" "$@"'
    words = [*MEMD, "doctor", "--json"]
    done = subprocess.run(["sh", "-c", line, *words], cwd=gone, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert "findings" in done.stdout
