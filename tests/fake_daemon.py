"""A daemon that says what a test wants it to say, over the real socket, and remembers what it was asked."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HANG = 30.0  # seconds for which a silent daemon holds the connection

Talk = Callable[[socket.socket], None]


def text(words: str) -> bytes:
    """A whole answer."""
    return b"text %d\n" % len(words.encode()) + words.encode()


@dataclass
class FakeDaemon:
    """What it answers to each event (bytes, or None for silence; nothing known: the disk is best), and what came."""

    answers: dict[str, bytes | None] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    asked: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    """Event and payload of each request, in order."""
    stopped: threading.Event = field(default_factory=threading.Event)

    def payloads(self, event: str) -> list[dict[str, Any]]:
        """What came with one event."""
        return [payload for name, payload in self.asked if name == event]

    def _talk(self, peer: socket.socket) -> None:
        with peer, suppress(OSError), peer.makefile("rb") as stream:
            line = stream.readline().decode()
            if not line:
                return
            event, length = line.split()[2], int(line.split()[-1])
            self.lines.append(line)
            self.asked.append((event, json.loads(stream.read(length))))
            answer = self.answers.get(event, b"disk 0\n")
            if answer is None:
                self.stopped.wait(HANG)
            else:
                peer.sendall(answer)

    def _listen(self, listener: socket.socket) -> None:
        while True:
            try:
                peer = listener.accept()[0]
            except OSError:
                return
            threading.Thread(target=self._talk, args=(peer,), daemon=True).start()


@contextmanager
def fake_daemon(path: Path, answers: dict[str, bytes | None]) -> Iterator[FakeDaemon]:
    """Listens at `path` for the time of the block."""
    daemon = FakeDaemon(answers)
    path.parent.mkdir(parents=True, exist_ok=True)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen(50)
        thread = threading.Thread(target=daemon._listen, args=(listener,))
        thread.start()
        try:
            yield daemon
        finally:
            daemon.stopped.set()
            listener.shutdown(socket.SHUT_RDWR)
            thread.join(10)
    path.unlink(missing_ok=True)
