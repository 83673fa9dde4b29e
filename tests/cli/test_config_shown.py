"""`memd config`: what is in force, and where it comes from; what it prints is a settings file. And shell completion."""

import json
import os
import re
import shutil
import subprocess

import pytest
from played import EXAMPLE

from memd import config

from .conftest import MEMD


@pytest.fixture
def file(home):
    path = home / ".config" / "memd" / "config.toml"
    path.parent.mkdir(parents=True)
    path.write_text('keep_days = 7\nignore = ["~/private/**"]\n[checkpoint]\nat = 0.5\n', "utf-8")
    return path


def test_what_is_printed_is_a_settings_file_that_says_the_same(call, file, tmp_path):
    """Every setting stands there with its origin, and the whole can be read back."""
    code, out, err = call("config")
    assert (code, err) == (0, "")
    (tmp_path / "again.toml").write_text(out, "utf-8")
    assert config.read(tmp_path / "again.toml") == config.read(file)
    said = {line.partition(" = ")[0]: line.rpartition("# ")[2] for line in out.splitlines() if " = " in line}
    assert {key for key, origin in said.items() if origin == "file"} == {"keep_days", "ignore", "checkpoint.at"}
    assert f"# config {file}" in out


def test_a_key_or_a_table_alone(call, file):
    assert call("config", "keep_days")[1] == "keep_days = 7  # file\n"
    assert [one["key"] for one in json.loads(call("config", "inject", "--json")[1])["settings"]] == [
        "inject.max_tokens",
        "inject.startup_line",
    ]


def test_no_such_setting_names_those_that_are(call):
    code, out, err = call("config", "check")
    assert (code, out) == (1, "")
    assert err.startswith("memd: no setting 'check'; there are tools, ignore, ")


def test_a_broken_file_is_told(call, file):
    file.write_text("keep_day = 7", "utf-8")
    code, _, err = call("config")
    assert code == 1
    assert err.startswith(f"memd: {file}: keep_day: no such setting")


def test_a_variable_that_moves_things_is_named(call, home, monkeypatch):
    monkeypatch.setenv("MEMD_STATE_DIR", str(home / "elsewhere"))
    assert f"# state  {home}/elsewhere  (MEMD_STATE_DIR)  (not there yet)\n" in call("config")[1]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shells_get_their_completion(home, shell, tmp_path):
    """The program as README has it prints what the shell wants; a word half typed is completed."""
    program = [str(tmp_path / "memd")]
    (tmp_path / "memd").write_text(f'#!/bin/sh\nexec "{MEMD[0]}" -m memd "$@"\n')
    (tmp_path / "memd").chmod(0o755)
    done = subprocess.run(
        program, env={**os.environ, "_MEMD_COMPLETE": f"{shell}_source"}, capture_output=True, text=True, check=False
    )
    assert f"_MEMD_COMPLETE={shell}_complete" in done.stdout
    if shutil.which(shell):
        assert (
            subprocess.run([shell, "-n"], input=done.stdout, capture_output=True, text=True, check=False).stderr == ""
        )


ZSH = 'autoload -Uz compinit && compinit -D && eval "$(_MEMD_COMPLETE=zsh_source memd)" && print $_comps[memd]'
FISH = '_MEMD_COMPLETE=fish_source memd | source; complete -C "memd statusl"'


@pytest.mark.parametrize(("shell", "script", "said"), [("zsh", ZSH, "_memd_completion"), ("fish", FISH, "statusline")])
def test_a_shell_takes_it_as_readme_says(home, shell, script, said, tmp_path):
    """The real shell, with the line that people are told to put into its settings."""
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell} here")
    (tmp_path / "memd").write_text(f'#!/bin/sh\nexec "{MEMD[0]}" -m memd "$@"\n')
    (tmp_path / "memd").chmod(0o755)
    environ = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "HOME": str(home)}
    done = subprocess.run([shell, "-c", script], env=environ, capture_output=True, text=True, check=False)
    assert (done.stdout.split("\t")[0].strip(), done.stderr) == (said, "")


def test_a_word_half_typed_is_completed(home):
    environ = {**os.environ, "_MEMD_COMPLETE": "zsh_complete", "COMP_WORDS": "memd sta", "COMP_CWORD": "1"}
    done = subprocess.run(MEMD, env=environ, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[:2] == ["plain", "status"]


def test_a_setting_is_set_and_unset(call, file):
    """Words become what the setting takes: a number, a truth value, a string, a list; the rest of the file stays."""
    before = file.read_text("utf-8")
    assert call("config", "checkpoint.at", "0.7") == (0, "checkpoint.at = 0.7  # file\n", "")
    assert file.read_text("utf-8") == before.replace("at = 0.5", "at = 0.7")
    assert call("config", "ignore", "~/a/**", "~/b/**")[1] == 'ignore = ["~/a/**", "~/b/**"]  # file\n'
    assert call("config", "checkpoint.writer", "agent")[1] == 'checkpoint.writer = "agent"  # file\n'
    assert call("config", "guard", "false")[1] == "guard = false  # file\n"
    assert call("config", "trust.hosts", "codex_vscode")[1] == 'trust.hosts = ["codex_vscode"]  # file\n'
    assert call("config", "--unset", "guard")[1] == "guard = true  # default\n"
    assert "guard" not in file.read_text("utf-8")
    assert config.read(file).ignore == ("~/a/**", "~/b/**")


def test_it_makes_the_file_where_there_is_none(call, home):
    """Private, with its folder."""
    assert call("config", "keep_days", "7")[0] == 0
    path = home / ".config" / "memd" / "config.toml"
    assert (path.read_text("utf-8"), path.stat().st_mode & 0o777) == ("keep_days = 7\n", 0o600)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["checkpoint.at", "banana"], "checkpoint.at: should be a valid number, not 'banana'"),
        (["checkpoint.at", "7"], "checkpoint.at: should be less than or equal to 0.95, not 7"),
        (["guard", "yes"], "guard: should be a valid boolean, not 'yes'"),
        (["no.such", "1"], "no setting 'no.such'; there are tools, ignore"),
        (["checkpoint", "1"], "no setting 'checkpoint'; there are"),
        (["checkpoint.at", "nan"], "checkpoint.at: should be a valid number, not 'nan'"),
        (["keep_days", "2026-11-30"], "keep_days: should be a valid integer, not '2026-11-30'"),
        (
            ["tools", "claude-code", "cursor"],
            "tools[1]: should be 'claude-code' or 'codex' or 'opencode', not 'cursor'",
        ),
        (["ignore", "\udcff"], "ignore[0]: should be UTF-8, not"),
        (["checkpoint.model", "\udcff"], "checkpoint.model: should be UTF-8, not"),
        (["ignore", ""], "ignore[0]: should be a name, or a path that begins with / or ~, not ''"),
        (["--unset", "gaurd"], "no setting 'gaurd'; there are"),
    ],
)
def test_what_cannot_be_set_is_refused_and_nothing_changes(call, file, words, said):
    """One line with the key and what it takes."""
    before = file.read_bytes()
    code, out, err = call("config", *words)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert said in err
    assert file.read_bytes() == before


@pytest.mark.parametrize("words", [["guard", "false"], ["--unset", "guard"]])
def test_a_broken_file_is_not_edited(call, file, words):
    """The person mends it first: one line says where, and the bytes stay."""
    file.write_text("guard = maybe\n")
    code, out, err = call("config", *words)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert err.startswith(f"memd: {file}: is not TOML: ")
    assert file.read_text() == "guard = maybe\n"


@pytest.mark.parametrize("words", [["--unset"], ["guard", "true", "--json"], ["guard", "true", "--unset"]])
def test_half_a_question_is_wrong_usage(call, words):
    assert call("config", *words)[0] == 2


@pytest.mark.parametrize(
    ("shell", "words", "offered"),
    [
        ("bash", "memd show exa", "example"),
        ("zsh", "memd log claude-code:e", "claude-code\\:example"),
        ("fish", "memd show example sk", "skills"),
        ("bash", "memd log --channel human.a", "human.answer"),
        ("zsh", "memd config checkpoint.a", "checkpoint.at"),
        ("fish", "memd install open", "opencode"),
        ("bash", "memd demo --fa", "--fast"),
    ],
)
def test_what_is_half_typed_is_completed(home, shell, words, offered):
    """Sessions, parts, channels, settings, tools and options, in each shell's own form."""
    if "exa" in words or ":" in words:
        subprocess.run([*MEMD, "ingest", EXAMPLE], capture_output=True, check=True)
    count = len(words.split()) - 1
    last = words.split()[-1]
    asked = {"COMP_WORDS": words, "COMP_CWORD": last if shell == "fish" else str(count)}
    environ = {**os.environ, "_MEMD_COMPLETE": f"{shell}_complete", **asked}
    done = subprocess.run(MEMD, env=environ, capture_output=True, text=True, check=False)
    found = done.stdout.split() if shell == "zsh" else re.findall(r"plain,(\S+?)(?:\t|$)", done.stdout, re.MULTILINE)
    assert (done.stderr, offered in found) == ("", True)


def test_nothing_is_completed_where_nothing_is_recorded(home):
    environ = {**os.environ, "_MEMD_COMPLETE": "bash_complete", "COMP_WORDS": "memd show a", "COMP_CWORD": "2"}
    done = subprocess.run(MEMD, env=environ, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "", "")
