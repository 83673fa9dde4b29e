"""The command line: one module a command, imported when it is used.

Each module offers `command`, a click command. This is also the door at which errors end: a `UserError` is one line and
exit 1, a `Fault` and what the machine refuses likewise, wrong usage is click's exit 2, anything else is a
defect: exit 3 and a log file that has the rest.
"""

import gc
import importlib
import io
import os
import sys
from typing import TYPE_CHECKING, Any

import click

from memd import __version__
from memd.errors import MemdError, Refused

if TYPE_CHECKING:
    from pathlib import Path

COMMANDS = {
    "run": "the daemon in the foreground (systemd and launchd start this)",
    "ingest": "read transcripts once",
    "install": "put memd's hooks into the tools found, and start the service if wanted",
    "uninstall": "take everything back out that install put in",
    "status": "the health of every session's checkpoint",
    "show": "a checkpoint, or a part of it",
    "report": "how well continuity held over compactions",
    "log": "all messages of a session, in order",
    "search": "find what was said, in all sessions",
    "forget": "delete what memd has kept of a session",
    "checkpoint": "make a checkpoint now",
    "memo": "tick by hand which messages are kept word for word",
    "init": "give a project its folder for constraints, facts and engram",
    "engram": "how the understanding of a project changed",
    "statusline": "context, checkpoint and health for the agent's own status line",
    "config": "each setting, its value, and where that comes from",
    "demo": "two minutes with a made-up session: no agent, no key, nothing left behind",
    "doctor": "check the installation, say what mends each fault",
}
"""Each command and its line in `memd --help`: the modules themselves stay unread until one is used."""


class _Commands(click.Group):
    """A group whose commands are modules beside this one."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        if name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"memd.cli.{name}").command
        gc.freeze()
        gc.enable()
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Which command is meant; for a word that is none, the one that is most like it."""
        if args and args[0] not in COMMANDS:
            from difflib import get_close_matches  # noqa: PLC0415 - only for what was misspelt

            near = get_close_matches(args[0], COMMANDS, n=1)
            ctx.fail(f"there is no command {args[0]!r}" + (f"; is `memd {near[0]}` meant?" if near else ""))
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; `memd log | head` ends well: the reader has seen enough (click would make it a failure)."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="memd")
@click.option("--debug", is_flag=True, help="Show the traceback of a defect.")
@click.option("--no-pager", is_flag=True, help="Print long texts at once (else PAGER shows them, as in git).")
@click.pass_context
def cli(ctx: click.Context, *, debug: bool, no_pager: bool) -> None:
    """Keep a coding agent's mission, your words and its working state across context compactions."""
    if sys.platform == "win32":
        raise Refused("Windows is not supported; where the agent runs in WSL, memd runs there")
    ctx.obj = {"debug": debug, "no_pager": no_pager}


def main() -> None:
    """Run the command line and end with its exit code.

    Nothing that is imported is garbage: to look for some meanwhile would take a tenth of the time. What a command makes is
    looked at as always.
    """
    gc.disable()
    os.umask(os.umask(0o077) & 0o077)  # what memd makes it can use itself; others get no more than the umask gives
    _streams()
    _width()
    try:
        code = cli.main(prog_name="memd", standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except click.exceptions.Abort:
        sys.exit(_say("stopped", 1))
    except click.ClickException as error:
        sys.exit(_show(error))
    except MemdError as error:
        sys.exit(_say(str(error), 1))
    except OSError as error:  # the machine's doing: no permission, a full disk
        _keep(_trace())
        what = error.filename or ("the current directory" if _nowhere() else "cannot go on")
        sys.exit(_say(f"{what}: {error.strerror or error}", 1))
    except Exception:  # noqa: BLE001 - the one door: a defect is told, logged and ends the command
        sys.exit(_defect())


def _nowhere() -> bool:
    """Whether the current directory was removed: the system names no file then."""
    try:
        os.getcwd()  # noqa: PTH109 - only asked for
    except OSError:
        return True
    return False


def _streams() -> None:
    """All is UTF-8, whatever the locale calls itself: in ASCII most of what people say cannot be shown."""
    _reopened()
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.encoding.lower() not in {"utf-8", "utf8"}:
            stream.reconfigure(encoding="utf-8", errors=stream.errors)


def _reopened() -> None:
    """Streams that the caller has closed lead nowhere: else the next file that is opened would take their place."""
    if None not in (sys.stdin, sys.stdout, sys.stderr):
        return
    while (free := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(free)
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))


def _width() -> None:
    """No terminal is nothing wide, though its program may say so: taken at its word, everything would be left out."""
    for name in ("COLUMNS", "LINES"):
        if os.environ.get(name, "1").strip("0") == "":
            del os.environ[name]


def _say(text: str, code: int) -> int:
    """One line, whatever is in the names that it tells of."""
    from memd.model.text import printable  # noqa: PLC0415 - only an error needs it

    click.echo(f"memd: {printable(text)}".replace("\n", "\\n"), err=True)
    return code


def _show(error: click.ClickException) -> int:
    """Wrong usage as click tells it, which repeats what was typed."""
    from memd.model.text import printable  # noqa: PLC0415 - only an error needs it

    said = io.StringIO()
    error.show(said)
    click.echo(printable(said.getvalue()), err=True, nl=False)
    return error.exit_code


def _defect() -> int:
    trace = _trace()
    if "--debug" in sys.argv:
        click.echo(trace, err=True)
    failed = _keep(trace)
    if failed is not None:
        return _say(f"a defect in memd, and it could not be logged ({failed}); --debug shows it", 3)
    return _say(f"a defect in memd; the details are in {_log()}", 3)


def _trace() -> str:
    import traceback  # noqa: PLC0415 - only a defect needs it

    return traceback.format_exc()


def _keep(trace: str) -> Exception | None:
    """Write a traceback to the log file, 0600; what was in the way."""
    try:
        path = _log()
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "w", encoding="utf-8") as log:
            log.write(trace)
    except (OSError, MemdError) as error:
        return error
    return None


def _log() -> "Path":
    from memd.config import paths  # noqa: PLC0415 - only a defect needs it

    return paths(os.environ).log
