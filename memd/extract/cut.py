"""Shell lines cut into their simple commands, outside quotes, without comments; here-documents beside them. Pure.

Nothing here understands the shell; it only keeps words inside quotes, substitutions, comments and here-documents from being
taken for commands of their own. A line that a shell is handed (`bash -c '…'`, `bash <<EOF`) is cut as well.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from memd.extract.argv import handed, joined, parted, printed, words
from memd.extract.wrapped import unwrapped
from memd.model.once import once

DEEPEST = 3
"""Shells inside of shells that are looked into."""
Scope = tuple[int, ...]
"""The shells that are around a command, the outermost left out; equal for commands of one shell."""

_HEREDOC = re.compile(
    r"(?<!<)<<-?\s*(['\"]?)([A-Za-z_]\w*)\1(?P<rest>[^\n]*+)(?:\n(?P<text>.*?)(?:\n[^\S\n]*+\2(?!\w)|\Z)|\Z)", re.DOTALL
)
"""A here-document; on the last line it has no text (and is matched, lest each be looked for behind all of the others)."""
_GIVEN = re.compile(r"(?<!<)<<-?\s*[A-Za-z_]")
_STRING = re.compile(
    r"""(?:[^'"\\<]|\\.|'[^']*'|"(?:[^"\\]|\\.)*"|<(?!<<))*+<<<(?P<word>\s*(?:[^'"\\\s]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")+)""",
    re.DOTALL,
)
"""A here-string, outside of quotation marks."""
_TOKEN = re.compile(
    r"""'[^']*'|"(?:[^"\\]|\\.)*"|`[^`]*`|\$\((?:[^()]|\([^()]*\))*\)|\\.|(?P<comment>(?<![^\s;&|(])\#[^\n]*)"""
    r"""|(?P<cut>&&|\|\||[;\n]|(?<![<>&|])&(?![>&]))|(?P<pipe>(?<!>)\|&?)|[^'"`$\\&|;\n()\#<>]+|.""",
    re.DOTALL,
)


class Simple(Struct, frozen=True):
    """One simple command of a shell line, without what only wraps it.

    Attributes:
        scope: the shell that it runs in: what a `cd` in an inner one does ends with it.
        piped: the pipeline up to it, itself included.
        written: the same with its line breaks.
        document: the here-document that it is given.
        fed: what the command before it in the pipe prints, where that stands in it.
        proved: where the whole line went well it did too: no other command's status stands for its own.
        ran: where the whole line went well it ran: it does not wait for another one to fail, or for the answer to a question.
    """

    text: str
    scope: Scope = ()
    piped: str = ""
    written: str = ""
    document: str = ""
    fed: str = ""
    proved: bool = True
    ran: bool = True

    @property
    def given(self) -> str:
        """What it is given to read and the pipeline does not show: its here-document, or that of a `cat` before it."""
        return self.document or (self.fed if "<<" in self.piped else "")


_ASKS = re.compile(r"\s*(?:!\s+)?(?:\[\[?|test|false|command -v|which|type|e?grep|rg|pgrep|cmp|diff)(?:\s|$)")
"""Commands whose status is an answer, which is as often no."""


class _Pipeline(Struct, frozen=True):
    """A pipeline as it is written, and what cuts it off from the one before it: `&&`, `||`, or a sign that ends a list."""

    scope: Scope
    parts: list[str]
    before: str


@once(2_048)
def pipelines(command: str) -> tuple[tuple[Simple, ...], ...]:
    """The pipelines of a shell line in order, each as its simple commands."""
    found = _commands(joined(command), Simple(""), iter(_documents(joined(command))))
    return tuple(tuple(map(_parted, line)) for line in found if line)


def simple(command: str) -> list[Simple]:
    """Every simple command of a shell line."""
    return [part for line in pipelines(command) for part in line]


def _parted(part: Simple) -> Simple:
    texts = (part.text, part.piped, part.written, part.document, part.fed)
    text, piped, written, document, fed = map(parted, texts)
    return replace(part, text=text, piped=piped, written=written, document=document, fed=fed)


def _commands(command: str, around: Simple, texts: Iterator[str]) -> Iterator[list[Simple]]:
    """The pipelines of a line that runs where `around` says; a shell that is handed a line stands for the commands in it."""
    for number, (line, proved, ran) in enumerate(_judged([*_pipelines(command)])):
        place = replace(
            around, scope=around.scope + line.scope, proved=around.proved and proved, ran=around.ran and ran
        )
        raw = [part for part in map(unwrapped, line.parts) if part]
        kept, shown = list[Simple](), ""
        for at, piece in enumerate(raw):
            here = replace(place, proved=place.proved and at == len(raw) - 1)
            deeper = len(here.scope) < DEEPEST
            inner = handed(piece) if deeper else None
            part, text = (piece, "") if inner else _given(piece, texts)
            fed = printed(raw[at - 1], shown) if at and not text else ""
            shown = text
            inner, own = (inner, texts) if inner else _read(part, text or fed, deeper=deeper)
            if inner:
                yield kept
                kept = []
                yield from _commands(inner, replace(here, scope=(*here.scope, -number - 1)), own)
            else:
                piped = " | ".join([*(one.text for one in kept), _oneline(part)])
                kept.append(replace(here, text=_oneline(part), piped=piped, written=part, document=text, fed=fed))
        yield kept


def _given(part: str, texts: Iterator[str]) -> tuple[str, str]:
    """A command and what it is given to read: its here-documents, or the here-string that stands in it."""
    string = _STRING.match(part) if "<<<" in part else None
    if string is not None:
        return part[: string.start("word")] + part[string.end("word") :], joined(words(string["word"])[0])
    return part, "\n".join(islice(texts, len(_GIVEN.findall(part))))


def _read(part: str, text: str, *, deeper: bool) -> tuple[str | None, Iterator[str]]:
    """The line that a shell reads, and the here-documents in it."""
    shown = text.startswith("< ")  # of a file, which is not looked into
    return handed(part, "" if shown else text) if deeper else None, iter(_documents(text))


def _judged(lines: Sequence[_Pipeline]) -> Iterator[tuple[_Pipeline, bool, bool]]:
    """Each pipeline, whether the whole line's success proves its own, and that it ran.

    Only the last one's status is the line's; what `&&` leads up to it must have gone well too. What stands before that behind a
    question (`[ -d x ] && rm -r x; ls`) may not have run.
    """
    ends, asked = max((at for at, line in enumerate(lines) if line.before != "&&"), default=0), False
    for at, line in enumerate(lines):
        asked = at < ends and line.before == "&&" and (asked or _ASKS.match(lines[at - 1].parts[-1]) is not None)
        yield line, at >= ends and line.before != "||", not asked and line.before != "||"


def _pipelines(command: str) -> Iterator[_Pipeline]:
    """The pipelines as they are written; a bracket where a command would begin opens a shell of its own."""
    text = _HEREDOC.sub(_undocumented, _unbroken(command))
    line, part, scope, brackets = list[str](), list[str](), Scope(), list[Scope]()
    here, before = scope, ";"
    for at, token in enumerate(_TOKEN.finditer(f"{text}\n")):
        if token["cut"]:
            line.append("".join(part))
            if any(map(str.strip, line)):
                yield _Pipeline(here, line, before)
                before = token["cut"]
            line, part, here = [], [], scope
        elif token["pipe"]:
            line.append("".join(part))
            part = []
        elif not token["comment"]:
            if token[0] == "(":
                brackets.append(scope)
                if not any(map(str.strip, part)):
                    here = scope = (*scope, at)
            elif token[0] == ")" and brackets:
                scope = brackets.pop()
            part.append(token[0])


def _documents(command: str) -> list[str]:
    """The here-documents of a shell line in order."""
    found = (match["text"] for match in _HEREDOC.finditer(_unbroken(command)))
    return [text.strip("\n") for text in found if text is not None]


def _undocumented(found: re.Match[str]) -> str:
    return found[0] if found["text"] is None else f"<<{found[2]}{found['rest']}"


def _unbroken(command: str) -> str:
    return command.replace("\\\n", " ")


def _oneline(part: str) -> str:
    return re.sub(r"\s+", " ", part)
