"""What an installation puts into a folder of OpenCode's settings, as bytes (measured on 1.18.33).

    plugin/memd.js            the plugin, with the daemon's socket and the state directory written into it
    package-lock.json         } the stand-in: with both there the client does not fetch `@opencode-ai/plugin` for the folder
    node_modules/.memd        }

Before it loads any plugin of a person's the client installs `@opencode-ai/plugin` into each of its settings folders, and waits:
online once some ten seconds, offline 75 s at every start. It does not where `node_modules` is there and every name that
`package.json` depends on, and its own, stands among the dependencies of the lock file's root; nothing else is looked at.

The stand-in is only for a folder with nothing else in it that could need packages: a person's own plugin that imports
`@opencode-ai/plugin` is dropped without a word where the package is a stand-in. Should a `package.json` come later that names
anything new, the client installs all of it and replaces the stand-in by itself.
"""

import json
from collections.abc import Iterable
from pathlib import Path

PLUGIN = Path("plugin", "memd.js")
LOCK = Path("package-lock.json")
MARK = Path("node_modules", ".memd")
PACKAGE = "@opencode-ai/plugin"
NAME = "memd-stand-in"
HEAD = b"// memd's plugin for OpenCode"
KINDS = ("d", "devD", "peerD", "optionalD")
"""How the four kinds of dependencies begin; the client does not tell them apart."""

STAND_IN: dict[Path, bytes] = {
    LOCK: json.dumps(
        {
            "name": NAME,
            "lockfileVersion": 3,
            "requires": True,
            "packages": {"": {"name": NAME, "dependencies": {PACKAGE: "*"}}},
        },
        indent=2,
    ).encode()
    + b"\n",
    MARK: (
        b"Put here by `memd install`, so that OpenCode starts without fetching @opencode-ai/plugin.\n"
        b"If a plugin or tool of yours needs packages: remove this folder and package-lock.json; OpenCode installs them.\n"
    ),
}
"""Paths in the settings folder, and what they hold."""

INSTALLED = (Path("package.json"), LOCK, Path("bun.lock"), Path("bun.lockb"))
"""With one of these there, or anything of others in `node_modules`, somebody or the client itself has installed packages."""
CODE = ("plugin", "plugins", "tool", "tools")
"""Folders of code that the client loads, which may need packages."""


def filled(shipped: bytes, socket: str, state: str) -> bytes:
    """The plugin for one daemon. Raises ValueError where the shipped one has not exactly the two lines to fill."""
    for name, value in (("SOCKET", socket), ("STATE", state)):
        line = f'const {name} = ""\n'.encode()
        if shipped.count(line) != 1:
            raise ValueError(f"the plugin has no single line {line!r}")
        shipped = shipped.replace(line, f"const {name} = {json.dumps(value)}\n".encode())
    return shipped


def needs_packages(there: Iterable[Path]) -> bool:
    """Whether a settings folder with these files in it (relative paths) may need packages, or has them.

    >>> needs_packages([Path("opencode.json"), Path("plugin/memd.js")])
    False
    >>> needs_packages([Path("plugin/mine.ts")]), needs_packages([Path("package.json")])
    (True, True)
    """
    return any(path in INSTALLED or _is_package(path) or _is_code(path) for path in there)


def _is_package(path: Path) -> bool:
    return path.parts[0] == MARK.parts[0] and path != MARK


def _is_code(path: Path) -> bool:
    return path.parts[0] in CODE and path.suffix in {".js", ".ts"} and path != PLUGIN


def is_stand_in(lock: bytes | None) -> bool:
    """Whether a lock file is the stand-in's: the client, when it installs, writes all its packages into it."""
    try:
        found = json.loads(lock or b"{}")
        return bool(found["name"] == NAME and list(found["packages"]) == [""])
    except (ValueError, TypeError, KeyError, RecursionError):
        return False


def satisfied(lock: bytes | None, package: bytes | None) -> bool:
    """Whether the client has nothing to fetch for a folder with this lock file and this `package.json`."""
    try:
        root = json.loads(lock or b"{}")["packages"][""]
        wanted = json.loads(package or b"{}")
        return {PACKAGE, *_names(wanted)} <= set(_names(root))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return False


def _names(package: dict[str, dict[str, str]]) -> list[str]:
    return [name for kind in KINDS for name in package.get(f"{kind}ependencies") or {}]


def is_plugin(content: bytes | None) -> bool:
    """Whether a file is memd's plugin, of whatever version."""
    return content is not None and content.startswith(HEAD)
