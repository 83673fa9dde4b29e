"""Shell lines, as far as telling what they do needs it: simple commands, cut outside quotes, here-documents left out.

Nothing here understands the shell; it only keeps words inside quotes, substitutions and here-documents from being taken for
commands of their own.
"""

import re
from collections.abc import Iterator, Sequence

from memd.model.once import once
from memd.model.secrets import STAND_IN

LONGEST, BEGINNING = 240, 120
"""Characters of a command line that stands whole, and of the beginning of a longer one."""
DEEPEST = 3
"""Shells inside of shells that are looked into."""
Scope = tuple[int, ...]
"""The shells that are around a command, the outermost left out; equal for commands of one shell."""
_BLANK = "\ue000"
"""The blank inside of what stands for a secret, while a line is cut into words: of a private use area."""

_HEREDOC = re.compile(r"<<-?\s*(['\"]?)(\w+)\1(?P<rest>[^\n]*)\n.*?(?:\n\s*\2(?!\w)|\Z)", re.DOTALL)
_TOKEN = re.compile(
    r"""'[^']*'|"(?:[^"\\]|\\.)*"|`[^`]*`|\$\((?:[^()]|\([^()]*\))*\)|\\."""
    r"""|(?P<cut>&&|\|\||[;\n]|(?<![<>&|])&(?![>&]))|(?P<pipe>\|&?)|.""",
    re.DOTALL,
)
_AHEAD = re.compile(
    r"^(?:[({]\s*|!\s+|\w+=(?:'[^']*'|\"[^\"]*\"|\S*)\s+|(?:time|nohup|then|do|else)\s+|env\s+(?:-u\s+\S+\s+|-\S+\s+)*"
    r"|sudo\s+(?:-[CghpRTUu]\s+\S+\s+|-\S+\s+)*|timeout\s+(?:-[ks]\s+\S+\s+|-\S+\s+)*\S+\s+)+"
)
_HANDED = re.compile(
    r"^(?:\S*/)?(?:ba|z|da|k)?sh\s+-[a-z]*c\s+(?P<quote>['\"])(?P<line>(?:(?!(?P=quote))[^\\`$])*)(?P=quote)$",
    re.DOTALL,
)
"""A shell that is handed its line as an argument in which nothing is escaped or put in."""
_BEHIND = re.compile(r"(?:\s*(?:\d?>>?&?\s*(?:\d|/dev/null)(?=\s|$)|&>\s*/dev/null|[)}]))+$")
_GIT_OPTIONS = re.compile(r"^git(?: -[Cc] \S+| --(?:no-pager|git-dir\S*|work-tree\S*))+ ")

_EFFECTS = re.compile(
    r"git (?:commit|push|tag (?!-l|--list)\S|merge|rebase|reset|revert|cherry-pick|am|checkout -[bB]|switch -[cC])\b"
    r"|git (?:stash(?! list| show)|branch -[dDmM]|worktree (?:add|remove)|remote (?:add|remove|set-url))\b"
    r"|git (?:checkout|restore) (?:--|\.)"
    r"|(?:gh|glab) (?:pr|issue|mr|release|repo|gist|workflow|run)"
    r" (?:create|merge|close|reopen|comment|edit|review|delete|run|rerun|upload)\b"
    r"|gh api .*(?:-X|--method)[ =]?(?:POST|PUT|PATCH|DELETE)\b"
    r"|(?:npm|pnpm|yarn|bun|pip3?|pipx|uv|uv pip|poetry|cargo|brew|apt|apt-get|dnf|gem|go)"
    r" (?:install|add|remove|uninstall|get) +[^-\s]"
    r"|(?:npm|pnpm|yarn|uv|cargo|twine|gem) (?:publish|upload|release|version|push)\b"
    r"|(?:(?:npm|pnpm|yarn|bun|make|just|mise|task)(?: run)?|rake|rails|php artisan|\S*python3? \S*manage\.py|npx \S+"
    r"|prisma|knex|flask) \S*(?:deploy|migrate|migration|publish|release|db:seed)"
    r"|(?:\S*python3? |bash |sh |node |\./)?\S*(?:deploy|migrate|publish|release)[\w-]*(?:\.(?:sh|py|js|ts|rb))?(?= |$)"
    r"|kubectl (?:apply|create|delete|scale|rollout|patch|set)\b|helm (?:install|upgrade|uninstall|rollback)\b"
    r"|(?:terraform|tofu|pulumi) (?:apply|destroy|import|up)\b"
    r"|(?:docker|podman) (?:push|rm|rmi|volume rm|compose (?:up|down)|stop|kill)\b|alembic (?:up|down)grade\b"
    r"|(?:fly|vercel|wrangler|heroku|netlify|firebase|gcloud|serverless|sls) .*(?:deploy|publish|delete|create)\b"
    r"|aws \S+ (?:create|delete|put|update|run|start|stop|terminate|cp|mv|rm|sync|publish|send)\b"
    r"|curl .*(?:-X|--request)[ =]?['\"]?(?:POST|PUT|PATCH|DELETE)\b"
    r"|curl .*\s(?:-d|--data\S*|-F|--form|-T|--upload-file)\b"
    r"|(?:psql|mysql|sqlite3|mongosh?) .*\b(?:INSERT|UPDATE|DELETE|DROP|ALTER|CREATE|TRUNCATE)\b"
    r"|(?:scp|rsync|mail|sendmail|msmtp|crontab (?!-l))(?: |$)"
    r"|(?:systemctl|launchctl|service) .*(?:start|stop|restart|enable|disable|load|unload)\b"
    r"|ssh (?:-[FiJloLpR] \S+ |-(?![FiJloLpR] )\S+ )*(?!-)[\w.@-]+ ['\"]?"
    r"(?!(?:ls|cat|head|tail|grep|df|du|ps|uptime|whoami|hostname|date|journalctl|free|id)\b)\w"
    r"|(?:rm|mv)(?: -\w+)* (?!/tmp/|-)\S",
)
_INSTALLS = re.compile(
    r"(?:npm|pnpm|yarn|bun) (?:ci|i|install)(?: -\S+)*$|yarn$|bundle$"
    r"|(?:uv|poetry|pdm|pipenv|bundle|composer|cargo) (?:sync|install)(?: -\S+)*$"
    r"|(?:\S*python3? -m )?(?:uv )?pip3? install(?: -\S+(?: \S+)?)+$|(?:uv )?pip sync \S+|go mod (?:download|tidy)$"
)
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
    r"|less|column|tree|touch|export|source|set|read|date|for|do|done|if|then|fi|else|while|nl"
    r"|git (?:status|diff|log|add|show|branch|blame))(?:\s|$)|#"
)


def documents(command: str) -> list[str]:
    """The here-documents of a shell line in order, each by its first line that says something."""
    texts = (match[0].partition("\n")[2] for match in _HEREDOC.finditer(command.replace("\\\n", " ")))
    return [next((line.strip() for line in text.splitlines() if line.strip()), "") for text in texts]


def pipelines(command: str) -> list[list[str]]:
    """The pipelines of a shell line in order, each as its simple commands without what only wraps them."""
    return [list(line) for line in _parsed(command)]


@once(2_048)
def _parsed(command: str) -> tuple[tuple[str, ...], ...]:
    return tuple(line for _, line in _placed(command))


@once(2_048)
def _placed(command: str) -> tuple[tuple[Scope, tuple[str, ...]], ...]:
    """The pipelines, each with the shell that it runs in."""
    return tuple((scope, tuple(map(parted, line))) for scope, line in _commands(joined(command), ()) if line)


def _commands(command: str, outer: Scope) -> Iterator[tuple[Scope, list[str]]]:
    """The pipelines; of a shell that is handed a line as an argument (`bash -c '…'`) those of that line."""
    for number, (inner, line) in enumerate(_lines(command)):
        scope, bare = outer + inner, [text for part in line if (text := _bare(part))]
        handed = _HANDED.match(bare[0]) if len(bare) == 1 and len(scope) < DEEPEST else None
        if handed is None:
            yield scope, bare
        else:
            yield from _commands(handed["line"], (*scope, -number - 1))


def joined(text: str) -> str:
    """A text in which what stands for a secret is a part of its word, as the secret was."""
    return STAND_IN.sub(lambda found: found[0].replace(" ", _BLANK), text)


def parted(text: str) -> str:
    """The text again, before `joined`."""
    return text.replace(_BLANK, " ")


def _lines(command: str) -> Iterator[tuple[Scope, list[str]]]:
    """The pipelines as they are written; a bracket where a command would begin opens a shell of its own."""
    text = _HEREDOC.sub(lambda match: f"<<{match[2]}{match['rest']}", command.replace("\\\n", " "))
    line, part, scope, brackets = list[str](), list[str](), Scope(), list[Scope]()
    here = scope
    for at, token in enumerate(_TOKEN.finditer(text)):
        if token["cut"]:
            yield here, [*line, "".join(part)]
            line, part, here = [], [], scope
        elif token["pipe"]:
            line, part = [*line, "".join(part)], []
        else:
            if token[0] == "(":
                brackets.append(scope)
                if not any(map(str.strip, part)):
                    here = scope = (*scope, at)
            elif token[0] == ")" and brackets:
                scope = brackets.pop()
            part.append(token[0])
    yield here, [*line, "".join(part)]


def _bare(part: str) -> str:
    return _BEHIND.sub("", _AHEAD.sub("", re.sub(r"\s+", " ", part).strip())).strip()


def simple(command: str) -> list[str]:
    """Every simple command of a shell line."""
    return [part for _, part in placed(command)]


def placed(command: str) -> list[tuple[Scope, str]]:
    """Every simple command with the shell that it runs in: what a `cd` in an inner one does ends with it."""
    return [(scope, part) for scope, line in _placed(command) for part in line]


@once(2_048)
def effects(command: str) -> tuple[str, ...]:
    """The simple commands that change something outside the working copy or cannot be done twice."""
    return tuple(part for part in simple(command) if _EFFECTS.match(_GIT_OPTIONS.sub("git ", part)))


def installs(part: str) -> bool:
    """Whether a simple command installs what the project itself says that it needs."""
    return _INSTALLS.match(part) is not None


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
    return tuple(text for line in _parsed(command) if " " in (text := _shortened(line)) and len(text) >= 6)


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
