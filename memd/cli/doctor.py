"""`memd doctor`: is everything in place, and if not, which command mends it."""

import json
import os
import sys
from typing import TYPE_CHECKING

import click
from msgspec.structs import asdict

if TYPE_CHECKING:
    from memd.config import Paths
    from memd.daemon.setup.findings import Finding


@click.command("doctor")
@click.option(
    "--fix", is_flag=True, help="Mend what can be mended safely: the hook, its link, memd's own entries, modes."
)
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def command(*, fix: bool, as_json: bool) -> None:
    """Check the installation, and what is written in this project's `.agent/`. Exit 1 when there is a fault.

    Each fault comes with the command that mends it. Notes are no faults.
    """
    from memd.cli.common import here  # noqa: PLC0415 - a command loads what it needs when it runs
    from memd.config import paths  # noqa: PLC0415
    from memd.daemon.setup.facts import facts  # noqa: PLC0415
    from memd.daemon.setup.findings import findings  # noqa: PLC0415
    from memd.daemon.setup.forms import forms  # noqa: PLC0415
    from memd.daemon.setup.repair import repair  # noqa: PLC0415
    from memd.project import identity  # noqa: PLC0415
    from memd.project.places import Places  # noqa: PLC0415

    places = paths(os.environ)
    before = facts(places, os.environ, ask_tools=True)
    found = findings(before)
    mended: tuple[Finding, ...] = ()
    if fix and any(finding.safe for finding in found):
        repair(places, os.environ, before)
        left = findings(facts(places, os.environ, ask_tools=True))
        mended = tuple(finding for finding in found if finding.code not in {one.code for one in left})
        found = left
    where = here()
    found = (*found, *forms(None if where is None else identity.find(where), Places(places.state)))
    ok = all(finding.note for finding in found)
    if as_json:
        click.echo(json.dumps({"ok": ok, "findings": _objects(found), "mended": _objects(mended)}))
    else:
        _tell(found, mended, places)
    sys.exit(0 if ok else 1)


def _objects(findings: "tuple[Finding, ...]") -> list[dict[str, object]]:
    return [{name: value for name, value in asdict(finding).items() if name != "safe"} for finding in findings]


def _tell(found: "tuple[Finding, ...]", mended: "tuple[Finding, ...]", places: "Paths") -> None:
    from memd.cli.common import styled  # noqa: PLC0415
    from memd.model.text import named, printable  # noqa: PLC0415

    for finding in mended:
        click.echo(f"{styled('mended', fg='green')}  {finding.code}: {printable(finding.text)}")
    for finding in found:
        code = styled(finding.code, fg="yellow" if finding.note else "red", bold=not finding.note)
        kind, word = ("note: ", "if you want") if finding.note else ("", "mend it")
        click.echo(f"{kind}{code}: {printable(finding.text)}\n    {word}: {printable(finding.fix)}")
    if all(finding.note for finding in found):
        well = styled("All is well", fg="green", bold=True)
        click.echo(f"{well}: the hooks, their command, the daemon, and {named(str(places.state))}")
