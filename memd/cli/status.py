"""`memd status`: the health of every session's checkpoint, at a glance and as JSON."""

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from memd import config
from memd.checkpoint.due import resting
from memd.cli.common import daemon_state, meant, print_json, reading, silent
from memd.cli.log import iso
from memd.config import Paths
from memd.errors import Fault, NotFound
from memd.health import Facts, Verdict, judge
from memd.model import BESIDE_CHANNELS, Checkpoint, Delivered, Run, Session, Spent
from memd.model.channels import Channel
from memd.model.text import printable
from memd.store import SourceRow, Store
from memd.tools.registry import TOOLS

if TYPE_CHECKING:
    from memd.daemon.setup.facts import SetupFacts

DAY = 86_400_000
ACTIVE = 600_000
"""Milliseconds since its last entry within which a session that did not end is active."""
FULL = 2**20
"""Bytes free on the disk under which it is called full."""
_RECENT = 50
"""So many of the newest messages are looked through for what never arrived."""
SHOWN = 3
"""So many of the daemon's newest troubles are shown to people; JSON has all."""


@dataclass(frozen=True, slots=True)
class Row:
    """One session as status shows it."""

    session: Session
    state: str
    window: int | None
    source: SourceRow | None
    size: int
    checkpoint: Checkpoint | None
    delivery: Delivered | None
    verdict: Verdict
    run: Run | None = None
    """The last run of a model."""


@click.command("status")
@click.argument("session", required=False)
@click.option("--all", "everything", is_flag=True, help="Old sessions and sub-agents too.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object (docs/json.md).")
def command(session: str | None, *, everything: bool, as_json: bool) -> None:
    """Show for each session whether its checkpoint is healthy and whether it truly reached the model."""
    from memd.daemon.setup.facts import facts as look  # noqa: PLC0415 - after the help

    settings, places = config.load(os.environ)
    daemon = daemon_state(places)
    hung = silent(places) if daemon is None else None
    setup = look(places, os.environ)
    rows: list[Row] = []
    spent, judged = Spent(0, 0), settings.checkpoint.writer != "extractive"
    try:
        with reading(places) as store:
            sessions = [meant(store, session)] if session else store.sessions(children=everything)
            sources = {row.path: row for row in store.sources()}
            spent = store.spent(int(time.time() * 1000) - DAY)
            rows = [_row(store, s, sources.get(s.path or ""), daemon, setup, judged=judged) for s in sessions]
    except NotFound:
        if session:
            raise
    notes = restarts(setup)
    if as_json:
        print_json(
            {
                "version": 1,
                "daemon": _daemon(daemon, places, (*([hung] if hung else []), *notes)),
                "models": _models(settings, spent),
                "sessions": [as_object(row) for row in rows],
            }
        )
        return
    from memd.cli.status_table import show  # noqa: PLC0415 - rich is slow to import

    troubles = [printable(trouble) for trouble in daemon["errors"][-SHOWN:]] if daemon else []
    cost = models_line(settings, spent)
    show(rows, daemon, hung, (*troubles, *notes), cost, whole=session is not None, everything=everything)


def hook_faults(setup: "SetupFacts", tool: str) -> tuple[str, ...]:
    """What is wrong with a tool's hooks, in the codes of `health`; nothing where the tool is not used."""
    found = next((known for known in setup.tools if known.name == tool), None)
    if found is None or "missing" in found.faults:
        return () if found is None else ("missing",)
    files = (("copy", setup.hook.copy != "ok"), ("interpreter", setup.hook.link != "ok"))
    return (*found.faults, *(name for name, wrong in files if wrong))


def store_trouble(setup: "SetupFacts") -> str | None:
    """Why the record cannot grow, if it cannot."""
    if setup.state == "readonly":
        return f"{setup.paths.state} cannot be written"
    return f"the disk of {setup.paths.state} is full" if setup.free_bytes < FULL else None


def restarts(setup: "SetupFacts") -> tuple[str, ...]:
    """What a person should know about who starts the daemon again."""
    service = setup.service
    if service.kind is None or not service.enabled:
        nothing = "nothing will restart the daemon after a crash or a reboot"
        if service.trouble:
            return (f"{nothing} ({service.trouble}): let what starts this machine or its shells start `memd run` too",)
        return (f"{nothing}: `memd install --service` mends it",)
    if service.linger is False:
        return ("the daemon ends when you log out: `loginctl enable-linger` mends it",)
    return ()


def _daemon(daemon: dict[str, Any] | None, places: Paths, notes: tuple[str, ...]) -> dict[str, Any]:
    if daemon is None:
        known = {"running": False, "pid": None, "version": None, "since": None, "socket": str(places.socket)}
        return {**known, "watches": {"have": 0, "want": 0}, "queue": 0, "errors": list(notes)}
    return {**daemon, "since": iso(daemon["since"]), "errors": [*daemon["errors"], *notes]}


def _row(
    store: Store,
    session: Session,
    source: SourceRow | None,
    daemon: dict[str, Any] | None,
    setup: "SetupFacts",
    *,
    judged: bool,
) -> Row:
    now = int(time.time() * 1000)
    made, given = store.current_checkpoint(session.id), store.last_delivery(session.id)
    size, changed, error, gone = _on_disk(source, now)
    newer = store.messages(session.id, after=made.upto, channels=[c for c in Channel if c.starts_turn]) if made else []
    unread = [r.at for r in store.messages(session.id, after=made.upto) if r.at is not None] if made else []
    boundaries = store.boundaries(session.id)
    gaps, runs = store.gaps(session.id), store.runs(session.id)
    facts = Facts(
        session=session,
        now=now,
        checkpoint=made,
        delivery=given,
        provable=bool(store.messages(session.id, channels=BESIDE_CHANNELS, last=1)),
        boundary=boundaries[-1] if boundaries and session.parent is None else None,
        lag=max(0, size - source.offset) if source else 0,
        lag_ms=now - changed,
        source_gone=gone,
        source_error=error,
        turns_behind=len(newer),
        unread=min(unread, default=None),
        store_error=store_trouble(setup),
        hooks=hook_faults(setup, session.tool),
        daemon=daemon is not None,
        watches_short=_short(daemon),
        resting=resting(runs, boundaries, store.taken_up(session.id)) if judged else "",
        unknown={what: count for (kind, what), count in gaps.items() if kind == "unknown"},
        damaged=sum(count for (kind, _), count in gaps.items() if kind in {"torn", "malformed"}),
        returns=sum(count for (kind, _), count in gaps.items() if kind == "writers"),
        undelivered=_undelivered(store, session),
    )
    verdict = judge(facts) if session.parent is None else judge_child(facts)
    tool = TOOLS.get(session.tool)
    window = session.window or (tool.window(session.model) if tool else None)
    last = next((run for run in reversed(runs) if run.outcome != "repair"), None)
    return Row(session, _state(session, now), window, source, size, made, given, verdict, last)


def _models(settings: config.Config, spent: Spent) -> dict[str, Any]:
    """What models took in a day, and what they may take."""
    caps = settings.checkpoint
    allowed = {"runs_per_day": caps.runs_per_day, "tokens_per_day": caps.tokens_per_day}
    return {"writer": caps.writer, "runs": spent.runs, "tokens": spent.tokens, **allowed}


def models_line(settings: config.Config, spent: Spent) -> str:
    """The same for people; "" where no model wrote or may write."""
    if settings.checkpoint.writer == "extractive" and not spent.runs:
        return ""
    caps = settings.checkpoint
    used = f"{spent.runs} of {caps.runs_per_day} runs, {spent.tokens:,} of {caps.tokens_per_day:,} input tokens"
    return f"models in the last 24 hours: {used} (writer: {caps.writer})"


def _undelivered(store: Store, session: Session) -> tuple[int, ...]:
    """What was typed since the newest prompt that arrived and was not sent again."""
    asked = [channel for channel in Channel if channel.starts_turn and not channel.background]
    recent = store.messages(session.id, channels=asked, last=_RECENT)
    heard = [r for r in recent if r.in_force]
    since, texts = (heard[-1].number if heard else 0), {r.text for r in heard}
    return tuple(r.number for r in recent if r.undelivered and r.number > since and r.text not in texts)


def judge_child(facts: Facts) -> Verdict:
    """A sub-agent has no checkpoint of its own and is given none: only its record can be in trouble."""
    verdict = judge(facts)
    kept = tuple(r for r in verdict.reasons if r.code.startswith(("source", "store", "unread", "unknown")))
    return Verdict(kept[0].health if kept else type(verdict.health).OK, kept)


def _short(daemon: dict[str, Any] | None) -> bool:
    watches = daemon.get("watches", {}) if daemon else {}
    return bool(watches.get("have", 0) < watches.get("want", 0))


def _on_disk(source: SourceRow | None, now: int) -> tuple[int, int, str | None, int | None]:
    """The transcript's size and change time in milliseconds now, why it cannot be looked at, and since when it is gone."""
    if source is None:
        return 0, 0, None, None
    try:
        status = Path(source.path).stat()
    except NotADirectoryError:
        return _in_file(source, now)
    except FileNotFoundError:
        return source.size, 0, None, source.gone_at or now
    except OSError as error:
        return source.size, 0, error.strerror, None
    readable = os.access(source.path, os.R_OK)
    return status.st_size, int(status.st_mtime * 1000), None if readable else "permission denied", None


def _in_file(source: SourceRow, now: int) -> tuple[int, int, str | None, int | None]:
    """The same of a transcript that is one of many in a file: its tool can tell."""
    path = Path(source.path)
    tool = TOOLS.get(source.session.partition(":")[0])
    if tool is None or not tool.there(path):
        return source.size, 0, None, source.gone_at or now
    try:
        size = tool.read(path, source.cursor, 1, path).size
    except Fault as error:
        return source.size, 0, str(error), None
    return size, int(path.parent.stat().st_mtime * 1000), None, None


def _state(session: Session, now: int) -> str:
    if session.cwd is not None and not Path(session.cwd).is_dir():
        return "foreign"
    if session.ended_at is not None:
        return "ended"
    return "active" if session.last_at is not None and now - session.last_at < ACTIVE else "idle"


def as_object(row: Row) -> dict[str, Any]:
    """One session as docs/json.md has it."""
    session, made = row.session, row.checkpoint
    fraction = round(session.tokens / row.window, 4) if session.tokens is not None and row.window else None
    return {
        "session": session.id,
        "tool": session.tool,
        "cwd": session.cwd,
        "state": row.state,
        "context": {"tokens": session.tokens, "window": row.window, "fraction": fraction},
        "source": _source(row),
        "messages": session.messages,
        "compactions": session.compactions,
        "checkpoint": None if made is None else _checkpoint(made),
        "model": None if row.run is None else _run(row.run),
        "delivery": _delivery(row),
        "health": row.verdict.health.value,
        "reasons": [{"code": r.code, "text": r.text, "fix": r.fix} for r in row.verdict.reasons],
    }


def _source(row: Row) -> dict[str, Any]:
    source = row.source
    if source is None:
        return {"path": row.session.path, "offset": 0, "size": 0, "lag_bytes": 0, "unit": "bytes"}
    lag = max(0, row.size - source.offset)
    return {"path": source.path, "offset": source.offset, "size": row.size, "lag_bytes": lag, "unit": source.unit}


def _checkpoint(made: Checkpoint) -> dict[str, Any]:
    tokens = made.tokens
    sizes = (
        None
        if tokens is None
        else {"mind": tokens.mind, "memo": tokens.memo, "scene": tokens.scene, "total": tokens.total}
    )
    return {
        "number": made.number,
        "at": iso(made.at),
        "writer": made.writer,
        "trigger": made.trigger,
        "tokens": sizes,
        "valid": True,
        "problems": [{"part": p.part, "fault": p.fault, "fallback": p.fallback} for p in made.problems],
        "receipt": made.receipt,
    }


def _run(run: Run) -> dict[str, Any]:
    """The last run of a model for a session."""
    problems = [{"part": p.part, "fault": p.fault, "fallback": p.fallback} for p in run.problems]
    return {"at": iso(run.at), "upto": run.upto, "tokens": run.tokens, "outcome": run.outcome, "problems": problems}


def _delivery(row: Row) -> dict[str, Any]:
    """The last injection; before the first, what lies ready."""
    given, made = row.delivery, row.checkpoint
    if given is not None:
        return {
            "level": given.level,
            "at": iso(given.at),
            "hook": given.hook,
            "number": given.number,
            "receipt": given.code,
        }
    ready = made is not None
    return {
        "level": "written" if ready else None,
        "at": iso(made.at) if made else None,
        "hook": None,
        "number": made.number if made else None,
        "receipt": made.receipt if made else None,
    }
