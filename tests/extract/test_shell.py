"""Shell lines: what changes something, what runs tests, what only looks around."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.extract import effects, shell

COMMIT = "git commit -m \"$(cat <<'EOF'\nMake git push && rm -rf / safe\n\nEOF\n)\" && git push"


@pytest.mark.parametrize(
    "command",
    [
        "pytest -q",
        "uv run pytest x",
        ".venv/bin/python -m pytest",
        "cd a && go test ./... | tail",
        "npm run test:ci",
        "make check",
    ],
)
def test_test_runs_are_known(command):
    """By whatever runner they are started."""
    assert shell.tests(command)


@pytest.mark.parametrize("command", ["echo pytest", "cat test.py", "git commit -m 'pytest passes'", "pip show pytest"])
def test_talk_of_tests_is_no_run(command):
    """A name in an argument runs nothing."""
    assert shell.tests(command) == ""


@pytest.mark.parametrize(
    ("command", "lines"),
    [
        ("mise run lint 2>&1", ["mise run lint"]),
        ("go test ./... -run 'A|B' 2>&1 | grep FAIL | head -2", ["go test ./... -run 'A|B'"]),
        ("cd /x && ls -la && make all", ["make all"]),
        ("gh api x/y | jq '.a | .b'", ["gh api x/y | jq '.a | .b'"]),
        ("cat a | head", []),
        (COMMIT, ['git commit -m "$(cat <<…', "git push"]),
        (f"make {'x' * 300}", [f"make {'x' * 115}…"]),
    ],
)
def test_salient_lines_are_what_one_would_type_again(command, lines):
    """Filters, redirections and looking around are left out; the rest stands exactly, long lines by their beginning."""
    assert list(shell.salient(command)) == lines


@pytest.mark.parametrize(
    ("command", "program"),
    [
        ("cd x && go test ./a", "go test"),
        ("git -C /a merge b", "git merge"),
        ("git fetch && git merge b", "git merge"),
        ("", ""),
    ],
)
def test_a_line_is_about_its_last_program(command, program):
    """What comes before it only leads there."""
    assert shell.program(command) == program


@given(
    st.lists(
        st.sampled_from(["git push", "'", '"', "$(", ")", "&&", "|", "\n", "<<EOF", "EOF", "\\", "`", ";", " "])
    ).map("".join)
)
def test_no_line_is_too_odd(command):
    """Whatever agents type, it is taken apart without an error, and every piece is of the line."""
    for part in shell.simple(command):
        assert part == part.strip()
    shell.salient(command), effects.deeds(command), shell.program(command)


@pytest.mark.parametrize(
    ("command", "files"),
    [
        (
            "sed -n '1,260p' src/a.py && cat /etc/b.toml",
            [("src/a.py", "sed -n '1,260p' src/a.py"), ("/etc/b.toml", "")],
        ),
        ("head -20 'notes.md'", [("notes.md", "head -20 'notes.md'")]),
        ("cat *.py", []),
        ("cat a.md > b.md", [("a.md", "")]),
        ("cat > b.md <<EOF\nc.md\nEOF", []),
        ("rm a.py", []),
    ],
)
def test_the_files_that_a_line_shows_are_known(command, files):
    """By the name that they have in it, with the command where it shows only a part.

    Patterns, other programs' arguments and what is written into are no files that were read.
    """
    assert shell.looked_at(command) == files


@pytest.mark.parametrize(("command", "directory"), [("cd /srv/w && ls", "/srv/w"), ("cd w && ls", ""), ("ls /srv", "")])
def test_where_a_line_goes_first(command, directory):
    """Only a directory that is named whole tells where it is."""
    assert shell.entered(command) == directory


@pytest.mark.parametrize(
    ("command", "words"),
    [("git diff --stat | head", "git diff"), ("npm run test:ci", "npm run"), ("grep -rn maxRetries src", "grep")],
)
def test_a_program_is_spoken_of_with_its_own_command(command, words):
    """`git diff` is one thing, what `grep` looks for is not."""
    assert shell.spoken(command) == words
