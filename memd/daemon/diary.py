"""What the daemon says of itself: one line an event on stderr, `key=value` for a service's log, a sentence on a terminal.

Written here, since a library for it took 5 MB of each daemon: it brought a library for terminals along.
"""

import os
import sys
import traceback
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from memd.config import Config
from memd.model.text import printable

_LEVELS = ("debug", "info", "warning", "error")
_SENTENCES = {
    "running": "memd {version} runs (pid {pid}) and watches {watching}.\n"
    "Ctrl-C ends it. In another terminal `memd status` shows what is kept.",
    "trouble": "trouble: {what}",
    "stopped": "memd has ended.",
}
_said = set(_LEVELS)


def begin(chosen: Config) -> None:
    """Say events from the chosen level on."""
    _said.clear()
    _said.update(_LEVELS[_LEVELS.index(chosen.log.level) :])


def info(event: str, **fields: Any) -> None:
    """Something that happens in the course of things."""
    _say("info", event, fields)


def warning(event: str, *, defect: BaseException | None = None, **fields: Any) -> None:
    """Something that somebody may have to look at; of a defect it is told where it was."""
    trace = {} if defect is None else {"exception": "".join(traceback.format_exception(defect)).rstrip("\n")}
    _say("warning", event, fields | trace)


def _say(level: str, event: str, fields: Mapping[str, Any]) -> None:
    if level in _said:
        said = _sentence(event, fields) if sys.stderr.isatty() else _line(level, event, fields)
        with suppress(OSError):  # a full disk, a closed terminal: the line is lost, and nothing else is
            os.write(2, f"{said}\n".encode("utf-8", "backslashreplace"))  # whole, whichever thread says it


def _line(level: str, event: str, fields: Mapping[str, Any]) -> str:
    at = datetime.now(UTC).isoformat().replace("+00:00", "Z")
    return " ".join(
        f"{key}={value!r}" for key, value in {"timestamp": at, "level": level, "event": event, **fields}.items()
    )


def _sentence(event: str, fields: Mapping[str, Any]) -> str:
    """An event for a person, whatever acts in its names escaped; one without a sentence is told with all its fields."""
    said = _SENTENCES.get(event)
    if said is None:
        return printable(" ".join([f"{event}:", *(f"{key}={value}" for key, value in fields.items())]))
    named = {key: ", ".join(value) if isinstance(value, dict) else value for key, value in fields.items()}
    return printable(said.format_map(named))
