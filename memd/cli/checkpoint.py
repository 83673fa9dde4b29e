"""`memd checkpoint`: make one now."""

import os
from functools import partial
from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import asdict

from memd import config
from memd.cli.common import alone_or_ask, checkpointed, print_json, reading, say
from memd.cli.completion import SESSION, session_argument
from memd.errors import Refused

if TYPE_CHECKING:
    from memd.daemon.pipeline import Pipeline


@click.command("checkpoint", epilog=SESSION)
@session_argument
@click.option(
    "--writer",
    type=click.Choice(["extractive", "agent"]),
    help="Who writes it: the program alone, or the agent's own model (it costs what a run costs). Without this, the "
    "configured writer.",
)
@click.option("--json", "as_json", is_flag=True, help="Print number and problems as a JSON object.")
def command(session: str | None, writer: str | None, *, as_json: bool) -> None:
    """Make a checkpoint of SESSION now; the number stays when nothing changed.

    A model's faults are told on stderr, each with what was taken instead. The exit code is 1 where nothing of its work
    can be used.
    """
    settings, places = config.load(os.environ)
    with reading(places) as store:
        name = checkpointed(store, session).id
    chosen = writer or settings.checkpoint.writer
    here = partial(_here, name=name, writer=chosen, settings=settings, places=places)
    answer = alone_or_ask(settings, places, "checkpoint", {"session": name, "writer": chosen}, here)
    problems = answer.get("problems", [])
    for problem in problems:
        say(f"memd: {problem['part']}: {problem['fault']}; {problem['fallback']}", err=True)
    if as_json:
        print_json({"version": 1, "session": name, "number": answer["number"], "problems": problems})
    elif answer.get("outcome", "written") == "written":
        say(f"{name}: checkpoint {answer['number']}")
    if answer.get("outcome", "written") != "written":
        raise Refused(f"{name}: the model wrote nothing that can be used; checkpoint {answer['number']} stays")


def _here(
    pipeline: "Pipeline", *, name: str, writer: str, settings: config.Config, places: config.Paths
) -> dict[str, Any]:
    """While no daemon runs."""
    made = pipeline.checkpoint(name)
    if writer == "extractive":
        return {"number": made.number if made else None, "problems": [asdict(one) for one in pipeline.problems(name)]}
    from memd.daemon.writing import Writing, as_answer  # noqa: PLC0415 - only where a model writes

    writing = Writing(settings, places, os.environ)
    job = writing.open(pipeline, name, "command")
    return as_answer(writing.close(pipeline, job, writing.write(job)))
