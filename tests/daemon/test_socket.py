"""The daemon's socket: what goes over it, who may talk, and that no peer and no handler can stop it."""

import asyncio
import json
import os
import socket
import stat
import threading
import time
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest
from devices import made_device

from memd.daemon import socket as ear
from memd.daemon.socket import Request, Server, ask, deadline
from memd.daemon.wire import MAX_PAYLOAD, parse_line
from memd.errors import DaemonSilent, Refused


@pytest.fixture
def path(tmp_path):
    return tmp_path / "run" / "memd.sock"


@asynccontextmanager
async def serving(path, answer, troubles=None):
    server = Server(path, answer, (troubles if troubles is not None else []).append)
    await server.start()
    try:
        yield server
    finally:
        await server.stop()


async def exchange(path, request, *, end=False):
    reader, writer = await asyncio.open_unix_connection(path)
    writer.write(request)
    if end:
        writer.write_eof()
    reply = await reader.read()
    writer.close()
    return reply


async def echo(request):
    return request.payload


def talk(path, request, answer=echo, **more):
    """One request against a server that lives as long as it takes; gives the reply and the troubles."""

    async def run():
        troubles = []
        async with serving(path, answer, troubles):
            return await exchange(path, request, **more), troubles

    return asyncio.run(run())


def test_the_wire_format_is_pinned_literally(path):
    """Hooks of earlier releases stay readable: this request and this reply never change under protocol 1."""
    seen = []

    async def answer(request):
        seen.append(request)
        return "你好 🌱\n".encode()

    reply, _ = talk(path, b'1 claude-code SessionStart 2 cli 12\n{"a": "\xc3\xa9\n"}', answer)
    assert reply == b"text 12\n\xe4\xbd\xa0\xe5\xa5\xbd \xf0\x9f\x8c\xb1\n"
    assert seen == [Request(1, "claude-code", "SessionStart", 2, "cli", b'{"a": "\xc3\xa9\n"}')]


def test_dashes_mean_absent(path):
    """`-` is no part and no entrypoint, not a part called `-`."""
    seen = []

    async def answer(request):
        seen.append((request.part, request.entrypoint))

    talk(path, b"1 codex PreCompact - - 0\n", answer)
    assert seen == [(None, None)]


@pytest.mark.parametrize(("text", "reply"), [(b"", b"text 0\n"), (b"x", b"text 1\nx"), (None, b"disk 0\n")])
def test_an_empty_text_is_not_the_same_as_nothing_better_than_the_disk(path, text, reply):
    """A handler says "say nothing" with b"" and "use the disk" with None; the hook can tell them apart."""

    async def answer(_):
        return text

    assert talk(path, b"1 codex Stop - - 0\n", answer) == (reply, [])


@pytest.mark.parametrize("line", [b"2 claude-code SessionStart 1 cli x 5\nhello", b"999\n", b"0 a b c d e f g\n"])
def test_a_hook_of_another_protocol_is_sent_to_its_disk(path, line):
    """Whatever a later hook puts in its line, an older daemon answers with the reply that never changes."""
    reply, troubles = talk(path, line)
    assert (reply, troubles) == (b"disk 0\n", [])


@pytest.mark.parametrize(
    "garbage",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"1 a b c\n",
        b"1 a b c d -1\n",
        b"1 a b - - %d\n" % (MAX_PAYLOAD + 1),
        b"1 a " + b"b" * 5000 + b" - - 0\n",
        b"b" * 200_000,
        b"1 a b - - 10\nshort",
        b"\xff\xfe\n",
        b"",
    ],
)
def test_garbage_gets_no_reply_and_is_no_defect(path, garbage):
    """A cut or garbled request is dropped: its hook has its disk, and the log stays quiet."""

    async def unreachable(_):
        raise AssertionError

    try:
        reply, troubles = talk(path, garbage, unreachable, end=True)
    except ConnectionError:
        return
    assert (reply, troubles) == (b"", [])


@pytest.mark.parametrize("length", [-1, MAX_PAYLOAD + 1])
def test_a_length_out_of_bounds_is_refused_before_it_is_read(length):
    """No peer can make the daemon wait for, or hold, more than 64 MB."""
    assert parse_line(b"1 a b - - %d\n" % MAX_PAYLOAD) == (Request(1, "a", "b", None, None, b""), MAX_PAYLOAD)
    with pytest.raises(ValueError, match="bytes"):
        parse_line(b"1 a b - - %d\n" % length)


def test_a_large_payload_arrives_whole(path):
    """A hook event can hold a whole tool result: 8 MB there and back, byte for byte."""
    body = os.urandom(2**20) * 8
    reply, _ = talk(path, b"1 codex PostToolUse - - %d\n" % len(body) + body)
    assert reply == b"text %d\n" % len(body) + body


def test_a_failing_handler_costs_its_own_answer_only(path):
    """The hook is sent to its disk, the defect is told, and the next request is served."""

    async def run():
        troubles = []

        async def answer(request):
            if request.event == "Stop":
                raise KeyError("boom")
            return b"fine"

        async with serving(path, answer, troubles):
            first = await exchange(path, b"1 codex Stop - - 0\n")
            return first, await exchange(path, b"1 codex Other - - 0\n"), troubles

    first, second, troubles = asyncio.run(run())
    assert (first, second) == (b"disk 0\n", b"text 4\nfine")
    assert [repr(trouble) for trouble in troubles] == ["KeyError('boom')"]


def test_a_late_handler_is_not_waited_for_and_not_cancelled(path, monkeypatch):
    """After the deadline the hook is sent to its disk; what the event tells is still taken in."""
    monkeypatch.setattr(ear, "DEADLINE", 0.05)

    async def run():
        troubles, let_go, finished = [], asyncio.Event(), asyncio.Event()

        async def answer(_):
            await let_go.wait()
            finished.set()
            return b"too late"

        async with serving(path, answer, troubles):
            reply = await exchange(path, b"1 codex Stop - - 0\n")
            early = finished.is_set()
            let_go.set()
            await asyncio.wait_for(finished.wait(), 5)
        return reply, early, troubles

    reply, early, troubles = asyncio.run(run())
    assert (reply, early) == (b"disk 0\n", False)
    assert [type(trouble) for trouble in troubles] == [TimeoutError]


def test_a_request_is_gone_when_its_peer_has_ended_and_no_sooner(path):
    """A hook that has its whole reply still has to hand it on: only the end of its connection is the end of its process."""

    async def run():
        seen = []

        async def answer(request):
            seen.append(request.gone)
            return b"fine"

        async with serving(path, answer, []):
            reader, writer = await asyncio.open_unix_connection(path)
            writer.write(b"1 codex Stop - - 0\n")
            reply = await reader.read()  # to the end: the server says no more
            await asyncio.sleep(0.1)
            early = seen[0].is_set()
            writer.close()
            await asyncio.wait_for(seen[0].wait(), 4)
        return reply, early

    assert asyncio.run(run()) == (b"text 4\nfine", False)


@pytest.mark.parametrize(
    ("tool", "event", "seconds"),
    [("codex", "SessionStart", 0.2), ("claude-code", "PreCompact", 1.5), ("memd", "checkpoint", None)],
)
def test_deadlines(tool, event, seconds):
    """200 ms for a hook, 1.5 s before a compaction, and none for the person's own commands."""
    assert seconds == deadline(Request(1, tool, event, None, None, b""))


def test_a_silent_peer_is_dropped(path, monkeypatch):
    """A peer that sends nothing holds its connection for a few seconds only, and delays nobody."""
    monkeypatch.setattr(ear, "PATIENCE", 1.0)

    async def run():
        async with serving(path, echo):
            silent, writer = await asyncio.open_unix_connection(path)
            assert await exchange(path, b"1 codex Stop - - 2\nhi") == b"text 2\nhi"
            reply = await asyncio.wait_for(silent.read(), 10)
            writer.close()
            return reply

    assert asyncio.run(run()) == b""


def test_a_peer_that_takes_no_reply_is_dropped(path, monkeypatch):
    """A reply larger than the socket's buffer does not wait for a stuck reader for ever."""
    monkeypatch.setattr(ear, "PATIENCE", 0.2)

    async def answer(_):
        return b"x" * 2**24

    async def run():
        async with serving(path, answer) as server:
            _, writer = await asyncio.open_unix_connection(path, limit=2**10)
            writer.write(b"1 codex Stop - - 0\n")
            for _ in range(100):
                await asyncio.sleep(0.05)
                if not server._peers:
                    break
            writer.transport.abort()
            return not server._peers

    assert asyncio.run(run())


def test_other_users_are_refused(path, monkeypatch):
    """A peer with another uid (a container's user over a shared mount) gets nothing, and no handler runs."""
    monkeypatch.setattr(ear, "peer_uid", lambda _: os.geteuid() + 1)
    with suppress(ConnectionError):
        assert talk(path, b"1 codex Stop - - 2\nhi") == (b"", [])


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_the_kernel_tells_a_real_other_user(path):
    """The uid is the kernel's word: a real process of another user is refused although the modes would let it in."""

    async def run():
        async with serving(path, echo):
            path.parent.chmod(0o755)
            path.chmod(0o666)
            return await asyncio.to_thread(as_nobody)

    def as_nobody():
        with socket.socket(socket.AF_UNIX) as peer:
            os.chdir(path.parent)
            here, there = os.pipe()
            child = os.fork()
            if child == 0:
                os.setgid(65534)
                os.setuid(65534)
                try:
                    peer.connect("memd.sock")
                    peer.sendall(b"1 codex Stop - - 2\nhi")
                    os.write(there, b"got " + peer.recv(100))
                except OSError:
                    os.write(there, b"refused")
                os._exit(0)
            os.waitpid(child, 0)
            return os.read(here, 100)

    before = os.getcwd()
    try:
        assert asyncio.run(run()) in {b"got ", b"refused"}
    finally:
        os.chdir(before)


def test_modes(path):
    """Nobody else can even see the socket."""

    async def run():
        async with serving(path, echo):
            return stat.S_IMODE(path.parent.stat().st_mode), stat.S_IMODE(path.stat().st_mode)

    assert asyncio.run(run()) == (0o700, 0o600)


def test_an_existing_directory_keeps_its_mode(path):
    """MEMD_SOCKET may point into somebody's home; memd does not lock other programs out of it."""
    path.parent.mkdir(mode=0o755)

    async def run():
        async with serving(path, echo):
            return stat.S_IMODE(path.parent.stat().st_mode)

    assert asyncio.run(run()) == 0o755


def test_a_directory_that_anybody_can_change_is_refused(path):
    """Where another user could put a socket of their own in place of ours, memd does not listen."""
    path.parent.mkdir()
    path.parent.chmod(0o777)
    with pytest.raises(Refused, match="MEMD_SOCKET"):
        asyncio.run(Server(path, echo).start())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a directory away")
def test_another_users_directory_is_refused(path):
    """Somebody may have made /tmp/memd-<uid> before us, to put their own socket there."""
    path.parent.mkdir(mode=0o755)
    os.chown(path.parent, 65534, 65534)
    with pytest.raises(Refused, match="MEMD_SOCKET"):
        asyncio.run(Server(path, echo).start())


def test_a_dead_daemons_socket_is_replaced(path):
    """After `kill -9` files are left behind; the next daemon (it holds the lock) starts over them."""
    path.parent.mkdir()
    for left in (path, path.with_name("memd.sock.new")):
        with socket.socket(socket.AF_UNIX) as dead:
            dead.bind(str(left))
    assert talk(path, b"1 codex Stop - - 2\nhi")[0] == b"text 2\nhi"
    assert list(path.parent.iterdir()) == []


@pytest.mark.parametrize("name", ["memd.sock", "memd.sock.new"])
@pytest.mark.parametrize(("kind", "make"), [("folder", Path.mkdir), ("device", made_device)])
def test_what_is_not_memds_in_the_sockets_place_is_told(path, name, kind, make):
    """It is somebody's (`MEMD_SOCKET=/dev/null`): the line says what is there and what to do, and it stays."""
    place = path.with_name(name)
    place.parent.mkdir(parents=True, exist_ok=True)
    make(place)
    with pytest.raises(Refused, match=f"{name} is a {kind}, and memd's socket has to be there: move it away"):
        asyncio.run(Server(path, echo).start())
    assert [place] == list(path.parent.iterdir())


def test_stop_leaves_a_successors_socket_alone(path):
    """During an upgrade the old daemon may end after the new one listens."""

    async def run():
        old, new = Server(path, echo), Server(path, echo)
        await old.start()
        await new.start()
        await old.stop()
        reply = await exchange(path, b"1 codex Stop - - 2\nhi")
        await new.stop()
        return reply

    assert asyncio.run(run()) == b"text 2\nhi"
    assert not path.exists()


def test_stop_does_not_wait_for_handlers_or_peers(path, monkeypatch):
    """SIGTERM ends the daemon at once, whatever is going on; a hook in flight is sent to its disk."""
    monkeypatch.setattr(ear, "PATIENCE", 60)

    async def run():
        async def answer(_):
            await asyncio.sleep(60)

        async with serving(path, answer):
            _, idle = await asyncio.open_unix_connection(path)
            waiting = asyncio.create_task(exchange(path, b"1 memd checkpoint - - 2\n{}"))
            await asyncio.sleep(0.1)
            before = time.monotonic()
        idle.close()
        return await waiting, time.monotonic() - before

    reply, seconds = asyncio.run(run())
    assert reply == b"disk 0\n"
    assert seconds < 10


def test_the_socket_is_not_inherited(path):
    """A git or model child that outlives the daemon does not keep its socket alive."""

    async def run():
        async with serving(path, echo) as server:
            return [listener.get_inheritable() for listener in server._server.sockets]

    assert asyncio.run(run()) == [False]


@pytest.fixture
def daemon(path):
    """A server on a thread of its own, answering control requests as the daemon does."""
    loop, stopped, up = asyncio.new_event_loop(), None, threading.Event()

    async def answer(request):
        if request.event == "fail":
            raise KeyError
        if request.event == "list":
            return b"[]"
        if request.event == "slow":
            await asyncio.sleep(60)
        return json.dumps({"tool": request.tool, "event": request.event, "got": json.loads(request.payload)}).encode()

    async def run():
        nonlocal stopped
        stopped = asyncio.Event()
        async with serving(path, answer):
            up.set()
            await stopped.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(run(),))
    thread.start()
    assert up.wait(10)
    yield path
    loop.call_soon_threadsafe(stopped.set)
    thread.join(10)
    loop.close()


def test_ask_gives_the_daemons_answer(daemon):
    """JSON there, JSON back, in any language."""
    assert ask(daemon, "status", {"q": "会话"}) == {"tool": "memd", "event": "status", "got": {"q": "会话"}}


@pytest.mark.parametrize(("event", "says"), [("fail", "no answer"), ("list", "not an object"), ("slow", "timed out")])
def test_ask_says_why_it_has_no_answer(daemon, event, says):
    """One line for a person, with the request and the reason."""
    with pytest.raises(DaemonSilent, match=f"{event}.*{says}"):
        ask(daemon, event, {}, timeout=0.3 if event == "slow" else 10)


def test_ask_without_a_daemon(path):
    """No socket is the same one line, not a traceback."""
    with pytest.raises(DaemonSilent, match="No such file"):
        ask(path, "ping", {})


@pytest.mark.parametrize("reply", [b"text 9\n{}", b"text 2\n{} ", b"{}", b"", b"text 1\n{"])
def test_ask_takes_a_whole_answer_or_none(path, reply):
    """An answer that is cut, or not JSON, is not read as if it were one."""
    path.parent.mkdir()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()

        def talk():
            with listener.accept()[0] as peer:
                peer.recv(2**16)
                peer.sendall(reply)

        thread = threading.Thread(target=talk)
        thread.start()
        with pytest.raises(DaemonSilent):
            ask(path, "status", {}, timeout=10)
        thread.join(10)
