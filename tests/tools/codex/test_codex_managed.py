"""What the settings of whoever manages the machine do to a person's hooks in Codex, as it was measured on codex-cli 0.171.0."""

from importlib import import_module
from pathlib import Path

import pytest

managed = import_module("memd.tools.codex.managed")
"""The module itself: the package has a stand-in that loads it later."""

OWN = Path("/home/ada/.codex/config.toml")
ON, OFF = "[features]\nhooks = true\n", "[features]\nhooks = false\n"


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("requirements.toml", "allow_managed_hooks_only = true\n", "allow_managed_hooks_only is true in "),
        ("requirements.toml", OFF, "the feature `hooks` is switched off in "),
        ("requirements.toml", "[feature_requirements]\nhooks = false\n", "the feature `hooks` is switched off in "),
        ("managed_config.toml", OFF, "the feature `hooks` is switched off in "),
        ("config.toml", OFF, "the feature `hooks` is switched off in "),
        ("config.toml", "allow_managed_hooks_only = true\n", ""),
        ("requirements.toml", "features = 1\n", ""),
        ("requirements.toml", "[features]\nhooks = true\n", ""),
    ],
)
def test_each_setting_that_keeps_hooks_from_running_is_named_with_its_file(tmp_path, monkeypatch, name, text, why):
    """And no other: what the client takes for nothing is nothing."""
    monkeypatch.setattr(managed, "FOLDER", tmp_path)
    (tmp_path / name).write_text(text)
    (path,) = managed.policies()
    assert managed.overruled(OWN, {OWN: None, path: path.read_bytes()}) == (f"{why}{path}" if why else "")


@pytest.mark.parametrize(
    ("config", "own", "managed_config", "requirements", "off"),
    [
        (OFF, ON, "", "", None),
        (ON, OFF, "", "", "own"),
        ("", OFF, "", "", "own"),
        (OFF, "model = 1\n", "", "", "config.toml"),
        ("", ON, OFF, "", "managed_config.toml"),
        ("", OFF, ON, "", None),
        (OFF, "", ON, "", None),
        (ON, "", OFF, "", "managed_config.toml"),
        ("", ON, "", OFF, "requirements.toml"),
        ("", OFF, "", ON, None),
        (OFF, "", "", ON, None),
        ("", ON, "", "[feature_requirements]\nhooks = false\n", "requirements.toml"),
    ],
)
def test_of_several_files_that_say_whether_hooks_run_the_higher_counts(
    tmp_path, monkeypatch, config, own, managed_config, requirements, off
):
    """As the client itself takes them: the manager's `config.toml` stands below the person's own, the others above it."""
    monkeypatch.setattr(managed, "FOLDER", tmp_path)
    texts = zip(managed.NAMES, (config, managed_config, requirements), strict=True)
    before = {OWN: own.encode(), **{tmp_path / name: text.encode() for name, text in texts if text}}
    assert managed.switched_off(OWN, before) == {"own": OWN, None: None}.get(off, tmp_path / str(off))
    ruled = off not in {"own", None}
    assert managed.overruled(OWN, before) == (
        f"the feature `hooks` is switched off in {tmp_path / off}" if ruled else ""
    )


def test_a_broken_file_keeps_the_client_from_starting(tmp_path, monkeypatch):
    """It says so itself, and the doctor has to."""
    monkeypatch.setattr(managed, "FOLDER", tmp_path)
    path = tmp_path / "requirements.toml"
    for content in (b"hooks = \n", b"a = " + b"[" * 1_000 + b"]" * 1_000):
        assert managed.overruled(OWN, {path: content}) == f"{path} is no TOML: the client does not start with it"
