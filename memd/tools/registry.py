"""The tools that memd knows: the one place that names them."""

from collections.abc import Sequence
from pathlib import Path

from memd.errors import ConfigError, NotFound
from memd.tools.claude_code import ClaudeCode
from memd.tools.codex import Codex
from memd.tools.opencode import OpenCode
from memd.tools.protocol import Tool

_CLAUDE_CODE = ClaudeCode()
_CODEX = Codex()
_OPENCODE = OpenCode()

TOOLS: dict[str, Tool] = {_CLAUDE_CODE.name: _CLAUDE_CODE, _CODEX.name: _CODEX, _OPENCODE.name: _OPENCODE}


def tool(name: str) -> Tool:
    """The tool of that name.

    Raises:
        NotFound: memd knows no such tool.
    """
    try:
        return TOOLS[name]
    except KeyError:
        raise NotFound(f"no tool called {name!r}: memd knows {', '.join(TOOLS)}") from None


def enabled(names: Sequence[str], settings: Path) -> list[Tool]:
    """The tools that `tools` in the settings file names, all where it names none.

    Raises:
        ConfigError: it names one that memd does not know.
    """
    for place, name in enumerate(names):
        if name not in TOOLS:
            known = " or ".join(map(repr, TOOLS))
            raise ConfigError(f"{settings}: tools[{place}]: should be {known}, not {name!r}")
    return [tool for tool in TOOLS.values() if not names or tool.name in names]


def hooked() -> list[Tool]:
    """Those that something is installed for; the others are only read."""
    return [tool for tool in TOOLS.values() if tool.hooked]


def lined() -> list[Tool]:
    """Those with a status line that a command may fill."""
    return [tool for tool in TOOLS.values() if tool.status_line]
