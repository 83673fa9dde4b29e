"""A setting changed in the text of a settings file: what is said changes, and nothing else."""

import tomllib
from contextlib import suppress

import pytest

from memd.daemon.setup import toml
from memd.errors import Refused

FILE = """# mine
guard = true  # for now
ignore = [
  "~/a#b/**",  # private
]

[checkpoint]  # the writer
at = 0.5
"""


@pytest.mark.parametrize(
    ("key", "value", "before", "after"),
    [
        ("guard", False, "guard = true  # for now", "guard = false  # for now"),
        ("ignore", ["x"], 'ignore = [\n  "~/a#b/**",  # private\n]', 'ignore = ["x"]'),
        ("checkpoint.at", 0.7, "at = 0.5", "at = 0.7"),
        ("checkpoint.model", 'a "b" # c', "# the writer\n", '# the writer\nmodel = "a \\"b\\" # c"\n'),
        ("keep_days", 9, "# mine\n", "keep_days = 9\n# mine\n"),
        ("log.level", "debug", "# mine\n", 'log.level = "debug"\n# mine\n'),
    ],
)  # fmt: skip
def test_one_setting_changes(key, value, before, after):
    """Where it stands, in its table, or at the head; comments and all other lines keep their bytes."""
    assert toml.put(FILE, key, value) == FILE.replace(before, after)
    windows = FILE.replace("\n", "\r\n")
    assert tomllib.loads(toml.put(windows, key, value)) == tomllib.loads(toml.put(FILE, key, value))
    assert toml.put(windows, key, value).count("\n") == toml.put(windows, key, value).count("\r\n")
    assert toml.put("\ufeff" + FILE, key, value) == "\ufeff" + toml.put(FILE, key, value)
    assert toml.take("\ufeff" + FILE, key) == "\ufeff" + toml.take(FILE, key)


@pytest.mark.parametrize("key", ["guard", "ignore", "checkpoint.at"])
def test_a_setting_is_taken_out(key):
    """With all its lines; what is not there is no trouble."""
    left = tomllib.loads(toml.take(FILE, key))
    table, _, name = key.rpartition(".")
    assert name not in (left.get(table, {}) if table else left)
    assert toml.take(toml.take(FILE, key), key) == toml.take(FILE, key)
    assert toml.take(toml.put("", key, "x"), key) == ""


@pytest.mark.parametrize(
    "text", ["checkpoint = {at = 0.5}\n", '"guard" = true\n"checkpoint"."at" = 0.1\n[x]\n', "[a.b]\n"]
)
def test_odd_spellings_are_changed_or_refused_and_never_broken(text):
    """What comes out says what was meant, or it is refused with the key."""
    with suppress(Refused):
        assert tomllib.loads(toml.put(text, "checkpoint.at", 0.9))["checkpoint"]["at"] == 0.9


def test_a_table_at_the_end_without_a_line_end():
    assert toml.put("[log]", "log.level", "debug") == '[log]\nlevel = "debug"\n'
