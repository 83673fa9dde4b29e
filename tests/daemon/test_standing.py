"""A tool that takes memd's text anew in every request gets the same bytes, from a compaction to the next."""

import json
import os

import pytest
from chain import Chain
from opencode_session import OpenCodeSession

from memd import tokens
from memd.daemon import answers
from memd.daemon.setup import project as setup
from memd.daemon.socket import Request
from memd.model import marks
from memd.tools.registry import TOOLS

OPENCODE = TOOLS["opencode"]
MISSION = "Port the billing service to the new ledger."


class Client:
    """A session of OpenCode with memd's plugin, and a daemon beside it."""

    def __init__(self, folder):
        self.chain = Chain(folder)
        (folder / "work").mkdir(exist_ok=True)
        notes = self.chain.paths.state / "sessions" / "opencode"
        self.session = OpenCodeSession(folder / "opencode" / "opencode.db", notes=notes, cwd=str(folder / "work"))

    @property
    def id(self):
        return self.session.id

    def turn(self, text):
        self.session.typed(text)
        self.session.says("Done.")

    def read(self):
        self.chain.worker.hint(OPENCODE, self.session.path)
        self.chain.settle()

    def calls(self, tool, turn="m1", **args):
        """What the plugin gets for a call."""
        asked = {"turn": turn, "call_id": "c", "tool": tool, "args": args, "session_id": self.session.session}
        payload = json.dumps(asked).encode()
        text = self.chain.run(self.chain.answers(Request(1, "opencode", "Call", None, None, payload))).decode()
        self.chain.settle()
        return text

    def asks(self, **more):
        """What the plugin gets for the next request, and notes that it put in."""
        payload = json.dumps({"session_id": self.session.session, **more}).encode()
        text = self.chain.run(self.chain.answers(Request(1, "opencode", "Request", None, None, payload))).decode()
        if found := marks.find(text):
            self.chain.settle()
            self.session.now()
            self.session.injected(found.number, found.code)
        return text


@pytest.fixture
def client(tmp_path):
    client = Client(tmp_path)
    client.turn(MISSION)
    client.read()
    yield client
    client.chain.close()


def test_nothing_stands_before_the_first_compaction(client):
    """The context is whole: nothing has to be given back."""
    assert client.asks() == ""


def test_the_first_request_after_a_compaction_has_the_text(client):
    """Though nobody hinted at the compaction's row yet: the request itself has it read."""
    client.session.compacts()
    text = client.asks()
    assert MISSION in text
    assert marks.find(text).session == client.session.id


def test_the_same_bytes_stand_until_the_next_compaction(client):
    """Turns come and go, checkpoints are made, the daemon starts again; then another compaction makes another text."""
    client.session.compacts()
    first = client.asks()
    for n in range(4):
        client.turn(f"Step {n}.")
        client.read()
        assert client.asks() == first
    client.chain.worker.stop()
    client.chain.worker.join(10)
    again = Client.__new__(Client)
    again.chain, again.session = Chain(client.chain.folder), client.session
    try:
        assert again.asks() == first
        again.session.compacts()
        second = again.asks()
        assert second != first
        assert "Step 3." in second
    finally:
        again.chain.close()


def test_a_compaction_soon_after_the_last_gets_the_short_form(client):
    """Within three turns: mission, request and next step, in some 500 tokens; later the whole text again."""
    for n in range(30):
        client.turn(f"Keep rule {n}: never rename column_{n} of table_{n}, whatever a migration says about it.")
    client.session.compacts()
    client.read()  # so much takes longer than a request waits
    whole = client.asks()
    client.turn("Go on.")
    client.session.compacts()
    client.read()
    brief = client.asks()
    assert MISSION in brief
    assert len(brief) < len(whole) / 2
    for n in range(3):
        client.turn(f"Then step {n}.")
    client.session.compacts()
    client.read()
    assert len(client.asks()) > len(brief) * 2


def test_the_text_lies_on_disk_for_a_plugin_without_a_daemon(client):
    """Byte for byte what the daemon gives."""
    client.session.compacts()
    text = client.asks()
    client.read()
    folder = client.chain.folders.session("opencode", client.session.session)
    assert (folder / "ready" / "Request").read_text() == text


def test_the_text_for_the_next_compaction_lies_beside_it(client):
    """With what was said since; the client may be compacted while the daemon is down."""
    client.session.compacts()
    client.asks()
    for n in range(3):
        client.turn(f"Never drop table {n}.")
    client.read()
    ready = client.chain.folders.session("opencode", client.session.session) / "ready"
    assert "Never drop table 2." not in (ready / "Request").read_text()
    coming = (ready / "Next").read_text()
    assert [n for n in range(3) if f"Never drop table {n}." not in coming] == []
    assert marks.find(coming).session == client.session.id


@pytest.fixture
def ruled(client, tmp_path):
    """A session in a project with a rule, before anything of it was read."""
    setup.init(client.chain.paths.state, tmp_path / "work", in_repo=False)
    (tmp_path / "work" / ".agent" / "constraints.md").write_text("1. Never touch schema.sql.\n", "utf-8")
    fresh = Client.__new__(Client)
    fresh.chain = client.chain
    notes = client.chain.paths.state / "sessions" / "opencode"
    database = tmp_path / "opencode" / "opencode.db"
    fresh.session = OpenCodeSession(database, "ses_2222222222222222222222", notes=notes, cwd=str(tmp_path / "work"))
    fresh.work = tmp_path / "work"
    return fresh


def test_the_bootstrap_stands_from_the_first_request_on(ruled):
    """The same bytes before anything was read, behind turns and a new daemon's start, though the state changed since."""
    first = ruled.asks(cwd=str(ruled.work), context=60_000)
    assert first.startswith("memd: project bootstrap of work")
    assert "1. Never touch schema.sql." in first
    for n in range(2):
        ruled.turn(f"Step {n}.")
        ruled.session.edits(str(ruled.work / "a.toml"), "key = 1", f"key = {n}")
        ruled.read()
        assert ruled.asks(cwd=str(ruled.work)) == first
    assert "edit `a.toml:key`" not in first


def test_it_is_made_anew_when_the_constraints_change(ruled):
    """A rule that people wrote in the meantime holds from the next checkpoint on."""
    first = ruled.asks(cwd=str(ruled.work))
    ruled.turn("Go.")
    (ruled.work / ".agent" / "constraints.md").write_text("1. Never push on Fridays.\n", "utf-8")
    ruled.read()
    second = ruled.asks(cwd=str(ruled.work))
    assert (second != first, "Fridays" in second, "schema.sql" in second) == (True, True, False)


def test_after_a_compaction_its_short_form_stands_with_the_checkpoint(ruled):
    """Constraints once, the project in at most 500 tokens, the checkpoint; never 15 turns without."""
    ruled.asks(cwd=str(ruled.work))
    ruled.turn(MISSION)
    ruled.read()
    ruled.session.compacts()
    text = ruled.asks(cwd=str(ruled.work))
    short = text[text.index("memd: project bootstrap of") :].partition("\n\n")[0]
    assert (text.count("Never touch schema.sql."), MISSION in text) == (1, True)
    assert tokens.count(short) <= 500
    assert [f"\nS{n}0 " in short for n in (1, 2, 3, 4, 5)] == [True] * 5
    for n in range(16):
        ruled.turn(f"Step {n}.")
    ruled.read()
    assert ruled.asks(cwd=str(ruled.work)) == text


def test_in_a_small_window_constraints_and_short_form_stay_within_a_twentieth(ruled):
    """The plugin tells of the window; what does not fit is counted."""
    (ruled.work / ".agent" / "constraints.md").write_text("".join(f"- Keep rule {n}, always.\n" for n in range(99)))
    ruled.session.note("window", model="p/m", context=16_000, output=2_000)
    for n in range(4):
        ruled.turn(f"Step {n} of the work on the small model.")
    ruled.session.compacts()
    ruled.read()
    text = ruled.asks(cwd=str(ruled.work))
    assert tokens.count(text.partition("memd checkpoint")[0]) <= 16_000 * 0.05
    assert "more lines: `.agent/constraints.md`" in text


@pytest.fixture
def second(client, tmp_path, monkeypatch):
    """A session that begins where another one was a while ago."""
    monkeypatch.setattr(answers, "QUIET", 0)
    fresh = Client.__new__(Client)
    fresh.chain, fresh.work = client.chain, str(tmp_path / "work")
    notes = client.chain.paths.state / "sessions" / "opencode"
    fresh.session = OpenCodeSession(client.session.database, "ses_3333333333333333333333", notes=notes, cwd=fresh.work)
    return fresh


def test_on_a_screen_the_session_before_is_named_from_the_first_request_on(client, second):
    """One line, the same bytes through turns: what comes to its end meanwhile does not change it."""
    first = second.asks(cwd=second.work, kind="tui", context=60_000)
    assert first.startswith(
        f'memd: the session before this one in this directory is {client.id} "A title", last active '
    )
    assert "\n" not in first
    for n in range(2):
        second.turn(f"Step {n}.")
        second.read()
        client.turn("And this.")
        client.read()
        assert second.asks(cwd=second.work, kind="tui") == first


def test_it_is_named_as_well_where_the_first_prompt_was_read_before_the_first_request(second):
    """A daemon may be quicker than the client: there is a checkpoint already, and no answer."""
    second.session.typed("Go.")
    second.read()
    first = second.asks(cwd=second.work, kind="tui", context=60_000)
    assert first.startswith("memd: the session before this one in this directory is ")
    assert second.asks(cwd=second.work, kind="tui") == first
    second.session.says("Done.")
    second.read()
    assert second.asks(cwd=second.work, kind="tui") == first


def test_a_session_that_goes_on_is_told_of_none(second):
    """What was answered has begun before: its context stays as it was, for the provider's cache."""
    second.turn("Go.")
    second.read()
    assert second.asks(cwd=second.work, kind="tui", context=60_000) == ""


@pytest.mark.parametrize("kind", ["run", "serve", "web", None])
def test_without_a_screen_no_session_before_is_named(second, kind):
    """Nobody sits there; a server's clients are not told apart."""
    assert second.asks(cwd=second.work, kind=kind, context=60_000) == ""


def test_without_a_project_nothing_stands_before_a_compaction(client):
    """No `.agent/`: the directory alone is no reason to speak."""
    assert client.asks(cwd=str(client.chain.folder / "work")) == ""


def test_advice_before_calls(ruled):
    """What was read and done before a compaction, each once, three lines a turn; the constraints come with no call."""
    config = ruled.work / "a.toml"
    config.write_text("key = 1\n")
    ruled.turn(MISSION)
    ruled.session.typed("Go.")
    ruled.session.runs("cat a.toml")
    for name in ("left-pad", "right-pad", "mid-pad"):
        ruled.session.runs(f"npm install {name}")
    ruled.session.says("Done.")
    os.utime(config, (1_700_000_000, 1_700_000_000))
    ruled.session.compacts()
    ruled.read()
    assert "`a.toml` was read before the compaction" in ruled.calls("read", filePath=str(config))
    assert ruled.calls("read", filePath=str(config)) == ""
    told = [ruled.calls("bash", command=f"npm install {name}") for name in ("left-pad", "right-pad", "mid-pad")]
    assert [("npm install" in text) for text in told] == [True, True, False]
    assert "mid-pad" in ruled.calls("bash", turn="m2", command="npm install mid-pad")
