"""`memd forget`: take sessions out of the record, to the last byte; `--pin` keeps one whatever its age."""

import os
import sys
import time
from typing import Any

import click

from memd import config
from memd.cli.common import alone_or_ask, meant, print_text, reading, say
from memd.cli.completion import session_argument
from memd.config import Config, Paths
from memd.errors import NotFound, Refused
from memd.model import Session
from memd.model.text import clock, oneline
from memd.store import Store


@click.command("forget")
@session_argument
@click.option("--older-than", "days", type=click.FloatRange(0), metavar="DAYS", help="All whose last entry is older.")
@click.option("--dir", "glob", metavar="GLOB", help="All that were started in such a directory, or below one.")
@click.option("--pin", metavar="SESSION", help="Forget nothing: keep this session whatever its age (see keep_days).")
@click.option("--unpin", metavar="SESSION", help="Forget nothing: take the pin away.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def command(
    session: str | None, days: float | None, glob: str | None, pin: str | None, unpin: str | None, *, yes: bool
) -> None:
    """Delete all that memd has kept of SESSION (or of those that an option names) and of its sub-agents.

    Record, checkpoints and search index go, and their bytes. The agent's own transcript is not touched, and memd does not
    read it again, also when the session goes on; `memd ingest PATH` of it brings it back. A pinned session is forgotten
    only by its own name.
    """
    if sum(given is not None for given in (session, days, glob, pin, unpin)) != 1:
        raise click.UsageError("name one session, or one of --older-than, --dir, --pin, --unpin")
    settings, places = config.load(os.environ)
    for name in (pin, unpin):
        if name is not None:
            _pin(settings, places, name, pinned=pin is not None)
            return
    with reading(places) as store:
        found = _found(store, session, days, glob)
    _agree(found, yes=yes)
    _forget(settings, places, found)


def _found(store: Store, session: str | None, days: float | None, glob: str | None) -> list[Session]:
    from memd.daemon import forgetting  # noqa: PLC0415 - after the help

    if session is not None:
        return [meant(store, session)]
    if days is not None:
        found = forgetting.older(store, days, int(time.time() * 1000))
        what = f"no session is older than {days:.15g} days"
    else:
        found = forgetting.within(store, _absolute(str(glob)), os.path.realpath("."), os.path.expanduser("~"))  # noqa: PTH111
        what = f"no session was started in {glob}"
    if not found:
        raise NotFound(f"{what} (pinned ones are left out)")
    return found


def _absolute(glob: str) -> str:
    """`.` and `..` are directories, not names."""
    return os.path.realpath(glob) if glob.split("/", maxsplit=1)[0] in {".", ".."} else glob


def _agree(found: list[Session], *, yes: bool) -> None:
    """Say what will go; the person's word, or --yes."""
    if yes:
        return
    lines = [f"  {one.id}  {clock(one.last_at)}  {one.messages} messages{_title(one)}" for one in found]
    if not sys.stdin.isatty():
        raise Refused(f"this is not a terminal: run it again with --yes to forget {len(found)} session(s) for good")
    print_text("This is forgotten for good, with what sub-agents did:\n" + "\n".join(lines))
    click.confirm("Proceed?", default=False, abort=True)


def _title(session: Session) -> str:
    return f"  {oneline(session.title, 60)}" if session.title else ""


def _forget(settings: Config, places: Paths, found: list[Session]) -> None:
    from memd.daemon import forgetting  # noqa: PLC0415
    from memd.daemon.pipeline import Pipeline, wall_clock  # noqa: PLC0415

    names = [one.id for one in found]

    def work(pipeline: Pipeline) -> dict[str, Any]:
        gone = forgetting.forget(pipeline, names, wall_clock())
        return {"sessions": gone, "clean": forgetting.clean(pipeline)}

    answer = alone_or_ask(settings, places, "forget", {"sessions": names}, work)
    print_text("\n".join(f"forgot {name}" for name in answer["sessions"]) or "nothing was left to forget")
    if not answer["clean"]:
        say("memd: another process is reading the record; the last bytes go within a day", err=True)


def _pin(settings: Config, places: Paths, text: str, *, pinned: bool) -> None:
    from memd.daemon.pipeline import Pipeline, wall_clock  # noqa: PLC0415

    with reading(places) as store:
        name = meant(store, text).id

    def work(pipeline: Pipeline) -> dict[str, Any]:
        pipeline.store.forgetting.pin(name, wall_clock() if pinned else None)
        return {}

    alone_or_ask(settings, places, "pin", {"session": name, "pinned": pinned}, work)
    say(f"{name}: kept whatever its age" if pinned else f"{name}: kept for {settings.keep_days} days")
