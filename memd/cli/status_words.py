"""What `memd status` says in the same words on a terminal and in a pipe."""

from memd import config
from memd.cli.status import View
from memd.daemon.survey import Row
from memd.model import Spent
from memd.model.text import ago, oneline, printable

SHOWN = 3
"""So many of the daemon's newest troubles are shown to people; JSON has all."""


def running(view: View) -> str:
    """Whether a daemon runs."""
    daemon = view.daemon
    if daemon is not None:
        since = ago(daemon["since"], view.at)
        return f"daemon: running, version {daemon['version']}, pid {daemon['pid']}, started {since}"
    if view.hung is not None:
        return f"daemon: {view.hung}"
    return "daemon: not running (`memd run` starts it; hooks give back what is ready on disk)"


def nothing(view: View) -> str:
    """What is said where there is no session yet."""
    first = "" if view.installed else " First put the hooks in: `memd install`."
    return f"Nothing is recorded yet: sessions appear here as soon as an agent writes a transcript.{first}"


def troubles(view: View) -> tuple[str, ...]:
    """The daemon's newest troubles, and how much waits to be tried again."""
    if view.daemon is None:
        return ()
    count = len({one["why"] for one in view.daemon.get("waiting", ())})
    held = (f"{count:,} of what failed wait{'s' * (count == 1)} to be tried again",) if count else ()
    return (*map(printable, view.daemon["errors"][-SHOWN:]), *held)


def older(view: View) -> str:
    """How many sessions are not shown; "" where all are."""
    if not view.older:
        return ""
    counts = ", ".join(f"{count:,} {tool}" for tool, count in view.older.items())
    return f"and {sum(view.older.values()):,} older sessions ({counts}): `memd status --all` shows them"


def models(settings: config.Config, spent: Spent) -> str:
    """What models took in a day, and what they may take; "" where no model wrote or may write."""
    if settings.checkpoint.writer == "extractive" and not spent.runs:
        return ""
    caps = settings.checkpoint
    used = f"{spent.runs} of {caps.runs_per_day} runs, {spent.tokens:,} of {caps.tokens_per_day:,} input tokens"
    return f"models in the last 24 hours: {used} (writer: {caps.writer})"


def called(row: Row) -> str:
    """What the session is called, or how it began, on one line."""
    return printable(oneline(row.title, 200))
