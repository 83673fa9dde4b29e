"""A made-up agent that nobody uses: it shows that a tool that memd only reads is one module."""

import json
from pathlib import Path

from memd.model import Channel, Delivery, Envelope, Facts, Gap, Message, Origin, Source, TurnEnd
from memd.provenance import classify
from memd.tools.fields import string
from memd.tools.jsonl import objects
from memd.tools.protocol import Identity, Place
from memd.tools.reader_only import ReaderOnly

_ORIGINS = {
    "keyboard": Envelope(Origin.PERSON),
    "job": Envelope(Origin.JOB),
    "agent": Envelope(Origin.AGENT, Delivery.CONTEXT),
}


class ChatLog(ReaderOnly):
    """Rows are `{"from": "keyboard"|"job"|"agent", "text", "cwd"?}`, in `~/.chatlog/<session>.chat`."""

    name = "chatlog"

    def place(self, environ):
        home = Path(environ["HOME"]) / ".chatlog"
        return Place(home, (home,), home.is_dir())

    def wanted(self, path):
        return path.endswith(".chat")

    def identify(self, path, head):
        return Identity(path.stem)

    def claims(self, path, head):
        return self.wanted(str(path)) and any(string(row, "from") for line in head for row in objects(line)[0])

    def start(self, identity):
        return {"rows": 0}

    def feed(self, state, line):
        rows, gaps = objects(line.data)
        events = list(gaps)
        for row in rows:
            state = {"rows": state["rows"] + 1}
            events += self._row(state, row, line)
        return state, tuple(events)

    def _row(self, state, row, line):
        envelope = _ORIGINS.get(string(row, "from"))
        if envelope is None:
            return [Gap("unknown", json.dumps(row.get("from")))]
        channel, grade = classify(envelope)
        key, source = f"row-{state['rows']}", Source(line.offset, line.length)
        said = Message(key, None, channel, grade, string(row, "text"), source)
        ended = [TurnEnd(None)] if channel is Channel.AGENT_TEXT else []
        return [*([Facts(cwd=row["cwd"])] if string(row, "cwd") else []), said, *ended]
