"""Settings of whoever manages the machine, as far as they decide whether a person's hooks run (measured on 2.1.332).

    /etc/claude-code/managed-settings.json
                     managed-settings.d/*.json         by name behind it; hidden ones are passed over

A later file wins. One that is no JSON keeps the client from starting. `CLAUDE_CODE_MANAGED_SETTINGS_PATH` changes nothing, and
in a person's own settings the last two of the three keys do nothing.
"""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memd.tools.installing import Files

FOLDER = Path("/Library/Application Support/ClaudeCode" if sys.platform == "darwin" else "/etc/claude-code")


def policies() -> tuple[Path, ...]:
    """The files that are there, in the order in which they count."""
    every = (FOLDER / "managed-settings.json", *sorted((FOLDER / "managed-settings.d").glob("[!.]*.json")))
    return tuple(path for path in every if os.path.exists(path))  # noqa: PTH110 - never raises


def overruled(before: Files) -> str:
    """Why a person's hooks do not run: file and setting; empty where they do."""
    stands = dict[str, tuple[Path, Any]]()
    for path, content in before.items():
        if not path.is_relative_to(FOLDER):
            continue
        try:
            found = json.loads(content or b"{}")
        except ValueError:
            return f"{path} is no JSON: the client does not start with it"
        except RecursionError:
            return f"{path} is nested too deeply to tell what it rules"
        stands |= {key: (path, value) for key, value in found.items()} if isinstance(found, dict) else {}
    return next(_ruling(stands), "")


def _ruling(stands: dict[str, tuple[Path, Any]]) -> Iterator[str]:
    for key in ("disableAllHooks", "allowManagedHooksOnly"):
        path, value = stands.get(key, (FOLDER, None))
        if value is True:
            yield f"{key} is true in {path}"
    path, value = stands.get("strictPluginOnlyCustomization", (FOLDER, None))
    if value is True or (isinstance(value, list) and "hooks" in value):
        yield f"strictPluginOnlyCustomization takes hooks from plugins alone in {path}"
