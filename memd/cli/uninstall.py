"""`memd uninstall`: all that `memd install` put in, taken back out; the record stays unless it is purged."""

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from memd.cli import completion
from memd.cli.common import say
from memd.cli.completion import among
from memd.errors import Refused
from memd.model.text import named

if TYPE_CHECKING:
    from memd.config import Paths
    from memd.daemon.setup.ledger import Ledger
    from memd.tools.installing import Plan


@click.command("uninstall")
@click.argument("tools", nargs=-1, metavar="[TOOL]...", shell_complete=among(completion.tools))
@click.option("--purge", is_flag=True, help="Remove what memd has recorded too: state, data and settings.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def command(tools: Sequence[str], *, purge: bool, yes: bool) -> None:
    """Take memd's hooks out of the coding agents' settings (or of each TOOL's), and the rest with the last of them."""
    from memd.config import paths  # noqa: PLC0415 - a command loads what it needs when it runs
    from memd.daemon.setup import ledger, removal, service  # noqa: PLC0415

    if purge and tools:
        raise click.UsageError("--purge takes everything: name no TOOL with it")
    places = paths(os.environ)
    record = ledger.read(places)
    planned = _plan(tools, record)
    if purge:
        _check_purge(places, yes=yes)
    removed, record = removal.take_out(places, planned, record, service.here(os.environ), whole=not tools)
    for line in removed:
        say(f"removed {line}")
    if not removed:
        say("memd is not installed here: nothing to take away.")
    if purge:
        _purge(places, record)
    elif places.state.exists():
        say(f"The record stays in {places.state} (`memd uninstall --purge` removes it)")
    if not tools and (pid := _daemon(places)):
        say(f"A daemon is still running and goes on recording: end it (pid {pid}).")
    elif not tools and (pid := _silent(places)):
        say(
            f"A daemon that stands still, or another memd at work, holds the record (pid {pid}) and may go on recording: end it."
        )


def _daemon(places: "Paths") -> str:
    """The process of the daemon that answers; empty when none does."""
    from memd.daemon.wire import ask  # noqa: PLC0415
    from memd.errors import DaemonSilent  # noqa: PLC0415

    try:
        return str(ask(places.socket, "ping", {}).get("pid", "unknown"))
    except DaemonSilent:
        return ""


def _silent(places: "Paths") -> str:
    """The process that holds the record and does not answer as a daemon does; empty where none is seen to."""
    from memd.files import Lock  # noqa: PLC0415

    lock = Lock(places.state / "memd.lock")
    with suppress(OSError):  # nobody may look: what is to be removed there says why it cannot be
        return str(lock.holder() or "unknown") if lock.held() else ""
    return ""


def _plan(names: Sequence[str], record: "Ledger") -> "list[Plan]":
    from memd.daemon.setup import settings  # noqa: PLC0415
    from memd.tools.registry import hooked, tool  # noqa: PLC0415

    chosen = [tool(name) for name in dict.fromkeys(names)] or hooked()
    homes = [(one, home) for one in chosen for home in settings.homes(one, os.environ, record)]
    return [plan for one, home in homes for plan in settings.plan_uninstall(one, home, record).plans]


def _check_purge(places: "Paths", *, yes: bool) -> None:
    """Before anything is touched: is it safe, is it wanted?"""
    from memd.daemon.setup import removal, service  # noqa: PLC0415

    paths = removal.doomed(places)
    pid = _daemon(places)
    silent = "" if pid else _silent(places)
    if (pid or silent) and not service.look(service.here(os.environ), places).active:
        raise Refused(
            f"a daemon is running and would write again: end it first (`kill {pid}`, or Ctrl-C where it runs)"
            if pid
            else f"a daemon that stands still, or another memd at work, holds {places.state} and would write again:"
            f" end it first (`kill -9 {silent}`), or wait for it"
        )
    if yes or not paths:
        return
    if not sys.stdin.isatty():
        raise Refused("this is not a terminal: run it again with --yes to remove the record for good")
    say("\n".join(["This removes for good:", *(f"  {named(str(path))}" for path in paths)]))
    click.confirm("Proceed?", default=False, abort=True)


def _purge(places: "Paths", record: "Ledger") -> None:
    from memd.daemon.setup import removal  # noqa: PLC0415

    gone = removal.doomed(places)
    removal.purge(places, record)
    for path in gone:
        say(f"removed {named(str(path))}")
    if places.state.is_dir():
        say(f"{named(str(places.state))} stays: memd did not make all that is in it")
