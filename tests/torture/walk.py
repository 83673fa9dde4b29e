"""A random walk inside one process: three clients, and a reader in small steps that forgets what it held and whose clock jumps.

    .venv/bin/python tests/torture/walk.py --steps 20000 --seed 20261130

As `kills.py`, without processes and so a hundred times faster: what is read is read when the walk says so, a few hundred bytes
at a time, and a crash is a pipeline that is thrown away in the middle.
"""

import argparse
import random
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from disk import HOUR, sources
from ledger import Ledger, at_rest, check_files, check_whole, tool_of

from memd import config
from memd.daemon.pipeline import Pipeline, wall_clock
from memd.errors import SourceUnreadable

SESSIONS = 40
"""Steps after which new sessions begin."""


class Walk:
    """The walk's state: what clients, reader and clock have come to."""

    def __init__(self, home, seed):
        self.home, self.chance = home, random.Random(seed)
        environ = {"MEMD_STATE_DIR": str(home / "state"), "MEMD_CONFIG": "/nowhere", "HOME": str(home)}
        self._config, self._paths = config.load(environ)
        self._environ = environ
        self._jump = 0
        self._pipeline = self._open()
        self._ledgers, self.old, self.steps = [], [], 0

    def run(self, steps):
        """So many steps, and everything checked at the end; how many messages are recorded, once each."""
        while self.steps < steps:
            if self.steps % SESSIONS == 0:
                self._begin()
            self.step()
        self.settle()
        total = sum(ledger.check(self._pipeline.store) for ledger in [*self.old, *self._ledgers])
        self._close()
        self._pipeline.close()
        return total

    def step(self):
        """One thing happens."""
        self.steps += 1
        ledger, dice = self.chance.choice(self._ledgers), self.chance.random()
        if dice < 0.45:
            taking = self.chance.random() < 0.3
            name = self.chance.choice(ledger.source.TAKING if taking else ledger.source.ADDING)
            ledger.before(taking=taking)
            getattr(ledger.source, name)()
        elif dice < 0.8:
            self._read(ledger.source)
        elif dice < 0.85:
            self._pipeline.refresh(ledger.source.id, "turn")
        elif dice < 0.9:
            self._jump = int(self.chance.uniform(-3, 3) * HOUR * 1000)
        elif dice < 0.95:
            self._pipeline.close()
            self._pipeline = self._open()
        else:
            self.settle()
        for one in self._ledgers:
            one.check(self._pipeline.store)
            check_files(self._paths.state, one.source.id)

    def settle(self):
        """All is read, and the checkpoints are made."""
        for ledger in self._ledgers:
            source = ledger.source
            while self._read(source, limit=1 << 20):
                pass
            self._pipeline.refresh(source.id, "turn")
            assert not ledger.missing(self._pipeline.store), f"{source.id}: {ledger.missing(self._pipeline.store)}"
            ledger.settle(self._pipeline.store)
            ledger.check(self._pipeline.store)
            assert at_rest(self._paths.state, source.id)
            check_whole(self._paths.state, source.id)

    def _read(self, source, limit=None):
        """A step, small enough to end within a turn; whether there is more."""
        tool = tool_of(source.id)
        try:
            step = self._pipeline._reader.step(tool, source.transcript, limit or self.chance.randrange(1, 2_000))
        except SourceUnreadable:  # the client locks its database just now
            return True
        return step.more

    def _begin(self):
        if self._ledgers:
            self.settle()
        self._close()
        self.old += self._ledgers
        self._ledgers = [Ledger(source) for source in sources(self.home, self.chance, self.steps + 1)]
        for ledger in self._ledgers:
            ledger.source.turn()
        self.settle()  # what tells no directory yet is not recorded

    def _close(self):
        for ledger in self._ledgers:
            ledger.source.close()

    def _open(self):
        return Pipeline(self._config, self._paths, lambda: wall_clock() + self._jump, self._environ)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=20261130)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        recorded = Walk(Path(folder), asked.seed).run(asked.steps)
    print(f"seed {asked.seed}: {asked.steps} steps, {recorded} messages recorded once each: none lost, none doubled")


if __name__ == "__main__":
    main()
