"""`memd ingest`: read transcripts once, without a daemon, or through the one that runs."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memd import config
from memd.cli.common import alone_or_ask, print_json, say
from memd.cli.completion import among, tools
from memd.cli.progress import Told, bar, of_daemon
from memd.errors import Fault, NotFound, Unwanted

if TYPE_CHECKING:
    from memd.daemon.pipeline import Pipeline
    from memd.tools.protocol import Tool


@click.command("ingest")
@click.argument("paths", nargs=-1, required=True, type=click.Path())
@click.option(
    "--tool",
    metavar="TOOL",
    shell_complete=among(tools),
    help="Whose transcripts they are, when the files do not tell.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the sessions as one JSON object.")
def command(paths: tuple[str, ...], tool: str | None, *, as_json: bool) -> None:
    """Read transcripts (files, or all below a directory) and leave a current checkpoint for each session."""
    from memd.daemon.transcripts import tool_named  # noqa: PLC0415 - after the help

    if "" in paths:
        raise click.UsageError("a path that was given is empty; the current directory is `.`")
    settings, places = config.load(os.environ)
    owner = tool_named(tool)
    absolute = [Path(path).absolute() for path in paths]
    payload = {"paths": [str(path) for path in absolute], "tool": tool}
    with bar("reading transcripts") as told, of_daemon(places, told):
        answer = alone_or_ask(
            settings, places, "ingest", payload, lambda pipeline: _ingest(pipeline, absolute, owner, told)
        )
    report(answer, as_json=as_json)


def _ingest(pipeline: "Pipeline", paths: list[Path], tool: "Tool | None", told: Told) -> dict[str, Any]:
    """Read transcripts; one that cannot be read does not keep the others back."""
    from memd.daemon.forgetting import chosen  # noqa: PLC0415
    from memd.daemon.ingesting import Ingesting  # noqa: PLC0415
    from memd.daemon.transcripts import find  # noqa: PLC0415

    found = find(paths, tool)
    wanted = chosen(pipeline, found, paths)
    sessions, problems = [], list(found.problems)
    with Ingesting(pipeline, wanted, lambda text: say(f"memd: {text}", err=True)) as reading:
        for done, (_, path) in enumerate(wanted):
            told(done, len(wanted))
            try:
                sessions.append(session := reading.ingest())
                problems += pipeline.complaints(session)
            except Unwanted as error:  # news only to one who named it
                problems += [str(error)] if path in paths else []
            except (Fault, NotFound) as error:
                problems.append(str(error))
    return {"sessions": sessions, "problems": problems}


def report(answer: dict[str, Any], *, as_json: bool) -> None:
    """Print what was read, and on stderr what was not: then the command fails."""
    sessions = list(dict.fromkeys(answer["sessions"]))
    if as_json:
        print_json({"version": 1, "sessions": sessions})
    else:
        for session in sessions:
            say(session)
    for problem in answer.get("problems", ()):
        say(f"memd: {problem}", err=True)
    if answer.get("problems"):
        raise SystemExit(1)
