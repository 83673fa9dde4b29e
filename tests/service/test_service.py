"""The daemon in the care of a real systemd: started, killed, stalled, stopped, upgraded, taken away."""

import json
import time

import pytest
from clients.waiting import eventually
from transcript import SESSION, Transcript, given

from .conftest import snapshot
from .container import MEMD, booted

pytestmark = [pytest.mark.service, pytest.mark.timeout(600)]

DROP_IN = ".config/systemd/user/memd.service.d"
STATE = ".local/state/memd"


@pytest.fixture
def show(container):
    """One property of the unit."""
    return lambda name: container.sh(f"systemctl --user show memd -p {name} --value").stdout.strip()


@pytest.fixture
def journal(container, began):
    """What the unit's processes and systemd itself have said of it since the test began."""
    return lambda *options: (
        container.sh(f"journalctl --user -u memd --no-pager -o cat -q --since @{began:.3f} {' '.join(options)}").stdout
    )


@pytest.fixture
def status(container):
    """`memd status --json`."""
    return lambda: json.loads(container.sh(f"{MEMD} status --json").stdout)


@pytest.fixture
def log(container):
    """The texts of a session in the record, in order; empty while it is not known."""

    def texts():
        lines = container.sh(f"{MEMD} log {SESSION} --json", check=False).stdout.splitlines()
        entries = [json.loads(line) for line in lines]
        assert [entry["number"] for entry in entries] == list(range(1, len(entries) + 1))
        return [entry["text"] for entry in entries]

    return texts


@pytest.fixture
def transcript(container, home):
    """One that Claude Code would write, for a session in the person's project."""
    transcript = Transcript(home / ".claude/projects/-home-ada-project" / f"{SESSION}.jsonl", cwd="/home/ada/project")
    transcript.raw(b"")
    container.own()
    return transcript


@pytest.fixture
def hook(container, home):
    """Runs memd's first hook of an event as the client does: by the line in the settings."""

    def run(event, **payload):
        groups = json.loads((home / ".claude" / "settings.json").read_bytes())["hooks"][event]
        command = next(h["command"] for g in groups for h in g["hooks"] if "memd_hook" in h["command"])
        event_file = home.parent / "payload"
        event_file.write_text(json.dumps({"session_id": SESSION, "hook_event_name": event, **payload}))
        return container.sh(f"({command}) < /home/payload").stdout

    return run


def _restarted(show, pid):
    """Whether another process runs in the unit, and has said that it is ready."""
    return show("ActiveState") == "active" and show("MainPID") not in {"0", pid}


def test_it_is_enabled_ready_and_confined(container, service, show, status, journal):
    """What the unit promises is what systemd does: `systemctl start` returned only after READY=1."""
    assert "memd.service is enabled and started" in service
    assert "The daemon answered through the hook" in service
    promised = {
        "Type": "notify", "WatchdogUSec": "1min", "MemoryMax": str(2**30), "TasksMax": "256", "UMask": "0077",
        "NoNewPrivileges": "yes", "ProtectSystem": "strict", "ProtectHome": "read-only", "Restart": "on-failure",
        "UnitFileState": "enabled", "ActiveState": "active", "SubState": "running",
    }  # fmt: skip
    assert {name: show(name) for name in promised} == promised
    assert status()["daemon"]["pid"] == int(show("MainPID"))
    assert container.sh(f"{MEMD} doctor").stdout.startswith("All is well")
    lines = journal().splitlines()
    assert sum("event='running'" in line for line in lines) == 1


def test_it_can_write_its_own_places_only(container, home, service, show):
    """The confinement is real: the daemon's own view of the file system is read-only but for its state and data."""
    mounts = container.as_root("cat", f"/proc/{show('MainPID')}/mountinfo").stdout.splitlines()
    options = {words[4]: words[5].split(",")[0] for words in map(str.split, mounts)}
    assert (options["/"], options.get("/home", "ro")) == ("ro", "ro")
    assert options[f"/home/ada/{STATE}"] == options["/home/ada/.local/share/memd"] == options["/tmp"] == "rw"


def test_a_hook_is_answered_by_it(service, transcript, log, hook, status, journal):
    """A session that grows is recorded, its checkpoint given back; the journal holds neither words nor environment."""
    transcript.now().turn("Tell nobody: the harbour is closed on Sundays.")
    eventually(lambda: len(log()) == 2)
    transcript.now().turn("Second wish.")
    transcript.compacts()
    eventually(lambda: [s["source"]["lag_bytes"] for s in status()["sessions"]] == [0] and len(log()) > 4)
    text = eventually(lambda: given(hook("SessionStart", source="compact", cwd="/home/ada/project")))
    assert "the harbour is closed on Sundays" in text
    said = journal()
    for secret in ("harbour", SESSION, "hook_event_name", "DBUS_SESSION_BUS_ADDRESS", "/usr/local/games"):
        assert secret not in said


def test_killed_it_is_started_again_and_nothing_is_lost(container, service, transcript, log, show):
    """Half of a transcript before the crash, half during it: every text once, in order."""
    texts = [f"wish {number}" for number in range(60)]
    for text in texts[:20]:
        transcript.now().turn(text, f"{text}: done")
    eventually(lambda: len(log()) >= 10)
    pid = show("MainPID")
    for text in texts[20:40]:
        transcript.now().turn(text, f"{text}: done")
    container.sh("systemctl --user kill -s KILL memd")
    for text in texts[40:]:
        transcript.now().turn(text, f"{text}: done")
    eventually(lambda: _restarted(show, pid))
    wanted = [said for text in texts for said in (text, f"{text}: done")]
    eventually(lambda: log() == wanted)
    assert show("NRestarts") == "1"


def test_stopped_it_ends_at_once_and_cleanly(container, service, transcript, log, show, journal):
    """SIGTERM in the middle of work: `stopped` is its last word, there is no error, and it is not started again."""
    for number in range(50):
        transcript.now().turn(f"wish {number}")
    start = time.monotonic()
    container.sh("systemctl --user stop memd")
    assert time.monotonic() - start < 5
    assert (show("ActiveState"), show("Result"), show("ExecMainStatus")) == ("inactive", "success", "0")
    assert "event='stopped'" in journal()
    assert journal("-p", "warning") == ""
    container.sh("systemctl --user start memd")
    eventually(lambda: len(log()) == 100)


def test_stalled_it_is_started_again(container, home, service, transcript, log, show, journal):
    """A process that hangs (or slept with the machine) misses its watchdog; the new one reads what came meanwhile."""
    drop_in = home / DROP_IN / "fast.conf"
    drop_in.parent.mkdir()
    drop_in.write_text("[Service]\nWatchdogSec=2\nTimeoutAbortSec=2\n")
    container.own()
    container.sh("systemctl --user daemon-reload && systemctl --user restart memd")
    pid = show("MainPID")
    time.sleep(5)
    assert show("MainPID") == pid, "it should feed its watchdog"
    container.sh("systemctl --user kill -s STOP memd")
    transcript.now().turn("written while it hung")
    eventually(lambda: _restarted(show, pid), seconds=30)
    assert "watchdog" in journal().lower()
    eventually(lambda: "written while it hung" in log())
    drop_in.unlink()
    drop_in.parent.rmdir()


def test_a_crash_loop_is_mended_by_installing_again(container, home, service, show):
    """After five starts in a minute systemd gives up; the person who then mends and installs is not refused."""
    interpreter = container.root / "opt/memd/bin/python3"
    target = interpreter.readlink()
    interpreter.unlink()
    container.sh("systemctl --user kill -s KILL memd")
    eventually(lambda: show("ActiveState") == "failed", seconds=40)
    interpreter.symlink_to(target)
    container.sh(f"{MEMD} install claude-code --yes --service")
    assert show("ActiveState") == "active"


def test_an_upgrade_renews_the_hook(container, home, service, show):
    """A newer memd brings another hook: at its daemon's start the copy is the new one, the command in the settings the old."""
    shipped = next((container.root / "opt/memd/lib").glob("python3*/site-packages/memd/_assets/hooks/memd_hook.py"))
    copy, link = home / ".local/share/memd/hook/memd_hook.py", home / ".local/share/memd/bin/python3"
    old, settings, pid = shipped.read_bytes(), (home / ".claude/settings.json").read_bytes(), show("MainPID")
    assert copy.read_bytes() == old
    shipped.write_bytes(old + b"# newer\n")
    link.unlink()
    link.symlink_to("/usr/bin/python2")
    container.own()
    container.sh("systemctl --user restart memd")
    assert copy.read_bytes() == old + b"# newer\n"
    assert str(link.readlink()).startswith("/usr/bin/python3")
    shipped.write_bytes(old)
    done = container.sh(f"{MEMD} install claude-code --yes --service")
    assert "already" in done.stdout
    assert copy.read_bytes() == old
    assert show("MainPID") != pid
    assert (home / ".claude/settings.json").read_bytes() == settings


def test_uninstalled_nothing_but_the_record_is_left(container, home, show):
    """Unit, link, hooks, folders: as before, with modes; and systemd knows the unit no more."""
    before = snapshot(home)
    container.sh(f"{MEMD} install claude-code --yes --service")
    done = container.sh(f"{MEMD} uninstall --yes")
    assert "removed the service" in done.stdout
    assert snapshot(home, without=[".local"]) == before
    assert [path.name for path in (home / ".local").iterdir()] == ["state"]
    assert [path.name for path in (home / ".local/state").iterdir()] == ["memd"]
    assert (show("LoadState"), show("ActiveState")) == ("not-found", "inactive")
    container.sh(f"{MEMD} uninstall --purge --yes")
    assert snapshot(home) == before


def test_a_purge_ends_the_service_first(container, home, service):
    """In one step, with the daemon running: nothing writes the record again."""
    container.sh(f"{MEMD} uninstall --purge --yes")
    time.sleep(1)
    assert not (home / ".local").exists()
    assert not (home / ".config").exists()


def test_where_users_get_no_namespaces_it_runs_unconfined(furnished, tmp_path):
    """Systemd refuses to start what it cannot confine: install says so, and the daemon runs all the same."""
    with booted(furnished, tmp_path, "--system-call-filter=~unshare") as container:
        container.sh("mkdir .claude")
        said = container.sh(f"{MEMD} install claude-code --yes --service").stdout
        assert "the daemon runs without a read-only file system" in said
        assert "The daemon answered through the hook" in said
        assert "status=217/USER" in container.sh("journalctl --user -u memd -o cat -q --no-pager").stdout
        assert container.sh("systemctl --user show memd -p ProtectSystem,NoNewPrivileges --value").stdout.split() == [
            "no",
            "yes",
        ]
        assert container.sh(f"{MEMD} doctor").stdout.startswith("note: service-unconfined")


def test_without_linger_the_doctor_tells(container, service):
    """The service dies with the last logout though all looks enabled: doctor and status say so, and memd sets nothing."""
    linger = container.root / "var/lib/systemd/linger/ada"
    linger.unlink()
    try:
        assert "no-linger" in container.sh(f"{MEMD} doctor").stdout
        assert "loginctl enable-linger" in container.sh(f"{MEMD} status").stdout
    finally:
        linger.touch()


def test_a_hook_that_cannot_be_renewed_is_told_and_no_hindrance(container, home, service, show, status):
    """The data folder cannot be written: the daemon starts with the hook of the last start, and status says what is wrong."""
    data = home / ".local/share/memd"
    (data / "memd_hook.py").write_text("# an older one\n")
    container.own()
    folders = [data, data / "hook", data / "bin"]
    for folder in folders:
        folder.chmod(0o500)
    container.sh("systemctl --user restart memd")
    assert show("ActiveState") == "active"
    assert "the hook's file could not be brought up to date" in " ".join(status()["daemon"]["errors"])
    assert "the hook's file could not be brought up to date" in container.sh(f"{MEMD} status").stdout
    for folder in folders:
        folder.chmod(0o700)


def test_a_state_that_was_removed_is_made_again(container, home, service, show):
    """By a person who wants to begin anew: the confined daemon cannot make its folder, the doctor can, and says the rest."""
    container.sh(f"systemctl --user stop memd; rm -rf {STATE}; systemctl --user start memd", check=False)
    done = container.sh(f"{MEMD} doctor --fix", check=False)
    assert "systemctl --user restart memd.service" in done.stdout
    container.sh("systemctl --user reset-failed memd.service; systemctl --user restart memd.service")
    assert container.sh(f"{MEMD} doctor").stdout.startswith("All is well")
    container.sh(f"{MEMD} uninstall --purge --yes")
    left = [path for folder in (".config", ".local") for path in (home / folder).rglob("*") if not path.is_dir()]
    assert left == []  # empty folders stay: which ones were made, only the removed state knew
    container.sh("find .config .local -depth -type d -empty -delete")
