"""What a hook waits for, where its transcript cannot be read, and where it takes several steps."""

import asyncio
from concurrent.futures import Future
from types import SimpleNamespace

import pytest

from memd.daemon.catching_up import CatchingUp
from memd.daemon.reader import Step
from memd.errors import SourceUnreadable
from memd.tools.registry import TOOLS

CLAUDE = TOOLS["claude-code"]


class Owner:
    """Stands for the worker and for its pipeline: does each job at once, and notes what it was asked."""

    def __init__(self, *steps):
        self.done, self._steps = [], list(steps)
        self.refreshes = SimpleNamespace(drop=lambda name: self.done.append(("drop", name)), finish=lambda *_: None)

    def submit(self, _, job):
        result = Future()
        try:
            result.set_result(job(self))
        except SourceUnreadable as error:
            result.set_exception(error)
        return result

    def step(self, _, path):
        self.done.append(("step", path.name))
        one = self._steps.pop(0)
        if isinstance(one, Exception):
            raise one
        return one

    def current(self, _):
        return False

    def refresh_for_hook(self, name, trigger):
        self.done.append(("refresh", name, trigger))


@pytest.mark.parametrize(
    "steps",
    [
        [SourceUnreadable("no")],
        [Step("s", left=9), SourceUnreadable("no")],
        [Step("s", left=9), Step("s")],
        [Step("s")],
    ],
)
def test_a_checkpoint_is_made_once_behind_what_could_be_read(tmp_path, steps):
    """Of what is recorded, where the transcript cannot be read (on): that still helps."""
    path = tmp_path / ".claude" / "projects" / "-w" / "s.jsonl"
    path.parent.mkdir(parents=True)
    path.touch()
    owner = Owner(*steps)
    moment = SimpleNamespace(session="s", transcript=str(path))
    asyncio.run(
        CatchingUp(owner, lambda: SimpleNamespace(session=lambda _: None)).bring_up(CLAUDE, moment, "precompact")
    )
    made = [("refresh", "claude-code:s", "precompact"), ("drop", "claude-code:s")]
    assert owner.done == [("step", "s.jsonl")] * len(steps) + made
