"""A process that reads a transcript line by line into a store until it is killed: `python writer.py STORE LINES TOGETHER`.

Each commit takes a few lines and goes on where the cursor says; TOGETHER of them are recorded as one (1: each by itself).
A line is a message, a call with its result, and a gap, so that every table would tell of a commit that was applied in part.
"""

import sys
from contextlib import nullcontext
from pathlib import Path

from memd.model import Channel, Facts, Gap, Grade, Kind, Message, Operation, Source, State, Usage
from memd.store import Seed, Store

SEED = Seed("codex:killed", "codex", "killed", None, "/rollouts/killed.jsonl")


def events(line):
    yield Message(f"m{line}", line + 1, Channel.TOOL_RESULT, Grade.PROVED, "x" * 500, Source(line, 1))
    yield Operation(f"c{line}", Kind.READ, "Read", line, State.DONE, detail={"line": line})
    yield Usage(f"u{line}", line, line + 1)
    yield Gap("malformed")
    yield Facts(title=str(line))


def main():
    with Store.open(Path(sys.argv[1])) as store:
        found = store.sources.of(SEED.path)
        at, last, together = int(found.cursor) if found else 0, int(sys.argv[2]), int(sys.argv[3])
        while at < last:
            with store.together() if together > 1 else nullcontext():
                for _ in range(together):
                    step = 1 + at % 7
                    batch = [event for line in range(at, at + step) for event in events(line)]
                    at += step
                    store.commit(SEED, str(at), f"reader {at}", batch, size=last, now=at, offset=at)
            print(at, flush=True)


if __name__ == "__main__":
    main()
