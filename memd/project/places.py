"""Where memd keeps what it knows of a project: in its own state, or in the repository where the person asked for that.

    <state>/projects/<project>/journal/      or  <root>/.agent/journal/
    <state>/projects/<project>/anchors.json  or  <root>/.agent/anchors.json
    <state>/projects/<project>/state.md      or  <root>/.agent/state.md
    <state>/projects/<project>/in-repo       the root, where `memd init --in-repo` was run

Only the person's own `memd init --in-repo` on this machine moves it: no file in a repository can.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from memd.project.identity import AGENT

MARK = "in-repo"


class Places:
    """The folders of all projects under one state directory."""

    def __init__(self, state: Path) -> None:
        self._root = state / "projects"

    def own(self, project: str) -> Path:
        """The project's folder in memd's state."""
        return self._root / project

    def kept(self, project: str) -> Path:
        """The folder of what the daemon keeps of it."""
        return self.in_repo(project) or self.own(project)

    def in_repo(self, project: str) -> Path | None:
        """The `.agent/` that the person moved it to, while it is there and no link leads elsewhere."""
        try:
            root = Path(os.fsdecode((self.own(project) / MARK).read_bytes().rstrip(b"\n")))
        except OSError:
            return None
        agent = root / AGENT
        return agent if root.is_absolute() and os.path.realpath(agent) == str(agent) and agent.is_dir() else None

    def journal(self, project: str) -> Path:
        """The folder of its journal."""
        return self.kept(project) / "journal"

    def journals(self) -> Iterator[Path]:
        """The folder of each project's journal."""
        for mark in sorted(self._root.iterdir()) if self._root.is_dir() else ():
            if mark.is_dir():
                yield self.journal(mark.name)
