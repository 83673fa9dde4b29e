"""The service: what is written for the manager, and what it is told."""

import os
import plistlib
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from memd import assets
from memd.daemon import notify as notifying
from memd.daemon.setup import ledger, removal, service
from memd.daemon.setup.installation import add_service, put_in
from memd.daemon.setup.launchd import Launchd
from memd.daemon.setup.systemd import Systemd, fill, writable, writers
from memd.errors import Fault, Refused

LISTENER = """
import os, socket
from memd.daemon.notify import notify
manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
manager.bind(os.environ["NOTIFY_SOCKET"].replace("@", chr(0)))
manager.settimeout(5)
notify("READY=1")
print(manager.recv(100).decode())
"""


@pytest.fixture
def systemd(systemctl):
    """Systemd as the commands find it."""
    return Systemd(os.environ)


def _told(log):
    return [line.removeprefix("--user ") for line in log.read_text().splitlines()]


class TestUnit:
    def test_what_is_promised_is_in_it(self, places):
        """A crash restarts it, silence too; it cannot eat the machine, gain rights, or write where it has no business."""
        lines = Systemd({}).content(places).decode().splitlines()
        for line in (
            "Type=notify", "Restart=on-failure", "WatchdogSec=60", "MemoryMax=1G", "TasksMax=256", "UMask=0077",
            "NoNewPrivileges=yes", "ProtectSystem=strict", "ProtectHome=read-only", "WantedBy=default.target",
        ):  # fmt: skip
            assert line in lines

    def test_paths_are_absolute(self, places, home):
        """The manager's PATH and HOME need not be the person's, and platformdirs' places not systemd's specifiers."""
        unit = Systemd({"HOME": str(home)}).content(places).decode()
        assert f'ExecStart="{sys.executable}" -P -m memd run\n' in unit
        assert f'ReadWritePaths="-{places.state}"\n' in unit
        assert f'ReadWritePaths="-{places.data}"\n' in unit
        assert "%h" not in unit
        assert "~" not in unit

    def test_it_sees_the_same_places(self, places):
        """The variables that decide about places are the person's; nothing else of their environment is written down."""
        given = {name: f"/x/{name}" for name in service.PLACES} | {"API_KEY": "s3cret", "PATH": "/a:relative:/b::/a"}
        unit = Systemd(given).content(places).decode()
        for name in service.PLACES:
            assert f'Environment="{name}=/x/{name}"\n' in unit
        assert 'Environment="PATH=/a:/b"\n' in unit
        assert "s3cret" not in unit
        assert Systemd(given).unit == Path("/x/XDG_CONFIG_HOME/systemd/user/memd.service")

    def test_odd_paths_are_quoted(self):
        """Blanks, quotes, specifiers and escapes are only characters of a path."""
        filled = fill("ExecStart=x\nReadWritePaths=y\n", ['/a b/p"y', "run"], {"A": "100%\\n"}, [Path("/c d")])
        assert filled == ('ExecStart="/a b/p\\"y" run\nEnvironment="A=100%%\\\\n"\nReadWritePaths="-/c d"\n')

    def test_a_socket_elsewhere_can_be_made(self, places):
        """All else is read-only for the daemon, /tmp too if it were not named."""
        moved = replace(places, socket=Path("/run/user/0/memd.sock"))
        assert Path("/run/user/0") in writable(moved, {})
        assert Path("/tmp") in writable(places, {})

    def test_files_of_memds_own_can_be_renewed(self, places):
        """OpenCode's folder of plugins, and no other of the tools' folders."""
        folders = writable(places, {"HOME": "/home/p", "XDG_CONFIG_HOME": "/home/p/.config"})
        assert Path("/home/p/.config/opencode/plugin") in folders
        assert not any(folder.is_relative_to("/home/p/.claude") for folder in folders)

    def test_the_agents_own_folders_are_open_only_where_a_model_writes(self, tmp_path, places):
        """By default none of them; switched on, the three; a settings file that cannot be read opens nothing."""
        environ = {"HOME": "/home/x", "CODEX_HOME": "/srv/codex"}
        chosen = replace(places, config=tmp_path / "config.toml")
        assert writers(chosen, environ) == []
        chosen.config.write_text('checkpoint.writer = "agent"\n')
        wanted = ["/home/x/.claude", "/home/x/.claude.json", "/srv/codex", "/home/x/.local/share/opencode"]
        assert [str(path) for path in writers(chosen, environ)] == wanted
        chosen.config.write_text("checkpoint.writer = 1\n")
        assert writers(chosen, environ) == []

    @pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd-analyze here")
    def test_systemd_takes_it(self, places, tmp_path, monkeypatch):
        """Its own checker finds nothing, with odd paths as well."""
        monkeypatch.setenv("MEMD_STATE_DIR", str(tmp_path / 'st é%n "q"'))
        unit = tmp_path / "memd.service"
        unit.write_bytes(Systemd(os.environ).content(places))
        env = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)}
        check = ["systemd-analyze", "verify", "--user", unit]
        done = subprocess.run(check, env=env, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")

    def test_the_shipped_one_is_whole(self):
        """People may install it by hand."""
        shipped = assets.read("systemd", "memd.service").decode()
        assert "\nExecStart=%h/.local/bin/memd run\n" in shipped
        assert shipped.count("filled in by memd install") == 2


class TestSystemd:
    def test_started_and_taken_away(self, systemd, systemctl, places, home):
        """Written, enabled, started; and then nothing of it is left, not even the folders."""
        before = {path for path in home.rglob("*") if path != systemctl}
        put_in(places, [])
        add_service(places, systemd)
        assert _told(systemctl)[-4:] == [
            "daemon-reload",
            "reset-failed memd.service",
            "enable memd.service",
            "restart memd.service",
        ]
        facts = service.look(systemd, places)
        assert (facts.kind, facts.enabled, facts.active, facts.current) == ("systemd", True, True, True)
        assert systemd.unit.stat().st_mode & 0o777 == 0o644
        removed, _ = removal.take_out(places, [], ledger.read(places), systemd, whole=True)
        assert removed[0] == f"the service {systemd.unit}"
        assert "disable --now memd.service" in _told(systemctl)
        assert {path for path in home.rglob("*") if path != systemctl} == before

    def test_no_session(self, systemd, systemctl, places, home):
        """A container, a bare ssh: said plainly, and nothing is written that could not be started."""
        (home / "no-session").touch()
        with pytest.raises(Refused, match="systemd has no user session here"):
            add_service(places, systemd)
        assert not systemd.unit.exists()
        assert service.look(systemd, places).kind is None

    def test_no_systemd(self, places, home):
        """Not even the command is there."""
        assert Systemd({"PATH": "/nowhere", "HOME": str(home)}).trouble() == "there is no systemd here"

    def test_a_failed_start_names_where_to_look(self, systemd, places, home):
        """The manager's last word, and the journal."""
        (home / "broken").touch()
        with pytest.raises(Fault, match=r"Job for memd.service failed\.; see `journalctl --user -u memd.service`"):
            add_service(places, systemd)

    def test_what_cannot_be_confined_runs_all_the_same(self, systemd, places, home):
        """No user namespaces here: systemd's exit code says so, and the unit is written without them; it counts as current."""
        (home / "no-namespaces").touch()
        assert not add_service(places, systemd)
        unit = systemd.unit.read_text()
        assert "ProtectSystem=" not in unit
        assert "ProtectHome=" not in unit
        assert "MemoryMax=1G" in unit
        facts = service.look(systemd, places)
        assert (facts.current, facts.confined) == (True, False)
        (home / "no-namespaces").unlink()
        assert add_service(places, systemd)
        assert service.look(systemd, places).confined

    def test_root_needs_no_namespace_of_its_own(self, places, monkeypatch):
        """In one, root would be denied what is others': bind mounts in a container are."""
        for uid, lines in ((0, 0), (1000, 1)):
            monkeypatch.setattr(os, "geteuid", lambda uid=uid: uid)
            assert Systemd({}).content(places).count(b"\nPrivateUsers=yes\n") == lines

    def test_a_stranger_of_the_same_name_stays(self, systemd, places):
        """Another program's memd.service is neither replaced nor removed."""
        systemd.unit.parent.mkdir(parents=True)
        systemd.unit.write_text("[Service]\nExecStart=/usr/bin/other\n")
        with pytest.raises(Refused, match="is not memd's"):
            add_service(places, systemd)
        removed, _ = removal.take_out(places, [], ledger.read(places), systemd, whole=True)
        assert removed == []
        assert systemd.unit.exists()

    def test_an_outdated_unit_is_seen(self, systemd, places, monkeypatch):
        """A moved virtual environment, a changed place: the unit is not what would be written now."""
        add_service(places, systemd)
        monkeypatch.setenv("CODEX_HOME", "/elsewhere")
        assert not service.look(Systemd(os.environ), places).current

    def test_without_a_session_the_link_still_goes(self, systemd, systemctl, places, home):
        """Uninstalling from a bare ssh must not leave a service behind that starts at the next login."""
        add_service(places, systemd)
        link = systemd.unit.parent / "default.target.wants" / "memd.service"
        link.parent.mkdir()
        link.symlink_to(systemd.unit)
        (home / "no-session").touch()
        removal.take_out(places, [], ledger.read(places), systemd, whole=True)
        assert not link.is_symlink()
        assert not systemd.unit.parent.exists()


class TestLaunchd:
    def test_the_plist_is_what_launchd_reads(self, places, home):
        """Valid, absolute, kept alive, with the person's places."""
        manager = Launchd({"HOME": str(home), "MEMD_STATE_DIR": "/x & <y>", "PATH": "/a"})
        content = plistlib.loads(manager.content(places))
        assert manager.unit == home / "Library" / "LaunchAgents" / f"{content['Label']}.plist"
        assert content["ProgramArguments"] == [sys.executable, "-P", "-m", "memd", "run"]
        assert content["EnvironmentVariables"] == {"MEMD_STATE_DIR": "/x & <y>", "PATH": "/a"}
        assert (content["KeepAlive"], content["RunAtLoad"], content["Umask"]) == (True, True, 0o077)
        assert content["StandardErrorPath"].startswith(str(places.state))
        assert manager.owns(manager.content(places))

    def test_every_key_is_one_that_launchd_documents(self, places, home):
        """A misspelt key is passed over in silence: names and types are those of launchd.plist(5)."""
        documented = {
            "Label": str, "ProgramArguments": list, "RunAtLoad": bool, "KeepAlive": bool, "ThrottleInterval": int,
            "ProcessType": str, "Umask": int, "EnvironmentVariables": dict, "StandardErrorPath": str,
        }  # fmt: skip
        content = plistlib.loads(Launchd({"HOME": str(home), "PATH": "/a"}).content(places))
        assert {key: type(value) for key, value in content.items()} == documented
        assert content["ProcessType"] in {"Background", "Standard", "Adaptive", "Interactive"}
        strings = [*content["ProgramArguments"], *content["EnvironmentVariables"].values()]
        assert all(type(value) is str and not value.startswith("~") for value in strings)

    def test_what_it_is_told(self, places, home, tmp_path):
        """Unloaded, loaded into the login session, and unloaded again."""
        program = tmp_path / "launchctl"
        program.write_text('#!/bin/sh\necho "$@" >> "$HOME/launchctl.log"\n')
        program.chmod(0o755)
        manager = Launchd({"HOME": str(home), "PATH": f"{tmp_path}:{os.environ['PATH']}"})
        assert manager.trouble() is None
        add_service(places, manager)
        assert service.remove(manager)
        domain = f"gui/{os.getuid()}"
        assert (home / "launchctl.log").read_text().splitlines()[2:] == [
            f"print {domain}",
            f"bootout {domain}/memd.daemon",
            f"bootstrap {domain} {manager.unit}",
            f"bootout {domain}/memd.daemon",
        ]
        assert not manager.unit.exists()


class TestNotify:
    @pytest.mark.parametrize("kind", ["path", "abstract"])
    def test_the_manager_hears(self, tmp_path, kind):
        """One datagram; Linux's managers may listen on an abstract name."""
        if kind == "abstract" and sys.platform != "linux":
            pytest.skip("abstract names are Linux's")
        address = str(tmp_path / "n") if kind == "path" else f"@{tmp_path}"
        env = {**os.environ, "NOTIFY_SOCKET": address}
        done = subprocess.run([sys.executable, "-c", LISTENER], env=env, capture_output=True, text=True, check=False)
        assert (done.stdout, done.stderr) == ("READY=1\n", "")

    @pytest.mark.parametrize("address", [None, "", "/nowhere/socket", "relative"])
    def test_nobody_to_tell_is_no_trouble(self, monkeypatch, address):
        """In a terminal, or with the manager gone, the daemon just goes on."""
        if address is not None:
            monkeypatch.setenv("NOTIFY_SOCKET", address)
        notifying.notify("READY=1")

    @pytest.mark.parametrize(
        ("usec", "pid", "seconds"),
        [("60000000", None, 30), ("60000000", "own", 30), ("60000000", "1", None), ("0", None, None), ("", None, None)],
    )
    def test_half_of_what_is_allowed(self, monkeypatch, usec, pid, seconds):
        """Twice in the time, and only by the process that is meant."""
        monkeypatch.setenv("WATCHDOG_USEC", usec)
        if pid is not None:
            monkeypatch.setenv("WATCHDOG_PID", str(os.getpid()) if pid == "own" else pid)
        assert notifying.watchdog_interval() == seconds
