"""`memd statusline`: a client's status line, behind the person's own."""

import os
import shlex
import sys

import click


@click.command("statusline", context_settings={"ignore_unknown_options": True})
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
def command(command: tuple[str, ...]) -> None:
    """Fill Claude Code's status line: how full the context is, the checkpoint's age, its health.

    The client runs it and gives it JSON on stdin, which also tells memd how large the window really is. COMMAND behind `--`
    is a status line that you have already: it gets the same, and memd's part comes behind it. As one word it is a line for
    the shell.

    `memd install claude-code --statusline` puts the same into the settings, in a form that starts ten times faster.
    """
    from memd import assets  # noqa: PLC0415 - a command loads what it needs when it runs
    from memd.config import paths  # noqa: PLC0415
    from memd.tools.registry import lined  # noqa: PLC0415

    if sys.stdin.isatty():
        named = ", ".join(tool.name for tool in lined())
        raise click.UsageError(f"this is for the status line of {named}, which gives it JSON; `memd install` offers it")
    places, script = paths(os.environ), assets.path("hooks", "memd_statusline.py")
    options = ("--socket", str(places.socket), "--state", str(places.state))
    theirs = ("--", command[0] if len(command) == 1 else shlex.join(command)) if command else ()
    words = (sys.executable, "-I", "-S", str(script), lined()[0].name, *options, *theirs)
    os.execv(sys.executable, words)  # noqa: S606 - no shell is wanted
