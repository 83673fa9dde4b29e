"""A bar while something takes long: on a terminal's stderr, gone afterwards; elsewhere nothing at all."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from memd.cli.common import daemon_state
from memd.config import Paths
from memd.errors import DaemonSilent

Told = Callable[[int, int], None]
"""Takes how many are done, and of how many."""
EVERY = 0.2
"""Seconds between two looks at what the daemon has done."""
STARTS = 1.5
"""Seconds for a daemon that was just started to find what there is to read."""


@contextmanager
def bar(label: str) -> Iterator[Told]:
    """The bar, and what moves it. One thing alone has no middle: then it only shows that something goes on."""
    if not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    from rich.console import Console  # noqa: PLC0415 - a pipe needs no rich
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn  # noqa: PLC0415

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(label, total=None)
        yield lambda done, total: shown.update(task, completed=done, total=total if total > 1 else None)


@contextmanager
def of_daemon(places: Paths, told: Told) -> Iterator[None]:
    """While the block waits for the daemon's answer, tell how far it has come."""
    over = threading.Event()
    watching = threading.Thread(target=_ask_on, args=(places, told, over), daemon=True)
    if sys.stderr.isatty():
        watching.start()
    try:
        yield
    finally:
        over.set()
        if watching.ident is not None:
            watching.join()


def _ask_on(places: Paths, told: Told, over: threading.Event) -> None:
    from memd.daemon.wire import ask  # noqa: PLC0415 - only where it is asked

    while not over.wait(EVERY):
        with suppress(DaemonSilent):
            answer = ask(places.socket, "progress", {})
            told(int(answer.get("done", 0)), int(answer.get("total", 0)))


def backfill(places: Paths) -> bool:
    """Show how the daemon reads old transcripts until none waits; whether the person let it come to that."""
    with bar("reading your transcripts (Ctrl-C leaves that to the daemon)") as told:
        began, most = time.monotonic(), 0
        try:
            while (state := daemon_state(places)) is not None:
                most = max(most, state["queue"])
                told(most - state["queue"], most)
                if not state["queue"] and (most or time.monotonic() - began > STARTS):
                    break
                time.sleep(EVERY)
        except KeyboardInterrupt:
            return False
    return True
