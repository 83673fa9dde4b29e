"""`memd install` where Codex is used: what is said of its trust, and what is asked."""

import json

import pytest

from .conftest import at_a_terminal

UNTRUSTED = (
    "codex: skips memd's hooks until you trust them: start `codex` and choose to review the hooks where it says \"Hooks need "
    'review"; or `memd install codex --trust-codex-hooks`'
)
MINE = b'model = "x"  # mine\n'


@pytest.fixture
def codex(home, monkeypatch):
    """A home with Codex in it, whose program is not on the PATH."""
    place = home / ".codex"
    place.mkdir()
    (place / "config.toml").write_bytes(MINE)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    return place


def test_without_a_word_nothing_is_trusted(memd, codex):
    """`--yes` is a yes to the hooks; that Codex skips them, and how to mend it, is said."""
    done = memd("install", "codex", "--yes")
    assert done.returncode == 0
    assert UNTRUSTED in done.stdout.splitlines()
    assert (codex / "config.toml").read_bytes() == MINE


@pytest.mark.parametrize("arguments", [[], ["--trust-codex-hooks"]])
def test_a_dry_run_says_it_too(memd, codex, arguments):
    """And writes nothing, the option or not."""
    done = memd("install", "codex", "--dry-run", *arguments)
    assert UNTRUSTED in done.stdout
    assert sorted(path.name for path in codex.iterdir()) == ["config.toml"]


def test_the_option_without_the_program_is_a_fault_with_a_way_out(memd, codex):
    """The hooks are in; one line says that they will not run and how they will."""
    done = memd("install", "codex", "--yes", "--trust-codex-hooks")
    assert done.returncode == 1
    assert done.stderr == (
        "memd: the hooks are in, and are not trusted: `codex` is not on the PATH; start `codex` and choose to review the hooks "
        'where it says "Hooks need review"\n'
    )
    assert "SessionStart" in json.loads((codex / "hooks.json").read_bytes())["hooks"]


def test_it_is_asked_once_and_no_is_an_answer(codex):
    """The question says what a yes does; after a no it is said how to do it later. Other agents are not asked about."""
    code, said = at_a_terminal(["y", "7", "n", "n", "n"], "install", "codex")
    assert code == 0
    assert said.count("Trust memd's 5 hooks now?") == 1
    assert "Codex itself writes that into its config.toml, for these hooks only" in said
    assert UNTRUSTED in said.replace("\r", "")
    code, said = at_a_terminal(["y", "n", "7", "n", "n"], "install", "claude-code")
    assert (code, "Trust" in said) == (0, False)


def test_the_doctor_and_the_status_agree(memd, codex):
    """Without the program the doctor says that it could not ask, and what the files tell."""
    memd("install", "codex", "--yes")
    found = {one["code"]: one["fix"] for one in json.loads(memd("doctor", "--json").stdout)["findings"]}
    assert found["hooks-untrusted"] == "memd install codex --trust-codex-hooks"
    assert "trust-unchecked" in found


def test_a_file_that_codex_ignores_is_refused(memd, codex):
    """One line with path, line and column; nothing is written anywhere."""
    (codex / "hooks.json").write_text('{\n  "$schema": "x"\n}\n')
    done = memd("install", "codex", "--yes")
    assert done.returncode == 1
    assert done.stderr.startswith(f"memd: {codex / 'hooks.json'}: line 2, column 3: Codex ignores this file: `$schema`")
    assert len(done.stderr.splitlines()) == 1
    assert not (codex.parent / ".local").exists()
