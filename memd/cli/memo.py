"""`memd memo`: say by hand which messages are kept word for word."""

import os
import re
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from memd import config
from memd.checkpoint import boxes
from memd.cli.common import alone_or_ask, checkpointed, reading, say
from memd.cli.completion import SESSION, session_argument
from memd.errors import NotFound, Refused

if TYPE_CHECKING:
    from memd.daemon.pipeline import Pipeline

HELP = """
# Tick what is to be kept word for word: [x]. Untick what is not: [ ]. Change nothing else.
# What you decide stays decided: no model changes it. Lines that begin with # are ignored.
# An empty list, or one as it was, changes nothing.
"""
_HIDDEN = re.compile(r"- \[ \] #\d+ .{16,24}? \S+ \((?:released|withdrawn|undelivered|replaced by #\d+)\) \| ")


@click.command("memo", epilog=SESSION)
@session_argument
@click.option("--all", "everything", is_flag=True, help="Also what was released, withdrawn, replaced or not delivered.")
def command(session: str | None, *, everything: bool) -> None:
    """Open the list of your messages in SESSION in $EDITOR, to tick by hand what is kept word for word."""
    settings, places = config.load(os.environ)
    with reading(places) as store:
        found = checkpointed(store, session)
        made = store.checkpoints.current(found.id)
    if made is None:
        raise NotFound(f"{found.id} has no checkpoint yet; `memd checkpoint {found.id}` makes one")
    rows = [row for row in made.parts.memo.splitlines() if row.startswith("- [")]
    listed = "\n".join(row for row in rows if everything or not _HIDDEN.match(row)) + "\n"
    changed = _edited(listed)
    if not changed:
        say(f"{found.id}: nothing changed")
        return
    payload = {"session": found.id, "boxes": changed}
    answer = alone_or_ask(settings, places, "tick", payload, partial(_here, name=found.id, changed=changed))
    ticked = sum(changed.values())
    told = f"{ticked} ticked, {len(changed) - ticked} unticked"
    say(f"{found.id}: {told}; checkpoint {answer['number']}")


def _edited(listed: str) -> dict[str, bool]:
    """The boxes that the person changed; a list that has other changes is explained and offered again.

    Raises:
        Refused: they gave up, or nobody is there to be asked.
    """
    before, text = boxes.read(listed, listed).boxes, listed + HELP
    while True:
        try:
            edited = click.edit(text, extension=".md", require_save=False)
        except UnicodeDecodeError:
            raise Refused("nothing was changed: what the editor left is not UTF-8") from None
        except click.ClickException as error:
            raise Refused(f"nothing was changed: {error.message}") from error
        kept = "\n".join(row for row in (edited or "").splitlines() if not row.startswith("#"))
        if not kept.strip():
            return {}
        found = boxes.read(listed, kept)
        if not found.faults:
            return {str(number): box for number, box in found.boxes.items() if box != before[number]}
        for fault in found.faults:
            say(f"memd: {fault}", err=True)
        if not sys.stdin.isatty() or not click.confirm("Only boxes can be changed. Edit the list again?", default=True):
            raise Refused("nothing was changed: only boxes can be")
        text = kept + "\n" + HELP + "".join(f"# Fault: {fault}\n" for fault in found.faults)


def _here(pipeline: "Pipeline", *, name: str, changed: dict[str, bool]) -> dict[str, Any]:
    """While no daemon runs."""
    from memd.daemon.ticking import tick  # noqa: PLC0415 - only where something changed

    return tick(pipeline, name, changed)
