"""memd/assets.py in the two layouts: a wheel has the files inside the package, a checkout beside it."""

from pathlib import Path

import pytest

from memd import assets
from memd.errors import NotFound

SITE = Path("/venv/site-packages")
REPOSITORY = Path("/src/memd")


@pytest.fixture
def wheel(fs, monkeypatch):
    """site-packages with memd and, as a trap, somebody else's top-level `hooks`."""
    monkeypatch.setattr(assets, "_PACKAGE", SITE / "memd")
    fs.create_file(SITE / "memd/_assets/hooks/memd_hook.py", contents="in the wheel")
    fs.create_file(SITE / "hooks/memd_hook.py", contents="another package")
    fs.create_file(SITE / "systemd/memd.service", contents="another package")


@pytest.fixture
def editable(fs, monkeypatch):
    """A checkout, where the package lies beside the folders."""
    monkeypatch.setattr(assets, "_PACKAGE", REPOSITORY / "memd")
    fs.create_file(REPOSITORY / "pyproject.toml")
    fs.create_file(REPOSITORY / "hooks/memd_hook.py", contents="in the repository")
    fs.create_file(REPOSITORY / "hooks/plugin/plugin.json", contents="{}")


@pytest.mark.usefixtures("wheel")
def test_wheel():
    """In a wheel the file comes from inside the package."""
    assert assets.path("hooks", "memd_hook.py") == SITE / "memd/_assets/hooks/memd_hook.py"
    assert assets.read("hooks", "memd_hook.py") == b"in the wheel"


@pytest.mark.usefixtures("wheel")
def test_another_packages_folder_is_not_ours():
    """A top-level folder in site-packages that has our name is never taken for ours."""
    with pytest.raises(NotFound):
        assets.path("systemd", "memd.service")


@pytest.mark.usefixtures("editable")
def test_editable():
    """In an editable install the file comes from the repository's own folder, so that an edit counts at once."""
    assert assets.path("hooks", "memd_hook.py") == REPOSITORY / "hooks/memd_hook.py"
    assert assets.read("hooks", "plugin/plugin.json") == b"{}"


@pytest.mark.usefixtures("editable")
def test_missing():
    """A broken installation is told in one line with the file and what to do."""
    with pytest.raises(NotFound, match=r"^memd's own file launchd/x\.plist is missing .* reinstall memd$"):
        assets.read("launchd", "x.plist")


@pytest.mark.parametrize("kind", ["hooks", "systemd", "launchd"])
def test_this_installation_is_whole(kind):
    """The folders of all kinds are where this installation should have them."""
    assert assets.path(kind, "").is_dir()
