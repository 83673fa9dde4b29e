"""memd/later.py: what is named and not imported until something of it is asked for."""

import sys

import pytest

from memd.later import later


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of two modules that nobody has imported."""
    folder = tmp_path / "found_later"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "one.py").write_text('VALUE = "a value"\ndef call(): return 7\n')
    (folder / "two.py").write_text("1 / 0\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield "found_later"
    for name in [name for name in sys.modules if name.startswith("found_later")]:
        del sys.modules[name]


def test_a_module_is_imported_when_something_of_it_is_asked_for(package):
    """And not before, whatever is wrong with it."""
    one, two = later(package, "one", "two")
    assert "found_later.one" not in sys.modules
    assert (one.call(), one.VALUE) == (7, "a value")
    with pytest.raises(ZeroDivisionError):
        two.anything  # noqa: B018
    with pytest.raises(AttributeError, match="nothing"):
        one.nothing  # noqa: B018


def test_a_value_in_a_module_is_too(package):
    """Its attributes are the value's."""
    (value,) = later(package, "one.VALUE")
    assert "found_later.one" not in sys.modules
    assert value.upper() == "A VALUE"
