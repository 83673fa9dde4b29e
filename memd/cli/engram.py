"""`memd engram`: how the understanding of a project changed; `memd engram tidy` makes facts of what is stable."""

import os

import click


@click.command("engram")
@click.argument("action", required=False, type=click.Choice(["tidy"]))
@click.option(
    "--days",
    type=click.IntRange(min=0),
    default=7,
    metavar="N",
    help="How many days old an entry must be to become a fact (7).",
)
def command(action: str | None, days: int) -> None:
    """Show the engram of the current directory's project, or `tidy` it.

    Tidying makes facts of entries that are confirmed, name a source (src/a.py:12) and are older than --days; they leave the
    engram for engram-archive.md beside it.
    """
    from memd.cli.common import print_text, say  # noqa: PLC0415 - a command loads what it needs when it runs
    from memd.config import paths  # noqa: PLC0415
    from memd.daemon.pipeline import wall_clock  # noqa: PLC0415
    from memd.daemon.setup import tidying  # noqa: PLC0415
    from memd.errors import NotFound  # noqa: PLC0415
    from memd.project import identity  # noqa: PLC0415
    from memd.project.places import Places  # noqa: PLC0415

    found, places = identity.find(os.path.realpath(".")), Places(paths(os.environ).state)
    if found is None:
        raise NotFound("the current directory is not there any more")
    if action is None:
        print_text("\n".join(tidying.shown(found, places)) or "nothing was noted yet")
        return
    tidied = tidying.tidy(found, places, wall_clock(), days)
    for one in tidied.done:
        print_text(f".agent/facts/{one.file}: {one.fact}")
    for row in tidied.left:
        say(f"memd: left where it is, since its source is not there: {row}", err=True)
    print_text(f"{len(tidied.done)} became facts")
