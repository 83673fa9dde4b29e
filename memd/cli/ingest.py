"""`memd ingest`: read transcripts once, without a daemon, or through the one that runs."""

import os
from pathlib import Path

import click

from memd import config
from memd.cli.common import alone_or_ask


@click.command("ingest")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--tool", help="Whose transcripts they are, when the files do not tell.")
@click.option("--json", "as_json", is_flag=True, help="Print the sessions as one JSON object.")
def command(paths: tuple[Path, ...], tool: str | None, *, as_json: bool) -> None:
    """Read transcripts (files, or all below a directory) and leave a current checkpoint for each session."""
    from memd.daemon.pipeline import tool_named  # noqa: PLC0415 - after the help

    settings, places = config.load(os.environ)
    owner = tool_named(tool)
    absolute = [str(path.absolute()) for path in paths]
    answer = alone_or_ask(
        settings,
        places,
        "ingest",
        {"paths": absolute, "tool": tool},
        lambda pipeline: {"sessions": list(pipeline.ingest([Path(path) for path in absolute], owner))},
    )
    show(list(dict.fromkeys(answer["sessions"])), as_json=as_json)


def show(sessions: list[str], *, as_json: bool) -> None:
    """Print what was read."""
    import json  # noqa: PLC0415

    if as_json:
        click.echo(json.dumps({"version": 1, "sessions": sessions}))
        return
    for session in sessions:
        click.echo(session)
