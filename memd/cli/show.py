"""`memd show`: a checkpoint, or a part of it, as it would be given back."""

import os
import sys
from typing import TYPE_CHECKING

import click

from memd import config
from memd.cli.common import checkpointed, meant, print_json, print_text, reading
from memd.cli.completion import SESSION, among, session_argument
from memd.errors import NotFound
from memd.model import Checkpoint, Session
from memd.store import Store

if TYPE_CHECKING:
    from memd.extract.files import Touched

PARTS = ("checkpoint", "mind", "memo", "scene", "diff", "files", "skills", "journal", "anchors", "state")
PROJECT = {"journal", "anchors", "state"}
"""Parts that are the project's and need no checkpoint."""


@click.command("show", epilog=SESSION)
@session_argument
@click.argument("part", required=False, shell_complete=among(lambda: PARTS))
@click.option("--number", type=int, metavar="N", help="Checkpoint N instead of the current one.")
@click.option("--tokens", type=click.IntRange(min=1), metavar="N", help="Within N o200k tokens (checkpoint only).")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(session: str | None, part: str | None, number: int | None, tokens: int | None, *, as_json: bool) -> None:
    """Show PART (checkpoint, mind, memo, scene, diff, files, skills, journal, anchors, state) of SESSION.

    `checkpoint` is exactly what would be given back, `diff` what a model or you changed last in mind and memo. A terminal
    gets colours and a pager, a pipe the text as it is.
    """
    if part is None and session in PARTS:
        session, part = None, session
    part = part or "checkpoint"
    if part not in PARTS:
        raise click.UsageError(f"no part {part!r}: {', '.join(PARTS)}")
    if tokens is not None and part != "checkpoint":
        raise click.UsageError("--tokens is for the checkpoint alone")
    if number is not None and part in PROJECT:
        raise click.UsageError("--number is for checkpoints")
    settings, places = config.load(os.environ)
    with reading(places) as store:
        found = meant(store, session) if part in PROJECT else checkpointed(store, session)
        if part in PROJECT:
            _project(store, found, part, as_json=as_json)
            return
        made = _made(store, found, _judged(store, found, number) if part == "diff" else number)
        text = _text(store, found, made, part, tokens, settings, places)
    if as_json:
        print_json({"version": 1, "session": found.id, "number": made.number, "part": part, "text": text})
    else:
        _print(text, part)


def _print(text: str, part: str) -> None:
    if not sys.stdout.isatty():
        print_text(text)
        return
    from memd.cli import paper  # noqa: PLC0415 - a pipe needs no colours

    shapes = {"diff": paper.patch, **dict.fromkeys(("checkpoint", "mind", "memo", "scene"), paper.markdown)}
    paper.give(shapes.get(part, paper.plain)(text))


def _project(store: Store, session: Session, part: str, *, as_json: bool) -> None:
    from memd.cli.show_project import shown  # noqa: PLC0415 - only where it is asked

    text, beside = shown(store, session, part)
    if as_json:
        print_json({"version": 1, "session": session.id, "number": None, "part": part, "text": text, **beside})
    else:
        _print(text, part)


def _made(store: Store, session: Session, number: int | None) -> Checkpoint:
    kept = store.checkpoints.numbers(session.id)
    if not kept:
        raise NotFound(f"{session.id} has no checkpoint yet; `memd checkpoint {session.id}` makes one")
    made = store.checkpoints.get(session.id, number or kept[-1]) if number is None or number in kept else None
    if made is None:
        raise NotFound(f"{session.id} has no checkpoint {number} any more; kept: {', '.join(map(str, kept))}")
    return made


def _text(
    store: Store,
    session: Session,
    made: Checkpoint,
    part: str,
    budget: int | None,
    settings: config.Config,
    places: config.Paths,
) -> str:
    match part:
        case "mind" | "memo" | "scene":
            return str(getattr(made.parts, part))
        case "diff":
            return _diff(session, made, places)
        case "files":
            return _files(store, session)
        case "skills":
            return _skills(store, session)
        case _:
            return _checkpoint(store, session, made, budget, settings, places)


def _judged(store: Store, session: Session, number: int | None) -> int:
    """The checkpoint whose changes are meant: the last that a model wrote or a person edited."""
    judged = store.checkpoints.judged(session.id)
    if not judged:
        raise NotFound(
            f"{session.id}: neither a model nor you changed anything; the program alone wrote its checkpoints"
        )
    return number or judged[0]


def _diff(session: Session, made: Checkpoint, places: config.Paths) -> str:
    from memd.store.folders import Folders  # noqa: PLC0415

    folders = Folders(places.state)
    kept = folders.patch(folders.session(session.tool, session.native), made.number)
    return kept or f"checkpoint {made.number}: nothing was changed in mind and memo"


def _checkpoint(
    store: Store, session: Session, made: Checkpoint, budget: int | None, settings: config.Config, places: config.Paths
) -> str:
    """What was laid out for the hooks; at another budget, composed anew from the same three texts."""
    from memd.store.folders import Folders  # noqa: PLC0415

    folders = Folders(places.state)
    kept = folders.text(folders.session(session.tool, session.native), made.number)
    if budget is None and kept is not None:
        return kept
    from memd.daemon.keeper import Keeper  # noqa: PLC0415 - the tokenizer comes with it
    from memd.daemon.pipeline import wall_clock  # noqa: PLC0415
    from memd.tools.registry import tool  # noqa: PLC0415

    keeper = Keeper(store, folders, settings, wall_clock)
    return keeper.rendered(session, made, budget or keeper.budget(session, tool(session.tool))).text


def _files(store: Store, session: Session) -> str:
    from memd.extract.files import touched  # noqa: PLC0415

    lines = [_file(file) for file in reversed(touched(store.operations(session.id), session.cwd))]
    return "\n".join(lines) or "no files were touched"


def _skills(store: Store, session: Session) -> str:
    from memd.extract.files import touched  # noqa: PLC0415
    from memd.extract.skills import used  # noqa: PLC0415
    from memd.model.text import named  # noqa: PLC0415

    calls = store.operations(session.id)
    lines = [
        f"{named(skill.name)} (#{skill.number}){f' {named(skill.path)}' if skill.path else ''}"
        for skill in used(calls, touched(calls, session.cwd))
    ]
    return "\n".join(lines) or "no skills were used"


def _file(file: "Touched") -> str:
    from memd.model.text import named  # noqa: PLC0415

    what = "deleted" if file.gone else "created" if file.created else "changed" if file.changes else "read"
    return f"{what:8} {named(file.path)} (#{file.number}, {file.changes} changes, {file.reads} reads)"
