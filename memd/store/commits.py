"""Transactions of the one connection that writes: one after the other, or many as one.

Of a commit most is what it costs once, however much is in it: the full text index makes a part of what is new, which is merged
with others later, and pages that are written again and again are written once. So steps that nobody waits for are recorded
together.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from typing import TYPE_CHECKING

from memd.later import later

if TYPE_CHECKING:
    from memd.store import search
else:
    (search,) = later(__package__, "search")


class Together:
    """What follows from transactions that are one, and what is to be done about those that are taken back."""

    def __init__(self) -> None:
        self._then: list[Callable[[], None]] = []
        self._else: list[Callable[[BaseException | None], None]] = []
        self._lost: list[Callable[[], None]] = []

    def then(self, call: Callable[[], None]) -> None:
        """Have something done when what was written so far is recorded for good."""
        self._then.append(call)

    def otherwise(self, call: Callable[[BaseException | None], None]) -> None:
        """Have something done if it is taken back; it is told why, unless another transaction's failure is why."""
        self._else.append(call)

    def taken_back(self, error: BaseException | None) -> None:
        """Nothing of what was written so far is recorded."""
        self._lost += [partial(call, error) for call in self._else]
        self._then.clear()
        self._else.clear()

    def over(self) -> None:
        """Do what is to be done, all of it, whatever goes wrong with some."""
        with ExitStack() as calls:
            for call in reversed((*self._lost, *self._then)):
                calls.callback(call)


class Commits:
    """They are begun by hand.

    So a writer that comes second waits at the start, where nothing has been read yet, and not at its first write, where SQLite
    could only refuse.
    """

    def __init__(
        self,
        sql: sqlite3.Connection,
        trouble: Callable[[], AbstractContextManager[None]],
        *,
        committed: Callable[[], None],
        taken_back: Callable[[], None],
    ) -> None:
        self._sql, self._trouble, self._committed, self._taken_back = sql, trouble, committed, taken_back
        self.unindexed: list[tuple[int, str]] = []
        """Rows of messages and their texts, which the index takes at the transaction's end, in one go: it makes a part of what it
        has whenever a statement makes a mark to go back to."""
        self._together: Together | None = None
        self._begun = False

    @contextmanager
    def one(self) -> Iterator[sqlite3.Connection]:
        """All that is executed inside is recorded, or nothing of it."""
        try:
            self._notice()
            if self._together is None or not self._begun:
                self._sql.execute("BEGIN IMMEDIATE")
                self._begun = True
            yield self._sql
            if self._together is None:
                self._commit()
        except BaseException:
            self._take_back()
            raise

    @contextmanager
    def together(self) -> Iterator[Together]:
        """The transactions inside are one; where one of them fails, those before it are taken back too.

        Raises:
            StoreTrouble: nothing of it is recorded: full, damaged.
        """
        self._together = together = Together()
        try:
            yield together
            self._notice()
            if self._begun:
                with self._trouble():
                    self._commit()
        except BaseException as error:
            self._take_back(error)
            raise
        finally:
            self._together = None
            together.over()

    def _notice(self) -> None:
        """SQLite takes back what is begun by itself where a query finds the disk full or broken, between two transactions too."""
        if self._begun and not self._sql.in_transaction:
            self._take_back()

    def _commit(self) -> None:
        if self.unindexed:
            search.add(self._sql, self.unindexed)
            self.unindexed.clear()
        self._sql.execute("COMMIT")
        self._begun = False
        self._committed()

    def _take_back(self, error: BaseException | None = None) -> None:
        self.unindexed.clear()
        self._begun = False
        if self._sql.in_transaction:  # where the disk is full SQLite may have rolled back by itself
            self._sql.execute("ROLLBACK")
        if self._together is not None:
            self._together.taken_back(error)
            self._taken_back()
