"""The hook as agents run it: a real process, a real socket, and nothing that can go wrong is ever heard of.

`Hook.run` holds the promise that every test here shares: exit code 0 and not a byte on stderr.
"""

import asyncio
import fcntl
import json
import os
import socket
import subprocess
import sys
import termios
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from memd.daemon.socket import Request, Server

SCRIPT = Path(__file__).parents[2] / "hooks" / "memd_hook.py"
PYTHON = [os.path.realpath(sys._base_executable), "-I", "-S"]
SESSION = "0b3c5a52-5a0e-4d0c-9a53-6b8f3a3f7c11"
PATIENT = 60  # seconds until a hook counts as stuck; generous, because test machines are busy


class Hook:
    """A state directory, a socket path, and the command that install writes."""

    def __init__(self, folder):
        self.state = folder / "state"
        self.socket = folder / "memd.sock"

    def command(self, *words):
        return [*PYTHON, str(SCRIPT), *words, "--socket", str(self.socket), "--state", str(self.state)]

    def run(self, *words, payload=b"", env=None, command=None, **more):
        more = {"stdin": None, "input": payload} | more if "stdin" not in more else more
        done = subprocess.run(
            command or self.command(*words), capture_output=True, env=env or {}, timeout=PATIENT, check=False, **more
        )
        assert (done.returncode, done.stderr) == (0, b"")
        return done.stdout

    def ready(self, name, text, tool="claude-code", session=SESSION):
        path = self.state / "sessions" / tool / session / "ready" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)

    @contextmanager
    def peer(self, talk):
        """A daemon made of one function: `talk(connection)` for each hook that connects."""
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(self.socket))
            listener.listen()
            thread = threading.Thread(target=self._accept, args=(listener, talk))
            thread.start()
            try:
                yield
            finally:
                listener.shutdown(socket.SHUT_RDWR)
                thread.join(PATIENT)

    @staticmethod
    def _accept(listener, talk):
        while True:
            try:
                connection = listener.accept()[0]
            except OSError:
                return
            with connection, suppress(OSError):  # the hook may be gone already
                talk(connection)

    @contextmanager
    def daemon(self, answer):
        """The real server, on a thread of its own."""
        loop, up, stopped = asyncio.new_event_loop(), threading.Event(), asyncio.Event()

        async def serve():
            server = Server(self.socket, answer)
            await server.start()
            up.set()
            await stopped.wait()
            await server.stop()

        thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
        thread.start()
        try:
            assert up.wait(PATIENT)
            yield
        finally:
            loop.call_soon_threadsafe(stopped.set)
            thread.join(PATIENT)
            loop.close()


def made_of_zeros(path):
    path.write_bytes(b"\0" * 700)


@pytest.fixture
def hook(tmp_path):
    return Hook(tmp_path)


def event(name="SessionStart", session=SESSION, **more):
    return json.dumps({"session_id": session, "cwd": "/w", "hook_event_name": name} | more, ensure_ascii=False).encode()


COMPACT = event(source="compact")


def receive(connection):
    """A whole request, by its length."""
    data = b""
    while b"\n" not in data:
        data += connection.recv(2**16)
    line, _, payload = data.partition(b"\n")
    while len(payload) < int(line.split()[-1]):
        payload += connection.recv(2**16)
    return line, payload


def replying(reply):
    def talk(connection):
        receive(connection)
        connection.sendall(reply)

    return talk


# --- what goes over the socket


def test_the_request_is_pinned_literally(hook):
    """An older daemon has to understand the line for ever: version, tool, event, part, entrypoint, length."""
    seen = []

    def talk(connection):
        seen.append(receive(connection))
        connection.sendall(b"text 2\nok")

    env = {"CLAUDE_CODE_ENTRYPOINT": "sdk-cli", "CLAUDE_CODE_MESSAGING_TOKEN": "secret"}
    with hook.peer(talk):
        assert hook.run("claude-code", "SessionStart", "2", payload=COMPACT, env=env) == b"ok"
        assert hook.run("codex", "Stop", payload=b"{}") == b"ok"
    assert seen == [
        (b"1 claude-code SessionStart 2 sdk-cli %d" % len(COMPACT), COMPACT),
        (b"1 codex Stop - - 2", b"{}"),
    ]


@pytest.mark.parametrize("entrypoint", ["a b", "x\n1 forged", "é", "", "x" * 5000])
def test_an_odd_entrypoint_is_left_out(hook, entrypoint):
    """The environment cannot forge a request: what is no plain word becomes `-`."""
    seen = []

    def talk(connection):
        seen.append(receive(connection)[0])
        connection.sendall(b"text 0\n")

    with hook.peer(talk):
        hook.run("codex", "Stop", payload=b"{}", env={"CLAUDE_CODE_ENTRYPOINT": entrypoint})
    assert seen == [b"1 codex Stop - - 2"]


def test_the_real_server_understands_the_real_hook(hook):
    """The two sides of the wire agree, payload and reply byte for byte."""
    seen = []

    async def answer(request):
        seen.append(request)
        return "收到 🌱".encode()

    with hook.daemon(answer):
        got = hook.run("claude-code", "SessionStart", "1", payload=COMPACT, env={"CLAUDE_CODE_ENTRYPOINT": "cli"})
    assert got.decode() == "收到 🌱"
    assert seen == [Request(1, "claude-code", "SessionStart", 1, "cli", COMPACT)]


@pytest.mark.parametrize("text", ["x" * 10_000, "记" * 10_000, "🌱" * 5_000, "a\u0301\r\n\x00\u2028" * 1_000])
def test_a_full_part_comes_through_byte_for_byte(hook, text):
    """Texts of 10,000 UTF-16 units in any language, from the daemon and from the disk."""
    hook.ready("SessionStart.compact.1", text.encode())
    assert hook.run("claude-code", "SessionStart", "1", payload=COMPACT).decode() == text
    reply = text[::-1].encode()

    async def answer(_):
        return reply

    with hook.daemon(answer):
        assert hook.run("claude-code", "SessionStart", "1", payload=COMPACT) == reply


def test_an_empty_text_is_an_answer(hook):
    """When the daemon says "say nothing" the ready reply stays where it is."""
    hook.ready("SessionStart.compact", b"from disk")
    with hook.peer(replying(b"text 0\n")):
        assert hook.run("claude-code", "SessionStart", payload=COMPACT) == b""


def test_a_reply_in_small_pieces_is_whole(hook):
    """The length counts, not how the bytes happen to arrive."""
    text = b"text 9\npart\nwise"

    def talk(connection):
        receive(connection)
        for byte in text:
            connection.sendall(bytes([byte]))
            time.sleep(0.001)

    with hook.peer(talk):
        assert hook.run("claude-code", "SessionStart", payload=COMPACT) == b"part\nwise"


@pytest.mark.parametrize(
    "reply",
    [
        b"",
        b"disk 0\n",
        b"text",
        b"text 10",
        b"text 10\nshort",
        b"text 3\nlonger",
        b"text -1\n",
        b"text x\nabc",
        b"disk 3\nabc",
        b"\n\n\n",
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
    ],
)
def test_anything_but_a_whole_text_means_the_disk(hook, reply):
    """A reply is used whole or not at all: half a checkpoint would be taken for the whole one."""
    hook.ready("SessionStart.compact", b"from disk")
    with hook.peer(replying(reply)):
        assert hook.run("claude-code", "SessionStart", payload=COMPACT) == b"from disk"


def test_a_peer_of_another_user_is_not_talked_to(hook):
    """Somebody else's socket at our path neither gets the event nor speaks to the agent."""
    if os.geteuid() != 0:
        pytest.skip("only root can start a process of another user")
    hook.ready("SessionStart.compact", b"from disk")
    seen = []

    def talk(connection):
        seen.append(connection.recv(2**16))
        connection.sendall(b"text 4\nevil")

    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(hook.socket))
        child = os.fork()
        if child == 0:  # the credentials that a peer sees are those of whoever called listen()
            os.setgid(65534)
            os.setuid(65534)
            listener.listen()
            os._exit(0)
        os.waitpid(child, 0)
        thread = threading.Thread(target=hook._accept, args=(listener, talk))
        thread.start()
        got = hook.run("claude-code", "SessionStart", payload=COMPACT)
        listener.shutdown(socket.SHUT_RDWR)
        thread.join(PATIENT)
    assert (got, seen) == (b"from disk", [b""])


# --- the ready reply on disk


@pytest.mark.parametrize(
    ("words", "payload", "name"),
    [
        (("claude-code", "SessionStart"), COMPACT, "SessionStart.compact"),
        (("claude-code", "SessionStart", "3"), event(source="resume"), "SessionStart.resume.3"),
        (("claude-code", "SessionStart"), event(), "SessionStart"),
        (("codex", "PreCompact"), event("PreCompact", trigger="auto"), "PreCompact"),
        (("claude-code", "ConfigChange"), event("ConfigChange", source="user_settings"), "ConfigChange"),
    ],
)
def test_the_ready_replys_name(hook, words, payload, name):
    """Event, the source where the event is SessionStart, and the part."""
    hook.ready(name, b"this", tool=words[0])
    hook.ready("SessionStart.compact.1", b"not this", tool=words[0])
    assert hook.run(*words, payload=payload) == b"this"


@pytest.mark.parametrize(
    "payload",
    [
        b'{"session_id":"%s","source":"compact"}',
        b'{ "session_id" : "%s" , "source"\t:\n"compact" }',
        b'\n{\n  "source": "compact",\n  "session_id": "%s"\n}',
        rb'{"prompt": "\"session_id\": \"other\", \"source\": \"resume\"", "session_id": "%s", "source": "compact"}',
        b'{"cwd": "C:\\\\", "a": "session_id", "b": ["session_id", "source"], "session_id": "%s", "source": "compact"}',
        b'{"session_id": "%s", "source": "compact", "tool_input": {"session_id": "other", "source": "resume"}}',
        b'{"prompt": null, "source": null, "session_id": "%s", "source": "compact"}',
    ],
)
def test_session_and_source_are_found(hook, payload):
    """Blanks do not matter, and an escaped copy inside somebody's words is not the field."""
    hook.ready("SessionStart.compact", b"mine")
    hook.ready("SessionStart.resume", b"other source")
    hook.ready("SessionStart.compact", b"other session", session="other")
    assert hook.run("claude-code", "SessionStart", payload=payload % SESSION.encode()) == b"mine"


def test_the_field_agrees_with_json(hook, tmp_path):
    """Whatever a person writes, as json.dumps escapes it, never changes whose checkpoint is given back."""
    hook.ready("SessionStart.compact", b"mine")
    forged = '"session_id": "other", \\"session_id\\": \\\\"x\\\\", "agent_id": "a"'
    for text in (forged, forged + "\\", '"', "\\", '\\"', '","session_id":"other","x":"', f"\n{forged}\u2028é"):
        tail = text + '"session_id'  # as a key: the only place where the escape alone tells
        for body in ({"prompt": text, "session_id": SESSION}, {tail: text, text: {tail: text}, "session_id": SESSION}):
            payload = json.dumps(body | {"source": "compact"}).encode()
            assert hook.run("claude-code", "SessionStart", payload=payload) == b"mine", text


@pytest.mark.parametrize(
    "session",
    ["../other", "..", ".", "", "a/b", "a b", "é", "a\u0000b", "x" * 5000, "/etc", "a.b", "a%2fb"],
)
def test_a_session_id_that_is_no_plain_word_is_refused(hook, session):
    """No payload can point the hook at another file."""
    hook.ready("SessionStart.compact", b"stolen", session="other")
    (hook.state / "sessions" / "claude-code" / "ready").mkdir()
    for folder in (hook.state / "sessions" / "claude-code", hook.state / "sessions", hook.state):
        (folder / "ready").mkdir(exist_ok=True)
        (folder / "ready" / "SessionStart.compact").write_bytes(b"stolen")
    for payload in (event(session=session, source="compact"), b'{"session_id": "%s"}' % session.encode()):
        assert hook.run("claude-code", "SessionStart", payload=payload) == b""


def test_a_source_that_is_no_plain_word_is_refused(hook):
    """The other word that a payload brings into the path is held to the same."""
    hook.ready("SessionStart.x/y", b"stolen")
    assert hook.run("claude-code", "SessionStart", payload=event(source="x/y")) == b""


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("claude-code",),
        ("claude-code", "SessionStart", "1", "2"),
        ("../x", "SessionStart"),
        ("claude-code", "a/b"),
        ("claude-code", "a\nb"),
        ("", ""),
    ],
)
def test_odd_arguments_say_nothing(hook, words):
    """A broken configuration costs its checkpoint, never the session, and leads to no other file."""
    hook.ready("SessionStart.compact", b"x")
    hook.ready("SessionStart.compact", b"x", tool="../x")
    hook.ready("a/b", b"x")
    assert hook.run(*words, payload=COMPACT) == b""


@pytest.mark.parametrize(
    "words", [("codex", "Stop", "1 cli"), ("codex", "Stop x"), ("co\ndex", "Stop"), ("codex", "é")]
)
def test_odd_arguments_cannot_forge_a_request(hook, words):
    """What is no plain word never reaches the daemon's line."""
    seen = []
    with hook.peer(lambda connection: seen.append(connection.recv(10))):
        assert hook.run(*words, payload=COMPACT) == b""
    assert seen == []


def test_missing_options_say_nothing(hook):
    """An option without its value is as good as none."""
    for more in ([], ["--socket"], ["--state"], ["--socket", "--state"], ["--state", ""]):
        assert hook.run(command=[*PYTHON, str(SCRIPT), "codex", "Stop", *more], payload=COMPACT) == b""


def test_the_environment_wins(hook, tmp_path):
    """MEMD_STATE_DIR and MEMD_SOCKET, the odd and the non-Latin paths included; an empty one counts as none."""
    other = Hook(tmp_path / "別の é")
    other.ready("SessionStart.compact", b"other")
    hook.ready("SessionStart.compact", b"args")
    for env, text in (({}, b"args"), ({"MEMD_STATE_DIR": ""}, b"args"), ({"MEMD_STATE_DIR": other.state}, b"other")):
        assert hook.run("claude-code", "SessionStart", payload=COMPACT, env=env) == text
    with other.peer(replying(b"text 4\nlive")):
        env = {"MEMD_SOCKET": str(other.socket)}
        assert hook.run("claude-code", "SessionStart", payload=COMPACT, env=env) == b"live"


def test_another_state_directory_has_another_daemon(hook, tmp_path):
    """With MEMD_STATE_DIR alone the socket beside it is asked, not the first daemon's; the same one changes nothing."""
    other = Hook(tmp_path)
    other.state = tmp_path / "other"
    other.socket = other.state / "memd.sock"
    other.state.mkdir()
    with hook.peer(replying(b"text 5\nfirst")), other.peer(replying(b"text 6\nsecond")):
        for state, text in ((other.state, b"second"), (hook.state, b"first")):
            env = {"MEMD_STATE_DIR": str(state)}
            assert hook.run("claude-code", "SessionStart", payload=COMPACT, env=env) == text


@pytest.mark.parametrize("name", ["MEMD_STATE_DIR", "MEMD_SOCKET"])
def test_a_relative_place_gives_nothing(hook, tmp_path, monkeypatch, name):
    """Where the agent runs the hook there may be anybody's folder of that name: nothing is asked, nothing is given."""
    monkeypatch.chdir(tmp_path)
    hook.ready("SessionStart.compact", b"from disk")
    value = os.path.relpath(hook.state if name == "MEMD_STATE_DIR" else hook.socket, tmp_path)
    with hook.peer(replying(b"text 4\nlive")):
        assert hook.run("claude-code", "SessionStart", payload=COMPACT, env={name: value}) == b""


def test_places_from_the_home_and_a_relative_xdg(hook, tmp_path):
    """As the daemon has them: `~/` is the home, and what is relative in XDG's variables counts as none."""
    hook.state = tmp_path / ".local/state/memd"
    hook.ready("SessionStart.compact", b"from disk")
    command = [*PYTHON, str(SCRIPT), "claude-code", "SessionStart"]
    for more in (
        {"MEMD_STATE_DIR": "~/.local/state/memd"},
        {"XDG_STATE_HOME": "state"} if sys.platform == "linux" else {},
    ):
        assert hook.run(command=command, env={"HOME": str(tmp_path), **more}, payload=COMPACT) == b"from disk"


@pytest.mark.parametrize("xdg", [True, False])
def test_without_options_the_default_places_are_asked(hook, tmp_path, xdg):
    """A plugin's command line cannot name them: they are where the daemon has them by default."""
    hook.state = Path(default_state(env := {"XDG_STATE_HOME": str(tmp_path)} if xdg else {"HOME": str(tmp_path)}))
    hook.socket = hook.state / "memd.sock"
    hook.ready("SessionStart.compact", b"from disk")
    command = [*PYTHON, str(SCRIPT), "claude-code", "SessionStart"]
    assert hook.run(command=command, env=env, payload=COMPACT) == b"from disk"
    with hook.peer(replying(b"text 4\nlive")):
        assert hook.run(command=command, env=env, payload=COMPACT) == b"live"


def default_state(env):
    """Where memd's own settings put the state in this environment."""
    code = "import platformdirs; print(platformdirs.user_state_path('memd', appauthor=False), end='')"
    return subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, check=True, text=True).stdout


def test_options_may_stand_anywhere(hook):
    """Install decides where it writes them."""
    hook.ready("SessionStart.compact.1", b"x")
    before = [*PYTHON, str(SCRIPT), "--state", str(hook.state), "claude-code", "SessionStart", "--socket", "s", "1"]
    assert hook.run(command=before, payload=COMPACT) == b"x"


# --- sub-agents


@pytest.mark.parametrize("words", [("claude-code", "SessionStart"), ("codex", "UserPromptSubmit")])
def test_a_sub_agent_gets_nothing_and_the_daemon_is_told(hook, words):
    """The parent's checkpoint is not for its sub-agents, neither from the daemon nor from the disk."""
    hook.ready("SessionStart", b"parent's")
    hook.ready("UserPromptSubmit", b"parent's", tool="codex")
    payload, seen = event(words[1], agent_id="ab6b9b13526b575f1", agent_type="Explore"), []

    def talk(connection):
        seen.append(receive(connection)[1])
        connection.sendall(b"text 8\nparent's")

    assert hook.run(*words, payload=payload) == b""
    with hook.peer(talk):
        assert hook.run(*words, payload=payload) == b""
    assert seen == [payload]


@pytest.mark.parametrize("agent", ["a/b:c", "代理", "", "x" * 1000])
def test_a_sub_agent_of_any_name_gets_nothing(hook, agent):
    """The field alone tells, whatever a later client calls its sub-agents."""
    hook.ready("SessionStart", b"parent's")
    assert hook.run("claude-code", "SessionStart", payload=event(agent_id=agent)) == b""


def test_words_about_an_agent_id_make_no_sub_agent(hook):
    """A prompt that quotes the field, or a client that writes it as null, is the main agent's."""
    hook.ready("SessionStart", b"mine")
    for more in ({"prompt": 'what is "agent_id": "x"?'}, {"agent_id": None}, {"note": "agent_id"}):
        assert hook.run("claude-code", "SessionStart", payload=event(**more)) == b"mine"


# --- nobody home, or not in time


def stale(path):
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))


@pytest.mark.parametrize(
    "place",
    [lambda _: None, stale, Path.mkdir, Path.touch, lambda path: path.symlink_to(path), os.mkfifo],
    ids=["missing", "stale", "directory", "file", "loop", "fifo"],
)
def test_without_a_daemon_the_disk_answers(hook, place):
    """A socket that is missing, refuses, or is no socket at all costs nothing."""
    hook.ready("SessionStart.compact", b"from disk")
    place(hook.socket)
    assert hook.run("claude-code", "SessionStart", payload=COMPACT) == b"from disk"


def test_a_socket_path_that_is_too_long(hook):
    """More than the kernel takes is the same as nobody there."""
    hook.ready("SessionStart.compact", b"from disk")
    hook.socket = hook.socket.with_name("s" * 200)
    assert hook.run("claude-code", "SessionStart", payload=COMPACT) == b"from disk"


@pytest.mark.parametrize(("words", "at_least"), [(("SessionStart", "1"), 0.9), (("PreCompact",), 1.9)])
@pytest.mark.parametrize("start", [b"", b"text 100\nhalf of it"])
def test_a_daemon_that_never_answers(hook, words, at_least, start):
    """After a second (PreCompact two) the disk answers; half a reply that goes on for ever counts as none."""
    hook.ready("SessionStart.compact.1", b"from disk")
    hook.ready("PreCompact", b"from disk")
    done = threading.Event()

    def talk(connection):
        connection.sendall(start)
        done.wait(PATIENT)

    with hook.peer(talk):
        before = time.monotonic()
        try:
            assert hook.run("claude-code", *words, payload=COMPACT) == b"from disk"
        finally:
            done.set()
    assert at_least < time.monotonic() - before < at_least + 20


def test_a_daemon_that_takes_nothing(hook):
    """A payload larger than the socket's buffer and a daemon that does not read: the deadline holds there too."""
    hook.ready("SessionStart.compact", b"from disk")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(hook.socket))
        listener.listen()
        payload = COMPACT[:-1] + b', "model": "' + b"m" * 4_000_000 + b'"}'
        assert hook.run("claude-code", "SessionStart", payload=payload) == b"from disk"


def test_a_full_backlog(hook):
    """A daemon that hangs before accept() blocks connect(); the deadline holds there too."""
    hook.ready("SessionStart.compact", b"from disk")
    with socket.socket(socket.AF_UNIX) as listener, socket.socket(socket.AF_UNIX) as first:
        listener.bind(str(hook.socket))
        listener.listen(0)
        first.connect(str(hook.socket))
        assert hook.run("claude-code", "SessionStart", payload=COMPACT) == b"from disk"


def test_an_alarm_that_the_parent_blocks_or_ignores(hook):
    """The deadline does not depend on the signal state that the agent happens to pass on."""
    hook.ready("SessionStart.compact", b"from disk")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(hook.socket))
        listener.listen()
        setup = "import signal, os, sys; signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM]);"
        setup += "signal.signal(signal.SIGALRM, signal.SIG_IGN); os.execv(sys.argv[1], sys.argv[1:])"
        command = [sys.executable, "-c", setup, *hook.command("claude-code", "SessionStart")]
        assert hook.run(command=command, payload=COMPACT) == b"from disk"


# --- stdin and stdout


def test_an_empty_stdin(hook):
    """No payload, no session, nothing to say."""
    assert hook.run("claude-code", "SessionStart", payload=b"") == b""


@pytest.mark.parametrize("event", ["SessionStart", "PreCompact", "UserPromptSubmit"])
def test_a_defect_of_its_own_is_silent(hook, tmp_path, event):
    """Whatever goes wrong inside: no output and exit 0, which no version of a client takes for a veto."""
    broken = tmp_path / "memd_hook.py"
    broken.write_text(SCRIPT.read_text().replace("def read(", "def read(*_):\n    raise RuntimeError\n\n\ndef unread("))
    hook.ready("PreCompact", b"from disk")
    assert hook.run(command=[*PYTHON, str(broken), *hook.command("claude-code", event)[4:]], payload=COMPACT) == b""


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_descriptors(hook, closed):
    """An agent may start its hooks without any of the three."""
    hook.ready("SessionStart.compact", b"from disk")
    command = ["/bin/sh", "-c", f'exec "$@" {closed}', "sh", *hook.command("claude-code", "SessionStart")]
    with hook.peer(replying(b"text 4\nlive")):
        out = hook.run(command=command, payload=COMPACT)
    assert out == (b"live" if closed == "2>&-" else b"")


def test_a_stdin_that_is_never_closed(hook):
    """An agent that forgets to close the pipe waits for a second, and what came until then still counts."""
    hook.ready("SessionStart.compact", b"from disk")
    here, there = os.pipe()
    os.write(there, COMPACT)
    try:
        assert hook.run("claude-code", "SessionStart", stdin=here) == b"from disk"
    finally:
        os.close(here)
        os.close(there)


def test_a_payload_that_is_cut_in_its_session_id(hook):
    """Half an id is nobody's."""
    hook.ready("SessionStart", b"somebody's", session=SESSION[:9])
    assert hook.run("claude-code", "SessionStart", payload=b'{"session_id": "' + SESSION[:9].encode()) == b""


def test_a_stdin_that_cannot_be_read(hook):
    """A descriptor that is open for writing only is an error like any other."""
    here = os.open(os.devnull, os.O_WRONLY)
    try:
        assert hook.run("claude-code", "SessionStart", stdin=here) == b""
    finally:
        os.close(here)


def test_pipes_that_do_not_block(hook):
    """Some parents share non-blocking pipes: the payload may come late and the reply may not fit at once."""
    text = b"x" * 300_000
    hook.ready("SessionStart.compact", text)
    stdin, payload_end = os.pipe()
    output, stdout = os.pipe()
    os.set_blocking(stdin, False)
    os.set_blocking(stdout, False)
    with subprocess.Popen(
        hook.command("claude-code", "SessionStart"), stdin=stdin, stdout=stdout, stderr=subprocess.PIPE, env={}
    ) as process:
        os.close(stdin)
        os.close(stdout)
        time.sleep(0.2)
        os.write(payload_end, COMPACT)
        os.close(payload_end)
        time.sleep(0.2)
        with open(output, "rb") as file:
            assert file.read() == text
        assert (process.wait(PATIENT), process.stderr.read()) == (0, b"")


def test_a_reader_that_went_away(hook):
    """A closed pipe at stdout is no reason for a word or an exit code."""
    hook.ready("SessionStart.compact", b"x" * 500_000)
    output, stdout = os.pipe()
    os.close(output)
    with subprocess.Popen(
        hook.command("claude-code", "SessionStart"),
        stdin=subprocess.PIPE,
        stdout=stdout,
        stderr=subprocess.PIPE,
        env={},
    ) as process:
        os.close(stdout)
        assert process.communicate(COMPACT, PATIENT)[1] == b""
    assert process.returncode == 0


def test_a_reader_that_takes_nothing(hook):
    """A reply that nobody takes keeps no process for ever, even after a daemon that used up the first second."""
    hook.ready("SessionStart.compact", b"x" * 500_000)
    output, stdout = os.pipe()
    command, pipe = hook.command("claude-code", "SessionStart"), subprocess.PIPE
    with socket.socket(socket.AF_UNIX) as hanging:
        hanging.bind(str(hook.socket))
        hanging.listen()
        with subprocess.Popen(command, stdin=pipe, stdout=stdout, stderr=pipe, env={}) as process:
            os.close(stdout)
            assert process.communicate(COMPACT, PATIENT)[1] == b""
    os.close(output)
    assert process.returncode == 0


def test_an_interrupt_is_silent(hook):
    """Ctrl-C reaches the whole foreground group; the hook ends without a traceback."""
    here, there = os.pipe()
    with subprocess.Popen(
        hook.command("claude-code", "SessionStart"), stdin=here, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={}
    ) as process:
        os.write(there, b"{")
        while int.from_bytes(fcntl.ioctl(there, termios.FIONREAD, bytes(4)), sys.byteorder):
            time.sleep(0.01)  # it reads: it has started
        process.send_signal(2)
        assert process.communicate(timeout=PATIENT) == (b"", b"")
    os.close(here)
    os.close(there)
    assert process.returncode == 0


def test_a_payload_beyond_the_limit(hook):
    """More than the daemon takes is read to its end (the agent must not meet a broken pipe) and answered from disk."""
    hook.ready("SessionStart.compact", b"from disk")
    seen = []
    with hook.peer(lambda connection: seen.append(connection.recv(10))):
        # The machine may need more than the second for 65 MB: then, too, the disk answers.
        payload = COMPACT[:-1] + b', "model": "' + b"m" * (65 * 2**20) + b'"}'
        assert hook.run("claude-code", "SessionStart", payload=payload) == b"from disk"
    assert seen == []


def test_a_large_payload_reaches_the_daemon_whole(hook):
    """A tool's result of a few megabytes is an ordinary event."""
    payload = event("PostToolUse", tool_response="記" * 1_000_000)

    async def answer(request):
        return b"whole" if request.payload == payload else b"cut"

    with hook.daemon(answer):
        assert hook.run("claude-code", "PostToolUse", payload=payload) == b"whole"


# --- what it is made of


def test_it_loads_next_to_nothing(hook):
    """Every import is paid at every event: built-in modules and `_socket`, no json, os or re."""
    code = (
        f"import sys, posix; sys.path.insert(0, {str(SCRIPT.parent)!r}); before = set(sys.modules); import memd_hook;"
    )
    code += "posix.write(1, ' '.join(set(sys.modules) - before).encode())"
    loaded = hook.run(command=[*PYTHON, "-B", "-c", code]).decode().split()
    assert set(loaded) <= {"memd_hook", "_socket"}


@pytest.mark.parametrize("make", [made_of_zeros, os.mkfifo, os.mkdir, lambda path: path.symlink_to("/dev/zero")])
def test_what_is_no_text_on_disk_is_not_given(hook, make):
    """What a power cut left of a reply, and what is no file at all: nothing is said, and nobody waits for it."""
    hook.ready("SessionStart.compact.1", b"")
    path = hook.state / "sessions" / "claude-code" / SESSION / "ready" / "SessionStart.compact.1"
    path.unlink()
    make(path)
    assert hook.run("claude-code", "SessionStart", "1", payload=COMPACT) == b""
