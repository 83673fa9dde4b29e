"""The pinned clients from npm, each below a folder of its own, installed when it is first needed."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

_OPTIONS = ("--ignore-scripts", "--no-save", "--no-package-lock", "--no-audit", "--no-fund")


class ClientMissingError(Exception):
    """The client is not there and cannot be installed here; the text says why."""


def pinned(folder: Path, package: str, version: str, program: str, script: str | None = None) -> Path:
    """The path of a client's program, installed below `folder` first if it is not there.

    npm is told to run no scripts (its newer versions refuse them anyway unless they were approved); the one of the
    package's own that links the platform's binary into place, named by `script`, is then run by name.

    Raises:
        ClientMissingError: No node or npm, or the install failed.
    """
    place = folder / f"{package.rpartition('/')[2]}-{version}"
    command = place / "node_modules" / ".bin" / program
    if not command.exists():
        _install(place, package, version, script)
    said = subprocess.run([command, "--version"], capture_output=True, text=True, timeout=60, check=False).stdout
    if version not in said.split():
        raise ClientMissingError(f"{command} says {said!r}, not {version}: remove {place} to install it anew")
    return command


def _install(place: Path, package: str, version: str, script: str | None) -> None:
    for needed in ("node", "npm"):
        if shutil.which(needed) is None:
            raise ClientMissingError(f"{needed} is not installed, {package} {version} needs it")
    half = place.with_name(f"{place.name}.{os.getpid()}")
    steps: list[Sequence[str | Path]] = [["npm", "install", "--prefix", half, *_OPTIONS, f"{package}@{version}"]]
    if script is not None:
        steps.append(["node", half / "node_modules" / package / script])
    half.mkdir(parents=True)
    try:
        for step in steps:
            done = subprocess.run(step, capture_output=True, text=True, timeout=600, check=False)
            if done.returncode:
                raise ClientMissingError(f"{step[0]} failed: {done.stderr.strip() or done.stdout.strip()}")
        half.rename(place)
    finally:
        shutil.rmtree(half, ignore_errors=True)
