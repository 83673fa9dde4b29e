"""`memd checkpoint`: make one now."""

import os

import click

from memd import config
from memd.cli.common import alone_or_ask, meant, print_json, reading
from memd.errors import Refused


@click.command("checkpoint")
@click.argument("session", required=False)
@click.option("--writer", type=click.Choice(["extractive"]), help="Who writes it; without this, the configured writer.")
@click.option("--json", "as_json", is_flag=True, help="Print the number as a JSON object.")
def command(session: str | None, writer: str | None, *, as_json: bool) -> None:  # noqa: ARG001 - one writer so far
    """Make a checkpoint of SESSION now; the number stays when nothing changed."""
    settings, places = config.load(os.environ)
    with reading(places) as store:
        found = meant(store, session)
        if found.parent is not None:
            raise Refused(f"{found.id} is a sub-agent's transcript: it has no checkpoint of its own")
        name = found.id
    answer = alone_or_ask(
        settings, places, "checkpoint", {"session": name}, lambda p: {"number": _number(p.checkpoint(name))}
    )
    if as_json:
        print_json({"version": 1, "session": name, "number": answer["number"]})
    else:
        click.echo(f"{name}: checkpoint {answer['number']}")


def _number(made: object) -> int | None:
    return getattr(made, "number", None)
