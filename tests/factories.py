"""Records of a made-up session, with everything filled in that a test does not care about.

A `Story` numbers what it is told in order, as a transcript does; `material()` is what the store would give.
"""

from memd.extract.material import SPEAKING, Material
from memd.model import Boundary, Channel, Done, Grade, Kind, Parts, Record, Session, Source, State
from memd.render import Content, Entry, Limits

SESSION = "claude-code:5e551071-0000-4000-8000-000000000001"
START = 1_795_994_339_654
MINUTE = 60_000
LIMITS = Limits(9_900, 4)


class Words:
    """A sizer that needs no tokenizer: a token is four UTF-8 bytes."""

    def count(self, text):
        return (len(text.encode("utf-8", "surrogatepass")) + 3) // 4

    def clip(self, text, budget):
        while self.count(text) > max(budget, 0):
            text = text[: max(len(text) * max(budget, 0) // self.count(text), 0) if len(text) > 40 else len(text) - 1]
        return text


SIZER = Words()


def record(number, text="", channel=Channel.HUMAN_TYPED, **fields):
    given = {"key": f"k{number}", "at": START + number * MINUTE, "grade": Grade.PROVED, "source": Source(0, 1)} | fields
    return Record(number=number, text=text, channel=channel, **given)


def done(number, kind=Kind.COMMAND, target="", state=State.DONE, **fields):
    at = START + number * MINUTE
    names = {Kind.COMMAND: "Bash", Kind.EDIT: "Edit", Kind.CREATE: "Write", Kind.READ: "Read", Kind.TASKS: "TaskUpdate"}
    given = {"call": f"c{number}", "name": names.get(kind, kind.value.title()), "at": at, "ended_at": at} | fields
    return Done(number=number, kind=kind, target=target, state=state, **({"detail": {}, "result": ""} | given))


class Story:
    """A session as it happens."""

    def __init__(self, cwd="/srv/w"):
        self.cwd, self.number, self.ended_at = cwd, 0, None
        self.all, self.calls, self.boundaries = [], [], []

    def says(self, text, channel=Channel.HUMAN_TYPED, **fields):
        self.number += 1
        self.all.append(record(self.number, text, channel, **fields))
        return self.number

    def agent(self, text):
        return self.says(text, Channel.AGENT_TEXT)

    def call(self, kind, target="", state=State.DONE, **fields):
        self.number += 1
        self.calls.append(done(self.number, kind, target, state, **fields))
        return self.number

    def run(self, command, result="", state=State.DONE, **detail):
        code = {"exit": 0} if state is State.DONE else {"exit": 1} if state is State.FAILED else {}
        return self.call(Kind.COMMAND, command, state, result=result, detail={**code, **detail})

    def tasks(self, *listed):
        items = [{"id": str(n), "text": text, "status": status} for n, (text, status) in enumerate(listed, 1)]
        return self.call(Kind.TASKS, "", detail={"items": items})

    def ends(self):
        """The agent ends its turn."""
        self.ended_at = START + self.number * MINUTE + 1

    def compacts(self):
        self.boundaries.append(Boundary(len(self.boundaries) + 1, self.number, START, "auto", 150_000, 9_000))

    def material(self):
        session = Session(
            SESSION, "claude-code", "5e551071", cwd=self.cwd, turn_ended_at=self.ended_at, messages=self.number
        )
        said = tuple(r for r in self.all if r.channel in SPEAKING)
        agent = tuple(r for r in self.all if r.channel is Channel.AGENT_TEXT)
        return Material(session, said, agent, tuple(self.calls), tuple(self.boundaries))


MIND = """# Where I am

- I work in `/srv/w`. (own judgement)

# Goals

## Mission

- M1 [active] Make the gateway survive (#1)

## Workstreams

(none)

# Key decisions

(none)

# Lessons

(none)
"""
SCENE = """## Current step

- The turn on the current request (#1) is running.

## Progress

- changed `gateway.toml` (#5): `30.0` -> `47.5`

## Waiting on

(none)

## Next step

- go on with the latest explicit request

## Pitfalls

(none)

## Exact references

- ran (#7): `make smoke`
"""


def content(*texts, request=None, ticked=True, **fields):
    """Content whose memo holds these messages; the first set the mission, the last is the current request."""
    memo = tuple(
        Entry(text if isinstance(text, Record) else record(n, text), ticked, "first" if n == 1 else "")
        for n, text in enumerate(texts, 1)
    )
    given = {"parts": Parts(MIND, b"# Memo\n", SCENE), "memo": memo, "running": True}
    given["request"] = request or (memo[-1].record if memo else None)
    return Content(SESSION, 7, START, "extractive", "AB12CD", **(given | fields))
