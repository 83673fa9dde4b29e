"""A state with thousands of sessions in it, and a home with many more files: what months of use leave behind.

Made by the record's own writers: each session has a prompt, an answer and a checkpoint with its files. Only the checkpoints'
words are not made from the session, since ten thousand times making them would take minutes.
"""

import os
import time
from pathlib import Path

from benchmarks import made
from benchmarks.home import Home
from memd.config import Config
from memd.daemon.pipeline import Pipeline, wall_clock
from memd.model import Checkpoint, marks
from memd.model.checkpoint import Parts
from memd.tools.claude_code import ClaudeCode

DAY = 86_400
OLD = 60 * DAY
"""Age in seconds of the files that are too old to be read."""
IN_FOLDER = 200
"""Transcripts in one project's folder."""


def sessions(home: Home, count: int) -> None:
    """Record so many sessions, their transcripts a day old."""
    pipeline = Pipeline(Config(), home.paths, environ=home.environ())
    work = home.home / "work"
    work.mkdir(exist_ok=True)
    try:
        for number in range(count):
            session = made.Session(1_000_000 + number, str(work), calls=(0, 1))
            path = home.projects / f"-home-user-work{number // IN_FOLDER}" / f"{session.id}.jsonl"
            path.parent.mkdir(exist_ok=True)
            made.take_turn(session, path)
            os.utime(path, (time.time() - DAY,) * 2)
            _checkpoint(pipeline, pipeline.read_whole(ClaudeCode(), path) or "")
    finally:
        pipeline.close()


def _checkpoint(pipeline: Pipeline, name: str) -> None:
    session = pipeline.store.session(name)
    assert session is not None
    parts = Parts(
        "# Where I am\n\n" + "What was agreed. " * 60,
        b"# Memo\n\n(no messages yet)\n",
        "## Next step\n\n" + "What comes next. " * 60,
    )
    kept = Checkpoint(name, 1, wall_clock(), "extractive", "turn", session.messages, "ABC123", parts)
    folder = pipeline.folders.session(session.tool, session.native)
    text = marks.opening(1, 1, 1) + "text " * 400
    pipeline.folders.write(folder, kept, text, {"SessionStart.compact.1": text.encode()})
    pipeline.store.checkpoints.add(kept, "made up")
    pipeline.folders.publish(folder, 1)
    pipeline.folders.copy(folder)


def old_files(home: Home, count: int) -> None:
    """So many transcripts that are too old to be read."""
    then = time.time() - OLD
    for number in range(count):
        path = (
            home.projects / f"-home-user-old{number // IN_FOLDER}" / f"{number:08x}-0000-4000-8000-000000000000.jsonl"
        )
        if not number % IN_FOLDER:
            path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"{}\n")
        os.utime(path, (then, then))


def files_below(folder: Path) -> int:
    """How many there are."""
    return sum(len(files) for _, _, files in os.walk(folder))
