"""What people install works: a wheel in a virtual environment of its own, and README's editable installation.

Package data sit elsewhere in each of the two. pip needs a package index; where none can be reached, and CI does not
insist, these tests are skipped and say so.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from documents import ROOT, fences
from played import EXAMPLE, SESSION

from memd import __version__

LEFT_BEHIND = shutil.ignore_patterns(
    ".git",
    ".venv",
    ".ci-venv",
    ".clients",
    ".service-root",
    "__pycache__",
    ".*_cache",
    ".hypothesis",
    "shared",
    "dist",
    "build",
)
DATA = """
from memd import assets, tokens
assert assets.read("hooks", "memd_hook.py") and assets.read("systemd", "memd.service")
assert assets.read("launchd", "memd.daemon.plist")
assert assets.read("docs", "example.jsonl") and assets.read("hooks", "memd_statusline.py")
print(assets.path("hooks", "memd_hook.py"), tokens.count("hello, world"))
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A clean copy of the repository, and a cache for pip that both installations share."""
    folder = tmp_path_factory.mktemp("packaging")
    shutil.copytree(ROOT, folder / "source", ignore=LEFT_BEHIND, symlinks=True)
    return folder


def run(words, place, **options):
    home = place / "home"
    home.mkdir(exist_ok=True)
    own = {
        name: value
        for name, value in os.environ.items()
        if name.startswith(("PIP_", "SSL_")) or "PROXY" in name.upper()
    }
    env = (
        {"PIP_CACHE_DIR": str(place / "pip")} | own | {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8"}
    )
    return subprocess.run(words, env=env, capture_output=True, text=True, timeout=250, check=False, **options)


def installed(words, place, **options):
    """Run pip, or what ends in pip."""
    done = run(words, place, **options)
    if done.returncode and not os.environ.get("CI") and "No matching distribution found" in done.stderr:
        pytest.skip(f"no package index can be reached: {done.stderr.strip().splitlines()[-1]}")
    assert not done.returncode, done.stderr
    return done


@pytest.fixture(scope="module")
def wheel(place):
    """The wheel, built once."""
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", place / "dist", place / "source"]
    installed(command, place)
    (built,) = (place / "dist").glob("memd-*.whl")
    return built


@pytest.fixture(scope="module")
def from_sdist(place):
    """The wheel that a source distribution makes."""
    installed([sys.executable, "-m", "venv", place / "builder"], place)
    installed([place / "builder" / "bin" / "pip", "install", "-q", "hatchling"], place)
    build = "from hatchling.build import build_sdist; print(build_sdist('dist'))"
    done = run([place / "builder" / "bin" / "python", "-c", build], place, cwd=place / "source")
    assert not done.returncode, done.stderr
    sdist = place / "source" / "dist" / done.stdout.split()[-1]
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", place / "of-sdist", sdist]
    installed(command, place)
    (built,) = (place / "of-sdist").glob("memd-*.whl")
    return sdist, built


@pytest.fixture(scope="module")
def from_wheel(place, wheel):
    """The environment that the wheel was installed into."""
    installed([sys.executable, "-m", "venv", place / "wheel"], place)
    installed([place / "wheel" / "bin" / "pip", "install", "-q", wheel], place)
    return place / "wheel" / "bin"


@pytest.fixture(scope="module")
def from_source(place):
    """README's own first line, in the copy."""
    first = fences((ROOT / "README.md").read_text("utf-8"), "Run")[0][2].splitlines()[0]
    installed(["bash", "-euc", first], place, cwd=place / "source")
    return place / "source" / ".venv" / "bin"


@pytest.fixture(params=["from_wheel", "from_source"])
def programs(request):
    return request.getfixturevalue(request.param)


def test_the_wheel_holds_what_it_should(wheel):
    """The package, the ranks, the mark of its types and the shipped files; no tests, and nothing at the top level."""
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.partition("/")[0] for name in names}
    assert tops == {"memd", f"memd-{__version__}.dist-info"}
    wanted = {"py.typed", "tokens/o200k.bin.xz", "_assets/hooks/memd_hook.py", "_assets/systemd/memd.service"}
    assert {f"memd/{name}" for name in wanted | {"_assets/launchd/memd.daemon.plist"}} <= set(names)


def test_a_source_distribution_has_everything(wheel, from_sdist):
    """The wheel that is made from it holds what the repository's has, byte for byte; tests and documents are in it too."""
    sdist, built = from_sdist
    made, wanted = ({info.filename: info.CRC for info in zipfile.ZipFile(path).infolist()} for path in (built, wheel))
    assert made == wanted
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {
        "README.md",
        "CHANGELOG.md",
        "LICENSE",
        "docs/README.md",
        "docs/images/memd.svg",
        "tests/test_docs.py",
    } <= names
    assert not {name for name in names if name.startswith((".venv", ".clients", "dist"))}


def test_the_plugin_folders_are_in_the_wheel(wheel):
    """Each agent's, whole: what is usable from the repository is so from an installation."""
    names = set(zipfile.ZipFile(wheel).namelist())
    shipped = [path for path in (ROOT / "hooks").rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert {f"memd/_assets/{path.relative_to(ROOT)}" for path in shipped} <= names


def test_the_version_is_in_the_changelog():
    """The newest heading of CHANGELOG.md is of the version that memd says it is; the older ones fall."""
    heads = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    versions = [re.search(r"\d+\.\d+\.\d+", head)[0] for head in heads]
    assert versions[0] == __version__
    numbers = [tuple(map(int, version.split("."))) for version in versions]
    assert numbers == sorted(set(numbers), reverse=True)


def test_the_command_is_there(programs, place):
    """`memd --version` is this version."""
    assert run([programs / "memd", "--version"], place).stdout == f"memd, version {__version__}\n"


def test_shipped_files_are_found(programs, place):
    """The hook, the units, the ranks: each from this installation and no other."""
    done = run([programs / "python", "-P", "-c", DATA], place, cwd=place)
    assert not done.returncode, done.stderr
    hook, tokens = done.stdout.split()
    assert Path(hook).is_relative_to(programs.parents[1] if programs.parent.name == ".venv" else programs.parent)
    assert tokens == "3"


def test_a_transcript_becomes_a_checkpoint(programs, place, tmp_path):
    """`memd ingest` and `memd show` without a daemon, and a second time nothing is new."""
    state = str(tmp_path / "state")
    words = ["env", f"MEMD_STATE_DIR={state}", programs / "memd"]
    for _ in range(2):
        assert json.loads(run([*words, "ingest", EXAMPLE, "--json"], place).stdout)["sessions"] == [SESSION]
    shown = run([*words, "show"], place).stdout
    assert shown.startswith("memd checkpoint 1, part 1 of 1\n")
    assert "every amount must be exact, and the fix must not need a migration." in shown
    assert f"memd checkpoint 1 of {SESSION} ends here; receipt " in shown
