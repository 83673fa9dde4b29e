"""What the daemon says of itself: one line an event on stderr, `key=value` for a service's log, a sentence on a terminal."""

import logging
import os
import sys
from collections.abc import MutableMapping
from contextlib import suppress
from typing import Any, TextIO, cast

import structlog
from structlog.typing import Processor

from memd.config import Config
from memd.model.text import printable

_ORDER = ["timestamp", "level", "event"]
_SENTENCES = {
    "running": "memd {version} runs (pid {pid}) and watches {watching}.\n"
    "Ctrl-C ends it. In another terminal `memd status` shows what is kept.",
    "trouble": "trouble: {what}",
    "stopped": "memd has ended.",
}


def begin(chosen: Config) -> None:
    """Say events from the chosen level on."""
    level = logging.getLevelNamesMapping()[chosen.log.level.upper()]
    last: Processor = _sentence if sys.stderr.isatty() else structlog.processors.KeyValueRenderer(key_order=_ORDER)
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            last,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.WriteLoggerFactory(file=cast("TextIO", _Stderr())),
        cache_logger_on_first_use=False,
    )


class _Stderr:
    """Where a line cannot be written (a log on a full disk, a terminal that was closed) it is lost, and nothing else is."""

    def write(self, text: str) -> None:
        with suppress(OSError):
            os.write(2, text.encode("utf-8", "backslashreplace"))

    def flush(self) -> None:
        """Nothing is kept back."""


def _sentence(_logger: Any, _name: str, event: MutableMapping[str, Any]) -> str:
    """An event for a person, whatever acts in its names escaped; one without a sentence is told with all its fields."""
    said = _SENTENCES.get(event["event"])
    if said is None:
        fields = (f"{key}={value}" for key, value in event.items() if key not in _ORDER)
        return printable(" ".join([f"{event['event']}:", *fields]))
    named = {key: ", ".join(value) if isinstance(value, dict) else value for key, value in event.items()}
    return printable(said.format_map(named))
