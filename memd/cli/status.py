"""`memd status`: is each session's checkpoint healthy; one session's whole story; live; and as JSON."""

import os
import sys
import time
from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct

from memd import __version__, config
from memd.cli.common import daemon_state, meant, meanwhile, print_json, reading, silent
from memd.cli.completion import session_argument
from memd.config import Config, Paths
from memd.daemon.survey import Row, row
from memd.errors import NotFound
from memd.model import Session, Spent
from memd.store import Store

if TYPE_CHECKING:
    from rich.console import RenderableType

    from memd.cli.status_story import Moment
    from memd.daemon.setup.service import Keeping

DAY = 86_400_000
OLD = 20
"""So many sessions are shown to people; older ones are summed up."""


class Asked(Struct, frozen=True):
    """What is to be looked at."""

    session: str | None
    everything: bool
    limit: int | None
    """At most so many sessions, the newest."""
    story: bool = False
    """With what happened in the one session that is asked about."""


class View(Struct, frozen=True):
    """Everything that status shows, of one moment."""

    at: int
    settings: Config
    daemon: dict[str, Any] | None
    hung: str | None
    """Why a daemon that runs does not answer."""
    notes: tuple[str, ...]
    """What a person should know about who restarts the daemon."""
    spent: Spent
    rows: tuple[Row, ...]
    older: Mapping[str, int]
    """How many sessions are not among `rows`, by tool."""
    story: "tuple[Moment, ...]" = ()
    installed: bool = True
    """Whether memd's hooks are in some agent's settings."""


@click.command("status")
@session_argument
@click.option("--all", "everything", is_flag=True, help="Old sessions and sub-agents too.")
@click.option("--watch", is_flag=True, help="Go on looking, on a screen of its own; q or Ctrl-C ends it.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object (docs/json.md).")
def command(session: str | None, *, everything: bool, watch: bool, as_json: bool) -> None:
    """Show for each session whether its checkpoint is healthy and whether it truly reached the model.

    The bar shows how full the context is; its mark is where the agent compacts by itself. With SESSION: all that is known
    of that one, and what happened in it. In a pipe the columns are plain and nothing is cut.
    """
    settings, places = config.load(os.environ)
    if watch:
        if as_json or not sys.stdout.isatty():
            raise click.UsageError("--watch is for a terminal; `memd status --json` tells a program the same, once")
        from memd.cli.status_watch import watch as go_on  # noqa: PLC0415 - only there

        go_on(lambda: look(settings, places, Asked(session, everything, OLD, story=session is not None)))
        return
    if as_json:
        _print_object(look(settings, places, Asked(session, everything, None)), places)
        return
    asked = Asked(session, everything, None if everything else OLD, story=session is not None)
    _show(look(settings, places, asked))


def _show(view: View) -> None:
    """Print it as the place where it goes wants it."""
    from memd.cli import screen  # noqa: PLC0415 - JSON needs no table

    screen.show(partial(_page, view), partial(_lines, view))


def _page(view: View, width: int) -> "RenderableType":
    from memd.cli.status_table import page  # noqa: PLC0415 - only a terminal needs rich

    return page(view, width)


def _lines(view: View) -> Iterable[str]:
    from memd.cli.status_lines import lines  # noqa: PLC0415 - only a pipe needs them

    return lines(view)


def look(settings: Config, places: Paths, asked: Asked) -> View:
    """All of it, now.

    Raises:
        NotFound, Ambiguous: the session that is asked about is not one.
    """
    from memd.daemon.setup.standing import standing  # noqa: PLC0415 - after the help

    keeping = meanwhile(_keeping)
    daemon = daemon_state(places)
    setup = standing(places, os.environ)
    rows: list[Row] = []
    spent, older = Spent(0, 0), dict[str, int]()
    story: tuple[Moment, ...] = ()
    try:
        with reading(places) as store:
            found = _found(store, asked)
            spent = store.judging.spent(int(time.time() * 1000) - DAY)
            rows = [row(store, one, daemon, setup, settings) for one in found]
            older = {} if asked.session is not None else _older(store, found, asked)
            story = _story(store, found[0]) if asked.story else ()
    except NotFound:
        if asked.session is not None:
            raise
    hung = silent(places) if daemon is None else None
    now = int(time.time() * 1000)
    installed = any(tool.installed for tool in setup.tools)
    kept = keeping()
    notes = (*outdated(kept, daemon), *restarts(kept), *set_aside(places))
    return View(now, settings, daemon, hung, notes, spent, tuple(rows), older, story, installed)


def _found(store: Store, asked: Asked) -> list[Session]:
    if asked.session is not None:
        return [meant(store, asked.session)]
    return store.sessions(children=asked.everything, last=asked.limit)


def _older(store: Store, found: list[Session], asked: Asked) -> dict[str, int]:
    if asked.limit is None or len(found) < asked.limit:
        return {}
    counts = store.glances.tally(children=asked.everything)
    for one in found:
        counts[one.tool] -= 1
    return {tool: count for tool, count in counts.items() if count}


def _story(store: Store, session: Session) -> "tuple[Moment, ...]":
    from memd.cli.status_story import moments  # noqa: PLC0415 - only where one session is asked about

    return moments(store, session)


def _print_object(view: View, places: Paths) -> None:
    from memd.cli.status_json import as_object, daemon_object, models_object  # noqa: PLC0415

    notes = (*([view.hung] if view.hung else []), *view.notes)
    print_json(
        {
            "version": 1,
            "daemon": daemon_object(view.daemon, places, notes),
            "models": models_object(view.settings, view.spent),
            "sessions": [as_object(one) for one in view.rows],
        }
    )


def _keeping() -> "Keeping":
    from memd.daemon.setup import service  # noqa: PLC0415 - after the help

    return service.keeping(service.here(os.environ))


def outdated(service: "Keeping", daemon: Mapping[str, Any] | None) -> tuple[str, ...]:
    """That another memd was installed since the daemon started."""
    if daemon is None or daemon["version"] == __version__:
        return ()
    from memd.daemon.setup.service import again  # noqa: PLC0415 - seldom

    command = again(service.kind, daemon["pid"])
    return (f"the daemon that runs is memd {daemon['version']}, and this is {__version__}: `{command}` changes that",)


def restarts(service: "Keeping") -> tuple[str, ...]:
    """What a person should know about who starts the daemon again."""
    if service.kind is None or not service.enabled:
        nothing = "nothing will restart the daemon after a crash or a reboot"
        if service.trouble:
            return (f"{nothing} ({service.trouble}): let what starts this machine or its shells start `memd run` too",)
        return (f"{nothing}: `memd install --service` mends it",)
    if service.linger is False:
        return ("the daemon ends when you log out: `loginctl enable-linger` mends it",)
    return ()


def set_aside(places: Paths) -> tuple[str, ...]:
    """That a damaged record was replaced, for as long as it is kept."""
    from memd.store.aside import kept  # noqa: PLC0415 - a look at a folder

    return tuple(
        f"the record was damaged and set aside in {folder}: it was made anew from the transcripts that are still there; what"
        " models and people had decided is in that folder and in each session's history alone"
        for folder in kept(places.state)
    )
