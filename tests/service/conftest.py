"""The container, booted once, and memd put into its person's home anew for each test."""

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from .container import MEMD, UnavailableError, base, booted, fetch, foreign, furnish, missing

ROOT = Path(__file__).parents[2]
CACHE = ROOT / ".service-root"
SETTINGS = (
    b'{\n\t"model": "opus",\n\t"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "true"}]}]}\n}'
)


def _unavailable(reason):
    """Skip on a person's machine; fail where the service is there to be tested."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def furnished(tmp_path_factory):
    """A Debian with memd and a person in it."""
    if why := foreign():
        pytest.skip(why)
    if lacking := missing():
        _unavailable(f"{', '.join(lacking)} missing: apt-get install debootstrap systemd-container")
    root = tmp_path_factory.mktemp("furnished") / "root"
    try:
        subprocess.run(["cp", "-a", "--reflink=auto", base(CACHE), root], check=True, timeout=120)
        fetch(root, ROOT, CACHE)
        furnish(root)
    except UnavailableError as error:
        _unavailable(str(error))
    yield root
    shutil.rmtree(root, ignore_errors=True)


@pytest.fixture(scope="module")
def container(furnished, tmp_path_factory):
    """The same, booted."""
    with booted(furnished, tmp_path_factory.mktemp("booted")) as container:
        yield container


def snapshot(folder, *, without=()):
    """Every path below the folder with mode, owner and content, but for those under the names in `without`."""
    found = {path.relative_to(folder): path for path in sorted(folder.rglob("*"))}
    return {
        str(name): (status.st_mode, status.st_uid, _content(path))
        for name, path in found.items()
        if not any(name.is_relative_to(other) for other in without)
        for status in [path.lstat()]
    }


def _content(path):
    return os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None


@pytest.fixture
def began(container):
    """When the test began, before anything was done in it."""
    return time.time()


@pytest.fixture
def home(container, began):
    """The person's home: Claude Code's settings with somebody's hook, tabs, and no newline at the end. It is left as it was."""
    settings = container.home / ".claude" / "settings.json"
    settings.parent.mkdir(mode=0o755, exist_ok=True)
    settings.write_bytes(SETTINGS)
    settings.chmod(0o640)
    (container.home / "project").mkdir(exist_ok=True)
    container.own()
    before = snapshot(container.home)
    yield container.home
    container.sh(f"{MEMD} uninstall --purge --yes")
    shutil.rmtree(container.home / ".claude" / "projects", ignore_errors=True)
    assert snapshot(container.home) == before


@pytest.fixture
def service(container, home):
    """memd, installed as a service as a person would."""
    return container.sh(f"{MEMD} install claude-code --yes --service").stdout
