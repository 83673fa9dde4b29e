"""Settings of whoever manages the machine, as far as they decide whether a person's hooks run (measured on codex-cli 0.171.0).

/etc/codex/config.toml             below a person's own: where both say whether hooks run, the person's word counts
           managed_config.toml     above it
           requirements.toml       above all of them, in its `features` and `feature_requirements`

One that is no TOML keeps the client from starting.
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


def overruled(own: Path, before: Files) -> str:
    """Why they let no hook of a person's run, whose own settings are in `own`: file and setting; empty where they do."""
    below, *above = (FOLDER / name for name in NAMES)
    for path in (below, *above):
        if _table(before.get(path)) is None:
            return f"{path} is no TOML: the client does not start with it"
    if (_table(before.get(above[-1])) or {}).get("allow_managed_hooks_only") is True:
        return f"allow_managed_hooks_only is true in {above[-1]}"
    off = switched_off(own, before)
    return "" if off in {None, own} else f"the feature `hooks` is switched off in {off}"


def switched_off(own: Path, before: Files) -> Path | None:
    """The file by which no hook runs at all: of those that say whether they do, the one that counts."""
    below, *above = (FOLDER / name for name in NAMES)
    found: Path | None = None
    for path in (below, own, *above):
        table = _table(before.get(path)) or {}
        for features in (table.get("features"), table.get("feature_requirements")):
            if isinstance(features, dict) and isinstance(features.get("hooks"), bool):
                found = None if features["hooks"] else path
    return found


def _table(content: bytes | None) -> dict[str, Any] | None:
    """What a file says; None where it is no TOML, or nested a hundred levels, at which the client gives up too."""
    try:
        return tomllib.loads((content or b"").decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None
