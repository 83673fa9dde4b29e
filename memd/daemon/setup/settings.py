"""A tool's settings file, changed by plans that were shown before: read, looked at, written, given back.

The file is replaced whole, through a symbolic link if it is one, and keeps its mode. A file or folder that nobody may
write is the person's word that it should stay as it is (or a package manager's), so root's power over it is not used.
"""

import os
import stat
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from memd.config import Paths
from memd.daemon.setup import ledger as ledgers
from memd.daemon.setup.ledger import Ledger, Written
from memd.daemon.setup.trouble import refused
from memd.errors import Refused
from memd.files import read_bytes_or_none, write_atomic
from memd.tools.protocol import Place, Plan, Tool

NEW_MODE = 0o600


def plan_install(tool: Tool, place: Place, command: tuple[str, ...]) -> Plan:
    """The change that puts the hooks in. Raises Refused where the file cannot be read, understood or written."""
    before = _read(place.settings)
    plan = tool.install(place, before, command)
    if plan.changes:
        _check_writable(place.settings)
    return plan


def places(tool: Tool, environ: Mapping[str, str], ledger: Ledger) -> list[Place]:
    """Where the tool's hooks can be: its home in this environment, and each that they were put into before."""
    here = tool.place(environ)
    known = [Path(path) for path, written in ledger.files.items() if written.tool == tool.name]
    return [here, *(replace(here, home=path.parent, settings=path) for path in known if path != here.settings)]


def plan_uninstall(tool: Tool, place: Place, ledger: Ledger) -> Plan:
    """The change that takes them out: back to the old bytes, or, where others wrote since, without our part.

    Raises Refused as `plan_install` does.
    """
    written = ledger.files.get(str(place.settings))
    before = _read(place.settings)
    if written and written.left(before):
        plan = Plan(place.settings, before, written.before)
    else:
        plan = tool.uninstall(place, before, (written.before or b"") if written else None)
        if plan.after is None and written and written.original is not None:
            plan = replace(plan, after=written.before)  # the file was there, and held nothing
    if plan.changes:
        _check_writable(place.settings)
    return plan


def apply_install(paths: Paths, tool: Tool, plan: Plan, ledger: Ledger) -> Ledger:
    """Write the plan, the ledger first; the ledger as it is now. Raises Refused where it cannot be written."""
    known = ledger.files.get(str(plan.path))
    if not plan.changes and known and known.left(plan.before):
        return ledger
    mode = _mode(plan.path)
    made = ledgers.missing_folders(plan.path.parent)
    original = _original(tool, plan, known)
    text = None if original is None else original.decode("utf-8", "surrogateescape")
    written = Written(tool.name, ledgers.digest(plan.after or b""), text, mode)
    fresh = ledger.with_file(plan.path, written).with_folders(made)
    ledgers.write(paths, fresh)
    try:
        _write(plan, mode)
    except Refused:
        ledgers.write(paths, ledger)
        raise
    return fresh


def _original(tool: Tool, plan: Plan, known: Written | None) -> bytes | None:
    """What uninstalling should give back: the file as others left it, without our part. None: no file at all."""
    if plan.before is None:
        return None
    since = (known.before or b"") if known else None
    place = Place(plan.path.parent, (), plan.path, present=True)
    stripped = tool.uninstall(place, plan.before, since).after
    return stripped if stripped is not None or known is None else known.before


def apply_uninstall(plan: Plan, ledger: Ledger) -> Ledger:
    """Write the plan; the ledger without this file, still to be stored. Raises Refused where it cannot be written."""
    known = ledger.files.get(str(plan.path))
    _write(plan, known.mode if known and known.left(plan.before) else _mode(plan.path))
    return ledger.without_file(plan.path)


def _read(path: Path) -> bytes | None:
    with refused(path, "read"):
        return read_bytes_or_none(path)


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode) if path.exists() else NEW_MODE


def _write(plan: Plan, mode: int) -> None:
    if not plan.changes:
        return
    with refused(plan.path, "replaced"):
        if plan.after is None:
            plan.path.resolve().unlink(missing_ok=True)
        else:
            plan.path.resolve().parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_atomic(plan.path, plan.after, mode)


def _check_writable(path: Path) -> None:
    """Raises Refused before anything was written, where writing would fail or go against a read-only mark."""
    target = path.resolve()
    folder = next(folder for folder in target.parents if folder.exists())
    for found in (target, folder):
        if found.exists() and not (found.stat().st_mode & 0o222 and os.access(found, os.W_OK)):
            link = f" (where {path} leads)" if target != path and found == target else ""
            raise Refused(f"{found}{link} is read-only: make it writable (chmod u+w), or put the hooks in by hand")
