"""SIGKILL of the real daemon at random points, while three clients write and damage their transcripts.

    .venv/bin/python tests/torture/kills.py --kills 1000 --seed 20261130

Each round starts `memd run`. In most it waits until all is recorded, checks everything, lets the clients work for a moment
and kills the daemon, mostly in the middle of what that caused; in the others it kills in the middle of the start. What
holds at any time is checked after every kill, with nobody running. In half of the rounds the daemon has anything at all parsed
in its second process, which is killed or stopped a moment before in some. Ends with 1 at the first broken promise.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from disk import sources
from ledger import Ledger, at_rest, check_files, check_whole, on_disk

from memd.errors import MemdError
from memd.store import Store

MEMD = [sys.executable, "-m", "memd"]
EAGER = """
from memd.daemon import parsing
parsing.STEP = 2_000
from memd.daemon import ahead
ahead.ENOUGH = ahead.LEAST = 1
from memd.cli import main
main()
"""
"""A daemon that has anything at all parsed in its second process, in steps of a few rows."""
EPOCH = 20
"""Rounds after which new sessions begin; the old ones stay where they are."""
STARTS = 0.25
"""So many of the kills fall into the daemon's start."""


class Torture:
    """A home with three clients, and a daemon that is killed."""

    def __init__(self, home, seed, *, epoch=EPOCH):
        self.home, self.state = home, home / ".local" / "state" / "memd"
        self.chance = random.Random(seed)
        self.kills = self.operations = self.syncs = 0
        self.log = home / "daemon.log"
        self._epoch = epoch
        self.seconds = 0
        self._ledgers, self._old = [], []

    def run(self, kills, tell=lambda _: None):
        """So many kills, and at the end one start that is left alone."""
        while self.kills < kills:
            if self.kills % self._epoch == 0:
                self._begin(self.kills // self._epoch + 1)
            self.round()
            tell(self)
        daemon = self._start()
        try:
            self._settle(daemon)
            for ledger in self._old:
                self._check(ledger)
        finally:
            _end(daemon, signal.SIGTERM)
        for ledger in self._ledgers:
            ledger.source.close()
        return self._recorded()

    def round(self):
        """One kill. New sessions are left alone until they are recorded: what tells no directory yet is not."""
        fresh = self.kills % self._epoch == 0
        if not fresh and self.chance.random() < 0.3:
            self._work(self.chance.randrange(1, 4))  # nobody looks
        daemon, hit = self._start(), []
        try:
            if not fresh and self.chance.random() < STARTS:
                time.sleep(self.chance.uniform(0.05, 0.8))
            else:
                self._settle(daemon)
                self._work(self.chance.randrange(1, 12))
                time.sleep(self.chance.choice([0, self.chance.uniform(0, 0.05), self.chance.uniform(0, 0.4)]))
            hit = self._hit_second(daemon)
            time.sleep(self.chance.choice([0, self.chance.uniform(0, 0.1)]) if hit else 0)
            assert daemon.poll() is None, f"the daemon ended by itself: {self.log.read_text()[-3000:]}"
        finally:
            _end(daemon, signal.SIGKILL)
        self.kills += 1
        self.seconds += len(hit)
        for child in hit:  # one that is stopped would not see that its parent is gone
            _hit(child, signal.SIGKILL)
        for ledger in self._ledgers:
            self._check(ledger)

    def _begin(self, epoch):
        for ledger in self._ledgers:
            ledger.source.close()
        self._old += self._ledgers
        self._ledgers = [Ledger(source) for source in sources(self.home, self.chance, epoch)]
        for ledger in self._ledgers:
            ledger.source.turn()

    def _start(self):
        environ = {"HOME": str(self.home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
        environ |= {name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ}
        with self.log.open("ab") as log:
            command = [*MEMD, "run"] if self.chance.random() < 0.5 else [sys.executable, "-c", EAGER, "run"]
            return subprocess.Popen(command, env=environ, cwd=self.home, stdout=log, stderr=log)

    def _hit_second(self, daemon):
        """The daemon's second process is killed, stopped, or left alone; it is there while something is parsed."""
        number = self.chance.choice([signal.SIGKILL, signal.SIGSTOP, None])
        return [child for child in children(daemon.pid) if number and _hit(child, number)]

    def _work(self, count):
        """Some operations on any of the transcripts, some of them in a burst."""
        for _ in range(count):
            ledger = self.chance.choice(self._ledgers)
            taking = self.chance.random() < 0.3
            name = self.chance.choice(ledger.source.TAKING if taking else ledger.source.ADDING)
            ledger.before(taking=taking)
            getattr(ledger.source, name)()
            self.operations += 1
            time.sleep(self.chance.choice([0, 0, self.chance.uniform(0, 0.03)]))

    def _settle(self, daemon, seconds=180.0):
        """Until all that is on disk is recorded and its checkpoints stand."""
        every = self.chance.random() < 0.7
        for ledger in self._ledgers:
            if (
                every or ledger.torn()
            ):  # what comes last tells that it was read again: else all could be recorded before
                ledger.source.append()
                ledger.source.turn()
        wanted = [(ledger, on_disk(ledger.source)) for ledger in self._ledgers]
        end = time.monotonic() + seconds
        while not self._rests(wanted):
            assert time.monotonic() < end, f"not recorded in time: {self._behind()}; {self.log.read_text()[-2000:]}"
            time.sleep(0.05)
            if self.chance.random() < 0.1:  # the daemon reads on without it
                self.seconds += sum(_hit(child, signal.SIGKILL) for child in children(daemon.pid))
        self.syncs += 1
        with Store.open(self.state / "memd.db", readonly=True) as store:
            for ledger in self._ledgers:
                ledger.settle(store)
        for ledger in self._ledgers:
            self._check(ledger)
            check_whole(self.state, ledger.source.id)

    def _rests(self, wanted):
        try:
            with Store.open(self.state / "memd.db", readonly=True) as store:
                caught = not any(ledger.missing(store, texts) for ledger, texts in wanted)
            return caught and all(at_rest(self.state, ledger.source.id) for ledger in self._ledgers)
        except MemdError:
            return False  # the daemon makes it just now

    def _behind(self):
        with Store.open(self.state / "memd.db", readonly=True) as store:
            missing = {ledger.source.id: ledger.missing(store) for ledger in self._ledgers}
        return {name: sorted(texts) or at_rest(self.state, name) for name, texts in missing.items()}

    def _check(self, ledger):
        try:
            with Store.open(self.state / "memd.db", readonly=True) as store:
                ledger.check(store)
        except MemdError as error:
            if "nothing recorded yet" not in str(error):
                raise
        check_files(self.state, ledger.source.id)

    def _recorded(self):
        with Store.open(self.state / "memd.db", readonly=True) as store:
            return sum(ledger.check(store) for ledger in [*self._old, *self._ledgers])


def children(pid):
    """The processes that a process has started and that are there still."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            found += map(int, task.read_text().split())
    return found


def _hit(pid, number):
    with suppress(ProcessLookupError):
        os.kill(pid, number)
        return True
    return False


def _end(daemon, number):
    daemon.send_signal(number)
    daemon.wait(30)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=20261130)
    asked = parser.parse_args()

    def tell(torture):
        if torture.kills % 50 == 0:
            print(f"{torture.kills} kills, {torture.operations} operations, {torture.syncs} times at rest", flush=True)

    with tempfile.TemporaryDirectory() as folder:
        torture = Torture(Path(folder), asked.seed)
        recorded = torture.run(asked.kills, tell)
    print(f"seed {asked.seed}: {torture.kills} kills, {torture.operations} operations, {torture.syncs} times at rest,")
    print(f"{torture.seconds} times the second process was killed or stopped before,")
    print(f"{recorded} messages recorded once each: none lost, none doubled")


if __name__ == "__main__":
    main()
