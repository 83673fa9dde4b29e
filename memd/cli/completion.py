"""What shells complete behind a command: sessions, parts, channels, tools, settings. A failure completes nothing."""

import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from memd import config
from memd.errors import MemdError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

F = TypeVar("F", bound=Callable[..., Any])
Found = list["CompletionItem"]

SESSION = (
    "SESSION is the beginning of a session's id, with or without its tool's name. Without it the newest session of this "
    "directory is meant, else the newest of all."
)
"""For the end of a command's help."""
NEWEST = 50
"""So many sessions are offered."""


def session_argument(command: F) -> F:
    """The argument that most commands have."""
    return click.argument("session", required=False, shell_complete=sessions)(command)


def sessions(context: click.Context, parameter: click.Parameter, begun: str) -> Found:  # noqa: ARG001 - click's signature
    """The newest, each with its title; without the tool's name unless that was begun, since to bash a colon ends a word."""
    from memd.cli.common import reading  # noqa: PLC0415 - only where a shell asks
    from memd.model.text import oneline, printable  # noqa: PLC0415

    try:
        with reading(config.paths(os.environ)) as store:
            found = store.sessions(last=NEWEST)
    except MemdError:
        return []
    named = [(one.id if ":" in begun else one.native, one) for one in found]
    return [
        _item(name, help=printable(oneline(one.title or one.cwd or "", 60)))
        for name, one in named
        if name.startswith(begun)
    ]


def _item(name: str, **shown: str) -> "CompletionItem":
    from click.shell_completion import CompletionItem  # noqa: PLC0415 - only where a shell asks

    return CompletionItem(name, **shown)


def among(words: Callable[[], Iterable[str]]) -> Callable[[click.Context, click.Parameter, str], Found]:
    """Completion by a fixed list."""
    return lambda _context, _parameter, begun: [_item(word) for word in words() if word.startswith(begun)]


def channels() -> list[str]:
    """All channels."""
    from memd.model import Channel  # noqa: PLC0415 - only where a shell asks

    return [channel.value for channel in Channel]


def tools() -> list[str]:
    """All tools."""
    from memd.tools.registry import TOOLS  # noqa: PLC0415 - only where a shell asks

    return list(TOOLS)


def settings() -> list[str]:
    """All settings."""
    return [one.key for one in config.settings(config.Config())]
