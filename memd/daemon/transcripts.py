"""Which transcripts lie behind the paths that a person names, and whose they are."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct, field

from memd.daemon.reader import head
from memd.errors import Fault, NotFound
from memd.tools.protocol import Tool
from memd.tools.registry import TOOLS
from memd.tools.registry import tool as named


class Found(Struct):
    """Transcripts with their tools, and what was in the way of others, a line each."""

    transcripts: list[tuple[Tool, Path]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def find(paths: Iterable[Path], tool: Tool | None) -> Found:
    """The transcripts behind the paths: a file with its sub-agents', all that lies below a directory.

    Raises:
        NotFound: a path is not there, no tool knows the file, or nothing is in the directory.
        SourceUnreadable: a file that was named cannot be read.
    """
    found = Found()
    for path in paths:
        if _is_directory(path):
            _below(path, tool, found)
        else:
            owner = tool or owner_of(path)
            inside = (*_in(owner, path), *owner.children(path))
            if not inside:
                raise NotFound(f"{path}: no session in it that memd knows")
            found.transcripts += [(owner, one) for one in inside]
    return found


def owner_of(path: Path) -> Tool:
    """The tool that wrote a transcript, told by its first lines.

    Raises:
        NotFound: no tool knows it.
        SourceUnreadable: it cannot be read.
    """
    owner = _claimed(path, TOOLS.values())
    if owner is None:
        raise NotFound(f"{path}: not a transcript of {', '.join(TOOLS)}; --tool names the tool if it is")
    return owner


def tool_named(name: str | None) -> Tool | None:
    """The tool that an option names."""
    return None if name is None else named(name)


def _in(tool: Tool, file: Path) -> list[Path]:
    """The transcripts that a file is, or holds."""
    return [news.path for news in tool.sources(file, dict)]


def _is_directory(path: Path) -> bool:
    if any(tool.there(path) for tool in TOOLS.values()):
        return False
    try:
        path.stat()
    except OSError as error:
        raise NotFound(f"{path}: {(error.strerror or 'not there').lower()}") from error
    return path.is_dir()


def _below(folder: Path, tool: Tool | None, found: Found) -> None:
    before = len(found.transcripts), len(found.problems)
    for file in _files(folder):
        try:
            owner = _owner(file, tool)
        except Fault as error:
            found.problems.append(str(error))
        else:
            found.transcripts += [(owner, one) for one in _in(owner, file)] if owner else []
    if (len(found.transcripts), len(found.problems)) == before:
        raise NotFound(f"{folder}: no transcript in it that memd knows")


def _owner(file: Path, tool: Tool | None) -> Tool | None:
    """Whose a file below a directory is, if anybody's.

    A file whose name one tool could have given is looked into for all of them: copies lose the names that their tool gave.
    """
    wanted = [one for one in TOOLS.values() if one.wanted(str(file))]
    if tool is not None:
        return tool if tool in wanted or (wanted and _claimed(file, [tool])) else None
    return _claimed(file, [*wanted, *(one for one in TOOLS.values() if one not in wanted)]) if wanted else None


def _files(folder: Path) -> Iterator[Path]:
    """All below, in order; folders that go meanwhile or cannot be looked into keep nothing else back."""
    below = sorted(Path(place, name) for place, _, names in os.walk(folder) for name in names)
    return (file for file in below if file.is_file())


def _claimed(path: Path, tools: Iterable[Tool]) -> Tool | None:
    start = head(path)
    return next((tool for tool in tools if tool.claims(path, start)), None)
