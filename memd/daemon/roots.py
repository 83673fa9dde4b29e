"""Where transcripts lie, and whose a file is; asked of every file that there is, by its path alone."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from memd.config import Paths
from memd.daemon.setup import ledger, settings
from memd.tools.protocol import Tool


class Roots:
    """The tools' roots in the home of this environment, and in each that memd's hooks were put into."""

    def __init__(self, tools: Sequence[Tool], paths: Paths, environ: Mapping[str, str]) -> None:
        self._tools = tools
        self._rooted = _rooted(tools, paths, environ)
        deepest_first = sorted(self._rooted, key=lambda root: len(root.parts), reverse=True)
        self._below = [(f"{root}/", self._rooted[root]) for root in deepest_first]

    def folders(self) -> list[Path]:
        """The roots themselves, each once."""
        return list(self._rooted)

    def owner(self, path: str) -> Tool | None:
        """Whose transcript it is: by the root that it lies under; one that a hook named may lie anywhere."""
        for root, tool in self._below:
            if f"{path}/".startswith(root):
                return tool if tool.wanted(path) else None
        return next((tool for tool in self._tools if tool.wanted(path)), None)

    def wanted(self, path: str) -> bool:
        """Whether it is anybody's."""
        return self.owner(path) is not None

    def enters(self, directory: str) -> bool:
        """Whether transcripts can lie below a directory."""
        return any(tool.enters(directory) for tool in self._tools)


def _rooted(tools: Sequence[Tool], paths: Paths, environ: Mapping[str, str]) -> dict[Path, Tool]:
    known = ledger.read(paths)
    found: dict[str, tuple[Path, Tool]] = {}
    for tool in tools:
        here = tool.place(environ)
        for home in settings.homes(tool, environ, known):
            for root in here.roots:
                moved = home / root.relative_to(here.home) if root.is_relative_to(here.home) else root
                found.setdefault(os.path.realpath(moved), (moved, tool))
    return dict(found.values())
