"""An owner of a record without a thread of its own, and transcripts that it has read ahead."""

import queue
from contextlib import closing, contextmanager

from transcript import Transcript

from memd import config
from memd.daemon.ahead import Ahead
from memd.daemon.pipeline import Pipeline
from memd.tools.registry import TOOLS

CLAUDE = TOOLS["claude-code"]
STEP = 4_000
"""Bytes of a step, so that a few kilobytes are many."""


@contextmanager
def opened(folder, **settings):
    settings, paths = config.load({"MEMD_STATE_DIR": str(folder / "state"), "MEMD_CONFIG": "/nowhere"})
    with closing(Pipeline(settings, paths, lambda: 1_000, {"HOME": str(folder)})) as pipeline:
        yield pipeline


class Owner:
    """Stands for the worker: gives away what it can, takes what comes, and reads what is left to it by itself."""

    def __init__(self, pipeline):
        self.pipeline = pipeline
        self.came = queue.SimpleQueue()
        self.troubles = []
        self.ahead = Ahead(self.came.put, self.troubles.append)
        self.taken = 0

    def give(self, path):
        assert self.ahead.offer(self.pipeline, CLAUDE, path, (4, 0.0), patient=True)

    def settle(self, path, before=lambda _: None):
        """All answers of one transcript, then what is left of it; `before` each, something happens."""
        while self.ahead.holds(path):
            came = self.came.get(timeout=30)
            before(came)
            self.taken += self.ahead.settle(self.pipeline, came) is not None
        self.pipeline.read_whole(CLAUDE, path)


def written(folder, name, prompts=60, **options):
    made = Transcript(folder / "projects" / "-w" / f"{name}.jsonl", **options)
    for number in range(prompts):
        made.turn(f"Prompt {number}", answer=f"Answer {number}")
    return made


def texts(pipeline, transcript):
    return [record.text for record in pipeline.store.messages(transcript.id)]


def whole(prompts=60):
    return [f"{word} {number}" for number in range(prompts) for word in ("Prompt", "Answer")]
