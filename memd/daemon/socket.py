"""The daemon's ear: a unix socket that only its own user can talk to (the format is in `wire`).

Strategy. Hooks must never wait, so a request has a deadline of its own: 200 ms, PreCompact 1.5 s. When it passes, the
hook is sent to its ready reply on disk at once; the handler is not cancelled, because what the event tells still
counts. A handler that fails costs its own answer only and is reported through `trouble`. Control requests of the
command line have no deadline here: the client brings its own.

Who may talk: the socket is 0600, a directory made for it 0700, and the peer's uid must be ours (a socket that is shared
over a container's mount has other users at its far end). The caller holds the daemon's lock, so whatever lies at the
path is a dead daemon's and is replaced in one step, already listening: a hook never meets a half-made socket.
"""

import asyncio
import os
import socket
import stat
import struct
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from memd.daemon.wire import CONTROL, DISK, Request, ask, parse_line, reply_bytes
from memd.errors import Refused
from memd.files import is_device, refuse_other_kind

__all__ = ["Answer", "Request", "Server", "ask", "deadline", "peer_uid"]

Answer = Callable[[Request], Awaitable[bytes | None]]
"""Gives the text for a hook (b"": say nothing) or JSON for the command line; None: the ready reply on disk is best."""

PATIENCE = 5.0  # seconds for a peer to send its whole request, and again to take the whole reply
BACKLOG = 100
GONE = (OSError, EOFError, ValueError, asyncio.LimitOverrunError)  # a silent, cut, garbled or vanished peer
GRACE = 0.1  # seconds at the end in which replies still go out
DEADLINES = {"PreCompact": 1.5}
DEADLINE = 0.2


def deadline(request: Request) -> float | None:
    """Seconds in which the request must be answered, None for as long as it takes."""
    return None if request.tool == CONTROL else DEADLINES.get(request.event, DEADLINE)


class Server:
    """Listens at `path` and gives every request to `answer`; `trouble` hears of each failed or late one."""

    def __init__(self, path: Path, answer: Answer, trouble: Callable[[Exception], None] = lambda _: None) -> None:
        self._path = path
        self._answer = answer
        self._trouble = trouble
        self._server: asyncio.Server | None = None
        self._inode = 0
        self._peers: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        self._handlers: set[asyncio.Task[bytes | None]] = set()

    async def start(self) -> None:
        """Listens from now on.

        Raises:
            Refused: others control the directory, or a folder or a device has the name.
            OSError: it cannot bind.
        """
        _own_directory(self._path.parent)
        fresh = self._path.with_name(self._path.name + ".new")
        for place in (self._path, fresh):
            refuse_other_kind(
                place, "socket", lambda mode: not (stat.S_ISDIR(mode) or is_device(mode))
            )  # files give way
        fresh.unlink(missing_ok=True)
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            listener.bind(str(fresh))
            fresh.chmod(0o600)
            listener.listen(BACKLOG)
            self._inode = fresh.stat().st_ino
            fresh.replace(self._path)
            self._server = await asyncio.start_unix_server(self._serve, sock=listener, limit=2**16, backlog=BACKLOG)
        except BaseException:
            listener.close()
            fresh.unlink(missing_ok=True)
            raise

    async def stop(self) -> None:
        """Stops listening, drops who is connected, and takes its own socket file away (not a successor's)."""
        if self._server is None:
            return
        self._server.close()
        for handler in self._handlers:
            handler.cancel()  # its hook is sent to the disk
        if self._peers:
            await asyncio.wait(self._peers, timeout=GRACE)
        for writer in self._peers.values():
            writer.transport.abort()
        await asyncio.gather(*self._peers, *self._handlers, return_exceptions=True)
        await self._server.wait_closed()
        self._server = None
        with suppress(FileNotFoundError):
            if self._path.stat().st_ino == self._inode:
                self._path.unlink()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - asyncio runs this callback in a task
        self._peers[task] = writer
        try:
            await self._converse(reader, writer)
        except GONE:
            pass  # it has its disk
        except Exception as error:  # noqa: BLE001 - the server outlives every defect, and tells
            self._trouble(error)
        finally:
            del self._peers[task]
            writer.transport.abort()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        uid = peer_uid(writer.get_extra_info("socket"))
        if uid is not None and uid != os.geteuid():
            return
        async with asyncio.timeout(PATIENCE):
            announced = parse_line(await reader.readuntil(b"\n"))
            payload = await reader.readexactly(announced[1]) if announced else b""
        gone = asyncio.Event()
        try:
            request = replace(announced[0], payload=payload, gone=gone) if announced else None
            writer.write(await self._reply(request) if request else DISK)
            async with asyncio.timeout(PATIENCE):
                await writer.drain()
                writer.write_eof()
                await reader.read(1)  # nothing more is said: this ends with the peer
        finally:
            gone.set()

    async def _reply(self, request: Request) -> bytes:
        handler = asyncio.create_task(self._handle(request))
        self._handlers.add(handler)
        handler.add_done_callback(self._handled)
        await asyncio.wait({handler}, timeout=deadline(request))
        if not handler.done():
            self._trouble(TimeoutError(f"{request.tool} {request.event} took longer than {deadline(request)} s"))
            return DISK
        return DISK if handler.cancelled() or handler.exception() else reply_bytes(handler.result())

    async def _handle(self, request: Request) -> bytes | None:
        return await self._answer(request)

    def _handled(self, handler: asyncio.Task[bytes | None]) -> None:
        self._handlers.discard(handler)
        error = None if handler.cancelled() else handler.exception()
        if isinstance(error, Exception):
            self._trouble(error)


def peer_uid(peer: socket.socket) -> int | None:
    """The uid at the other end; None on a system that cannot tell (there the file modes are the only guard)."""
    if sys.platform == "linux":
        return int(struct.unpack("3i", peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[1])
    if sys.platform == "darwin" or "bsd" in sys.platform:  # LOCAL_PEERCRED = 1 at level 0: struct xucred, uid second
        return int(struct.unpack_from("2I", peer.getsockopt(0, 1, 76))[1])
    return None


def _own_directory(directory: Path) -> None:
    """Makes `directory` 0700, or accepts one in which no other user can replace our socket; else raises Refused.

    The mode of a directory that is there already stays: it may be a person's home.
    """
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = directory.stat()
    if found.st_uid not in {os.geteuid(), 0} or (found.st_mode & stat.S_IWOTH and not found.st_mode & stat.S_ISVTX):
        raise Refused(f"{directory} is under another user's control; set MEMD_SOCKET to a path in a directory of yours")
