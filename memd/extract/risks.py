"""Operations that are hard to take back, and the words by which a rule or a decision may name what they are about. Pure."""

import re
from collections.abc import Iterable, Sequence
from posixpath import basename

from memd.extract import cut, effects, shell

_MANIFEST = re.compile(
    r"(?:package\.json|pyproject\.toml|requirements[\w.-]*\.txt|Pipfile|setup\.(?:py|cfg)|Cargo\.toml|go\.mod|Gemfile|pom\.xml"
    r"|composer\.json|build\.gradle(?:\.kts)?|Package\.swift|mix\.exs|environment\.ya?ml)\Z"
)
_INSTALL = re.compile(
    r"(?:\S*python3? -m )?(?:npm|pnpm|yarn|bun|pip3?|pipx|uv|uv pip|poetry|cargo|brew|apt|apt-get|gem|go|composer)"
    r" (?:install|add|remove|uninstall|get|require|i)\s+(?P<rest>.+)"
)
_WORD = re.compile(r"[\w.@/+-]{3,}")
_COMMON = frozenset(
    "the,and,for,with,not,git,push,origin,sudo,npm,pip,run,install,add,remove,true,false,null,none,force,python,bash,this,that,"  # noqa: SIM905 - a list of words
    "from,into,all,new,old,make,test,tests,src,http,https,www,com".split(",")
)
_VERBS = {
    verb: frozenset(forms.split())
    for verb, forms in {
        "push": "push pushes pushed pushing",
        "force": "force forced forcing",
        "deploy": "deploy deploys deployed deploying deployment deployments",
        "migrat": "migrate migrates migrated migrating migration migrations",
        "publish": "publish publishes published publishing",
        "release": "release releases released releasing",
        "drop": "drop drops dropped dropping",
        "truncate": "truncate truncates truncated truncating",
        "delete": "delete deletes deleted deleting deletion",
        "destroy": "destroy destroys destroyed destroying",
    }.items()
}
"""How a verb begins in a command, and its forms in a rule: of `migrate` people write that migrations are run by hand."""
_QUALIFIED = re.compile(
    r"(?:\b(?:table|view|index|schema|database|from|into|update|truncate|only|exists)\s+|\bdb\.)(\w+(?:\.\w+)+)",
    re.IGNORECASE,
)
"""A name in a database with what it lies in: `public.orders`."""


def high(command: str, more: Sequence[str] = ()) -> list[str]:
    """The commands of a line that are hard to take back; `more` are beginnings of others that count too."""
    found, others = list[str](), tuple(filter(None, more))
    for part in cut.simple(command):
        deed = effects.deed(part)
        if (deed and deed.hard) or part.text.startswith(others):
            found.append(f"{deed.text if deed else part.text} {part.given}".rstrip())
    return found


def named(part: str) -> set[str]:
    """The words by which a rule may name what a risky command is about: its verbs, paths, branches, tables."""
    low = part.lower()
    verbs = {form for verb, forms in _VERBS.items() if re.search(rf"\b{verb}", low) for form in forms}
    inner = {piece for match in _QUALIFIED.finditer(part) for piece in match[1].split(".") if len(piece) > 2}
    return verbs | {word for word in _words(part) | inner if word.lower() not in _COMMON}


def _words(text: str) -> set[str]:
    """Words with the folders that they lie in, by their whole path and by their names."""
    found = {match[0].strip("./-") for match in _WORD.finditer(text) if not match[0].startswith("-")}
    return {word for one in found for word in (one, basename(one), *_above(one)) if len(word) > 2}


def placed(path: str) -> set[str]:
    """The words by which a rule may name a file that is changed: its path, its name, and folders written as such (`data/`)."""
    return {path, basename(path)} | {f"{folder}/" for folder in _above(path)}


def _above(path: str) -> list[str]:
    """The folders that a path lies in, each as a path."""
    return [path[: match.start()] for match in re.finditer("/", path) if match.start()]


def manifest(path: str) -> bool:
    """Whether a file says what a project depends on."""
    return _MANIFEST.match(basename(path)) is not None


def packages(command: str) -> set[str]:
    """The packages that a line installs or takes out."""
    found = (match["rest"].split() for part in shell.simple(command) if (match := _INSTALL.match(part)))
    return {_bare(word) for words in found for word in words if not word.startswith(("-", ".", "/"))} - {""}


def changed(keys: Iterable[str], old: str, new: str) -> set[str]:
    """The packages that an edit of a manifest touches: by its keys, and by words of lines that came or went."""
    before, after = old.splitlines(), new.splitlines()
    rows = [row for row in before if row not in after] + [row for row in after if row not in before]
    words = {_bare(word) for row in rows for word in re.findall(r"[@\w][\w./@-]{2,}", row)}
    found = words | {_bare(key.rpartition(".")[2]) for key in keys}
    return {word for word in found if len(word) > 2 and word.lower() not in _COMMON and not word[0].isdigit()}


def _bare(word: str) -> str:
    """A package without its version."""
    return re.split(r"[=<>~!^;\[,]|(?<=.)@", word.strip("\"'"))[0]
