"""`memd search`: find what was said."""

import os
import sys
import time
from typing import Any

import click

from memd import config
from memd.cli.common import meant, print_json, print_text, reading, typed
from memd.cli.completion import sessions
from memd.cli.log import iso
from memd.errors import NotFound
from memd.model import Channel
from memd.model.text import ago, clock, printable
from memd.store import Hit

HUMAN = frozenset(channel for channel in Channel if channel.human)


@click.command("search")
@click.argument("query", nargs=-1, required=True)
@click.option(
    "--session",
    metavar="S",
    shell_complete=sessions,
    help="Only this session (an id or its beginning) and its sub-agents.",
)
@click.option("--human", is_flag=True, help="Only the person's own words.")
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, metavar="N", help="At most N hits.")
@click.option("--json", "as_json", is_flag=True, help="Print the hits as one JSON object; none is no error then.")
def command(query: tuple[str, ...], session: str | None, limit: int, *, human: bool, as_json: bool) -> None:
    """Find messages that hold all words of QUERY, in any order, in all sessions.

    Words between double quotes are a phrase (`memd search '"exact words" others'`). Chinese, Japanese and Korean are found
    by any run of characters. Upper case, accents and signs make no difference, and nothing is an operator.

    The best match times its age comes first: one counts half after 30 days. Exits 1 when nothing is found.
    """
    _, places = config.load(os.environ)
    asked = typed(" ".join(query), "replace")
    with reading(places) as store:
        name = meant(store, session).id if session is not None else None
        channels = HUMAN if human else None
        hits = store.search(asked, session=name, channels=channels, limit=limit, now=int(time.time() * 1000))
    if as_json:
        print_json({"version": 1, "query": asked, "hits": [as_object(hit) for hit in hits]})
    elif not hits:
        raise NotFound(f"nothing found for {asked!r}; fewer words find more")
    elif sys.stdout.isatty():
        _give(hits)
    else:
        print_text("\n".join(map(shown, hits)))


def _give(hits: list[Hit]) -> None:
    """For eyes: the words that were found in colour, and how long ago they were said."""
    from rich.text import Text  # noqa: PLC0415 - a pipe needs no colours

    from memd.cli import paper  # noqa: PLC0415

    now = int(time.time() * 1000)
    lines: list[Text] = []
    for hit in hits:
        head, _, _ = shown(hit).partition("\n")
        at, inner = 0, Text("    ")
        for first, last in hit.marks:
            inner.append(printable(hit.snippet[at:first])).append(printable(hit.snippet[first:last]), "bold yellow")
            at = last
        lines += [Text(f"{printable(head)}  {ago(hit.at, now)}", "cyan"), inner.append(printable(hit.snippet[at:]))]
    paper.give(lines)


def as_object(hit: Hit) -> dict[str, Any]:
    """One hit as docs/json.md has it."""
    return {
        "session": hit.session,
        "number": hit.number,
        "at": iso(hit.at),
        "channel": hit.channel.value,
        "grade": hit.grade.value,
        "withdrawn": hit.withdrawn,
        "snippet": hit.snippet,
        "marks": [list(mark) for mark in hit.marks],
        "score": round(hit.score, 4),
    }


def shown(hit: Hit) -> str:
    """One hit for a person: where it is, and around it what was found, between « and »."""
    out = " [withdrawn]" if hit.withdrawn else ""
    return f"{hit.session} #{hit.number} {clock(hit.at)} {hit.channel.value}{out}\n    {_marked(hit)}"


def _marked(hit: Hit) -> str:
    text = hit.snippet
    for first, last in reversed(hit.marks):
        text = f"{text[:first]}«{text[first:last]}»{text[last:]}"
    return text
