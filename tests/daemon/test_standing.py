"""A tool that takes memd's text anew in every request gets the same bytes, from a compaction to the next."""

import json

import pytest
from chain import Chain
from opencode_session import OpenCodeSession

from memd.daemon.socket import Request
from memd.model import marks
from memd.tools.registry import TOOLS

OPENCODE = TOOLS["opencode"]
MISSION = "Port the billing service to the new ledger."


class Client:
    """A session of OpenCode with memd's plugin, and a daemon beside it."""

    def __init__(self, folder):
        self.chain = Chain(folder)
        notes = self.chain.paths.state / "sessions" / "opencode"
        self.session = OpenCodeSession(folder / "opencode" / "opencode.db", notes=notes)

    def turn(self, text):
        self.session.typed(text)
        self.session.says("Done.")

    def read(self):
        self.chain.worker.hint(OPENCODE, self.session.path)
        self.chain.settle()

    def asks(self):
        """What the plugin gets for the next request, and notes that it put in."""
        payload = json.dumps({"session_id": self.session.session}).encode()
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
    whole = client.asks()
    client.turn("Go on.")
    client.session.compacts()
    brief = client.asks()
    assert MISSION in brief
    assert len(brief) < len(whole) / 2
    for n in range(3):
        client.turn(f"Then step {n}.")
    client.session.compacts()
    assert len(client.asks()) > len(brief) * 2


def test_the_text_lies_on_disk_for_a_plugin_without_a_daemon(client):
    """Byte for byte what the daemon gives."""
    client.session.compacts()
    text = client.asks()
    client.read()
    folder = client.chain.folders.session("opencode", client.session.session)
    assert (folder / "ready" / "Request").read_text() == text
