"""The tools that memd knows: the one place that names them."""

from memd.errors import NotFound
from memd.tools.claude_code import ClaudeCode
from memd.tools.protocol import Tool

_CLAUDE_CODE = ClaudeCode()

TOOLS: dict[str, Tool] = {_CLAUDE_CODE.name: _CLAUDE_CODE}


def tool(name: str) -> Tool:
    """The tool of that name.

    Raises:
        NotFound: memd knows no such tool.
    """
    try:
        return TOOLS[name]
    except KeyError:
        raise NotFound(f"no tool called {name!r}: memd knows {', '.join(TOOLS)}") from None
