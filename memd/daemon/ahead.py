"""Old transcripts are parsed in a second process, while the one that owns the record parses others and commits.

Most of the time of reading goes into parsing, which holds the interpreter, so a thread would not help. `Second` (`life`) is one
life of the process; `Ahead` decides what it is given and takes what comes of it. An answer is committed only where the record
still is what it was made from (`Reader.take`). Whatever else happens (it is killed, hangs, answers rubbish, somebody read the
transcript meanwhile), the transcript is read on by the owner, so nothing can be lost or doubled by it: it is told, and after a
few times it is not started for an hour.
"""

import time
from collections.abc import Callable
from pathlib import Path

from memd.daemon.life import Came, Chain, Second, Turn
from memd.daemon.parsing import STEP, following
from memd.daemon.pipeline import Pipeline
from memd.daemon.reader import Step
from memd.errors import told
from memd.model.newest import Newest
from memd.tools.protocol import Tool

ENOUGH = 6 << 20
"""Bytes that wait before the process is started: a start costs 45 ms of processor time, as much as reading some 4.5 MB of
Claude Code or 2 of Codex."""
LEAST = 1 << 16
"""A transcript with less to read is not worth the way there and back."""
MOST = 1 << 28
"""A transcript with more bytes is read by the owner alone: each prompt of it has a place that both would hold, tens of MB."""
KEPT = 1_000
"""So many transcripts it is remembered of that they are to be read without it; one that is forgotten is tried once more."""
TRIES, PAUSE = 3, 3600.0
"""So many times it may end before its time; then it is not started for so many seconds: what ended it (memory was short, the
program was being replaced) may be over, and a daemon lives for months."""


class Ahead:
    """What one owner of a record has read for it; all but `deliver` belongs to the owner's thread.

    `deliver` is told, in another thread, of what is to be settled. `behind` is what waits as far as that is known before;
    `trouble` is told a line.
    """

    def __init__(self, deliver: Callable[[Came], None], trouble: Callable[[str], None], behind: int = 0) -> None:
        self._deliver = deliver
        self._trouble = trouble
        self._known = behind
        self._refused = 0
        self._second: Second | None = None
        self._open: dict[str, Chain] = {}
        self._own = Newest[str, None](KEPT)
        """Transcripts with which it failed."""
        self._fruitless = Newest[str, None](KEPT)
        """Transcripts of which nothing came: the owner's is the next step, which tells whether there is anything to read."""
        self._back = set[str]()
        """Transcripts that the owner took back, to read them to their end."""
        self._died = 0
        self._rests_until = 0.0

    def offer(self, pipeline: Pipeline, tool: Tool, path: Path, turn: Turn, *, patient: bool, behind: int = 0) -> bool:
        """Whether a transcript is read elsewhere now; else the owner reads it on.

        One that is in hand already is left there, unless it is nearly read and its reader is not patient. So many wait
        `behind` it: where nothing is recorded of this one they are taken for as long and as new. One start too many costs little.
        """
        name, known = str(path), self._open.get(str(path))
        if known is not None:
            known.turn = min(known.turn, turn)
            return patient or known.left > STEP
        if tool.unit != "bytes" or name in self._own or name in self._back or not self.ready():
            return False
        if name in self._fruitless:
            del self._fruitless[name]
            return False
        size = _size(path)
        ask = pipeline.ask(tool, path, size - LEAST) if LEAST <= size <= MOST else None
        if ask is None:
            return False
        left = size - ask.offset
        return self._give(Chain(tool, name, turn, ask, left), left * (1 if ask.offset else behind + 1))

    def ready(self) -> bool:
        """Whether another one would be taken, if it is worth it."""
        if self._second is not None and self._second.over:
            self._second, self._refused = None, 0
        return time.monotonic() >= self._rests_until if self._second is None else self._second.ready

    def hungry(self) -> bool:
        """Whether the process will soon have nothing to do."""
        return self._second is not None and self._second.hungry

    def _give(self, chain: Chain, waiting: int) -> bool:
        self._refused += chain.left
        if self._second is not None:
            given = self._second.give(chain)
        elif given := max(self._known, self._refused, waiting) >= ENOUGH:
            given = self._start(chain)
        if given:
            self._open[chain.path] = chain
        return given

    def _start(self, chain: Chain) -> bool:
        second = Second(self._deliver, chain)
        try:
            second.start()
        except (OSError, RuntimeError) as error:  # the machine gives no process, or no thread
            self._note(Came(chain, why=told(error), died=True))
            return False
        self._second = second
        return True

    def take_back(self) -> Chain | None:
        """A transcript that was given and not begun, for an owner that has nothing else to do."""
        chain = self._second.take_back() if self._second is not None else None
        if chain is not None:
            chain.over = True
            self._open.pop(chain.path, None)
            self._back.add(chain.path)
        return chain

    @property
    def in_hand(self) -> int:
        """Transcripts of which answers will come; from any thread."""
        return len(self._open)

    def holds(self, path: Path) -> bool:
        """Whether an answer for a transcript will come."""
        return str(path) in self._open

    def settle(self, pipeline: Pipeline, came: Came) -> Step | None:
        """Record an answer; None where nothing came of it. Then, as behind the last one, `holds` is false: read on by yourself.

        Raises:
            Fault: it cannot be recorded now.
        """
        chain = came.chain
        came.taken()
        self._note(came)
        if chain.over:
            return None
        going_on = False  # nothing in the other thread may see a chain as over that is not
        try:
            step = None if came.said is None else pipeline.take(chain.tool, chain.ask, came.said)
            if step is not None and step.changed:
                chain.changed = step
            if step is not None and came.said is not None and not came.last and step.more:
                chain.ask, going_on = following(chain.ask, came.said), True
        finally:
            if not going_on:
                chain.over = True
                self._open.pop(chain.path, None)
                if chain.changed is None:
                    self._fruitless[chain.path] = None
        return step

    def _note(self, came: Came) -> None:
        if came.why:
            self._own[came.chain.path] = None
            self._trouble(f"{came.chain.path}: the second process could not read it, so it is read without: {came.why}")
        if came.died:
            self._died += 1
            if self._died == TRIES:
                self._died, self._rests_until = 0, time.monotonic() + PAUSE
                self._trouble(f"the second process has ended {TRIES} times, and is not started for an hour")

    def rest(self) -> None:
        """Nothing waits any more."""
        self._back.clear()
        self._refused = 0

    def stop(self) -> None:
        """End it; what it holds is not read."""
        if self._second is not None:
            self._second.stop()


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
