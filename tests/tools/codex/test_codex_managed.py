"""What the settings of whoever manages the machine do to a person's hooks in Codex, as it was measured on codex-cli 0.171.0."""

from importlib import import_module

import pytest

managed = import_module("memd.tools.codex.managed")
"""The module itself: the package has a stand-in that loads it later."""

OFF = "[features]\nhooks = false\n"


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
    assert managed.overruled({path: path.read_bytes()}) == (f"{why}{path}" if why else "")


def test_a_broken_file_keeps_the_client_from_starting(tmp_path):
    """It says so itself, and the doctor has to."""
    path = tmp_path / "requirements.toml"
    assert managed.overruled({path: b"hooks = \n"}) == f"{path} is no TOML: the client does not start with it"
