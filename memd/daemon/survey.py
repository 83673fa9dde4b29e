"""One session looked at: its facts from the record and the disk, and the verdict; for `memd status` and the status line."""

import os
import time
from contextlib import suppress
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from memd.config import Config
from memd.daemon import summaries
from memd.errors import Fault
from memd.files import opened
from memd.health import Facts, Verdict, judge
from memd.later import later
from memd.model import BESIDE_CHANNELS, LOST, MEMO_CHANNELS, Boundary, Checkpoint, Delivered, Kind, Run, Session, marks
from memd.model.channels import Channel
from memd.store import SourceRow, Store
from memd.store.folders import Folders
from memd.tools.protocol import Tool
from memd.tools.registry import TOOLS

if TYPE_CHECKING:
    from memd.checkpoint import due
    from memd.daemon.setup.standing import Standing
    from memd.extract import response
else:
    (due,), (response,) = later("memd.checkpoint", "due"), later("memd.extract", "response")

ACTIVE = 600_000
"""Milliseconds since its last entry within which a session that did not end is active."""
FULL = 2**20
"""Bytes free on the disk under which it is called full."""
_FIRST, _WORDS = 30, 300
"""Among so many entries the first prompt is looked for; so many characters of it stand for a title."""
_CALLS = 300
"""So many of the newest reading calls, and of the agent's texts, are looked through for what it did with a checkpoint."""
UNHEARD, _HISTORY = 120_000, 1 << 18
"""Milliseconds after which what was typed should be in the transcript; bytes of the list of prompts that are looked through."""
_TURNS = tuple(channel for channel in Channel if channel.starts_turn)
_ASKED = tuple(channel for channel in _TURNS if not channel.background)
_RECENT = 50
"""So many of the newest messages are looked through for what never arrived."""


class Row(Struct, frozen=True):
    """One session as status shows it."""

    session: Session
    state: str
    window: int | None
    threshold: int | None
    """The fill in tokens at which its tool compacts by itself."""
    source: SourceRow | None
    size: int
    checkpoint: Checkpoint | None
    delivery: Delivered | None
    verdict: Verdict
    run: Run | None
    """The last run of a model."""
    title: str
    """The tool's title of it, else the first words of a person or an operator; "" where there are none."""


def row(
    store: Store,
    session: Session,
    daemon: dict[str, Any] | None,
    setup: "Standing",
    settings: Config,
) -> Row:
    """All that is shown of a session."""
    judged = settings.checkpoint.writer != "extractive"  # whether a model may write its checkpoints
    source = store.sources.of(session.path) if session.path else None
    now, tool = int(time.time() * 1000), TOOLS.get(session.tool)
    made, given = store.checkpoints.current(session.id), _given(store, session, setup, settings)
    size, changed, error, gone = _on_disk(source, now)
    held = _held(daemon, session, source)
    error = error or held.get("source-unreadable")
    turns, unread = store.glances.behind(session.id, made.upto, _TURNS) if made else (0, None)
    boundaries = store.boundaries(session.id)
    folders = Folders(setup.paths.state)
    folder = folders.session(session.tool, session.native)
    gaps, runs = store.glances.gaps(session.id), store.judging.runs(session.id)
    facts = Facts(
        session=session,
        now=now,
        checkpoint=made,
        delivery=given,
        provable=not boundaries
        or (_provable(store, session, setup, tool) and not (given is None and _shown(store, session, boundaries[-1]))),
        boundary=boundaries[-1] if boundaries and session.parent is None else None,
        lag=max(0, size - source.offset) if source else 0,
        lag_ms=now - changed,
        source_gone=gone,
        source_error=error,
        source_fix=_opening(Path(source.path)) if source and error else "memd doctor",
        turns_behind=turns,
        unread=unread,
        unready=made is not None and not folders.ready(folder, made.number),
        obstacle=folders.obstacle(folder) if session.parent is None else None,
        store_error=store_trouble(setup) or held.get("store-trouble"),
        checkpoint_error=held.get("checkpoint-failed"),
        copies_error=held.get("copies-unwritten"),
        hooks=hook_faults(setup, session),
        plugin=tool is not None and tool.sign_of_life(setup.paths.state) is not None,
        daemon=daemon is not None,
        watches_short=_short(daemon),
        resting=due.resting(runs, boundaries, store.judging.taken_up(session.id)) if judged else "",
        unknown={what: count for (kind, what), count in gaps.items() if kind == "unknown"},
        words={what: count for (kind, what), count in gaps.items() if kind == "words"},
        damaged=sum(count for (kind, _), count in gaps.items() if kind in {"torn", "malformed"}),
        returns=sum(count for (kind, _), count in gaps.items() if kind == "writers"),
        undelivered=store.glances.undelivered(session.id, _ASKED, _RECENT),
        lost={what: count for (kind, what), count in gaps.items() if kind == LOST},
        absent={what: count for (kind, what), count in gaps.items() if kind == "absent"},
        unsummed=summaries.failed(store, session.id, boundaries),
        thrashing=summaries.thrashing(store, session.id, boundaries),
        unheard=_unheard(tool, session, changed, now) if source and source.offset >= size else None,
    )
    verdict = judge(facts) if session.parent is None else judge_child(facts)
    window = session.window or (tool.window(session.model) if tool else None)
    last = next((run for run in reversed(runs) if run.outcome != "repair"), None)
    threshold = tool.threshold(window) if tool else None
    return Row(
        session,
        _state(session, now),
        window,
        threshold,
        source,
        size,
        made,
        given,
        verdict,
        last,
        _title(store, session),
    )


def _given(store: Store, session: Session, setup: "Standing", settings: Config) -> Delivered | None:
    """The last delivery, and what the agent did with it."""
    given = store.deliveries.last(session.id)
    if given is None:
        return None
    calls = store.operations(session.id, kinds={Kind.READ, Kind.COMMAND}, last=_CALLS)
    texts = store.messages(session.id, channels={Channel.AGENT_TEXT}, last=_CALLS)
    natives = (session.native, (session.forked_from or "").partition(":")[2])  # a fork may be given its source's
    folders = [f"{setup.paths.state}/sessions/{session.tool}/{native}/" for native in natives if native]
    return response.answered(given, calls, texts, folders, asked=settings.receipt.ask)


def hook_faults(setup: "Standing", session: Session) -> tuple[str, ...]:
    """What is wrong with the hooks of a session's tool, in the codes of `health`; nothing where the tool is not used."""
    found = next((known for known in setup.tools if known.name == session.tool), None)
    if found is None or "missing" in found.faults:
        return () if found is None else ("missing",)
    seen = (
        ("silent", found.silent(session.last_at)),
        ("copy", setup.hook.copy != "ok"),
        ("interpreter", setup.hook.link != "ok"),
    )
    return (*found.faults, *(name for name, wrong in seen if wrong))


def _provable(store: Store, session: Session, setup: "Standing", tool: Tool | None) -> bool:
    """Whether a text of memd's that went in would be seen: what a client gives beside messages stands in the transcript.

    Where no row of that kind was ever seen, it would be only if the client is known to write them, and memd's hooks, with which
    nothing is wrong, were in the settings of its home before the session began here.
    """
    if store.messages(session.id, channels=BESIDE_CHANNELS, last=1):
        return True
    if (
        tool is None
        or not tool.shows(session.version)
        or hook_faults(setup, session)
        or _state(session, 0) == "foreign"
    ):
        return False
    began = next((record.at or 0 for record in store.messages(session.id, upto=1)), 0)
    since = [one.since for one in setup.tools if one.name == session.tool and _in(session.path, one.home)]
    return any(0 < at <= began for at in since)


def _shown(store: Store, session: Session, boundary: Boundary) -> bool:
    """Whether a checkpoint that an earlier record gave (purged, or damaged) stands in the transcript since a compaction."""
    own = store.messages(session.id, after=boundary.number, channels={Channel.MEMD_INJECTION})
    return any(record.in_force and marks.find(record.text) is not None for record in own)


def _in(path: str | None, home: Path) -> bool:
    return path is not None and Path(path).is_relative_to(home)


def store_trouble(setup: "Standing") -> str | None:
    """Why the record cannot grow, if it cannot."""
    if setup.state == "readonly":
        return f"{setup.paths.state} cannot be written"
    return f"the disk of {setup.paths.state} is full" if setup.free_bytes < FULL else None


def _title(store: Store, session: Session) -> str:
    if session.title:
        return session.title
    return store.glances.first_text(session.id, MEMO_CHANNELS, _FIRST)[:_WORDS]


def _unheard(tool: Tool | None, session: Session, changed: int, now: int) -> int | None:
    """When somebody typed into a session whose transcript is written to and shows nothing of it, by the tool's own list."""
    newest = max(session.last_at or 0, session.ended_at or 0)
    history = tool.place(os.environ).history if tool and session.parent is None else None
    if tool is None or history is None or changed - newest < UNHEARD:
        return None
    at = None
    with suppress(OSError), opened(history) as lines:
        lines.seek(max(0, os.fstat(lines.fileno()).st_size - _HISTORY))
        at = tool.heard(lines, session.native)
    return at if at is not None and newest + UNHEARD < at < now - UNHEARD else None


def judge_child(facts: Facts) -> Verdict:
    """A sub-agent has no checkpoint of its own and is given none: only its record can be in trouble."""
    verdict = judge(facts)
    kept = tuple(r for r in verdict.reasons if r.code.startswith(("source", "store", "unread", "unknown", "words")))
    return Verdict(kept[0].health if kept else type(verdict.health).OK, kept)


def _held(daemon: dict[str, Any] | None, session: Session, source: SourceRow | None) -> dict[str, str]:
    """What waits to be tried again of a session, its transcript or the file that holds it: why, by the reason's code."""
    waiting = daemon.get("waiting", ()) if daemon else ()  # a daemon of before says nothing of it
    mine = {session.id, *((source.path, os.path.dirname(source.path)) if source else ())}  # noqa: PTH120 - any text
    return {one["code"]: one["why"] for one in waiting if one["what"] in mine}


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


def _opening(path: Path) -> str:
    """What opens a transcript again: of all that leads to it the first that is closed; where none is, it is tried now."""
    above = next((place for place in reversed(path.parents) if place.is_dir() and not os.access(place, os.X_OK)), None)
    if above is not None:
        return f"chmod u+rwx {quote(str(above))}"
    file = path if path.exists() else path.parent  # one of many in a file
    return f"{'memd ingest' if os.access(file, os.R_OK) else 'chmod u+r'} {quote(str(file))}"


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
    there = session.cwd is None or (os.path.isabs(session.cwd) and os.path.isdir(session.cwd))  # noqa: PTH112, PTH117
    if not there:  # Path raises for a long name
        return "foreign"
    if session.ended_at is not None:
        return "ended"
    return "active" if session.last_at is not None and now - session.last_at < ACTIVE else "idle"
