"""The plugin folder for Codex: the same hooks as `memd install` puts in, from where memd keeps its script."""

import json
from pathlib import Path

import pytest
from plugin_folder import said

from memd import assets
from memd.tools.codex import install, trusted

FOLDER = assets.path("hooks", "codex")
COMMAND = ("/d/bin/python3", "-I", "-S", "/d/memd_hook.py")


def test_it_has_the_hooks_of_the_installation():
    """Event by event, with the same matchers, limits and times; only the command is another one."""
    content = json.loads((FOLDER / "memd" / "hooks" / "hooks.json").read_text())
    wanted = {entry.event: [install.group(entry, COMMAND)] for entry in install.ENTRIES}
    for entry in install.ENTRIES:
        words = f"{entry.event} {entry.part}" if entry.part else entry.event
        wanted[entry.event][0]["hooks"][0]["command"] = f'sh "$PLUGIN_ROOT/memd.sh" {words} 2>/dev/null || :'
    assert content == {"hooks": wanted}


def test_the_marketplace_and_the_plugin_name_each_other():
    """`codex plugin marketplace add FOLDER` and `codex plugin add memd@memd` find what they need."""
    market = json.loads((FOLDER / ".agents" / "plugins" / "marketplace.json").read_text())
    plugin = json.loads((FOLDER / "memd" / ".codex-plugin" / "plugin.json").read_text())
    (listed,) = market["plugins"]
    assert (f"{plugin['name']}@{market['name']}", listed["name"]) == ("memd@memd", "memd")
    assert f"{plugin['name']}@{market['name']}" == trusted.PLUGIN
    assert (FOLDER / listed["source"]["path"] / plugin["hooks"]).is_file()


def test_no_second_manifest_takes_the_hooks_away():
    """A `plugin.json` at a plugin's root silently disables its hooks in Codex: there is the one in `.codex-plugin` alone."""
    assert [path.relative_to(FOLDER) for path in FOLDER.rglob("plugin.json")] == [
        Path("memd/.codex-plugin/plugin.json")
    ]


@pytest.mark.parametrize("there", [True, False])
def test_without_memd_nothing_happens(tmp_path, there):
    """The script runs memd's hook with the event's words; where there is none it ends well and says nothing."""
    told = "-I -S DATA/memd_hook.py codex SessionStart 1\n" if there else ""
    assert said(tmp_path, FOLDER / "memd", "PLUGIN_ROOT", 0, there=there) == (0, told, "")
    assert Path(FOLDER / "memd" / "memd.sh").stat().st_mode & 0o111
