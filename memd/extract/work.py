"""What was done, what goes on, what failed: told by results, never by plans."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from memd.extract.material import Material
from memd.model import Channel, Done, Kind, Record, State

_EFFECTS = re.compile(
    r"\bgit (?:commit|push|tag|merge|rebase|reset|checkout -b|switch -c|stash|cherry-pick|worktree)\b"
    r"|\bgh (?:pr|issue|release) (?:create|merge|close|comment|edit)\b"
    r"|\b(?:npm|pnpm|yarn|pip|uv|cargo|brew|apt|apt-get|go) (?:install|add|publish|remove|uninstall|get|i)\b"
    r"|\b(?:migrate|migration|deploy|publish|release|kubectl apply|terraform apply|docker push|alembic upgrade)\b"
    r"|\b(?:rm|mv|cp|mkdir|chmod|ln|curl -X (?:POST|PUT|DELETE|PATCH)|scp|rsync)\b"
)
_TESTS = re.compile(
    r"\b(?:pytest|tox|nox|jest|vitest|mocha|go test|cargo test|npm (?:run )?test|pnpm (?:run )?test|yarn test"
    r"|make (?:test|check)|rspec|phpunit|mvn (?:test|verify)|gradle test|ctest|mise run test)\b"
)
_COUNTS = re.compile(
    r"\d+ (?:passed|failed|errors?|skipped|passing|failing|tests? (?:passed|failed))"
    r"|test result: \w+\.[^\n]*|FAIL\b[^\n]*|\bok\s+\S+\s+[\d.]+s"
)


@dataclass(frozen=True, slots=True)
class Task:
    """One entry of the agent's own task list."""

    id: str
    text: str
    status: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """Something that goes on outside the turn: `what` is job, agent or schedule."""

    what: str
    id: str
    text: str
    number: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class Recovery:
    """A command that failed and the one that then did it."""

    failed: Done
    worked: Done


def tasks(material: Material) -> list[Task]:
    """The agent's task list as its last task call left it."""
    for done in reversed(material.done):
        if done.kind is Kind.TASKS and "items" in done.detail:
            return [Task(str(i["id"]), str(i["text"]), str(i["status"])) for i in done.detail["items"]]
    return []


def waiting(material: Material) -> list[Waiting]:
    """Jobs, sub-agents and schedules that started and did not end, and the question that is open."""
    over = {
        str(r.extra["job"]) for r in material.said if r.channel is Channel.BACKGROUND_NOTIFICATION and "job" in r.extra
    }
    stopped = {d.target for d in material.done if d.kind is Kind.STOP and d.state is State.DONE}
    fired = {r.text for r in material.said if r.channel is Channel.BACKGROUND_SCHEDULE}
    found = (_goes_on(done, fired) for done in material.done)
    return [w for w in found if w is not None and w.id not in over and w.id not in stopped]


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


def effects(material: Material) -> list[Done]:
    """Commands with side effects that ended, in order: they must not be done twice."""
    return [d for d in material.done if d.kind is Kind.COMMAND and d.state is State.DONE and _EFFECTS.search(d.target)]


def last_tests(material: Material) -> tuple[Done, str] | None:
    """The last test run that ended and the line that counts."""
    for done in reversed(material.done):
        if done.kind is Kind.COMMAND and done.state in {State.DONE, State.FAILED} and _TESTS.search(done.target):
            counted = _COUNTS.findall(done.result)
            return done, "; ".join(dict.fromkeys(counted[-3:]))
    return None


def failures(material: Material, *, after: int = 0) -> list[Done]:
    """Failed calls that nothing repaired yet: no later call of the same kind and target succeeded."""
    good = {(d.kind, d.target): d.number for d in material.done if d.state is State.DONE}
    return [
        d
        for d in material.done
        if d.state is State.FAILED and d.number > after and good.get((d.kind, d.target), 0) < d.number and d.target
    ]


def recoveries(material: Material, span: int = 6) -> list[Recovery]:
    """Commands that failed, each with the similar one that worked within the next `span` calls."""
    return list(_recover(material.done, span))


def _recover(done: Sequence[Done], span: int) -> Iterator[Recovery]:
    for index, failed in enumerate(done):
        if failed.kind is Kind.COMMAND and failed.state is State.FAILED:
            worked = _next_like(failed, done[index + 1 : index + 1 + span])
            if worked is not None:
                yield Recovery(failed, worked)


def _next_like(failed: Done, later: Iterable[Done]) -> Done | None:
    """The next successful command that shares its program but not its words: another way to do the same."""
    for done in later:
        same = done.kind is Kind.COMMAND and program(done.target) == program(failed.target)
        if same and done.state is State.DONE:
            return done if done.target != failed.target else None
    return None


def program(command: str) -> str:
    """The program and its first word, without `cd x &&` and assignments in front: what a command is about."""
    last = re.split(r"&&|\|\||;", command.strip())[-1] if command.strip().startswith("cd ") else command.strip()
    words = [word for word in last.split() if "=" not in word.split("/")[0] or word.startswith("-")]
    return " ".join(words[:2]) if words else ""


def error_line(done: Done) -> str:
    """The line of a failed call's answer that says most: one with an error word, else the last."""
    lines = [line.strip() for line in done.result.splitlines() if line.strip()]
    telling = [
        line
        for line in lines
        if re.search(r"(?i)\berror\b|\bfail|exception|not found|no such|denied|refused|cannot", line)
    ]
    return (telling or lines or [""])[-1 if not telling else 0][:300]


def refusals(material: Material) -> list[Done]:
    """Calls that the person refused."""
    return [d for d in material.done if d.state is State.REFUSED]


def notes(material: Material) -> list[Record]:
    """What machines said: finished jobs, schedules that fired, other agents."""
    return [r for r in material.said if r.channel.background and r.in_force]
