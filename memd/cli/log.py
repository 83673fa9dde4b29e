"""`memd log`: all messages of a session, in order."""

import os
import sys
import time
from typing import Any

import click

from memd import config
from memd.cli.common import meant, print_json, print_text, reading
from memd.cli.completion import SESSION, among, channels, session_argument
from memd.daemon.lineage import attributed
from memd.errors import NotFound
from memd.model import Channel, Record, Session
from memd.model.marks import escape_heads
from memd.model.text import ago, clock

_STYLES = {"human": "bold green", "operator": "bold yellow", "agent": "bold", "unattributed": "red"}
"""Colours of the channels' groups on a terminal; the others are neither a person nor the agent."""


@click.command("log", epilog=SESSION)
@session_argument
@click.option("--human", is_flag=True, help="Only the person's own words.")
@click.option(
    "--channel",
    "names",
    multiple=True,
    metavar="C",
    shell_complete=among(channels),
    help="Only this channel (human.typed), or group (human).",
)
@click.option("--message", "number", type=int, metavar="N", help="Only message N, whole.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def command(session: str | None, names: tuple[str, ...], number: int | None, *, human: bool, as_json: bool) -> None:
    """Show all messages of SESSION in order: who said what, how it was delivered, how sure that is."""
    _, places = config.load(os.environ)
    wanted = _channels((*names, *(["human"] if human else [])))
    with reading(places) as store:
        found = meant(store, session)
        if number is not None and not 0 < number <= found.messages:
            raise NotFound(f"{found.id} has no message #{number}; its last is #{found.messages}")
        records = attributed(store, store.messages(found.id, numbers=None if number is None else {number}))
    records = [record for record in records if wanted is None or record.channel in wanted]
    if not as_json and sys.stdout.isatty():
        _give(records, whole=number is not None)
        return
    for record in records:
        if as_json:
            print_json(as_object(record, found))
        else:
            print_text(_shown(record, whole=number is not None))


def _give(records: list[Record], *, whole: bool) -> None:
    """For eyes: the line that says who spoke stands out, with the age; a person's is seen from afar."""
    from rich.text import Text  # noqa: PLC0415 - a pipe needs no colours

    from memd.cli import paper  # noqa: PLC0415

    now = int(time.time() * 1000)
    lines: list[Text] = []
    for record in records:
        head, _, text = _shown(record, whole=whole).partition("\n")
        lines.append(
            Text(f"{head}  {ago(record.at, now)}", _STYLES.get(record.channel.value.partition(".")[0], "cyan"))
        )
        lines += [*paper.plain(text.rstrip("\n")), Text()]
    paper.give(lines)


def _channels(names: tuple[str, ...]) -> set[Channel] | None:
    if not names:
        return None
    found: set[Channel] = set()
    for name in names:
        fitting = {channel for channel in Channel if channel.value == name or channel.value.startswith(name + ".")}
        if not fitting:
            raise click.UsageError(f"no such channel: {name} (there are {', '.join(c.value for c in Channel)})")
        found |= fitting
    return found


def as_object(record: Record, session: Session) -> dict[str, Any]:
    """One entry as docs/json.md has it."""
    return {
        "number": record.number,
        "at": iso(record.at),
        "channel": record.channel.value,
        "grade": record.grade.value,
        "withdrawn": not record.in_force,
        "undelivered": record.undelivered,
        "copy_of": record.copy_of,
        "text": record.text,
        "source": {"path": session.path, "offset": record.source.offset, "length": record.source.length},
    }


def iso(at: int | None) -> str | None:
    """A time as ISO 8601 in UTC with milliseconds, None where none is known."""
    from datetime import UTC, datetime  # noqa: PLC0415

    return (
        None
        if at is None
        else datetime.fromtimestamp(at / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    )


def _shown(record: Record, *, whole: bool) -> str:
    marks = [name for name, is_so in (("withdrawn", record.withdrawn), ("undelivered", record.undelivered)) if is_so]
    marks += [f"copy of {record.copy_of}"] if record.copy_of else []
    note = f" [{', '.join(marks)}]" if marks else ""
    grade = "" if record.grade.value == "proved" else f" ({record.grade.value})"
    text = (
        record.text
        if whole or len(record.text) <= 2_000
        else record.text[:2_000] + f"\n[… {len(record.text) - 2_000} characters more]"
    )
    return f"#{record.number} {clock(record.at)} {record.channel.value}{grade}{note}\n{escape_heads(text)}\n"
