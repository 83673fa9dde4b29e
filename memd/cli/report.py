"""`memd report`: how well continuity held over compactions, as a table, as JSON, as a page."""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct

from memd import config
from memd.cli.common import here, meant, print_json, reading, say
from memd.errors import NotFound
from memd.model import Session
from memd.store import Store

if TYPE_CHECKING:
    from memd.daemon.hindsight import Hindsight
    from memd.report.told import Told

MOST = 20
"""So many sessions are looked at where none is named, the newest."""
BAR = 3
"""Compactions from which a terminal gets a progress bar: each takes some tenths of a second."""


class Report(Struct, frozen=True):
    """What is shown: sessions, newest first, and how many more there would be."""

    told: "tuple[Told, ...]"
    older: int = 0


@click.command("report")
@click.argument("sessions", nargs=-1, metavar="[SESSION]...")
@click.option("--html", "page", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Write one page.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object (docs/json.md).")
def command(sessions: tuple[str, ...], page: Path | None, *, as_json: bool) -> None:
    """Show how well continuity held over the compactions of each SESSION.

    Coverage: of the exact things that the agent needed after a compaction, how many stand in the text that memd gave back, in
    the tool's own summary, in both. Breaks: calls that repeat or contradict what came before, beside as many calls before
    the compaction. docs/continuity.md defines each figure.

    Without SESSION: the compacted sessions of this directory, else all that were compacted; the newest 20.
    """
    settings, places = config.load(os.environ)
    with reading(places) as store:
        found, older = _chosen(store, sessions)
        if not any(one.compactions for one in found) and not (as_json and page is None):
            raise NotFound(_nothing(found))
        from memd.daemon.hindsight import Hindsight  # noqa: PLC0415 - after the help

        report = Report(tuple(_told(Hindsight(store, settings, places), found)), older)
    if page is not None:
        _write(page, report)
    if as_json:
        from memd.cli.report_json import as_object  # noqa: PLC0415 - only where it is asked

        print_json(as_object(report))
    elif page is None:
        from memd.cli.report_table import show  # noqa: PLC0415 - JSON needs no rich

        show(report)


def _chosen(store: Store, names: Sequence[str]) -> tuple[list[Session], int]:
    """The sessions that are meant, and how many more there would be."""
    if names:
        return list(dict.fromkeys(meant(store, name) for name in names)), 0
    compacted = [one for one in store.sessions() if one.compactions]
    found = [one for one in compacted if one.cwd == here()] or compacted
    return found[:MOST], len(found[MOST:])


def _nothing(found: Sequence[Session]) -> str:
    if not found:
        return "no session was compacted yet: there is nothing to report"
    names = ", ".join(one.id for one in found)
    return f"{names}: not compacted yet, so there is nothing to report"


def _told(hindsight: "Hindsight", found: Sequence[Session]) -> "Iterator[Told]":
    """Each session's report, with a progress bar where somebody waits at a terminal."""
    from memd.report.told import Told  # noqa: PLC0415 - after the help

    total = sum(one.compactions for one in found)
    waits = total > BAR and sys.stderr.isatty()
    bar: Any = click.progressbar(length=total, label="compactions", file=sys.stderr) if waits else nullcontext()
    with bar:
        for session in found:
            for step in hindsight.report(session):
                if isinstance(step, Told):
                    yield step
                elif waits:
                    bar.update(1)


def _write(page: Path, report: Report) -> None:
    from memd.cli.report_page import html  # noqa: PLC0415 - only where it is asked
    from memd.daemon.setup.trouble import refused  # noqa: PLC0415
    from memd.files import write_atomic  # noqa: PLC0415

    with refused(page.absolute(), "written"):
        write_atomic(page.absolute(), html(report).encode("utf-8", "replace"), durable=False)
    count = sum(len(one.compactions) for one in report.told)
    say(f"{page}: {count} {'compaction' if count == 1 else 'compactions'}", err=True)
