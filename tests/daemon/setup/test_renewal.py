"""What the daemon brings up to date when it starts: files that are memd's alone, as far as nobody changed them."""

import os
from pathlib import Path

import pytest

from memd import assets
from memd.daemon.setup import hook, ledger, settings
from memd.daemon.setup.installation import put_in
from memd.daemon.setup.repair import renew
from memd.tools.registry import TOOLS

OPENCODE, CLAUDE = TOOLS["opencode"], TOOLS["claude-code"]


@pytest.fixture
def plugin(home, places):
    """Claude Code and OpenCode, installed by an older memd, whose plugin was another."""
    home_of = OPENCODE.place(os.environ).home
    home_of.mkdir(parents=True)
    command = hook.command(places)
    put_in(places, [settings.plan_install(tool, tool.place(os.environ).home, command) for tool in (CLAUDE, OPENCODE)])
    return home_of / "plugin" / "memd.js"


def upgraded(monkeypatch):
    """This memd ships another plugin now."""
    shipped = assets.read

    def read(kind, name):
        content = shipped(kind, name)
        return content + b"// newer\n" if name.endswith("memd.js") else content

    monkeypatch.setattr(assets, "read", read)


def test_an_upgrade_renews_the_plugin(places, plugin, monkeypatch):
    """As it was left it is replaced, the doctor has nothing to say, and uninstalling still takes it away."""
    assert renew(places, os.environ) == []
    upgraded(monkeypatch)
    assert renew(places, os.environ) == [plugin]
    assert plugin.read_bytes().endswith(b"// newer\n")
    files = settings.read(OPENCODE.files(plugin.parents[1]))
    assert OPENCODE.installed(plugin.parents[1], files, hook.command(places)) == ()
    record = ledger.read(places)
    assert record.files[str(plugin)].left(plugin.read_bytes())
    assert settings.plan_uninstall(OPENCODE, plugin.parents[1], record).plans[0].after is None


def test_what_a_person_changed_or_took_away_stays_so(places, plugin, monkeypatch):
    """And nothing of the settings that are a person's is touched."""
    upgraded(monkeypatch)
    changed = plugin.read_bytes() + b"// mine\n"
    plugin.write_bytes(changed)
    assert renew(places, os.environ) == []
    assert plugin.read_bytes() == changed
    plugin.unlink()
    assert renew(places, os.environ) == []
    assert not plugin.exists()


def test_settings_of_a_person_are_never_renewed(places, plugin):
    """They may be as the installation left them, and memd's command in them is an old one: that is for the doctor."""
    path = Path(os.environ["HOME"]) / ".claude" / "settings.json"
    record = ledger.read(places)
    old = path.read_bytes().replace(b"SessionEnd", b"SessionOver")
    path.write_bytes(old)
    written = record.files[str(path)]
    ledger.write(places, record.with_file(path, ledger.Written(written.tool, ledger.digest(old), None, written.mode)))
    assert renew(places, os.environ) == []
    assert path.read_bytes() == old
