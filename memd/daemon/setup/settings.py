"""A tool's files, changed by plans that were shown before: read, looked at, written, given back.

A file is replaced whole, through a symbolic link if it is one, and keeps its mode. A file or folder that nobody may write is
the person's word that it should stay as it is (or a package manager's), so root's power over it is not used.
"""

import os
import stat
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from memd.config import Paths
from memd.daemon.setup import ledger as ledgers
from memd.daemon.setup.ledger import Ledger, Written
from memd.daemon.setup.trouble import refused
from memd.errors import Refused
from memd.files import read_bytes_or_none, write_atomic
from memd.tools.installing import Files, Plan
from memd.tools.protocol import Tool

NEW_MODE = 0o600


class Planned(Struct, frozen=True):
    """What one home of a tool is to become."""

    tool: Tool
    home: Path
    before: Files
    """All that the tool looks at there."""
    plans: tuple[Plan, ...]


def homes(tool: Tool, environ: Mapping[str, str], ledger: Ledger) -> list[Path]:
    """Where the tool's hooks can be: its home in this environment, and each that they were put into before."""
    known = [written.home_of(path) for path, written in ledger.files.items() if written.tool == tool.name]
    return list(dict.fromkeys([tool.place(environ).home, *known]))


def plan_install(tool: Tool, home: Path, command: tuple[str, ...], line: tuple[str, ...] | None = None) -> Planned:
    """The changes that put the hooks in, and with `line`, that script's argv, memd's part of the status line.

    Raises Refused where a file cannot be read, understood or written.
    """
    before = read(tool.files(home))
    around = {**before, **rules(tool)}
    plans = tool.install(home, around, command)
    if why := tool.overruled(home, around):
        first, *others = plans
        plans = (replace(first, notes=(*first.notes, f"no hook of yours runs: {why}")), *others)
    if line is not None and tool.status_line is not None:
        put = tool.status_line.put(home, {**before, **{plan.path: plan.after for plan in plans}}, line)
        plans = tuple(_joined(plan, put) if plan.path == put.path else plan for plan in plans)
    _check_writable(plans)
    return Planned(tool, home, before, plans)


def _joined(plan: Plan, put: Plan) -> Plan:
    """Two changes of one file as one."""
    return replace(plan, after=put.after, what=f"{plan.what} and {put.what}") if put.changes else plan


def plan_uninstall(tool: Tool, home: Path, ledger: Ledger) -> Planned:
    """The changes that take them out: back to the old bytes, or, where others wrote since, without our part.

    Raises Refused as `plan_install` does.
    """
    mine = _mine(tool, home, ledger)
    before = read([*tool.files(home), *mine])
    plans = {path: Plan(path, before[path], before[path], what=written.what) for path, written in mine.items()}
    if any(content is not None and not _left(mine.get(path), content) for path, content in before.items()):
        plans |= {plan.path: plan for plan in tool.uninstall(home, before, _originals(mine))}
    given_back = tuple(_given_back(plan, mine.get(plan.path)) for plan in plans.values())
    _check_writable(given_back)
    return Planned(tool, home, before, given_back)


def _mine(tool: Tool, home: Path, ledger: Ledger) -> dict[Path, Written]:
    files = ((Path(path), written) for path, written in ledger.files.items() if written.tool == tool.name)
    return {path: written for path, written in files if written.home_of(path) == home}


def _originals(mine: Mapping[Path, Written]) -> dict[Path, bytes | None]:
    return {path: written.before or b"" for path, written in mine.items()}


def _left(written: Written | None, content: bytes | None) -> bool:
    return written is not None and written.left(content)


def _given_back(plan: Plan, written: Written | None) -> Plan:
    if written is None:
        return plan
    if written.left(plan.before):
        return replace(plan, after=written.before)
    if plan.after is None and written.original is not None:
        return replace(plan, after=written.before)  # the file was there, and held nothing
    return plan


def apply_install(paths: Paths, planned: Planned, ledger: Ledger) -> Ledger:
    """Write the plans, the ledger first each time; the ledger as it is now.

    Raises Refused where one cannot be written; those before it are taken back then, since half of them may do harm.
    """
    before, modes = ledger, {plan.path: mode_of(plan.path) for plan in planned.plans}
    new = {str(folder) for plan in planned.plans for folder in ledgers.missing_folders(plan.path.parent)}
    for number, plan in enumerate(planned.plans):
        try:
            ledger = _apply(paths, planned, plan, ledger)
        except Refused:
            for done in reversed(planned.plans[:number]):
                _write(replace(done, before=done.after, after=done.before), modes[done.path])
            for tried in planned.plans[: number + 1]:
                _remove_made(tried.path, new)
            ledgers.write(paths, before)
            raise
    return ledger


def _apply(paths: Paths, planned: Planned, plan: Plan, ledger: Ledger) -> Ledger:
    known = ledger.files.get(str(plan.path))
    if not plan.changes and (_left(known, plan.before) or plan.before is None):
        return ledger
    if plan.after is None:
        gone = apply_uninstall(plan, ledger)
        ledgers.write(paths, gone)
        return gone
    mode = mode_of(plan.path)
    fresh = noted(planned, plan, ledger, mode)
    ledgers.write(paths, fresh)
    try:
        _write(plan, mode)
    except Refused:
        ledgers.write(paths, ledger)
        raise
    return fresh


def noted(planned: Planned, plan: Plan, ledger: Ledger, mode: int) -> Ledger:
    """The ledger with what is known of a file that is about to be written, and of the folders made for it."""
    original = _original(planned, plan, ledger)
    text = None if original is None else original.decode("utf-8", "surrogateescape")
    known, digest = ledger.files.get(str(plan.path)), ledgers.digest(plan.after or b"")
    at = int(time.time() * 1000) if known is None else known.at
    written = Written(planned.tool.name, digest, text, mode, str(planned.home), plan.what, at)
    return ledger.with_file(plan.path, written).with_folders(ledgers.missing_folders(plan.path.parent))


def _original(planned: Planned, plan: Plan, ledger: Ledger) -> bytes | None:
    """What uninstalling should give back: the file as others left it, without our part. None: no file at all."""
    if plan.before is None:
        return None
    mine = _mine(planned.tool, planned.home, ledger)
    stripped = planned.tool.uninstall(planned.home, {**planned.before, plan.path: plan.before}, _originals(mine))
    after = next((one.after for one in stripped if one.path == plan.path), plan.before)
    known = mine.get(plan.path)
    return after if after is not None or known is None else known.before


def apply_uninstall(plan: Plan, ledger: Ledger) -> Ledger:
    """Write the plan; the ledger without this file, still to be stored. Raises Refused where it cannot be written.

    The folders that were made for a file that goes go with it, as far as they are empty.
    """
    known = ledger.files.get(str(plan.path))
    _write(plan, known.mode if known and known.left(plan.before) else mode_of(plan.path))
    if plan.changes and plan.after is None:
        _remove_made(plan.path, set(ledger.folders))
    return ledger.without_file(plan.path)


def _remove_made(path: Path, made: set[str]) -> None:
    """The folders above a path that are among these, from the inside out, as far as they are empty."""
    for folder in path.parents:
        if str(folder) in made:
            with suppress(OSError):  # not empty, or not there
                folder.rmdir()


def read(paths: Iterable[Path]) -> dict[Path, bytes | None]:
    """What the files hold. Raises Refused where one cannot be read."""
    found: dict[Path, bytes | None] = {}
    for path in paths:
        with refused(path, "read"):
            found[path] = read_bytes_or_none(path)
    return found


def rules(tool: Tool) -> dict[Path, bytes | None]:
    """What the files of whoever manages the machine hold; nothing where they are not for this user to read: so for the client."""
    try:
        return read(tool.policies())
    except Refused:
        return {}


def mode_of(path: Path) -> int:
    """The file's permissions, or those that a new one gets."""
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


def _check_writable(plans: tuple[Plan, ...]) -> None:
    """Raises Refused before anything was written, where writing would fail or go against a read-only mark."""
    for path in [plan.path for plan in plans if plan.changes]:
        target = path.resolve()
        folder = next(folder for folder in target.parents if folder.exists())
        for found in (target, folder):
            if found.exists() and not (found.stat().st_mode & 0o222 and os.access(found, os.W_OK)):
                link = f" (where {path} leads)" if target != path and found == target else ""
                raise Refused(f"{found}{link} is read-only: make it writable (chmod u+w), or put the hooks in by hand")
