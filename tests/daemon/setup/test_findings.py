"""What the doctor says of an installation, and what it mends."""

import json
import os
import sqlite3
from contextlib import closing
from importlib import import_module
from pathlib import Path

import pytest
from msgspec.structs import replace

from memd import __version__
from memd.daemon.setup import hook, ledger, settings
from memd.daemon.setup.facts import facts
from memd.daemon.setup.findings import findings
from memd.daemon.setup.installation import put_in
from memd.daemon.setup.repair import repair
from memd.files import Lock
from memd.store import Store
from memd.tools.registry import TOOLS

TOOL = TOOLS["claude-code"]


@pytest.fixture
def installed(places, settings_file, systemctl):
    """A whole installation, without a service and without a daemon."""
    put_in(places, [settings.plan_install(TOOL, TOOL.place(os.environ).home, hook.command(places))])
    return settings_file


def _look(places):
    return facts(places, os.environ)


def _codes(found):
    return {finding.code for finding in findings(found) if finding.code not in {"daemon-silent", "no-service"}}


def test_nothing_installed_is_one_finding(places, home, systemctl):
    """What follows from it is not said as well."""
    (found,) = findings(_look(places))
    assert (found.code, found.fix) == ("not-installed", "memd install")


def test_without_hooks_a_record_that_cannot_be_used_is_told(places, home, systemctl):
    """Transcripts can be read by hand, and the status sends people here when that fails."""
    places.state.mkdir(parents=True, mode=0o700)
    (places.state / "memd.db").write_bytes(b"no database" * 900)
    assert _codes(_look(places)) == {"not-installed", "record-damaged"}


def test_what_keeps_hooks_from_being_put_in_comes_before_that_there_are_none(places, settings_file, systemctl):
    """`memd install` refuses a file that it cannot read: the person must hear of that first."""
    settings_file.write_text('{"hooks": ')
    broken, missing, *others = findings(_look(places))
    assert (broken.code, missing.code, others) == ("hooks-unreadable", "not-installed", [])
    assert f"{settings_file} cannot be used: line 1" in broken.text


@pytest.mark.parametrize("there", [True, False])
def test_a_manager_who_lets_no_hook_run_is_named(places, installed, there, tmp_path, monkeypatch):
    """With the file and the setting, installed or not, and in the plan of an installation."""
    policy = tmp_path / "managed-settings.json"
    policy.write_text('{"allowManagedHooksOnly": true}')
    monkeypatch.setattr(import_module("memd.tools.claude_code.managed"), "FOLDER", tmp_path)
    if not there:
        installed.write_text("{}")
        ledger.write(places, ledger.Ledger())
    found = [one for one in findings(_look(places)) if one.code == "hooks-managed"]
    assert [one.text for one in found] == [
        f"claude-code: no hook of yours runs: allowManagedHooksOnly is true in {policy}"
    ]
    planned = settings.plan_install(TOOL, TOOL.place(os.environ).home, hook.command(places))
    assert planned.plans[0].notes == (f"no hook of yours runs: allowManagedHooksOnly is true in {policy}",)


def test_no_agent_at_all(places, systemctl, monkeypatch):
    """A machine without any of the tools: said, not crashed on."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", "/nowhere")
    (found,) = findings(_look(places))
    assert "no coding agent was found" in found.text


def test_a_whole_installation_has_no_faults(places, installed):
    """Only that no daemon runs, and that nothing will restart it, with the command for each."""
    assert {finding.code: finding.fix for finding in findings(_look(places))} == {
        "daemon-silent": "memd run",
        "no-service": "memd install --service",
    }


def test_all_is_well(places, installed):
    """With a daemon and a service there is nothing to say."""
    found = _look(places)
    well = replace(
        found,
        answers=True,
        service=replace(found.service, kind="systemd", enabled=True, current=True, linger=True),
    )
    assert findings(well) == ()
    (note,) = findings(replace(well, service=replace(well.service, confined=False)))
    assert (note.code, note.note) == ("service-unconfined", True)


@pytest.mark.parametrize(
    ("kind", "fix"),
    [
        ("systemd", "systemctl --user restart memd.service"),
        ("launchd", "memd install --service"),
        (None, "kill 7 && memd run"),
    ],
)
def test_a_daemon_from_before_an_upgrade_is_named(places, installed, kind, fix):
    """It goes on with the hooks of the new memd; the command starts it anew."""
    found = _look(places)
    kept = replace(found.service, kind=kind, enabled=True, current=True)
    old = replace(found, answers=True, version="0.0.1", pid=7, service=kept)
    one = next(one for one in findings(old) if one.code == "daemon-outdated")
    assert (one.fix, "0.0.1" in one.text, __version__ in one.text) == (fix, True, True)
    assert "daemon-outdated" not in {one.code for one in findings(replace(old, version=__version__))}


def test_a_refused_settings_file_is_a_fault(places, installed):
    """Nothing starts with it, so all is not well."""
    places.config.parent.mkdir(parents=True, exist_ok=True)
    places.config.write_text("guardd = true\n")
    (found,) = [one for one in findings(_look(places)) if one.code == "config-broken"]
    assert f"{places.config}: guardd: no such setting" in found.text
    assert (found.fix, found.note) == ("mend that file", False)


def test_a_damaged_record_is_a_fault_with_a_way_out(places, installed):
    """The daemon sets it aside when it starts; without a record, or with one that opens, nothing is said."""
    assert "record-damaged" not in _codes(_look(places))
    record = places.state / "memd.db"
    record.write_bytes(b"no database" * 900)
    (found,) = [one for one in findings(_look(places)) if one.code == "record-damaged"]
    assert "the file is damaged" in found.text
    assert found.fix == "memd run"
    record.unlink()
    Store.open(record).close()
    assert "record-damaged" not in _codes(_look(places))


def test_a_record_of_a_newer_memd_is_told(places, installed):
    """A daemon would end with the same line, so starting one is no way out."""
    with closing(Store.open(places.state / "memd.db")):
        pass
    with closing(sqlite3.connect(places.state / "memd.db")) as sql:
        sql.execute("PRAGMA user_version = 1000")
    (found,) = [one for one in findings(_look(places)) if one.code == "record-newer"]
    assert "from a newer memd (format 1000" in found.text
    assert found.fix == "install that newer memd"


def test_what_is_no_record_of_memds_is_told(places, installed):
    """With the command that moves it away; nobody else would."""
    with closing(sqlite3.connect(places.state / "memd.db")) as sql:
        sql.execute("CREATE TABLE session (id)")
    (found,) = [one for one in findings(_look(places)) if one.code.startswith("record-")]
    assert (found.code, "another program" in found.text) == ("record-foreign", True)
    assert found.fix == f"mv -n {places.state}/memd.db {places.state}/memd.db.other"


def test_a_record_of_an_older_memd_is_no_fault(places, installed):
    """Whoever opens it for writing brings it up to date."""
    with closing(Store.open(places.state / "memd.db")):
        pass
    with closing(sqlite3.connect(places.state / "memd.db")) as sql:
        sql.execute("PRAGMA user_version = 11")
    assert [one for one in findings(_look(places)) if one.code.startswith("record-")] == []


def test_a_record_without_its_permissions_is_told(places, installed, monkeypatch):
    """With the command that gives them back."""
    Store.open(places.state / "memd.db").close()
    allowed = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: "memd.db" not in str(path) and allowed(path, mode))
    (found,) = [one for one in findings(_look(places)) if one.code == "record-closed"]
    assert found.fix == f"chmod u+rw {places.state / 'memd.db'}"


def test_a_daemon_that_stands_still_is_named(places, installed):
    """Another could not start beside it."""
    lock = Lock(places.state / "memd.lock")
    assert lock.acquire()
    (found,) = [one for one in findings(_look(places)) if one.code == "daemon-silent"]
    lock.release()
    assert f"(pid {os.getpid()}), holds the record" in found.text
    assert found.fix == f"kill -9 {os.getpid()} && memd run"


def _delete_hooks(path, places):
    path.write_text("{}")


def _change_hooks(path, places):
    path.write_bytes(path.read_bytes().replace(b'"timeout": 5', b'"timeout": 5000'))


def _disable(path, places):
    path.write_bytes(path.read_bytes().replace(b"{", b'{"disableAllHooks": true,', 1))


def _malform(path, places):
    path.write_bytes(path.read_bytes().replace(b'"SessionEnd"', b'"Stop": [{"matcher": 1}], "SessionEnd"', 1))


def _garble(path, places):
    path.write_bytes(b"{")


def _lose_copy(path, places):
    (places.data / "memd_hook.py").unlink()


def _age_copy(path, places):
    (places.data / "memd_hook.py").write_text("# older")


def _lose_link(path, places):
    (places.data / "bin" / "python3").unlink()


def _break_link(path, places):
    _lose_link(path, places)
    (places.data / "bin" / "python3").symlink_to("/nowhere")


def _open_state(path, places):
    places.state.chmod(0o755)


def _close_state(path, places):
    places.state.chmod(0o500)


@pytest.mark.parametrize(
    ("harm", "code", "mended"),
    [
        (_delete_hooks, "hooks-missing", True),
        (_change_hooks, "hooks-changed", True),
        (_disable, "hooks-disabled", False),
        (_malform, "hooks-malformed", False),
        (_garble, "hooks-unreadable", False),
        (_lose_copy, "hook-missing", True),
        (_age_copy, "hook-differs", True),
        (_lose_link, "interpreter-missing", True),
        (_break_link, "interpreter-broken", True),
        (_open_state, "state-open", True),
        (_close_state, "state-readonly", False),
    ],
)
def test_each_harm_is_found_and_the_safe_ones_mended(places, installed, harm, code, mended):
    """The finding has its own code and a command; `--fix` mends what takes nothing from anybody."""
    harm(installed, places)
    found = _look(places)
    assert _codes(found) == {code}
    (finding,) = (one for one in findings(found) if one.code == code)
    assert (finding.safe, finding.fix == "memd doctor --fix") == (mended, mended)
    if mended:
        repair(places, os.environ, found)
        assert _codes(_look(places)) == set()
    places.state.chmod(0o700)


def test_the_malformed_entry_is_named(places, installed):
    """One of them can silence every hook of the file: the person must know which."""
    _malform(installed, places)
    (finding,) = (one for one in findings(_look(places)) if one.code == "hooks-malformed")
    assert "hooks.Stop[0]" in finding.text


def test_mending_does_not_touch_what_is_not_ours(places, installed):
    """No hooks for a tool that never had any, no switch turned, no other entry changed."""
    _disable(installed, places)
    _change_hooks(installed, places)
    repair(places, os.environ, _look(places))
    content = json.loads(installed.read_bytes())
    assert content["disableAllHooks"] is True
    assert content["model"] == "opus"
    assert _codes(_look(places)) == {"hooks-disabled"}


@pytest.mark.parametrize(
    ("change", "code", "note"),
    [
        ({"kind": "systemd", "enabled": False}, "service-disabled", False),
        ({"kind": "systemd", "enabled": True, "current": False}, "service-outdated", False),
        ({"kind": "systemd", "enabled": True, "current": True, "linger": False}, "no-linger", True),
        ({"kind": "systemd", "trouble": "x"}, "service-unreachable", False),
        ({"kind": None, "trouble": None}, "no-service", False),
        ({"kind": None, "trouble": "x"}, "no-service", True),
    ],
)
def test_the_service(places, installed, change, code, note):
    """Being enabled is not enough: it may be outdated, or end at logout. Where there can be none, that is no fault."""
    found = _look(places)
    (finding,) = findings(replace(found, answers=True, service=replace(found.service, **change)))
    assert (finding.code, finding.note) == (code, note)


def test_a_full_disk_and_another_users_state(places, installed):
    """Both have to be known before a checkpoint is lost."""
    found = replace(_look(places), free_bytes=10 * 2**20, state="foreign")
    assert _codes(found) == {"state-foreign", "disk-full"}


def _with_tool(found, **changes):
    return replace(found, tools=tuple(replace(one, **changes) for one in found.tools))


@pytest.mark.parametrize(
    ("version", "said"),
    [("2.1.333", True), ("3.0.0-beta.1", True), (TOOL.tested, False), ("2.0.76", False), (None, False), ("x", False)],
)
def test_a_client_that_is_newer_than_those_tested_is_noted(places, installed, version, said):
    """By the newest session's version; nobody has to start the client for it."""
    notes = [one for one in findings(_with_tool(_look(places), version=version)) if one.code == "client-newer"]
    assert len(notes) == said
    assert all(one.note and f"claude-code {version}" in one.text for one in notes)


def test_a_client_that_deletes_transcripts_early_is_noted(places, installed):
    """Sooner than the daemon would still read them; the client's default of 30 days is not."""
    assert "transcripts-deleted" not in _codes(_look(places))
    content = json.loads(installed.read_bytes())
    installed.write_text(json.dumps(content | {"cleanupPeriodDays": 7}))
    (note,) = [one for one in findings(_look(places)) if one.code == "transcripts-deleted"]
    assert note.note
    assert f"after 7 days ({installed})" in note.text
    places.config.parent.mkdir(parents=True, exist_ok=True)
    places.config.write_text("backfill_days = 5\n")
    assert "transcripts-deleted" not in _codes(_look(places))


def test_too_few_watches_are_noted(places, installed):
    """With the command that gives more."""
    (note,) = [one for one in findings(replace(_look(places), watches=(3, 9))) if one.code == "few-watches"]
    assert (note.note, "3 of 9" in note.text, "max_user_watches" in note.fix) == (True, True, True)


def test_the_versions_are_those_of_the_clients_that_the_tests_run():
    """What is called measured is what the suite runs."""
    clients = {"claude-code": "claude_code", "codex": "codex", "opencode": "opencode"}
    folder = Path(__file__).parents[2] / "clients"
    for name, module in clients.items():
        assert f'VERSION = "{TOOLS[name].tested}"\n' in (folder / f"{module}.py").read_text("utf-8")
