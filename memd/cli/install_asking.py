"""What `memd install` asks a person at a terminal, once, after it has shown the change; elsewhere nobody is asked."""

import io
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from memd.cli.common import print_text, say
from memd.errors import Refused

if TYPE_CHECKING:
    from memd.config import Config, Paths
    from memd.daemon.setup.service import Manager
    from memd.daemon.setup.settings import Planned
    from memd.tools.installing import Plan

UNATTENDED = "this is not a terminal: run it again with --yes to accept the change, or with --dry-run to look at it"
LINE = "Show memd in {tool}'s status line too, behind what stands there?"
IDES = "Do you type prompts in an editor's extension ({names})? A yes counts them as your own words; nothing proves such a name"


def ask(question: str) -> None:
    """Go on, or end here. Raises Refused where nobody can answer."""
    if not sys.stdin.isatty():
        raise Refused(UNATTENDED)
    click.confirm(question, default=True, abort=True)


def line(places: "Paths", planned: "Planned") -> "Planned":
    """Offer memd's part of the tool's status line, where it is not there yet; the plan with it, the more of it shown."""
    from memd.daemon.setup import hook, settings  # noqa: PLC0415 - a command loads what it needs when it runs
    from memd.tools.installing import Plan  # noqa: PLC0415 - the same

    slot = planned.tool.status_line
    if slot is None or slot.there(planned.home, planned.before):
        return planned
    if not click.confirm(LINE.format(tool=planned.tool.name), default=False):
        return planned
    try:
        more = settings.plan_install(planned.tool, planned.home, hook.command(places), hook.line_command(places))
    except Refused as error:
        say(f"Left as it is: {error}")
        return planned
    for first, second in zip(planned.plans, more.plans, strict=True):
        print_text("".join(diff(Plan(first.path, first.after, second.after))))
    return more


def answers(chosen: "Config", planned: "Sequence[Planned]", hosts: Sequence[str], *, asked: bool) -> dict[str, object]:
    """What the settings file has to say from now on: how far back to read, and which programs are a person's keyboard."""
    from memd.daemon.setup import own  # noqa: PLC0415

    found: dict[str, object] = {}
    if asked and not own.answered(chosen, "backfill_days"):
        found["backfill_days"] = _days(chosen.backfill_days)
    ides = [name for one in planned for name in one.tool.ides]
    if hosts:
        found["trust.hosts"] = list(dict.fromkeys([*chosen.trust.hosts, *hosts]))
    elif asked and ides and not own.answered(chosen, "trust.hosts"):
        agreed = click.confirm(IDES.format(names=" or ".join(ides)), default=False)
        found["trust.hosts"] = ides if agreed else []
    return found


def _days(default: int) -> int:
    question = "Read the transcripts of the last how many days? (0: only what is written from now on)"
    days: int = click.prompt(question, default=default, type=click.IntRange(min=0, max=36_500))
    return days


def service(manager: "Manager", wanted: bool | None, *, asked: bool) -> bool:  # noqa: FBT001 - three answers
    """Whether the service is to be installed."""
    if wanted is not None or not asked:
        return bool(wanted)
    if why := manager.trouble():
        say(f"The daemon cannot be a service here: {why}.")
        return False
    return click.confirm(f"Start the daemon now and at every login ({manager.kind})?", default=True)


def trust(planned: "Planned") -> bool:
    """Whether the tool shall trust memd's hooks."""
    asking = planned.tool.trust
    return asking is not None and click.confirm(asking.question, default=True)


def diff(plan: "Plan") -> Iterator[str]:
    """The change as a unified diff, whole lines."""
    from difflib import unified_diff  # noqa: PLC0415

    before, after = _lines(plan.before), _lines(plan.after)
    names = [str(plan.path) if side is not None else "/dev/null" for side in (plan.before, plan.after)]
    for line in unified_diff(before, after, names[0], names[1]):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _lines(side: bytes | None) -> list[str]:
    """Split at line feeds only, as the tools that show diffs do."""
    return io.StringIO((side or b"").decode("utf-8", "replace"), newline="").readlines()
