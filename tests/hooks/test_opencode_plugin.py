"""The plugin for OpenCode on its own, in node, against a daemon of the test's making: what it asks, gives, notes, and survives.

`Plugin.call` holds the promise that every test here shares: a hook ends in time and throws nothing, and the plugin prints not
a byte. That OpenCode really behaves as these calls do is shown with the real client, in `tests/clients`.
"""

import json
import os
import shutil
import subprocess
from contextlib import contextmanager
from pathlib import Path

import pytest
from fake_daemon import fake_daemon, text
from process import eventually

PLUGIN = Path(__file__).parents[2] / "hooks" / "opencode" / "memd.js"
DRIVER = Path(__file__).parent / "plugin_driver.mjs"
SESSION, CHILD = "ses_dd5676abaffe1wR0FjBorUF8Od", "ses_dd56764b1ffeaPoUx410vvPxQd"
SESSIONS = {SESSION: {"id": SESSION}, CHILD: {"id": CHILD, "parentID": SESSION}}
TITLE, SUMMARISER = "You are a title generator.\n", "You are a context summarization agent.\n"
AGENTS = [
    {"name": "build", "mode": "primary"},
    {"name": "title", "prompt": TITLE},
    {"name": "compaction", "prompt": SUMMARISER},
    {"name": "explore", "prompt": "You are a file search specialist.\n"},
]
MODEL = {"providerID": "scripted", "id": "m1", "limit": {"context": 60_000, "output": 4_000}}
SYSTEM = "You are opencode.\n<env>\n  Working directory: /w\n</env>"
GIVEN = "memd: what was agreed\nmemd checkpoint 3 of opencode:ses_x ends here; receipt ABC123\n"
SCREEN = ["bun", "/$bunfs/root/src/cli/tui/worker.js"]
SLACK = 0.6  # seconds: what the plugin allows itself, and as much for a busy machine

pytestmark = pytest.mark.skipif(
    shutil.which("node") is None and not os.environ.get("CI"), reason="node is not installed, the plugin needs it"
)


class Plugin:
    """The plugin in a home with a state directory."""

    def __init__(self, folder):
        self.state = folder / "state"
        self.state.mkdir()
        self.socket = self.state / "memd.sock"
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "PLUGIN": str(PLUGIN),
            "MEMD_STATE_DIR": str(self.state),
            "SESSIONS": json.dumps(SESSIONS),
            "AGENTS": json.dumps(AGENTS),
            "ARGV": json.dumps(SCREEN),
        }
        self.slowest = 0.0

    @contextmanager
    def running(self, **env):
        """One process of OpenCode's, as far as the plugin can see."""
        process = subprocess.Popen(
            ["node", DRIVER],
            env=self.env | env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.process = process
        try:
            yield self
            rest, errors = process.communicate(timeout=30)
            assert (process.returncode, rest, errors) == (0, "", "")
        finally:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout, process.stderr):
                stream.close()

    def call(self, hook, input_, output=None, **more):
        print(json.dumps({"hook": hook, "input": input_, "output": output} | more), file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        assert line.startswith("{"), line
        answer = json.loads(line)
        self.slowest = max(self.slowest, answer["ms"] / 1000)
        return answer["output"]

    def request(self, session=SESSION, system=SYSTEM, **more):
        """What one request to the model carries as system messages."""
        output = self.call(
            "experimental.chat.system.transform", {"sessionID": session, "model": MODEL}, {"system": [system]}, **more
        )
        return output["system"]

    def sent(self, session=SESSION, agent="build", message="msg_1", model=MODEL):
        """The hook that comes when a request's system messages are final."""
        self.call("chat.params", {"sessionID": session, "agent": agent, "model": model, "message": {"id": message}}, {})

    def prompt(self, message="msg_1", session=SESSION, parts=None):
        parts = parts or [{"type": "text", "id": "prt_1", "text": "hello"}]
        self.call(
            "chat.message", {"sessionID": session}, {"message": {"id": message, "sessionID": session}, "parts": parts}
        )

    def event(self, type_, **properties):
        self.call("event", {"event": {"type": type_, "properties": properties}})

    def announces(self, call, tool="read", session=SESSION, **args):
        """The hook before a call."""
        self.call("tool.execute.before", {"tool": tool, "sessionID": session, "callID": call}, {"args": args})

    def messages(self, *parts, session=SESSION):
        """What a request makes of a message's parts."""
        output = self.call(
            "experimental.chat.messages.transform",
            {},
            {"messages": [{"info": {"sessionID": session}, "parts": list(parts)}]},
        )
        return output["messages"][0]["parts"]

    def compacting(self, session=SESSION):
        return self.call("experimental.session.compacting", {"sessionID": session}, {"context": []})

    def folder(self, session=SESSION):
        return self.state / "sessions" / "opencode" / session

    def ready(self, event, words, session=SESSION):
        path = self.folder(session) / "ready" / event
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(words, encoding="utf-8")

    def notes(self, session=SESSION, *, kind=None):
        path = self.folder(session) / "notes.jsonl"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        found = [json.loads(line) for line in lines]
        return [{k: v for k, v in note.items() if k != "at"} for note in found if kind in {None, note["type"]}]


@pytest.fixture
def plugin(tmp_path):
    return Plugin(tmp_path)


def test_the_protocol_is_the_daemons(plugin):
    """The line, the payloads of the three events, and the answer, literally."""
    answers = {"Request": text(GIVEN), "PreCompact": text("keep the mission")}
    with fake_daemon(plugin.socket, answers) as daemon, plugin.running():
        assert plugin.request() == [SYSTEM, GIVEN]
        assert plugin.compacting() == {"context": ["keep the mission"]}
        plugin.event("session.idle", sessionID=SESSION)
        eventually(lambda: daemon.payloads("Note"))

    request = {
        "session_id": SESSION,
        "cwd": "/w",
        "kind": "tui",
        "model": "scripted/m1",
        "context": 60_000,
        "output": 4_000,
    }
    assert [entry for entry in daemon.asked if entry[0] != "Note"] == [
        ("Request", request),
        ("PreCompact", {"session_id": SESSION, "cwd": "/w"}),
    ]
    assert daemon.payloads("Note") == [{"session_id": SESSION}]
    assert daemon.lines[0] == f"1 opencode Request - - {len(json.dumps(request, separators=(',', ':')))}\n"


def test_every_request_of_the_conversation_gets_the_same_bytes(plugin):
    """Also those behind tool calls: a prompt cache holds."""
    with fake_daemon(plugin.socket, {"Request": text(GIVEN)}), plugin.running():
        assert [plugin.request() for _ in range(3)] == [[SYSTEM, GIVEN]] * 3


def test_titles_summaries_and_children_get_nothing(plugin):
    """Nor does the daemon hear of them as requests; a prompt of the person's own for a title is known as well."""
    agents = [agent if agent["name"] != "title" else agent | {"prompt": "Name it."} for agent in AGENTS]
    with (
        fake_daemon(plugin.socket, {"Request": text(GIVEN), "PreCompact": text("keep")}) as daemon,
        plugin.running(AGENTS=json.dumps(agents)),
    ):
        assert plugin.request(system="Name it.\nAnd the person's own system text") == [
            "Name it.\nAnd the person's own system text"
        ]
        assert plugin.request(system=SUMMARISER) == [SUMMARISER]
        assert plugin.request(session=CHILD) == [SYSTEM]
        assert plugin.compacting(session=CHILD) == {"context": []}
        plugin.prompt(session=CHILD)
        plugin.sent(session=CHILD)

    assert daemon.asked == []
    assert not plugin.folder(CHILD).exists()


def test_a_child_is_known_from_its_event_too(plugin):
    """OpenCode tells who started a session when it is made, and again when it changes."""
    with fake_daemon(plugin.socket, {"Request": text(GIVEN)}), plugin.running(SESSIONS="{}"):
        plugin.event("session.created", sessionID=CHILD, info={"id": CHILD, "parentID": SESSION})
        assert plugin.request(session=CHILD) == [SYSTEM]
        assert plugin.request() == [SYSTEM, GIVEN]


@pytest.mark.parametrize("env", [{"SESSIONS": "null", "AGENTS": "null"}, {"AGENTS": "[]"}])
def test_a_client_that_tells_nothing_still_gets_the_text(plugin, env):
    """Where its own API fails, a request for a title is known by what its system message lacks."""
    with fake_daemon(plugin.socket, {"Request": text(GIVEN)}), plugin.running(**env):
        assert plugin.request() == [SYSTEM, GIVEN]
        assert plugin.request(system=TITLE) == [TITLE]


def test_two_copies_of_the_plugin_give_one_text(plugin):
    """Somebody may have it in two folders."""
    with fake_daemon(plugin.socket, {"Request": text(GIVEN)}), plugin.running():
        output = plugin.call(
            "experimental.chat.system.transform", {"sessionID": SESSION, "model": MODEL}, {"system": [SYSTEM, GIVEN]}
        )
    assert output == {"system": [SYSTEM, GIVEN]}


WRONG = {
    "the disk is best": b"disk 0\n",
    "garbage": os.urandom(5000).replace(b"\n", b"") + b"\n",
    "no end of the line": b"x" * 200,
    "half an answer": text(GIVEN)[:-20],
    "an answer and more": text(GIVEN) + b"more",
    "no text": b"text 2\n\xff\xfe",
    "a length that nobody can hold": b"text 99999999\n",
    "no number": b"text many\nwords",
    "nothing at all": b"",
    "silence": None,
}


@pytest.mark.parametrize("answer", WRONG.values(), ids=WRONG.keys())
def test_the_disk_serves_where_the_daemon_does_not(plugin, answer):
    """A wrong, cut or missing answer is none: what lies ready is given, for both events, in time."""
    plugin.ready("Request", GIVEN)
    plugin.ready("PreCompact", "keep the mission")
    with fake_daemon(plugin.socket, {"Request": answer, "PreCompact": answer}), plugin.running():
        assert plugin.request() == [SYSTEM, GIVEN]
        assert plugin.compacting() == {"context": ["keep the mission"]}
    assert plugin.slowest < SLACK


def test_the_disk_serves_without_a_daemon(plugin):
    """No socket, a plain file in its place, one that nobody listens at."""
    plugin.ready("Request", GIVEN)
    with plugin.running():
        assert plugin.request() == [SYSTEM, GIVEN]
        plugin.socket.write_text("no socket", encoding="utf-8")
        assert plugin.request() == [SYSTEM, GIVEN]
        plugin.socket.unlink()
        with fake_daemon(plugin.socket, {}):
            pass
        assert plugin.request() == [SYSTEM, GIVEN]


def test_a_compaction_without_a_daemon_brings_the_text_that_was_laid_for_it(plugin):
    """Else what stood since the one before would stand on, without what was said meanwhile; in later processes too."""
    plugin.ready("Request", GIVEN)
    plugin.ready("Next", "what came since")
    with plugin.running():
        assert plugin.request() == [SYSTEM, GIVEN]
        plugin.compacting()
        assert plugin.request() == [SYSTEM, GIVEN]
        plugin.event("session.compacted", sessionID=SESSION)
        assert plugin.request() == [SYSTEM, "what came since"]
    with plugin.running():
        assert plugin.request() == [SYSTEM, "what came since"]
    assert {path.name for path in (plugin.folder() / "ready").iterdir()} == {"Request", "Next"}


def test_a_daemon_that_is_back_when_the_compaction_is_over_has_laid_its_own(plugin):
    """What it laid is of this compaction already, and the text beside it is for the one after."""
    link = plugin.folder() / "ready"
    for number in (1, 2):
        place = plugin.folder() / "history" / f"{number:04}" / "ready"
        place.mkdir(parents=True)
        (place / "Request").write_text(f"of compaction {number}", encoding="utf-8")
        (place / "Next").write_text(f"for compaction {number + 1}", encoding="utf-8")
    link.symlink_to("history/0001/ready")
    with plugin.running():
        plugin.compacting()
        link.unlink()
        link.symlink_to("history/0002/ready")
        plugin.event("session.compacted", sessionID=SESSION)
        assert plugin.request() == [SYSTEM, "of compaction 2"]
        plugin.compacting()
        plugin.event("session.compacted", sessionID=SESSION)
        assert plugin.request() == [SYSTEM, "for compaction 3"]


def test_a_clock_that_is_set_back_keeps_no_daemon_from_being_asked(plugin):
    """A daemon that was silent rests for seconds, whatever the wall says; the sign of life comes at once."""
    plugin.ready("Request", GIVEN)
    with fake_daemon(plugin.socket, {"Request": None}) as daemon, plugin.running():
        plugin.request()
        plugin.call(None, None, clock=-3_600_000)
        alive = (plugin.state / "opencode" / "alive.json").read_text()
        plugin.event("session.idle", sessionID=SESSION)
        assert (plugin.state / "opencode" / "alive.json").read_text() != alive
        plugin.call(None, None, later=11_000)
        plugin.request()
    assert len(daemon.payloads("Request")) == 2


def test_a_compaction_beside_a_daemon_leaves_the_disk_to_it(plugin):
    """It lays the text itself."""
    plugin.ready("Request", GIVEN)
    plugin.ready("Next", "what came since")
    with fake_daemon(plugin.socket, {"PreCompact": text("keep the mission")}), plugin.running():
        plugin.compacting()
        plugin.event("session.compacted", sessionID=SESSION)
        assert plugin.request() == [SYSTEM, GIVEN]


def test_a_silent_daemon_costs_one_wait(plugin):
    """A turn of many requests is not delayed at each of them."""
    plugin.ready("Request", GIVEN)
    with fake_daemon(plugin.socket, {"Request": None}) as daemon, plugin.running():
        assert [plugin.request() for _ in range(5)] == [[SYSTEM, GIVEN]] * 5
    assert len(daemon.payloads("Request")) == 1


def test_a_busy_client_is_no_slow_daemon(plugin):
    """While OpenCode itself holds the process, no answer can be heard: that time counts for nothing."""
    with fake_daemon(plugin.socket, {"Request": text(GIVEN)}), plugin.running():
        assert plugin.request(busy=700) == [SYSTEM, GIVEN]


def test_a_state_directory_that_is_not_there_or_not_ours_gets_nothing(plugin, tmp_path):
    """No memd is installed, a file lies in its place: the client goes on, and nothing is made."""
    plugin.state.rmdir()
    with plugin.running():
        plugin.prompt()
        assert plugin.request() == [SYSTEM]
    assert not plugin.state.exists()
    plugin.state.write_text("a file", encoding="utf-8")
    with plugin.running():
        plugin.prompt()
        assert plugin.request() == [SYSTEM]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["state"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_what_belongs_to_somebody_else_is_left_alone(plugin):
    """Another user's state directory is neither read nor written, another user's socket not asked."""
    plugin.ready("Request", GIVEN)
    with fake_daemon(plugin.socket, {"Request": text("of another")}) as daemon:
        os.chown(plugin.socket, 65_534, 65_534)
        with plugin.running():
            assert plugin.request() == [SYSTEM, GIVEN]
        os.chown(plugin.state, 65_534, 65_534)
        with plugin.running():
            plugin.prompt()
            assert plugin.request() == [SYSTEM]
    assert daemon.asked == []
    assert plugin.notes() == []


def test_a_socket_in_a_folder_where_anybody_may_write_is_not_asked(plugin, tmp_path):
    """Somebody else could have put their own there; with the sticky bit they cannot."""
    public = tmp_path / "public"
    public.mkdir()
    with fake_daemon(public / "memd.sock", {"Request": text(GIVEN)}):
        for mode, given in [(0o777, []), (0o1777, [GIVEN])]:
            public.chmod(mode)
            with plugin.running(MEMD_SOCKET=str(public / "memd.sock")):
                assert plugin.request() == [SYSTEM, *given]


def test_a_relative_place_gives_nothing(plugin, monkeypatch):
    """It would be another folder wherever the client is started: nothing is asked, given or noted."""
    monkeypatch.chdir(plugin.state.parent)
    with fake_daemon(plugin.state / "memd.sock", {"Request": text(GIVEN)}) as daemon:
        with plugin.running(MEMD_STATE_DIR=plugin.state.name):
            plugin.prompt()
            assert plugin.request() == [SYSTEM]
        assert daemon.asked == []
    assert plugin.notes() == []


def test_a_prompt_is_noted_with_its_process_and_its_parts(plugin):
    """Only what nobody marked as the client's own is the person's."""
    parts = [
        {"type": "text", "id": "prt_1", "text": "look at @a.txt"},
        {"type": "text", "id": "prt_2", "text": "Called the Read tool", "synthetic": True},
        {"type": "text", "id": "prt_3", "text": "not for the model", "ignored": True},
        {"type": "file", "id": "prt_4"},
    ]
    with plugin.running():
        plugin.prompt(parts=parts)

    assert plugin.notes() == [
        {
            "v": 1,
            "type": "message",
            "session_id": SESSION,
            "message_id": "msg_1",
            "kind": "tui",
            "command": None,
            "parts": ["prt_1"],
        }
    ]
    path = plugin.folder() / "notes.jsonl"
    modes = [entry.stat().st_mode & 0o777 for entry in (path, path.parent, path.parent.parent, path.parents[2])]
    assert modes == [0o600, 0o700, 0o700, 0o700]


def test_a_command_is_noted_with_its_arguments(plugin):
    """The message that follows is its template, the next one is the person's again."""
    with plugin.running():
        plugin.call(
            "command.execute.before", {"command": "greet", "sessionID": SESSION, "arguments": "Ada\n“L”"}, {"parts": []}
        )
        plugin.prompt("msg_other", session="ses_other")
        plugin.prompt("msg_1")
        plugin.prompt("msg_2")

    assert [(note["command"], note["parts"]) for note in plugin.notes()] == [
        ({"name": "greet", "arguments": "Ada\n“L”"}, []),
        (None, ["prt_1"]),
    ]
    assert [note["command"] for note in plugin.notes("ses_other")] == [None]


def test_messages_that_no_prompt_made_are_noted_once(plugin):
    """A shell command or the client's own message has no hook, only an event; a fork's copies are old."""
    now = json.loads(subprocess.run(["node", "-p", "Date.now()"], capture_output=True, check=True).stdout)
    info = {"role": "user", "time": {"created": now}}
    with plugin.running():
        plugin.prompt("msg_1")
        for ident, more in [
            ("msg_1", {}),
            ("msg_2", {}),
            ("msg_2", {}),
            ("msg_3", {"time": {"created": now - 600_000}}),
        ]:
            plugin.event("message.updated", sessionID=SESSION, info=info | more | {"id": ident})
        plugin.event("message.updated", sessionID=SESSION, info=info | {"id": "msg_4", "role": "assistant"})

    assert [(note["message_id"], note["parts"]) for note in plugin.notes()] == [("msg_1", ["prt_1"]), ("msg_2", [])]


def test_the_window_is_noted_when_it_changes(plugin):
    """The database has none."""
    small = MODEL | {"id": "m2", "limit": {"context": 30_000, "input": 20_000, "output": 4_000}}
    with plugin.running():
        for model, agent in [(MODEL, "build"), (MODEL, "plan"), (small, "title"), (small, "build")]:
            plugin.sent(model=model, agent=agent)

    assert plugin.notes(kind="window") == [
        {"v": 1, "type": "window", "session_id": SESSION, "model": "scripted/m1", "context": 60_000, "output": 4_000},
        {
            "v": 1,
            "type": "window",
            "session_id": SESSION,
            "model": "scripted/m2",
            "context": 30_000,
            "input": 20_000,
            "output": 4_000,
        },
    ]


def test_an_injection_is_noted_once_for_each_text_and_compaction(plugin):
    """When the request goes out with it, not when it is asked for; a title's request that comes between does not count."""
    with fake_daemon(plugin.socket, {"Request": text(GIVEN)}) as daemon, plugin.running():
        plugin.request()
        assert plugin.notes(kind="injected") == []
        plugin.request(system=TITLE)
        plugin.sent(agent="title")
        plugin.sent(message="msg_1")
        for _ in range(3):
            plugin.request()
            plugin.sent(message="msg_1")
        plugin.event("session.compacted", sessionID=SESSION)
        plugin.request()
        plugin.sent(message="msg_2")
        daemon.answers["Request"] = text("one line without an end mark")
        plugin.request()
        plugin.sent(message="msg_3")
        plugin.sent(message="msg_4")

    noted = [(note["number"], note["code"], note["message_id"]) for note in plugin.notes(kind="injected")]
    assert noted == [(3, "ABC123", "msg_1"), (3, "ABC123", "msg_2"), (None, None, "msg_3")]


ADVICE = "memd: note: `a.toml` was read before the compaction (#3)"


def result(call, status="completed", **state):
    kept = {"completed": {"output": "value = 1"}, "error": {"error": "no such file"}}.get(status, {})
    return {"type": "tool", "callID": call, "state": {"status": status, **kept, **state}}


def test_advice_stands_behind_the_call_s_result(plugin):
    """In the next request and in all later ones, those of another process too; a failed call has it behind its error."""
    words, call = {"type": "text", "text": "x"}, result("c1")
    said = [words, result("c1", output=f"value = 1\n\n{ADVICE}"), result("c2")]
    with fake_daemon(plugin.socket, {"Call": text(ADVICE)}) as daemon, plugin.running():
        plugin.sent(message="msg_7")
        plugin.announces("c1", filePath="/w/a.toml")
        assert plugin.messages(words, call, result("c2")) == said
        assert plugin.messages(result("c1", "running")) == [result("c1", "running")]
        assert plugin.messages(result("c1", "error")) == [result("c1", "error", error=f"no such file\n\n{ADVICE}")]
        assert plugin.messages(call, session="ses_other") == [call]
        plugin.compacting()
        assert plugin.messages(call) == [call]
        assert plugin.messages(words, call, result("c2")) == said
    asked = {"session_id": SESSION, "cwd": "/w", "turn": "msg_7", "call_id": "c1", "tool": "read"}
    assert daemon.payloads("Call") == [asked | {"args": {"filePath": "/w/a.toml"}}]
    with plugin.running():
        assert plugin.messages(words, call, result("c2")) == said
    noted = {"v": 1, "type": "advised", "session_id": SESSION, "call_id": "c1", "message_id": "msg_7", "text": ADVICE}
    assert plugin.notes(kind="advised") == [noted]


def test_only_reading_editing_and_shell_calls_are_announced(plugin):
    """Not those of a sub-agent, and of a long text only its beginning; without a daemon nothing is said."""
    with fake_daemon(plugin.socket, {"Call": text("")}) as daemon, plugin.running():
        for tool in ("read", "write", "apply_patch", "bash", "grep", "task", "todowrite", "mcp_search"):
            plugin.announces(tool, tool, content="x" * 50_000)
        plugin.announces("c9", session=CHILD)
    asked = daemon.payloads("Call")
    assert [one["tool"] for one in asked] == ["read", "write", "apply_patch", "bash"]
    assert {len(one["args"]["content"]) for one in asked} == {20_000}
    with plugin.running():
        plugin.announces("c1")
        assert plugin.messages(result("c1")) == [result("c1")]
    assert plugin.notes(kind="advised") == []


@pytest.mark.parametrize(
    "odd", [{"messages": None}, {"messages": [None]}, {"messages": [{"info": {}, "parts": [7]}]}, {}]
)
def test_messages_of_another_shape_are_left_alone(plugin, odd):
    """A client of another version loses no request."""
    with plugin.running():
        assert plugin.call("experimental.chat.messages.transform", {}, odd) == odd


def test_a_sign_of_life_is_left(plugin):
    """Which process and which version of the plugin ran, and when; whole at any time."""
    with plugin.running():
        plugin.prompt()

    alive = json.loads((plugin.state / "opencode" / "alive.json").read_text(encoding="utf-8"))
    assert {key: alive[key] for key in ("v", "type", "version", "kind")} == {
        "v": 1,
        "type": "alive",
        "version": 2,
        "kind": "tui",
    }
    assert alive["pid"] == plugin.process.pid
    assert [path.name for path in (plugin.state / "opencode").iterdir()] == ["alive.json"]


@pytest.mark.parametrize(
    ("argv", "kind"),
    [
        (SCREEN, "tui"),
        (["bun", "/$bunfs/root/src/index.js", "--mini"], "tui"),
        (["bun", "/$bunfs/root/src/index.js", "run", "--format", "json", "serve"], "run"),
        (["bun", "/$bunfs/root/src/index.js", "--log-level", "INFO", "run", "--mini"], "run"),
        (["bun", "/$bunfs/root/src/index.js", "serve", "--port", "0"], "serve"),
        (["bun", "/$bunfs/root/src/index.js", "web"], "web"),
        (["bun", "/$bunfs/root/src/index.js", "acp"], "acp"),
        (["bun", "/$bunfs/root/src/index.js"], "other"),
    ],
)
def test_the_kind_of_process_is_read_from_its_command_line(plugin, argv, kind):
    """As OpenCode 1.18.33 starts them; only a screen's is ever called one."""
    with plugin.running(ARGV=json.dumps(argv)):
        plugin.prompt()
    assert [note["kind"] for note in plugin.notes()] == [kind]


def test_values_that_nobody_expects_do_no_harm(plugin):
    """Another version's client may pass anything."""
    with fake_daemon(plugin.socket, {"Request": text(GIVEN)}), plugin.running():
        for hook in (
            "chat.message",
            "chat.params",
            "command.execute.before",
            "event",
            "experimental.session.compacting",
        ):
            for value in (None, {}, [], "text", {"event": {}}, {"sessionID": "../../x"}):
                plugin.call(hook, value, value)
        for session in (None, "", "../../x", 5):
            assert plugin.request(session=session) == [SYSTEM]
    assert not (plugin.state.parent / "x").exists()
