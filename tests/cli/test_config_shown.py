"""`memd config`: what is in force, and where it comes from; what it prints is a settings file. And shell completion."""

import json
import os
import subprocess

import pytest

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


def test_a_word_half_typed_is_completed(home):
    environ = {**os.environ, "_MEMD_COMPLETE": "zsh_complete", "COMP_WORDS": "memd sta", "COMP_CWORD": "1"}
    done = subprocess.run(MEMD, env=environ, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[:2] == ["plain", "status"]
