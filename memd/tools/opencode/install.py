"""memd's plugin in OpenCode's settings: put in, taken out, looked over. What the files are is told in `plugin`.

The plugin goes into the person's own settings folder. The stand-in for the package that the client would fetch goes into
each folder that the client takes a person's settings from, since it waits for all of them; never into a repository.
`opencode.json` is not touched: the client loads what lies in `plugin`.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from memd import assets
from memd.errors import Refused
from memd.tools.installing import Files, Plan
from memd.tools.opencode.plugin import (
    CODE,
    INSTALLED,
    LOCK,
    MARK,
    PLUGIN,
    STAND_IN,
    filled,
    is_plugin,
    is_stand_in,
    needs_packages,
    satisfied,
)

SHIPPED = "opencode/memd.js"
WHAT = "stand-in for a package of the client's"


def folders(home: Path) -> tuple[Path, ...]:
    """The folders that a person's settings are taken from, as far as they are there; `home` always is. Reads.

    `~/.opencode` is made by the client's own installer.
    """
    given = os.environ.get("OPENCODE_CONFIG_DIR")
    others = [Path.home() / ".opencode", *([Path(given)] if given and Path(given).is_absolute() else [])]
    return tuple(dict.fromkeys([home, *(folder for folder in others if folder.is_dir())]))


def files(home: Path) -> tuple[Path, ...]:
    """The plugin, the stand-in, and what speaks against a stand-in. Reads: of code and packages only what is there."""
    found = [path for folder in folders(home) for path in (*(folder / name for name in STAND_IN), *_others(folder))]
    return tuple(dict.fromkeys([home / PLUGIN, *found]))


def _others(folder: Path) -> Iterator[Path]:
    yield from (folder / name for name in INSTALLED)
    for name in CODE:
        yield from sorted(path for path in folder.glob(f"{name}/*.[jt]s") if path.is_file())
    packages = [*folder.glob("node_modules/.package-lock.json"), *folder.glob("node_modules/*/package.json")]
    yield from [*packages, *folder.glob("node_modules/@*/*/package.json")][:1]


def plan(home: Path, before: Files, command: Sequence[str]) -> tuple[Plan, ...]:
    """The installation. Raises Refused where a plugin of somebody else's has our name."""
    path = home / PLUGIN
    content = before.get(path)
    if content is not None and not is_plugin(content):
        raise Refused(f"{path} is another's plugin: rename it, the client loads it under any name")
    plans = [plan for folder in folders(home) for plan in _stand_in(folder, before)]
    notes = tuple(note for folder in folders(home) if (note := _note(folder, before)))
    return (Plan(path, content, _filled(command), notes, what="plugin"), *plans)


def _filled(command: Sequence[str]) -> bytes:
    socket, state = (command[command.index(option) + 1] for option in ("--socket", "--state"))
    return filled(assets.read("hooks", SHIPPED), socket, state)


def _stand_in(folder: Path, before: Files) -> list[Plan]:
    """Put in where nothing needs packages, taken out again where something came that does."""
    lock, mark = before.get(folder / LOCK), before.get(folder / MARK)
    ours = is_stand_in(lock)
    if _needs_packages(folder, before):
        left = [(LOCK, lock if ours else None), (MARK, mark)]
        return [Plan(folder / name, content, None, what=WHAT) for name, content in left if content is not None]
    return [Plan(folder / name, before.get(folder / name), content, what=WHAT) for name, content in STAND_IN.items()]


def _needs_packages(folder: Path, before: Files) -> bool:
    """Whether something in a folder is not ours and may need packages, or has them."""
    there = [
        path.relative_to(folder) for path, content in before.items() if content is not None and folder in path.parents
    ]
    return needs_packages(path for path in there if path != LOCK or not is_stand_in(before.get(folder / LOCK)))


def _note(folder: Path, before: Files) -> str | None:
    """What a person should know of a folder whose packages are theirs."""
    lock, package = before.get(folder / LOCK), before.get(folder / "package.json")
    if not _needs_packages(folder, before) or satisfied(lock, package):
        return None
    return (
        f"OpenCode installs packages in {folder} when it next starts, because plugins, tools or packages of yours are there: "
        "that takes some ten seconds, and over a minute at each start while it cannot reach the registry"
    )


def unplan(home: Path, before: Files) -> tuple[Plan, ...]:
    """The removal: the plugin if it is ours, and the stand-in wherever it still is one."""
    plans = []
    for path, content in before.items():
        if (path.parts[-2:] == PLUGIN.parts and is_plugin(content)) or path.parts[-2:] == MARK.parts:
            plans.append(Plan(path, content, None, what="plugin" if path == home / PLUGIN else WHAT))
        elif path.name == LOCK.name and is_stand_in(content):
            plans.append(Plan(path, content, None, what=WHAT))
    return tuple(plan for plan in plans if plan.before is not None)


def installed(home: Path, before: Files, command: Sequence[str]) -> tuple[str, ...]:
    """`missing` without our plugin, `changed` where it or a stand-in is not as an installation would make it."""
    if not is_plugin(before.get(home / PLUGIN)):
        return ("missing",)
    return ("changed",) if any(one.changes for one in plan(home, before, command)) else ()
