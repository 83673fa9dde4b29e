"""Very long lines, cut before they are parsed.

Transcripts hold lines of 100 MB and more: inline images, whole files, tool output. A parser would need several times
that in memory for text that nobody keeps. So a long line is streamed, and JSON strings in it that are longer than
`Caps.string` keep their first `Caps.head` bytes, followed by a mark that says how much was left out. What was valid
JSON stays valid JSON; the cut falls neither into a character nor into an escape nor between two halves of a surrogate
pair. Result and count do not depend on how the line was cut into chunks. Text that is no JSON is treated alike, from
quotation mark to quotation mark.

A run of NUL is no text: a crash left it, or a client that writes on at its old offset into a file that was cut. It keeps
`_RUN` of its bytes, wherever it stands: a whole record may stand behind it.

If a line is longer than `Caps.output` even so, its data ends there and will not parse. Nothing goes silently:
`elided` counts every byte of the line that is not in its data, and the line's offset and length lead to the whole.
"""

import codecs
import re
from collections.abc import Iterable

from msgspec import Struct

from memd.later import pattern


class Caps(Struct, frozen=True):
    """In bytes: lines up to `line` stay whole, strings over `string` keep `head`, `output` is the most a line gives."""

    line: int = 4 << 20
    string: int = 1 << 20
    head: int = 64_000
    output: int = 32 << 20


CAPS = Caps()

_RUN = 64
_LONG_RUN = re.compile(rb"\0{%d,}" % (_RUN + 1))

# The rest of a string in this chunk: up to its closing quotation mark, the end, or a backslash whose escape is cut.
_BODY = pattern(rb'(?:[^"\\]++|\\.)*+', re.DOTALL)

# A head up to its last whole escape. The first half of a surrogate pair needs room for the other half behind it.
_WHOLE = pattern(
    rb"(?:[^\\]++|\\[^u]|\\u(?![dD][89abAB])[0-9a-fA-F]{4}|\\u[dD][89abAB][0-9a-fA-F]{2}(?=.{6}))*+", re.DOTALL
)


def elide(chunks: Iterable[bytes], caps: Caps = CAPS) -> tuple[bytes, int]:
    """The line that `chunks` make, with its long strings cut, and the number of its bytes that were left out."""
    cutter, runs = _Cutter(caps), _Runs()
    for chunk in chunks:
        cutter.feed(runs.shortened(chunk))
    cutter.feed(runs.rest())
    data, elided = cutter.finish()
    return data, elided + runs.left_out


class _Runs:
    """Takes chunks and gives them without what is too much of their runs of NUL; one at a chunk's end comes with the next."""

    def __init__(self) -> None:
        self.left_out = 0
        self._open = 0  # bytes of the run at the end of what came

    def shortened(self, chunk: bytes) -> bytes:
        behind = chunk.lstrip(b"\0")
        self._open += len(chunk) - len(behind)
        if not behind:
            return b""
        before, text = self.rest(), behind.rstrip(b"\0")
        self._open = len(behind) - len(text)
        if _LONG_RUN.search(text):
            text = _LONG_RUN.sub(lambda run: self._short(len(run[0])), text)
        return before + text if before else text

    def rest(self) -> bytes:
        """What is left of the run at the end."""
        length, self._open = self._open, 0
        return self._short(length)

    def _short(self, length: int) -> bytes:
        kept = min(length, _RUN)
        self.left_out += length - kept
        return b"\0" * kept


class _Cutter:
    """Takes chunks; holds at most one string (`Caps.string` and a chunk) beside the output."""

    def __init__(self, caps: Caps) -> None:
        self._caps = caps
        self._out = bytearray()
        self._string = bytearray()  # the string that is being read, or its head once it turned out long
        self._skipped = 0  # bytes of this string that were let go
        self._inside = False
        self._carry = b""  # a backslash at a chunk's end: what it escapes comes with the next chunk
        self._elided = 0

    def feed(self, chunk: bytes) -> None:
        chunk = self._carry + chunk
        self._carry = b""
        at = 0
        while at < len(chunk):
            at = self._read_string(chunk, at) if self._inside else self._read_structure(chunk, at)

    def finish(self) -> tuple[bytes, int]:
        self._take(self._carry)
        self._close_string()
        return bytes(self._out), self._elided

    def _read_structure(self, chunk: bytes, at: int) -> int:
        end = chunk.find(b'"', at) + 1
        self._inside = end > 0
        end = end or len(chunk)
        self._emit(chunk[at:end])
        return end

    def _read_string(self, chunk: bytes, at: int) -> int:
        body = _BODY.match(chunk, at)
        end = body.end() if body else at
        self._take(chunk[at:end])
        if chunk[end : end + 1] == b'"':
            self._close_string()
            self._inside = False
            self._emit(b'"')
        else:
            self._carry = chunk[end:]
        return end + 1

    def _take(self, body: bytes) -> None:
        if self._skipped:
            self._skipped += len(body)
            return
        self._string += body
        if len(self._string) > self._caps.string:
            head = _whole_head(bytes(self._string[: self._caps.head]))
            self._skipped = len(self._string) - len(head)
            self._string = bytearray(head)

    def _close_string(self) -> None:
        self._emit(bytes(self._string))
        self._elided += self._skipped
        if self._skipped and len(self._out) < self._caps.output:
            self._out += b" [memd left out %d bytes]" % self._skipped
        self._string.clear()
        self._skipped = 0

    def _emit(self, raw: bytes) -> None:
        kept = raw[: max(0, self._caps.output - len(self._out))]
        self._out += kept
        self._elided += len(raw) - len(kept)


def _whole_head(head: bytes) -> bytes:
    match = _WHOLE.match(head)
    head = head[: match.end()] if match else b""
    decoder = codecs.getincrementaldecoder("utf-8")("ignore")
    decoder.decode(head[-4:])
    pending, _ = decoder.getstate()
    return head[: len(head) - len(pending)]
