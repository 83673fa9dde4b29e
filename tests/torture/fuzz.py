"""Every parser with damaged recordings: anything may come out but an exception that is none of its own, or a hang.

    .venv/bin/python tests/torture/fuzz.py --inputs 1000000 --seed 20261130

A plain loop with seeded damage, since that is what makes a million inputs a matter of minutes. One input is one row, one
payload, one file's text or one cursor. Ends with 1 at the first input that a parser cannot take, and prints it.
"""

import argparse
import copy
import json
import random
import signal
import sys
import time
from collections import Counter
from contextlib import contextmanager, suppress
from pathlib import Path

from msgspec import to_builtins

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[2] / "hooks")]

import memd_hook
import zstandard
from hostile import VALUES, damaged, mutated

from memd.checkpoint import boxes, mind, scene
from memd.daemon import wire
from memd.errors import MemdError
from memd.extract import argv, effects, risks, shell
from memd.extract.journal import commands
from memd.model import Message, marks
from memd.model.masking import masked
from memd.model.secrets import mask
from memd.model.text import printable
from memd.project import agent, engram, facts
from memd.tail.batch import Line
from memd.tail.cursor import Cursor
from memd.tail.elide import Caps, elide
from memd.tools import splice
from memd.tools.codex import packed
from memd.tools.opencode import cursor as opencode_cursor
from memd.tools.protocol import Identity
from memd.tools.registry import TOOLS

DATA = Path(__file__).parents[1] / "data"
SLOW = 20
"""Seconds after which an input counts as a hang."""
LIFE = 400
"""Rows after which a reader begins anew: its state keeps what the earlier ones left in it."""


def recorded(tool):
    """The rows of a tool's recordings as its parser gets them."""
    folder = DATA / tool.replace("-", "_")
    files = [
        path for path in sorted(folder.glob("*.jsonl")) if ".expected" not in path.name and "history" not in path.name
    ]
    rows = [json.loads(line) for path in files for line in path.read_bytes().splitlines() if line.strip()]
    if tool != "opencode":
        return rows
    events = [row["event"] for row in rows if "event" in row]
    notes = [{"type": "note", "data": {"type": "message", "message_id": "m", "kind": "tui", "parts": ["p"]}}]
    return [{"seq": seq, "type": kind, "data": data} for _, seq, kind, data in events] + notes


class Rows:
    """A tool's reader, fed with damaged rows; its state is dumped and loaded between them."""

    def __init__(self, name):
        self._tool, self.seeds = TOOLS[name], recorded(name)
        self._fed = LIFE

    def run(self, rng):
        if self._fed >= LIFE:
            self._fed, self._state = 0, self._tool.start(Identity("5d1f0c1e-0000-4000-8000-000000000001"))
        self._fed += 1
        data = damaged(json.dumps(mutated(rng.choice(self.seeds), rng, self.seeds)).encode(), rng)
        self._state, events = self._tool.feed(self._state, Line(self._fed * 1_000, len(data), data))
        for event in masked(events):
            json.dumps(to_builtins(event), ensure_ascii=False).encode()
            if isinstance(event, Message):
                printable(event.text).encode()
        if self._fed % 20 == 0:
            dumped = self._tool.dump(self._state)
            self._state = self._tool.load(dumped)
            assert self._tool.dump(self._state) == dumped
        return data


PAYLOAD = {
    "session_id": "5d1f0c1e-0000-4000-8000-000000000001",
    "transcript_path": "/home/x/.claude/projects/-srv/5d1f0c1e-0000-4000-8000-000000000001.jsonl",
    "cwd": "/srv/work",
    "hook_event_name": "SessionStart",
    "source": "compact",
    "trigger": "auto",
    "tool_name": "Bash",
    "tool_input": {"command": "make", "file_path": "/srv/a.py"},
    "prompt": "Do it.",
    "turn_id": "t",
    "reason": "clear",
}


class Payloads:
    """What a hook sends: the tool's own reading of it, and the hook's, which parses no JSON."""

    def run(self, rng):
        payload = mutated(copy.deepcopy(PAYLOAD), rng, [PAYLOAD])
        data = damaged(json.dumps(payload).encode(), rng)
        for name in (b"session_id", b"source", b"agent_id"):
            memd_hook.field(data, name)
        for tool in TOOLS.values():
            moment = tool.moment(
                rng.choice(["SessionStart", "PreToolUse", "UserPromptSubmit", tool.call_event]), payload
            )
            if moment is not None:
                tool.interactive(moment, rng.choice([None, "cli", "\x1b"]))
        return data


LINES = (
    shell.pipelines,
    shell.tests,
    shell.program,
    shell.salient,
    shell.entered,
    shell.looked_at,
    effects.deeds,
    effects.lasting,
    effects.repeated,
    risks.high,
    risks.packages,
    argv.carried,
)
"""What looks at a shell line."""


class Texts:
    """Texts that people, agents and models write and memd reads: files of a project, a model's work, shell lines."""

    SEEDS = (
        (
            "# Where I am\n- For Ada (#1)\n# Goals\n## Mission\n- M1 [active] Make it (#1)\n## Workstreams\n"
            "- W1 (M1) [active] 4/9 done, next: x\n# Key decisions\n- Use it (#2 replaces #1)\n# Lessons\n- [confirmed] y\n"
        ),
        "- [x] #12 2026-11-29 22:54Z human.typed | preview\n- [ ] #13 2026-11-29 22:55Z human.typed | other\n",
        "<scene>\n## Current step\na\n## Progress\nb\n## Waiting on\n## Next step\nd\n## Pitfalls\n## Exact references\n</scene>",
        "- [2026-11-30 09:00Z] [confirmed] It holds (#12)\n- [hypothesis] It may\n",
        "- [confirmed] The port is 80 (src/a.py:12)\n- ~~[hypothesis] gone (b.py:1)~~\n# Title\n<!-- a comment\n",
        "cd /srv && (git commit -m 'a b' | tee x.log) > out 2>&1; cat <<'E' > f\nrm -rf /\nE\nmake $(ls `x`) || FOO=1 ./y &",
        "memd checkpoint 7, part 1 of 4\nmemd checkpoint 7 of codex:x ends here; receipt A1b2C3",
        '{"hooks": {"SessionStart": [{"matcher": "x", "hooks": [{"type": "command", "command": "y"}]}]}, "a": [1, 2.5e3]}',
        "token=ghp_0123456789abcdefghijABCDEFGHIJ012345 https://user:pa55w0rd@host/ -----BEGIN RSA PRIVATE KEY-----\nAA",
        "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** Move to: b.py\n*** End Patch",
    )
    BITS = (
        "\n",
        "'",
        '"',
        "`",
        "$(",
        ")",
        "(",
        "(#",
        "# ",
        "- ",
        "[",
        "]",
        "\\",
        "\x1b[2J",
        "\0",
        "é",
        "\u2028",
        "<<E",
        "&&",
        "|",
    )

    def run(self, rng):
        text = rng.choice(self.SEEDS)
        for _ in range(rng.randrange(1, 6)):
            at, end = sorted(rng.randrange(len(text) + 1) for _ in range(2))
            piece = rng.choice([rng.choice(self.BITS) * rng.choice([1, 1, 2, 300]), rng.choice(self.SEEDS)[at:end], ""])
            text = text[:at] + piece + text[rng.choice([at, end]) :]
        found = mind.parse(text)
        assert found is not None
        boxes.read(self.SEEDS[1], text)
        scene.sections(scene.block(text)[0])
        engram.parse(text)
        facts.parse("a", text)
        agent.rules(text)
        agent.faults(text, 400)
        for look in LINES:
            look(text)
        commands.changes(text, "/srv/work")
        marks.find(text)
        marks.escape(text)
        mask(text)
        _allowed(lambda: splice.parse(text), ValueError)
        return text.encode("utf-8", "replace")


class Places:
    """Cursors, request lines and the bytes of files."""

    CURSORS = (
        '{"v":1,"device":1,"inode":2,"offset":3,"seen":4,"fingerprint":"00112233445566778899aabbccddeeff"}',
        '{"v":1,"packed":[1,2,3,4],"offset":5,"over":true}',
        '{"v":1,"base":0,"cursor":null}',
        '{"v":1,"seq":4,"mark":"evt_x","whole":true,"offset":4}',
    )

    def run(self, rng):
        text = rng.choice(self.CURSORS).encode()
        text = (
            damaged(damaged(text, rng), rng) if rng.random() < 0.5 else json.dumps(_any(json.loads(text), rng)).encode()
        )
        told = text.decode("utf-8", "replace")
        for loads in (Cursor.loads, packed.Cursor.loads, opencode_cursor.Cursor.loads):
            _allowed(lambda loads=loads: loads(told), MemdError)
        line = damaged(b"1 claude-code SessionStart 2 cli 5321\n", rng)
        _allowed(lambda: wire.parse_line(line), ValueError)
        packed.opened(damaged(zstandard.compress(text * 20), rng))
        at = rng.randrange(1, 9)
        elide((text[n : n + at] for n in range(0, len(text), at)), Caps(line=8, string=10, head=4, output=60))
        for tool in TOOLS.values():
            tool.identify(
                Path("/x/rollout-2026-11-29T22-58-59-5d1f0c1e-0000-4000-8000-000000000001.jsonl"), [text, line]
            )
        return text + line


def _any(row, rng):
    row[rng.choice(list(row))] = rng.choice(VALUES)
    return row


def _allowed(run, kind):
    with suppress(kind):
        run()


def parsers():
    """Each with its share of the inputs."""
    rows = {f"rows of {name}": (Rows(name), 5) for name in TOOLS}
    return {**rows, "payloads": (Payloads(), 2), "texts": (Texts(), 2), "places": (Places(), 2)}


@contextmanager
def _no_hang():
    def late(*_):
        raise TimeoutError(f"more than {SLOW} s")

    before = signal.signal(signal.SIGALRM, late)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def fuzz(inputs, seed, tell=lambda *_: None):
    """So many damaged inputs; how many each parser took."""
    rng, known, counts, slowest = random.Random(seed), parsers(), Counter(), 0.0
    names, weights = list(known), [weight for _, weight in known.values()]
    with _no_hang():
        for number in range(inputs):
            name = rng.choices(names, weights)[0]
            start = time.perf_counter()
            signal.alarm(SLOW)
            try:
                known[name][0].run(rng)
            except Exception as error:
                error.add_note(f"seed {seed}, input {number}, {name}")
                raise
            signal.alarm(0)
            counts[name] += 1
            slowest = max(slowest, time.perf_counter() - start)
            if number % 100_000 == 99_999:
                tell(number + 1, slowest)
    return counts, slowest


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=20261130)
    asked = parser.parse_args()
    counts, slowest = fuzz(
        asked.inputs, asked.seed, lambda n, slow: print(f"{n} inputs, slowest {slow:.2f} s", flush=True)
    )
    for name, count in counts.items():
        print(f"{count:>9} {name}")
    print(f"seed {asked.seed}: {sum(counts.values())} inputs, no exception, slowest {slowest:.2f} s")


if __name__ == "__main__":
    main()
