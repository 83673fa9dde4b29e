"""What was done, what goes on, what failed: told by results, never by plans."""

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from memd.extract import servers, shell
from memd.extract.effects import lasting
from memd.extract.material import Material, of_calls, of_material
from memd.model import Channel, Done, Kind, Record, State
from memd.model.text import LEFT_OUT

_COUNTS = re.compile(
    r"\d+ (?:passed|failed|errors?|skipped|passing|failing|tests? (?:passed|failed))"
    r"|test result: \w+\.[^\n]*|FAIL\b[^\n]*|\bok\s+\S+\s+[\d.]+s"
)

SPAN = 6
"""So many calls behind a failure another one may have mended it."""


class Task(Struct, frozen=True):
    """One entry of the agent's own task list."""

    id: str
    text: str
    status: str


class Waiting(Struct, frozen=True):
    """Something that goes on outside the turn: `what` is job, agent or schedule."""

    what: str
    id: str
    text: str
    number: int
    note: str = ""


class Recovery(Struct, frozen=True):
    """A command that failed and the one that then did it."""

    failed: Done
    worked: Done


@of_material
def tasks(material: Material) -> list[Task]:
    """The agent's task list as its last task call left it."""
    for done in reversed(material.of(Kind.TASKS)):
        if "items" in done.detail:
            listed = [Task(str(i["id"]), str(i["text"]), str(i["status"])) for i in done.detail["items"]]
            return [task for task in listed if task.status != "deleted"]
    return []


def waiting(material: Material) -> list[Waiting]:
    """Jobs, sub-agents and schedules that started and did not end, and the question that is open."""
    over = {str(r.extra["job"]) for r in material.by(Channel.BACKGROUND_NOTIFICATION) if "job" in r.extra}
    over |= {str(d.detail["ends"]) for d in material.ends}
    over |= {d.target for d in material.of(Kind.STOP) if d.state is State.DONE}
    fired = {r.text for r in material.by(Channel.BACKGROUND_SCHEDULE)}
    found = (_goes_on(done, fired) for done in material.open)
    open_ones = [w for w in found if w is not None and (not w.id or w.id not in over)]
    return [_doubted(w, material) for w in open_ones]


def _doubted(waiting: Waiting, material: Material) -> Waiting:
    """An empty task list is no proof that a job has ended; it is noted beside it."""
    listed = [d for d in material.of(Kind.TASKS) if d.number > waiting.number and "items" in d.detail]
    if waiting.what == "question to the person" or not listed or listed[-1].detail["items"]:
        return waiting
    note = f"the task list said none (#{listed[-1].number}), but no end of it is recorded"
    return replace(waiting, note="; ".join(filter(None, (waiting.note, note))))


def _goes_on(done: Done, fired: set[str]) -> Waiting | None:
    detail = done.detail
    match done.kind, done.state:
        case Kind.COMMAND, State.BACKGROUND:
            return Waiting("background job", str(detail.get("job", "")), done.target, done.number)
        case Kind.AGENT, State.BACKGROUND:
            return Waiting("sub-agent", str(detail.get("agent", "")), done.target, done.number)
        case Kind.SCHEDULE, State.DONE:
            again = detail.get("recurring") is True
            if not again and str(detail.get("prompt", "")) in fired:
                return None
            when = str(detail.get("cron") or detail.get("humanSchedule") or "wake-up")
            return Waiting("schedule", str(detail.get("id", "")), str(detail.get("prompt", "")), done.number, when)
        case Kind.ASK, State.RUNNING:
            return Waiting("question to the person", "", "; ".join(map(str, detail.get("questions", []))), done.number)
        case _:
            return None


def effects(material: Material, last: int) -> list[Done]:
    """The last commands and calls of connected servers with side effects that ended, in order: not to be done twice."""
    return _effects(material)[-last:]


def _changing(found: list[Done], done: Done) -> None:
    if done.state is not State.DONE:
        return
    if servers.changes(done.name) if done.kind is Kind.SERVER else done.kind is Kind.COMMAND and lasting(done.target):
        found.append(done)


_effects = of_calls(lambda _: list[Done](), _changing, list[Done])


def outcome(done: Done) -> str:
    """The line of an answer that names what came of it: a link, a commit, a moved branch, else the last."""
    lines = [line.strip() for line in done.result.splitlines() if line.strip() and not line.startswith(LEFT_OUT)]
    telling = [line for line in lines if re.search(r"https?://|^\[\S+ .*[0-9a-f]{7,}\]| -> ", line)]
    return (telling or lines or [""])[-1]


def last_tests(material: Material) -> tuple[Done, str] | None:
    """The last test run that ended and the line that counts."""
    for done in reversed(material.of(Kind.COMMAND)):
        if done.state in {State.DONE, State.FAILED} and shell.tests(done.target):
            return done, counts(done)
    return None


def counts(done: Done) -> str:
    """What a test run's answer says of its tests; empty for another answer."""
    return "; ".join(dict.fromkeys(_COUNTS.findall(done.result)[-3:]))


def failures(material: Material) -> list[Done]:
    """Failed calls that nothing repaired: none like it succeeded later and no other way was found; the last of its kind."""
    failed = [d for d in material.in_state(State.FAILED) if d.target]
    if not failed:
        return []
    tried = {d.target for d in failed}
    good = {(d.kind, d.target): d.number for d in material.in_state(State.DONE) if d.target in tried}
    mended = {recovery.failed.call for recovery in recoveries(material)}
    found = {
        (d.kind, shell.program(d.target), error_line(d)): d
        for d in failed
        if d.call not in mended and good.get((d.kind, d.target), 0) < d.number
    }
    return sorted((d for d in found.values() if _told(d)), key=lambda d: d.number)


def _told(done: Done) -> bool:
    """Whether a failure says something: a call that fell with its neighbour, or a search that found nothing, does not."""
    return "Sibling tool call errored" not in done.result and bool(re.search(r"\w{3}", error_line(done)))


@of_material
def recoveries(material: Material) -> list[Recovery]:
    """Commands that failed, each with the similar one that worked within the next few calls."""
    return list(_recover(material.done)) if material.in_state(State.FAILED) else []


def _recover(done: Sequence[Done]) -> Iterator[Recovery]:
    for index, failed in enumerate(done):
        if failed.state is State.FAILED and failed.kind is Kind.COMMAND and _told(failed):
            worked = _next_like(failed, done[index + 1 : index + 1 + SPAN])
            if worked is not None:
                yield Recovery(failed, worked)


def _next_like(failed: Done, later: Iterable[Done]) -> Done | None:
    """The next successful command that shares its program but not its words: another way to do the same.

    A change of a file in between may as well be what helped, so it ends the search.
    """
    wanted = shell.program(failed.target)
    for done in later:
        if done.kind in {Kind.EDIT, Kind.CREATE}:
            return None
        same = done.kind is Kind.COMMAND and bool(wanted) and shell.program(done.target) == wanted
        if same and done.state is State.DONE:
            return done if done.target != failed.target else None
    return None


def error_line(done: Done) -> str:
    """The line of a failed call's answer that says most: one with an error word, else the last; no echo of a command."""
    lines = [line.strip() for line in re.sub(r"</?tool_use_error>", "", done.result).splitlines() if line.strip()]
    lines = [line for line in lines if not re.fullmatch(r"Exit code \d+|[-=]+|[$>] .*", line)]
    telling = [
        line
        for line in lines
        if re.search(r"(?i)\berror\b|\bfail|exception|not found|no such|denied|refused|cannot", line)
    ]
    return (telling or lines or [""])[-1 if not telling else 0][:300]


def refusals(material: Material) -> list[Done]:
    """Calls that the person refused."""
    return material.in_state(State.REFUSED)


def notes(material: Material) -> list[Record]:
    """What machines said: finished jobs, schedules that fired, other agents."""
    return [r for r in material.said if r.channel.background and r.in_force]


def sayings(record: Record) -> str:
    """What a machine's message says, without the tags around it: of a task notification its summary and result."""
    told = (re.search(rf"<{tag}>(.*)</{tag}>", record.text, re.DOTALL) for tag in ("summary", "result", "event"))
    return "; ".join(match[1].strip() for match in told if match and match[1].strip()) or record.text
