"""Which tools there are, and which of them the settings name."""

from pathlib import Path

import pytest

from memd.errors import ConfigError, NotFound
from memd.tools.registry import TOOLS, enabled, tool

SETTINGS = Path("/etc/memd.toml")


def test_each_tool_is_found_under_its_own_name():
    """The name in session ids and commands is the tool's own."""
    assert [tool(name) for name in TOOLS] == [one for name, one in TOOLS.items() if one.name == name]


def test_a_name_that_nobody_has_is_told_with_those_that_are_known():
    """A mistyped name is answered by the names that work."""
    with pytest.raises(NotFound, match=f"no tool called 'claude': memd knows {', '.join(TOOLS)}"):
        tool("claude")


def test_the_settings_choose_among_them():
    """None named: all."""
    assert enabled((), SETTINGS) == list(TOOLS.values())
    assert [one.name for one in enabled(("claude-code",), SETTINGS)] == ["claude-code"]


def test_a_tool_that_the_settings_name_and_nobody_knows_is_refused_with_its_place():
    """The file, the key, what is allowed and what is there, in one line."""
    with pytest.raises(ConfigError, match=r"/etc/memd.toml: tools\[1\]: should be 'claude-code'.*, not 'x'"):
        enabled(("claude-code", "x"), SETTINGS)
