"""`memd install`: show the change, ask once, make it, prove it."""

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from memd.cli import completion
from memd.cli import install_asking as asking
from memd.cli.common import print_text, say
from memd.cli.completion import among
from memd.errors import Refused
from memd.model.text import printable

if TYPE_CHECKING:
    from memd.config import Paths
    from memd.daemon.setup.service import Manager
    from memd.daemon.setup.settings import Planned
    from memd.tools.installing import Plan
    from memd.tools.protocol import Tool

UNTRUSTED = {"untrusted", "modified"}
BY_HAND = "start it by hand: `memd run` in a terminal of its own, or `(memd run &)` from what starts this machine"


@click.command("install")
@click.argument("tools", nargs=-1, metavar="[TOOL]...", shell_complete=among(completion.tools))
@click.option("--service/--no-service", default=None, help="Install and start the service too, or do not ask about it.")
@click.option(
    "--trust-codex-hooks", "trust", is_flag=True, help="Have Codex trust memd's hooks, which it skips otherwise."
)
@click.option(
    "--statusline/--no-statusline", default=None, help="Put memd into Claude Code's status line too, or do not ask."
)
@click.option(
    "--trust-host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="What is prompted through this program (an IDE) is your own typing.",
)
@click.option("--dry-run", is_flag=True, help="Show what would change and write nothing.")
@click.option("--yes", is_flag=True, help="Do not ask; the service is installed only with --service.")
def command(
    tools: Sequence[str],
    *,
    service: bool | None,
    trust: bool,
    statusline: bool | None,
    hosts: tuple[str, ...],
    dry_run: bool,
    yes: bool,
) -> None:
    """Put memd's hooks into the settings of the coding agents found here (or of each TOOL named).

    The change is shown before it is made. `memd uninstall` takes all of it back.
    """
    from memd.config import load  # noqa: PLC0415 - a command loads what it needs when it runs
    from memd.daemon.setup import installation, own  # noqa: PLC0415
    from memd.daemon.setup import service as services  # noqa: PLC0415

    chosen, places = load(os.environ)  # a daemon could not start with settings that cannot be read
    planned = _plan(places, tools, line=bool(statusline))
    _show(places, planned, whole=dry_run or not sys.stdout.isatty())
    manager = services.here(os.environ)
    unsure = _unsure(places, planned)
    if dry_run:
        _show_service(places, manager, wanted=service)
        _tell_trust(unsure)
        say("Nothing was written.")
        return
    if any(plan.changes for one in planned for plan in one.plans) and not yes:
        asking.ask("Proceed?")
    asked = not yes and sys.stdin.isatty()
    if asked and statusline is None:
        planned = [asking.line(places, one) for one in planned]
    answers = asking.answers(chosen, planned, hosts, asked=asked)
    serve = asking.service(manager, service, asked=asked)
    trusted = [one for one in unsure if trust or (asked and asking.trust(one))]
    installation.put_in(places, planned)
    if answers:
        own.keep(places, answers)
    distrust = _trust(places, trusted)
    _tell_trust([one for one in unsure if one not in trusted])
    trouble = _serve(places, manager) if serve else None
    _prove(places, [one.tool for one in planned], manager)
    if trouble:
        raise Refused(f"the hooks are in, the service is not: {trouble}; {BY_HAND}")
    if distrust:
        raise Refused(f"the hooks are in, and are not trusted: {distrust}")


def _plan(places: "Paths", names: Sequence[str], *, line: bool) -> "list[Planned]":
    from memd.daemon.setup import hook, settings  # noqa: PLC0415

    command, chosen = hook.command(places), _chosen(names)
    if line and not any(tool.status_line for tool in chosen):
        raise Refused(f"{' and '.join(tool.name for tool in chosen)} has no status line that a command fills")
    shown = hook.line_command(places) if line else None
    return [settings.plan_install(tool, tool.place(os.environ).home, command, shown) for tool in chosen]


def _chosen(names: Sequence[str]) -> list["Tool"]:
    from memd.tools.registry import hooked, tool  # noqa: PLC0415

    if names:
        chosen = [tool(name) for name in dict.fromkeys(names)]
        if readers := [one.name for one in chosen if one not in hooked()]:
            raise Refused(f"nothing is installed for {', '.join(readers)}: memd only reads what it writes")
        return chosen
    found = [tool for tool in hooked() if tool.place(os.environ).present]
    if not found:
        looked = ", ".join(f"{tool.name} in {tool.place(os.environ).home}" for tool in hooked())
        raise Refused(f"no coding agent was found (looked for {looked}); name one to install for it all the same")
    return found


def _show(places: "Paths", planned: "Sequence[Planned]", *, whole: bool) -> None:
    from memd.cli.install_shown import shown  # noqa: PLC0415
    from memd.daemon.setup import hook  # noqa: PLC0415

    for tool, plan in ((one.tool, plan) for one in planned for plan in one.plans):
        if plan.changes:
            patch = asking.diff(plan)
            print_text("".join(patch)) if whole else click.echo("".join(shown(map(printable, patch))), nl=False)
            say(f"\n{tool.name}: {_words(plan)}")
        else:
            say(f"{tool.name}: memd's {plan.what} in {plan.path}: there already")
        for note in plan.notes:
            say(f"note: {plan.path}: {note}")
    say(f"The hook itself: {hook.copy_path(places)}, run by {hook.link_path(places)}")
    say("`memd uninstall` takes all of it back.")


def _unsure(places: "Paths", planned: "Sequence[Planned]") -> "list[Planned]":
    """What will not run before it is trusted."""
    from memd.daemon.setup import hook  # noqa: PLC0415

    command = hook.command(places)
    after = [
        (one, {**one.before, **{plan.path: plan.after for plan in one.plans}}) for one in planned if one.tool.trust
    ]
    return [one for one, files in after if UNTRUSTED & set(one.tool.installed(one.home, files, command))]


def _trust(places: "Paths", planned: "Sequence[Planned]") -> str:
    """Has the tools trust the hooks, and tells what they say then; what went wrong, in words."""
    from memd.daemon.setup import consent  # noqa: PLC0415

    wrong = []
    for tool, home, trust in ((one.tool, one.home, one.tool.trust) for one in planned):
        if trust is None:
            continue
        try:
            faults = consent.give(places, tool, trust, home, os.environ)
        except Refused as error:
            wrong.append(f"{error}; {trust.by_hand}")
            continue
        wrong += [f"{tool.name} itself calls them {' and '.join(faults)}; {trust.by_hand}"] if faults else []
        if not faults:
            say(f"{tool.name}: memd's hooks are trusted; {tool.name} itself was asked and says so")
    return "; ".join(wrong)


def _tell_trust(planned: "Sequence[Planned]") -> None:
    for tool, trust in ((one.tool, one.tool.trust) for one in planned):
        if trust is not None:
            again = f"`memd install {tool.name} --trust-{tool.name}-hooks`"
            say(f"{tool.name}: skips memd's hooks until you trust them: {trust.by_hand}; or {again}")


def _words(plan: "Plan") -> str:
    if plan.after is None:
        return f"this takes memd's {plan.what} away, {plan.path}."
    if plan.before is None:
        return f"this makes {plan.path} for memd's {plan.what}."
    return f"this adds memd's {plan.what} to {plan.path} and changes nothing else in it."


def _show_service(places: "Paths", manager: "Manager", *, wanted: bool | None) -> None:
    if not wanted:
        return
    if why := manager.trouble():
        say(f"No service: {why}")
    else:
        print_text(f"{manager.unit}:\n{manager.content(places).decode('utf-8', 'replace')}")


def _serve(places: "Paths", manager: "Manager") -> str | None:
    """Installs the service; what came in between, as half a sentence."""
    from memd.daemon.setup import installation, service  # noqa: PLC0415
    from memd.errors import MemdError  # noqa: PLC0415

    try:
        confined = installation.add_service(places, manager)
    except MemdError as error:
        return str(error)
    say(f"Service: {manager.unit} is enabled and started")
    if not confined:
        say("This machine gives users no namespaces of their own: the daemon runs without a read-only file system")
    if service.look(manager, places).linger is False:
        say("It ends when you log out; to let it go on: loginctl enable-linger")
    return None


def _wait_for_old(places: "Paths") -> None:
    """At a terminal, watch the daemon read what is there already."""
    from memd.cli.progress import backfill  # noqa: PLC0415 - a command loads what it needs when it runs

    if sys.stderr.isatty() and sys.stdin.isatty():
        done = backfill(places)
        say("Your transcripts are read." if done else "The daemon goes on reading your transcripts.")


def _prove(places: "Paths", tools: Sequence["Tool"], manager: "Manager") -> None:
    from memd.daemon.setup import proof  # noqa: PLC0415

    for tool, entry in [(one, one.entries()[0]) for one in tools if one.entries()]:
        run = proof.prove(places, tool.name, entry, os.environ)
        if run.exit_code:
            raise Refused(f"{tool.name}: the hook exits {run.exit_code} ({run.said}): run `memd doctor`")
        say(f"{tool.name}: the hook was run once: exit 0 in {run.seconds * 1000:.0f} ms")
    daemon = proof.ping(places, os.environ)
    if daemon is None:
        start = BY_HAND if manager.trouble() else "`memd install --service` starts it now and at every login"
        say(f"No daemon answers yet; {start}.")
    else:
        say(f"The daemon answered through the hook (pid {daemon.get('pid', 'unknown')}).")
        _wait_for_old(places)
    say("Next: start a new session of your agent; `memd status` shows what is kept of it.")
