"""`memd report --json`: the fields of docs/json.md."""

from collections.abc import Mapping
from typing import Any

from memd.cli.log import iso
from memd.cli.report import Report
from memd.report.breaks import KINDS as BREAKS
from memd.report.breaks import Window
from memd.report.needs import KINDS, Coverage
from memd.report.overall import TEXTS, Mean, overall
from memd.report.told import Compacted, Measured, Told


def as_object(report: Report) -> dict[str, Any]:
    """The whole report."""
    both = overall(report.told)
    return {
        "version": 1,
        "sessions": [_session(one) for one in report.told],
        "older": report.older,
        "overall": {
            "compactions": both.compactions,
            **{name: _mean(both.texts[name]) for name in TEXTS},
            "calls": both.broken.calls,
            "breaks": {
                kind: {"after": both.broken.after[kind], "control": both.broken.control[kind]} for kind in BREAKS
            },
        },
    }


def _session(told: Told) -> dict[str, Any]:
    session = told.session
    return {
        "session": session.id,
        "tool": session.tool,
        "cwd": session.cwd,
        "title": session.title,
        "window": told.window,
        "known_from": "transcript" if told.whole else "record",
        "context": [{"number": f.number, "at": iso(f.at), "tokens": f.tokens} for f in told.fills],
        "checkpoints": [
            {"number": c.number, "at": iso(c.at), "upto": c.upto, "writer": c.writer, "trigger": c.trigger}
            for c in told.checkpoints
        ],
        "compactions": [_compaction(one) for one in told.compactions],
    }


def _compaction(one: Compacted) -> dict[str, Any]:
    boundary = one.boundary
    return {
        "ordinal": boundary.ordinal,
        "number": boundary.number,
        "at": iso(boundary.at),
        "trigger": boundary.trigger,
        "before": boundary.before,
        "after": boundary.after,
        "needed": _counts(one.needed.needed),
        "memd": None
        if one.memd is None or one.given is None
        else {"how": one.given.how.value, "checkpoint": one.given.number, **_text(one.memd)},
        "summary": None if one.summary is None else _text(one.summary),
        "both": None if one.both is None else _text(one.both),
        "calls": 0 if one.after is None else one.after.calls,
        "breaks": [*_breaks("after", one.after), *_breaks("control", one.control)],
    }


def _counts(found: Mapping[str, int]) -> dict[str, int]:
    return {kind: found.get(kind, 0) for kind in KINDS}


def _text(measured: Measured) -> dict[str, Any]:
    return {"size": measured.tokens, "found": _counts(measured.coverage.found), **_shares(measured.coverage)}


def _shares(coverage: Coverage) -> dict[str, Any]:
    words = coverage.words
    return {
        "mean": round(coverage.mean, 4) if coverage.needed else None,
        "words": None if words is None else round(words, 4),
    }


def _mean(mean: Mean | None) -> dict[str, Any] | None:
    if mean is None:
        return None
    shares = {kind: round(mean.shares[kind], 4) if kind in mean.shares else None for kind in KINDS}
    words = None if mean.words is None else round(mean.words, 4)
    return {"compactions": mean.count, "size": mean.tokens, **shares, "mean": round(mean.mean, 4), "words": words}


def _breaks(place: str, window: Window | None) -> list[dict[str, Any]]:
    found = () if window is None else window.breaks
    return [
        {"place": place, "kind": one.kind, "number": one.number, "what": one.what, "earlier": one.earlier}
        for one in found
    ]
