"""memd's plugin for Claude Code, for people who prefer `claude plugin` to `memd install` (the folder `hooks/claude-code`).

The client notes it in settings.json (measured on 2.1.332), each in an object of its own that it leaves behind when empty:

    {"extraKnownMarketplaces": {"memd": …}, "enabledPlugins": {"memd@memd": true}}
"""

from memd.tools import hookfile, splice
from memd.tools.splice import Node

NAME = "memd@memd"
_NOTED = (("enabledPlugins", NAME), ("extraKnownMarketplaces", NAME.partition("@")[2]))


def enabled(root: Node) -> bool:
    """Whether the client loads the plugin."""
    plugins = root.get("enabledPlugins")
    there = plugins.get(NAME) if plugins else None
    return there is not None and there.value is True


def without(content: bytes | None) -> bytes | None:
    """The settings without the plugin's entries, and without an object that held nothing else. Raises Refused."""
    if NAME.encode() not in (content or b""):
        return content
    text = hookfile.decode(content or b"")
    for place, key in _NOTED:
        text = _without(text, place, key)
    return hookfile.encode(text)


def _without(text: str, place: str, key: str) -> str:
    root = hookfile.parse(text)
    for at, holder in enumerate(root.items):
        if holder.key != place or not isinstance(holder.node.value, dict):
            continue
        for index, item in enumerate(holder.node.items):
            if item.key == key:
                alone = len(holder.node.items) == 1
                return splice.cut(text, root, at) if alone else splice.cut(text, holder.node, index)
    return text
