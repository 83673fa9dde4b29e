"""What commands share: the record for reading, the session that is meant, the daemon or its work done here."""

import json
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar

import click

from memd.config import Config, Paths
from memd.errors import DaemonSilent, RecordOlder, Refused, UserError
from memd.model.text import printable

if TYPE_CHECKING:
    from memd.daemon.pipeline import Pipeline
    from memd.model import Session
    from memd.store import Store

T = TypeVar("T")

BUSY = 600.0
"""Seconds that the daemon may take for a command's work."""


def reading(paths: Paths) -> "Store":
    """The record, for reading only.

    Raises:
        Refused: as `Store.open`; of an older record that an older memd's daemon holds, by what ends that.
    """
    from memd.store import Store  # noqa: PLC0415 - some commands need no record

    try:
        return Store.open(paths.state / "memd.db", readonly=True)
    except RecordOlder as error:
        if (daemon := daemon_state(paths)) is None:
            raise
        who = f"the daemon that runs (pid {daemon.get('pid')}) is of an older memd, and keeps the record in its shape"
        raise Refused(f"{who}; start it anew by the command that `memd doctor` names") from error


def meant(store: "Store", text: str | None) -> "Session":
    """The session that an argument means; without one the newest of this directory."""
    return store.find(text, here())


def checkpointed(store: "Store", text: str | None) -> "Session":
    """The same, of those that have a checkpoint of their own; raises Refused for a sub-agent's."""
    found = meant(store, text)
    if found.parent is not None:
        raise Refused(f"{found.id} is a sub-agent's transcript: it has no checkpoint of its own")
    return found


def here() -> str | None:
    """The current directory; None where it was deleted."""
    try:
        return os.path.realpath(".")
    except OSError:
        return None


def typed(word: str, errors: str = "surrogateescape") -> str:
    """A word of the command line as UTF-8, also where Python took it for ASCII (LC_ALL=C without its UTF-8 mode)."""
    return os.fsencode(word).decode("utf-8", errors)


def short_name(session: "Session") -> str:
    """The tool and as much of the id as one types."""
    tool, _, native = session.id.partition(":")
    return printable(f"{tool}:{native[:8]}{'/' + native.rpartition('/')[2] if '/' in native else ''}")


def thousands(tokens: int | None) -> str:
    """A number of tokens as people say it."""
    return (
        "?"
        if tokens is None
        else str(tokens)
        if tokens < 1000
        else f"{tokens / 1000:.1f}k"
        if tokens < 10_000
        else f"{tokens / 1000:.0f}k"
    )


def alone_or_ask(
    settings: Config, paths: Paths, event: str, payload: Mapping[str, Any], work: "Callable[[Pipeline], dict[str, Any]]"
) -> dict[str, Any]:
    """Have the daemon do it, or do it here while no daemon runs (and none can start meanwhile)."""
    from memd.daemon.pipeline import Pipeline  # noqa: PLC0415 - only commands that write need these
    from memd.daemon.sole import alone  # noqa: PLC0415
    from memd.daemon.wire import ask  # noqa: PLC0415

    lock = alone(paths)
    if lock is None:
        answer = ask(paths.socket, event, dict(payload), BUSY)
        if "error" in answer:
            raise UserError(str(answer["error"]))
        return answer
    try:
        with closing(Pipeline(settings, paths)) as pipeline:
            return work(pipeline)
    finally:
        lock.release()


_LINE_ENDS = {ord(mark): f"\\u{ord(mark):04x}" for mark in "\x85\u2028\u2029"}


def daemon_state(paths: Paths) -> dict[str, Any] | None:
    """What the running daemon says of itself; None when none answers."""
    from memd.daemon.wire import ask  # noqa: PLC0415 - only where it is asked

    try:
        return ask(paths.socket, "status", {}, 2.0)
    except DaemonSilent:
        return None


def silent(paths: Paths) -> str | None:
    """What to say when no daemon answered and yet one holds the lock; None when none does."""
    from memd.files import Lock  # noqa: PLC0415 - only where it is asked

    lock = Lock(paths.state / "memd.lock")
    if not lock.held():
        return None
    who = f" (pid {pid})" if (pid := lock.holder()) else ""
    return f"a daemon{who} holds the record and does not answer; hooks give back what is ready on disk"


def meanwhile(ask: Callable[[], T]) -> Callable[[], T]:
    """Ask in a thread, since another program answers, and give what waits for that; what failed there is asked again."""
    came = list[T]()

    def run() -> None:
        with suppress(Exception):
            came.append(ask())

    def answer() -> T:
        thread.join()
        return came[0] if came else ask()

    thread = Thread(target=run, daemon=True)
    thread.start()
    return answer


def print_json(value: Any) -> None:
    """One JSON value, on one line, any character as it is (on a terminal, control characters escaped).

    But for the three that many readers take for the end of a line, `str.splitlines` among them.
    """
    text = json.dumps(value, ensure_ascii=False).translate(_LINE_ENDS)
    _write(printable(text, "\\u{:04x}") if sys.stdout.isatty() else text)


def styled(text: str, **style: Any) -> str:
    """The text in a colour (as `click.style` takes it) on a terminal that wants colours; elsewhere as it is."""
    return click.style(text, **style) if sys.stdout.isatty() and not os.environ.get("NO_COLOR") else text


def say(text: str, *, err: bool = False) -> None:
    """A line of memd's own for a person; names in it may be anybody's, so it never acts on a terminal."""
    click.echo(printable(text), err=err)


def print_text(text: str) -> None:
    """Text as it is in a pipe; on a terminal without control characters, which a transcript may hold."""
    _write(printable(text) if sys.stdout.isatty() else text)


def _write(text: str) -> None:
    sys.stdout.buffer.write(text.encode("utf-8", "replace"))
    if not text.endswith("\n"):
        sys.stdout.buffer.write(b"\n")
    sys.stdout.buffer.flush()


__all__ = [
    "alone_or_ask",
    "click",
    "daemon_state",
    "here",
    "meant",
    "print_json",
    "print_text",
    "reading",
    "say",
    "short_name",
    "silent",
    "styled",
    "thousands",
]
