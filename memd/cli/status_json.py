"""`memd status --json`, as docs/json.md has it."""

from typing import Any

from memd import config
from memd.cli.log import iso
from memd.config import Paths
from memd.daemon.survey import Row
from memd.model import Checkpoint, Run, Spent


def daemon_object(daemon: dict[str, Any] | None, places: Paths, notes: tuple[str, ...]) -> dict[str, Any]:
    """What the daemon says of itself, and what a person should know of it."""
    if daemon is None:
        known = {"running": False, "pid": None, "version": None, "since": None, "socket": str(places.socket)}
        return {**known, "watches": {"have": 0, "want": 0}, "queue": 0, "waiting": [], "errors": list(notes)}
    waiting = daemon.get("waiting", [])  # a daemon of before says nothing of it
    return {**daemon, "since": iso(daemon["since"]), "waiting": waiting, "errors": [*daemon["errors"], *notes]}


def models_object(settings: config.Config, spent: Spent) -> dict[str, Any]:
    """What models took in a day, and what they may take."""
    caps = settings.checkpoint
    allowed = {"runs_per_day": caps.runs_per_day, "tokens_per_day": caps.tokens_per_day}
    return {"writer": caps.writer, "runs": spent.runs, "tokens": spent.tokens, **allowed}


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
        "problems": [{"part": p.part, "fault": p.fault, "fallback": p.fallback} for p in made.told],
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
            "hook": given.hook or None,
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
