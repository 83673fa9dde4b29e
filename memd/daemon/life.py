"""One life of the second process, in a thread that talks to it: what it is to read goes in, what came of it is delivered."""

import threading
from collections import deque
from collections.abc import Callable
from functools import partial

from msgspec import Struct, field

from memd.daemon.child import Child
from memd.daemon.parsing import STEP, Ask, Parsed
from memd.daemon.reader import Step
from memd.daemon.second import Failed, GoOn, Request
from memd.errors import told
from memd.tools.protocol import Tool

DECK, ANSWERS, SENT = 4 * STEP, 4 << 20, 2
"""So many bytes of transcripts wait to be sent, of answers to be taken (of some 20 MB, read in the quarter of a second for which
live sessions may keep the owner busy); so many requests wait to be answered."""
SHORT = 3 * STEP
"""Bytes of a transcript that an owner with nothing else to do takes back."""
IDLE = 3.0
"""Seconds without work after which it ends."""
START = 0.03
"""Seconds that it takes to begin at least."""
Turn = tuple[int, float]


class Chain(Struct, eq=False):
    """One transcript in the second process's hands, step after step."""

    tool: Tool
    path: str
    turn: Turn
    """When it is read on here."""
    ask: Ask
    """What its next answer was made from."""
    left: int
    """Bytes behind its last answer."""
    unanswered: int = 0
    over: bool = False
    """No other answer comes, or none is wanted."""
    changed: Step | None = None
    """The last step that changed something."""
    answers: "deque[Came]" = field(default_factory=deque)
    """What the owner did not take yet, where it does not keep the answers in order itself."""

    def asked_for(self) -> bool:
        """Whether all that is left is under way."""
        return self.left <= self.unanswered * STEP


class Came(Struct):
    """An answer, or that there will be none."""

    chain: Chain
    said: Parsed | None = None
    last: bool = False
    why: str = ""
    """What went wrong with this transcript."""
    died: bool = False
    """The process is over with it."""
    taken: Callable[[], None] = lambda: None
    """To be called when it has been dealt with: the life that it came of waits for that, and no later one."""


class Second(threading.Thread):
    """One life of the second process; `deliver` is called in this thread."""

    def __init__(self, deliver: Callable[[Came], None], first: Chain) -> None:
        super().__init__(name="memd-second", daemon=True)
        self._deliver = deliver
        self._changed = threading.Condition()  # for all below
        self._deck = deque([first])
        self._waiting = 0
        self._over = False
        self._child: Child
        # What only the thread itself touches.
        self._sent = deque[Chain]()
        self._current: Chain | None = None

    def start(self) -> None:
        """Begin both, the process and the thread.

        The process is started here and not in the thread: there each of its calls would wait for the interpreter.

        Raises:
            OSError, RuntimeError: the machine gives none.
        """
        self._child = Child()
        try:
            super().start()
        except RuntimeError:
            self._child.end()
            raise

    def give(self, chain: Chain) -> bool:
        """Have a transcript read; False: not now."""
        with self._changed:
            if self._over or not self._room():
                return False
            self._deck.append(chain)
            self._changed.notify()
            return True

    def take_back(self) -> Chain | None:
        """The last transcript that was given, if not begun and short: a long one is better parsed here, recorded there."""
        with self._changed:
            return self._deck.pop() if self._deck and not self._over and self._deck[-1].left <= SHORT else None

    @property
    def ready(self) -> bool:
        """Whether it can be given another transcript."""
        with self._changed:
            return not self._over and self._room()

    @property
    def hungry(self) -> bool:
        """Whether it has room for another transcript, and for answers: else those are taken first."""
        with self._changed:
            return not self._over and self._room() and self._waiting < ANSWERS

    @property
    def over(self) -> bool:
        with self._changed:
            return self._over

    def _taken(self, size: int) -> None:
        with self._changed:
            self._waiting -= size
            self._changed.notify()

    def stop(self) -> None:
        """End it now."""
        with self._changed:
            self._over = True
            self._changed.notify()
            self._child.kill()
        self.join()

    def run(self) -> None:
        """The thread."""
        why = ""
        try:
            with self._child as child:
                self._ask(child)
                with self._changed:  # it has not begun yet, and an owner with one transcript soon gives another
                    self._changed.wait_for(lambda: self._over or bool(self._deck), START)
                while self._round(child):
                    pass
        except Exception as error:  # noqa: BLE001 - whatever it is, the owner must hear of it and read on
            why = told(error)
        with self._changed:
            self._over, died = True, bool(why) and not self._over
            lost = dict.fromkeys([*self._sent, *([self._current] if self._current else []), *self._deck])
        for number, chain in enumerate(lost):  # the first is what it was at
            self._deliver(Came(chain, last=True, why=why if number == 0 else "", died=died and number == 0))

    def _room(self) -> bool:
        return sum(chain.left for chain in self._deck) < DECK

    def _round(self, child: Child) -> bool:
        """Have enough under way, and pass one answer on; False: there was nothing to do for long."""
        self._ask(child)
        if not self._sent:
            return False
        answer, size = child.receive()
        chain = self._sent.popleft()
        chain.unanswered -= 1
        said = answer if isinstance(answer, Parsed) else None
        chain.left = said.size - said.offset if said is not None and said.more else 0
        going_on = chain is self._current and chain.left > 0
        last = not chain.unanswered and not going_on
        if last and chain is self._current:
            self._current = None
        with self._changed:
            self._changed.wait_for(lambda: self._over or self._waiting < ANSWERS)
            self._waiting += size
        why = answer.why if isinstance(answer, Failed) else ""
        self._deliver(Came(chain, said, last, why, taken=partial(self._taken, size)))
        return True

    def _ask(self, child: Child) -> None:
        while len(self._sent) < SENT and (request := self._next()) is not None:
            child.send(request)

    def _next(self) -> Request | None:
        """What to ask for now; waits only while nothing is under way."""
        current = self._current
        if current is not None and not current.over and not current.asked_for():
            self._note(current)
            return GoOn()
        with self._changed:
            if not self._sent:
                self._changed.wait_for(lambda: self._over or bool(self._deck), IDLE)
            if self._over or not self._deck:
                self._over = self._over or not self._sent
                return None
            self._current = chain = self._deck.popleft()
        self._note(chain)
        return chain.ask

    def _note(self, chain: Chain) -> None:
        chain.unanswered += 1
        self._sent.append(chain)
