"""What signals ask of the daemon: SIGTERM and SIGINT for its end, SIGHUP for fresh settings, or its end with its terminal's."""

import asyncio
import os
import signal

STDERR = 2


class Signals:
    """Kept over a start afresh, so that no signal is lost in between; made inside the running loop."""

    def __init__(self) -> None:
        self.over = False
        self.again = False
        self._heard = asyncio.Event()
        self._terminal = os.isatty(STDERR)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._end)
        loop.add_signal_handler(signal.SIGHUP, self._read_again)

    async def wait(self, ended: "asyncio.Future[None]", timeout: float | None) -> None:  # noqa: ASYNC109 - `wait`'s own
        """Until a signal came that was not taken up yet, `ended` is done, or the time in seconds is over."""
        heard = asyncio.create_task(self._heard.wait())
        await asyncio.wait((heard, ended), timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
        heard.cancel()

    def begin(self) -> None:
        """The fresh settings are being read: a SIGHUP from now on is another one."""
        self.again = False
        if not self.over:
            self._heard.clear()

    def _end(self) -> None:
        self.over = True
        self._heard.set()

    def _read_again(self) -> None:
        """The kernel sends the same signal when a terminal is closed, which is none any more by then."""
        if self._terminal and not os.isatty(STDERR):
            self.over = True
        self.again = True
        self._heard.set()
