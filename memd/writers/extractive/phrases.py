"""Phrases that several sections share: how a machine's text, a call and a change are told in one line."""

from collections.abc import Iterable, Iterator

from memd.extract import effects, files, work
from memd.extract.difference import difference
from memd.model import Channel, Done, Record
from memd.model.text import clock, line, oneline, quote

NONE = "(none)"
"""What stands in an empty section of mind.md or scene.md; it is left out where the checkpoint is given back."""
_MACHINES = {
    Channel.BACKGROUND_NOTIFICATION: "task notification",
    Channel.BACKGROUND_SCHEDULE: "schedule",
    Channel.BACKGROUND_PEER: "another agent",
    Channel.BACKGROUND_QUEUE: "queue",
    Channel.BACKGROUND_GOAL: "goal",
}
UNSTATED = "sender not known: this client does not record it"


def machine(record: Record) -> str:
    """A text that no person is known to have typed, as it must be shown: how it was delivered, then the words."""
    if record.channel is Channel.UNATTRIBUTED:
        return f"a prompt ({UNSTATED}): {quote(record.text, 240)} (#{record.number})"
    how = _MACHINES.get(record.channel, "not known how")
    return f"background ({how}), not typed by the person: {quote(work.sayings(record), 300)} (#{record.number})"


def changed(file: files.Touched, name: str, why: str) -> str:
    """The last change of a file: when, how often, what took the place of what, and the agent's own words before it.

    Of one that is gone no text is told: it says what nobody finds any more.
    """
    times = f", {file.changes} changes" if file.changes > 1 else ""
    took, put = difference(file.old, file.new)
    if file.gone or (file.created and not file.old):
        took = put = ""
    change = f"`{line(took, 70)}` -> `{line(put, 90)}`" if took and put else ""
    change = change or (f"added `{line(put, 100)}`" if put else f"took out `{line(took, 100)}`" if took else "")
    was = file.was and f"was `{line(file.was.rsplit('/', 1)[-1], 90)}`"
    told = "; ".join(filter(None, (was, change, why and f"I wrote: {quote(why, 110)}")))
    what = "deleted" if file.gone else "created" if file.created else "changed"
    return f"- {what} `{name}` (#{file.number}{times}){f': {told}' if told else ''}"


def listed(title: str, rows: Iterable[str]) -> Iterator[str]:
    """A list under a title, a row each; `render` may end it after any of them."""
    text = "".join(f"\n  {row}" for row in rows)
    if text:
        yield f"- {title}:{text}"


def ran(done: Done) -> str:
    """A command with side effects, and what came of it."""
    parts = effects.lasting(done.target)
    here = done.target.find(parts[0][:12]) if parts and "<<" in parts[0] else -1
    did = done.target[here:] if here >= 0 else " && ".join(parts) or done.target
    said = work.outcome(done)
    told = f" -> {line(said, 160)}" if said else ""
    return f"`{line(did, 160)}` {ended(done)}{told} (#{done.number}, {clock(done.ended_at or done.at)})"


def ended(done: Done) -> str:
    """How a call ended."""
    code = done.detail.get("exit")
    return f"exit {code}" if code is not None else done.state.value


def failed(done: Done) -> str:
    """A call that failed and the line that says why."""
    return f"`{line(done.target, 160)}` failed: {oneline(work.error_line(done), 200)} (#{done.number})"
