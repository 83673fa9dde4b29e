"""Settings of whoever manages the machine, as far as they decide whether a person's hooks run (measured on codex-cli 0.171.0).

/etc/codex/config.toml             below a person's own
           managed_config.toml     above it
           requirements.toml       what may be set at all; one that is no TOML keeps the client from starting
"""

import os
import tomllib
from pathlib import Path
from typing import Any

from memd.tools.installing import Files

FOLDER = Path("/etc/codex")
NAMES = ("config.toml", "managed_config.toml", "requirements.toml")


def policies() -> tuple[Path, ...]:
    """The files that are there."""
    return tuple(FOLDER / name for name in NAMES if os.path.exists(FOLDER / name))  # noqa: PTH110 - never raises


def overruled(policies: Files) -> str:
    """Why a person's hooks do not run: file and setting; empty where they do."""
    for path, content in policies.items():
        try:
            found = tomllib.loads((content or b"").decode("utf-8"))
        except ValueError:
            return f"{path} is no TOML: the client does not start with it"
        if path.name == NAMES[-1] and found.get("allow_managed_hooks_only") is True:
            return f"allow_managed_hooks_only is true in {path}"
        if any(_switched_off(found.get(table)) for table in ("features", "feature_requirements")):
            return f"the feature `hooks` is switched off in {path}"
    return ""


def _switched_off(table: Any) -> bool:
    return isinstance(table, dict) and table.get("hooks") is False
