r"""memd's part of a client's status line: the client's JSON on stdin, one line on stdout, exit 0, silence on stderr.

    python3 -I -S memd_statusline.py TOOL [--socket SOCKET] [--state DIRECTORY] [-- COMMAND]     < payload

COMMAND is the line for a shell that the person had there before: it gets the same bytes on stdin, runs while the daemon is
asked, and memd's part is put behind its last line. The client draws the line several times a minute, so this is as bare as
the hook beside it (see there for the protocol); there is no text on disk for it, since that would be out of date.
"""

import _signal  # type: ignore[import-not-found]  # there since the start; `signal` imports `enum`
import posix
import sys

FOLDER = __file__.rpartition("/")[0] or "."
sys.path[:0] = [FOLDER + "/hook", FOLDER]  # as it is installed, and as it is shipped

from memd_hook import ask, env, late, option, read, where  # noqa: E402

EVENT = "StatusLine"
COLOURS = {b"ok": b"32", b"stale": b"33", b"degraded": b"33", b"failing": b"31"}
"""By the last word; of everything else nothing is known, which is dim."""
SILENT, LATE = "○ memd not running".encode(), "○ memd busy".encode()
BETWEEN = b"  "


def main(args: list[str]) -> None:
    """Reads the payload, starts the person's command, asks, and writes both lines."""
    at = args.index("--") if "--" in args else len(args)
    command, args = " ".join(args[at + 1 :]), args[:at]
    socket = listening(option(args, "--socket"), option(args, "--state"))
    posix.set_blocking(0, True)
    posix.set_blocking(1, True)
    chunks: list[bytes] = []
    read(chunks)
    payload = b"".join(chunks)
    theirs = started(command, payload) if command else None
    ours = asked(socket, args[0], payload)
    before = ended(*theirs).rstrip(b"\n") if theirs else b""
    text = before + BETWEEN * bool(before and ours) + coloured(ours) + b"\n"
    while text:
        text = text[posix.write(1, text) :]


def listening(socket: str, state: str) -> str:
    """Where the daemon is, empty where no process can know: the person's own line is drawn all the same."""
    try:
        return where(socket, state)[0]
    except ValueError:
        return ""


def asked(socket: str, tool: str, payload: bytes) -> bytes:
    """What the daemon says, within the time that a hook has."""
    _signal.signal(_signal.SIGALRM, late)
    _signal.setitimer(_signal.ITIMER_REAL, 1)
    try:
        answer = ask(socket, tool, EVENT, "-", payload)
    except TimeoutError:
        return LATE
    except (OSError, ValueError):
        return SILENT
    finally:
        _signal.setitimer(_signal.ITIMER_REAL, 0)  # the person's command may take longer
    return LATE if answer is None else answer


def started(command: str, payload: bytes) -> tuple[int, int]:
    """The person's command, running: its process and the end of the pipe that it writes to."""
    (stdin, give), (take, stdout) = posix.pipe(), posix.pipe()
    actions = ((posix.POSIX_SPAWN_DUP2, stdin, 0), (posix.POSIX_SPAWN_DUP2, stdout, 1))
    process = posix.posix_spawn("/bin/sh", ["sh", "-c", command], posix.environ, file_actions=actions)
    posix.close(stdin)
    posix.close(stdout)
    try:
        while payload:
            payload = payload[posix.write(give, payload) :]
    except OSError:
        pass  # it does not want to know all of it
    posix.close(give)
    return process, take


def ended(process: int, take: int) -> bytes:
    """All that it printed."""
    said = b""
    while chunk := posix.read(take, 2**16):
        said += chunk
    posix.waitpid(process, 0)
    return said


def coloured(text: bytes) -> bytes:
    """In the colour of its last word, where colours are wanted."""
    if not text or env(b"NO_COLOR"):
        return text
    return b"\x1b[%sm%s\x1b[0m" % (COLOURS.get(text.rpartition(b" ")[2], b"2"), text)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    finally:
        posix._exit(0)  # noqa: SLF001 - also instead of a traceback: the client's screen is no place for one
