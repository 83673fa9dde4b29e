"""Which rows of the table of verbs a simple command is held against: those of its program, behind what only runs one. Pure."""

import re

from memd.extract.verbs import ALL, LAUNCH, TABLE, Row

_ROWS = {
    name: tuple(row for row in TABLE if name in row.programs.split()) for one in TABLE for name in one.programs.split()
}
_SCRIPT = (Row("", ALL, hard=ALL),)
"""A script that is called by its name: what it does is told by that alone."""
_OTHERS = (
    Row("", r"(?:[a-z][\w-]* )?(?:create|delete|destroy|purge|close|reopen|publish|deploy|send|revoke|push|submit|refund)(?=\s|$)"
        r"|(?:upload|promote|land|migrate|apply)(?=\s|$)|\S+:(?:create|remove|delete|migrate)(?=\s|$)",
        hard=r"(?:[a-z][\w-]* )?(?:delete|destroy|purge|publish|deploy|push|submit)"),
)  # fmt: skip
"""Programs that are not known, by what most of them call such a deed (`bd create`, `jira issue close`)."""

_NAMING = (
    "cp ln tar zip unzip diff cmp ninja cmake code vim nvim vi nano emacs man info apropos ag ack open xdg-open chmod chown"
    " du stat file basename dirname realpath readlink md5sum sha256sum strings xxd od pushd bat jq yq gitk tig cloc tokei pandoc"
    " pytest mypy ruff black isort flake8 pylint bandit eslint prettier tsc jest vitest mocha rspec phpunit ctest bats"
    " shellcheck hadolint"
)
"""Programs behind which such a word is a file's name, or what is looked for."""

_THROUGH = re.compile(
    r"(?:(?:npx|bunx|pnpx|(?:uv|poetry|pdm|pipenv|rye|hatch) run|(?:npm|pnpm|yarn|bundle|mise) (?:exec|dlx)|uv tool run"
    r"|\S*python[\d.]* -m)(?: --?[a-z-]*)*\s+)*"
)
"""What runs a program of the project, and is not the one that matters."""
_PROGRAM = re.compile(rf"{_THROUGH.pattern}\\?(?:[^\s'\"]*/)?(?P<name>[^\s'\"]+?)(?:(?<=[a-z])\d[\d.]*)?(?=\s|$)\s*")
_LAUNCHED = re.compile(LAUNCH)
_NAMES = frozenset(_NAMING.split())


def known(command: str) -> bool:
    """Whether a command's program is in the table."""
    match = _PROGRAM.match(command)
    return match is not None and match["name"] in _ROWS


def of(command: str) -> tuple[tuple[Row, ...], str]:
    """The rows that a command is held against, and what stands behind its program."""
    match = _PROGRAM.match(command)
    if match is None:
        return (), ""
    others = () if match["name"] in _NAMES else _OTHERS
    rows = _ROWS.get(match["name"]) or (_SCRIPT if _LAUNCHED.fullmatch(match["name"]) else others)
    return rows, command[match.end() :]
