r"""The hook that a coding agent runs: event on stdin, text for the agent on stdout, exit 0, silence on stderr.

    python3 -I -S memd_hook.py TOOL EVENT [PART] [--socket SOCKET] [--state DIRECTORY]     < payload

Strategy. An agent must never be held up or stopped by memd, so: ask the daemon; without a whole answer in time (1 s,
PreCompact 2 s, everything included) give back what the daemon left ready on disk; without that, nothing. One alarm
bounds every wait, a second one the rest. The process is compiled and run for each event: it imports only built-in
modules and `_socket`, parses no JSON (the import alone doubles the time) and leaves by `_exit`, without finalisation.

Protocol (memd/daemon/wire.py): one line `1 TOOL EVENT PART ENTRYPOINT LENGTH\n` and LENGTH bytes there, `text LENGTH\n`
and LENGTH bytes back; any other reply, a cut one too, means the disk. `-` stands for no part or no
CLAUDE_CODE_ENTRYPOINT, the only variable that is sent. MEMD_SOCKET and MEMD_STATE_DIR win over the options.
Ready reply: DIRECTORY/sessions/TOOL/<session id>/ready/EVENT[.<source, for SessionStart>][.PART].
"""

import _signal  # type: ignore[import-not-found]  # there since the start; `signal` imports `enum`
import posix
import sys

try:
    import _socket
except ImportError:  # not every interpreter has it apart
    import socket as _socket  # type: ignore[no-redef]

LIMIT = 64 * 2**20  # bytes of payload; the daemon takes no more
READY = 2**20  # bytes of a ready reply; the longest are a tenth of it
WORD = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"


def main(args: list[str]) -> None:
    """Reads the event, asks, and writes the reply; an exception means that there is nothing more to say."""
    socket, state = where(option(args, "--socket"), option(args, "--state"))
    tool, event, part = *args, *["-"] * (len(args) == 2)
    if not (plain(tool) and plain(event) and plain(part)):
        return
    _signal.signal(_signal.SIGALRM, late)
    _signal.pthread_sigmask(_signal.SIG_UNBLOCK, [_signal.SIGALRM])
    _signal.setitimer(_signal.ITIMER_REAL, 2 if event == "PreCompact" else 1, 1)
    chunks: list[bytes] = []
    text = None
    try:
        posix.set_blocking(0, True)  # some parents share non-blocking pipes; there a read finds nothing, a write is cut
        posix.set_blocking(1, True)
        if read(chunks) <= LIMIT:
            text = ask(socket, tool, event, part, b"".join(chunks))
    except (OSError, ValueError):
        pass  # nobody there, or too late: the disk has it
    payload = b"".join(chunks)
    if field(payload, b"agent_id") is not None:
        return  # a sub-agent's event: its parent's checkpoint is not for it
    if text is None:
        text = ready(state, tool, event, part, payload)
    while text:
        text = text[posix.write(1, text) :]


def late(*_: object) -> None:
    """What the alarm does: it ends the wait that is going on."""
    raise TimeoutError


def where(socket: str, state: str) -> tuple[str, str]:
    """Socket and state directory: the environment's word, the arguments', or the default places (as in memd/config.py).

    Raises ValueError for a relative one: it would be found from wherever the agent runs the hook.
    """
    chosen = place(b"MEMD_STATE_DIR")
    if chosen not in ("", state):
        socket, state = "", chosen  # another state directory belongs to another daemon
    if not state:
        local = "/Library/Application Support" if sys.platform == "darwin" else "/.local/state"
        given = env(b"XDG_STATE_HOME")
        state = (given if given[:1] == "/" else env(b"HOME") + local) + "/memd"
    return place(b"MEMD_SOCKET") or socket or state + "/memd.sock", state


def place(name: bytes) -> str:
    """The path that a variable names, from the home where it begins with `~/`; empty when it is not there."""
    path = env(name)
    path = env(b"HOME") + path[1:] if path[:2] == "~/" else path
    if path[:1] not in ("", "/"):
        raise ValueError(path)
    return path


def env(name: bytes) -> str:
    """A variable, empty when it is not there."""
    return posix.environ.get(name, b"").decode(sys.getfilesystemencoding(), "surrogateescape")


def option(args: list[str], name: str) -> str:
    """The value of an option, which is taken out of `args`."""
    at = args.index(name) if name in args else len(args)
    value = "".join(args[at + 1 : at + 2])
    del args[at : at + 2]
    return value


def plain(word: str) -> bool:
    """Can it stand in the request's line and in a path?"""
    return 0 < len(word) < 200 and not word.strip(WORD)


def read(chunks: list[bytes]) -> int:
    """Fills `chunks` from stdin to its end, though not beyond LIMIT; gives the number of bytes that were there."""
    size = 0
    while chunk := posix.read(0, 2**16):
        size += len(chunk)
        if size <= LIMIT:
            chunks.append(chunk)
    return size


def ask(socket: str, tool: str, event: str, part: str, payload: bytes) -> bytes | None:
    """The daemon's text, None when the disk is best; raises OSError when nobody answers."""
    entrypoint = env(b"CLAUDE_CODE_ENTRYPOINT")
    line = f"1 {tool} {event} {part} {entrypoint if plain(entrypoint) else '-'} {len(payload)}\n"
    peer = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    peer.connect(socket)
    linux = sys.platform == "linux"  # elsewhere LOCAL_PEERCRED; the uid is the second word of both answers
    credentials = peer.getsockopt(*(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12) if linux else (0, 1, 76))
    if int.from_bytes(credentials[4:8], sys.byteorder) != posix.geteuid():
        return None  # another user's socket at our path: it must neither read nor speak here
    peer.sendall(line.encode() + payload)
    reply = b""
    while chunk := peer.recv(2**16):
        reply += chunk
        head, _, text = reply.partition(b"\n")
        if head == b"text %d" % len(text):
            return text
    return None


def ready(state: str, tool: str, event: str, part: str, payload: bytes) -> bytes:
    """The reply that lies ready on disk for the session that the payload names; raises OSError when none does.

    What a power cut left as zeros, and what is no plain file, is none.
    """
    session, source = (
        field(payload, b"session_id") or "",
        field(payload, b"source") if event == "SessionStart" else None,
    )
    name = event + (f".{source}" if source else "") + (f".{part}" if part != "-" else "")
    if not (plain(session) and plain(source or "-")):
        return b""
    file = posix.open(f"{state}/sessions/{tool}/{session}/ready/{name}", posix.O_RDONLY | posix.O_NONBLOCK)
    text = posix.read(file, READY) if posix.fstat(file).st_mode & 0o170000 == 0o100000 else b""
    return b"" if text[:1] == b"\0" else text


def field(payload: bytes, name: bytes) -> str | None:
    """The value of the first `"name": "value"`: None when there is none, empty when it is not closed within 300 bytes.

    A quotation mark inside a JSON string has a backslash before it, the one that opens a key never has.
    """
    key = b'"%s"' % name
    at = payload.find(key)
    while at >= 0:
        colon, quote, rest = payload[at + len(key) : at + 300].partition(b'"')
        if colon.strip() == b":" and quote and payload[at - 1 : at] != b"\\":
            value, closed, _ = rest.partition(b'"')
            return value.decode("latin-1") if closed else ""
        at = payload.find(key, at + 1)
    return None


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    finally:
        posix._exit(0)  # noqa: SLF001 - also instead of a traceback: the agent goes on, whatever happened here
