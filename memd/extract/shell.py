"""What shell lines are about: tests that they run, files that they show, what of them one would type again. Pure.

They are cut into simple commands by `memd/extract/cut.py`; what they change is told by `memd/extract/effects.py`.
"""

import re
from collections.abc import Sequence

from memd.extract import cut
from memd.model.once import once

LONGEST, BEGINNING = 240, 120
"""Characters of a command line that stands whole, and of the beginning of a longer one."""

_GIT_OPTIONS = re.compile(r"^git(?: -[Cc] \S+| --(?:no-pager|git-dir\S*|work-tree\S*))+ ")

_TESTS = re.compile(
    r"(?:(?:npx|bunx|pnpm exec|uv run|poetry run|pdm run|bundle exec|mise exec --|\S*python3?(?:\.\d+)? -m)\s+)*(?:\S*/)?"
    r"(?:pytest|tox|nox|jest|vitest|mocha|playwright test|unittest|go test|cargo (?:test|nextest)|rspec|phpunit|ctest"
    r"|swift test|dotnet test|(?:\./)?gradlew? \S*test|mvn \S*(?:test|verify)"
    r"|(?:npm|pnpm|yarn|bun|make|just|mise|task|rake|deno)(?: run)? (?:test|check)(?:[:\w-]*))(?=\s|$)"
)
_SHOWS = re.compile(r"(?:cat|nl|head|tail|less|bat|sed -n)\s")
_INTO = re.compile(r"\d?>[>|]?\s*\S+|<<<?.*")
_WHOLE = re.compile(r"(?:cat|nl|less|bat)\s")
_A_FILE = re.compile(r"(?![-\d])(?=.*[A-Za-z])(?:[\w.@+~-]*/)*[\w.@+-]+\.\w{1,8}")
_TRIVIAL = re.compile(
    r"(?:ls|cd|cat|head|tail|grep|rg|find|sed|awk|echo|printf|wc|pwd|sleep|which|mkdir|true|false|sort|uniq|tr|cut|xargs|tee"
    r"|less|column|tree|touch|type|command -[vV]|export|source|set|read|date|for|do|done|if|then|fi|else|while|nl"
    r"|git (?:status|diff|log|add|show|branch|blame))(?:\s|$)|#"
)


@once(2_048)
def pipelines(command: str) -> tuple[tuple[str, ...], ...]:
    """The pipelines of a shell line in order, each as its simple commands without what only wraps them."""
    return tuple(tuple(part.text for part in line) for line in cut.pipelines(command))


def simple(command: str) -> list[str]:
    """Every simple command of a shell line."""
    return [part for line in pipelines(command) for part in line]


def tests(command: str) -> str:
    """The simple command that runs tests; empty for none."""
    return next((part for part in simple(command) if _TESTS.match(part)), "")


def trivial(part: str) -> bool:
    """Whether a simple command only looks around."""
    return _TRIVIAL.match(part) is not None


@once(2_048)
def program(command: str) -> str:
    """What a line is about: the program of its last pipeline and its first word that is no option."""
    found = [line[0] for line in pipelines(command) if not re.match(r"(?:cd|echo|sleep|true)\b", line[0])]
    words = _GIT_OPTIONS.sub("git ", found[-1]).split() if found else []
    return " ".join(words[:1] + [word for word in words[1:] if not word.startswith("-")][:1])


def spoken(command: str) -> str:
    """The program's name, with the first word behind it where that is a command of its own (`git diff`, `npm test`)."""
    words = program(command).split()
    second = [word for word in words[1:] if re.fullmatch(r"[a-z][a-z-]*", word)]
    return " ".join([*words[:1], *(second if words and not trivial(f"{words[0]} ") else [])])


def looked_at(command: str) -> list[tuple[str, str]]:
    """The files that a shell line shows (`cat a`, `sed -n 1,9p a`) as they are named in it, each with what of it is shown."""
    shown = ((shows(part), _INTO.sub("", part).split()[1:]) for part in simple(command) if _SHOWS.match(part))
    return [
        (word, what) for what, words in shown for word in (w.strip("'\"") for w in words) if _A_FILE.fullmatch(word)
    ]


def shows(part: str) -> str:
    """What a simple command shows of a file: empty for all of it, else the command itself."""
    return "" if _WHOLE.match(part) else part


def entered(command: str) -> str:
    """The directory that a shell line goes to first, where it is named whole; else empty."""
    first = next(iter(simple(command)), "")
    words = first.split()
    return words[1].strip("'\"") if len(words) == 2 and words[0] == "cd" and words[1].strip("'\"")[:1] == "/" else ""


@once(2_048)
def salient(command: str) -> tuple[str, ...]:
    """The pipelines that do something, each on one line, without the filters behind them."""
    return tuple(text for line in pipelines(command) if " " in (text := _shortened(line)) and len(text) >= 6)


def _shortened(line: Sequence[str]) -> str:
    """A pipeline on one line; where it is long its commands by their beginnings, as what goes on in a here-document."""
    if trivial(line[0]):
        return ""
    if "<<" in line[0]:
        return f"{line[0].partition('<<')[0][:LONGEST].strip()} <<…"
    kept = list(line)
    while len(kept) > 1 and trivial(kept[-1]):
        kept.pop()
    text = " | ".join(kept)
    if len(text) <= LONGEST:
        return text
    return " | ".join(part if len(part) <= BEGINNING else f"{part[:BEGINNING]}…" for part in kept)
