"""mind.md from the record: who is there, the mission, the task list, what the person decided, what failed and then worked."""

from collections.abc import Iterator

from memd.extract import turns, work
from memd.extract.material import Material
from memd.model import Channel, Done, Kind, Record, State
from memd.model.text import line, oneline, quote

MISSION_WORDS = 1_200
"""Characters of the directing message that stand in the mission; the memo has its exact text."""
LESSONS, DECISIONS = 10, 24
_NONE = "(none recorded)"


def mind(material: Material) -> str:
    """The four sections of mind.md."""
    sections = {
        "Where I am": _where(material),
        "Goals": _goals(material),
        "Key decisions": _decisions(material),
        "Lessons": _lessons(material),
    }
    return "\n\n".join(f"# {name}\n\n" + "\n".join(lines) for name, lines in sections.items()) + "\n"


def _where(material: Material) -> Iterator[str]:
    if material.session.cwd:
        yield f"- I work in `{material.session.cwd}`. (own judgement)"
    asked = turns.words(material)
    if asked and all(record.channel is Channel.OPERATOR_HEADLESS for record in asked):
        yield "- No person is known here: whoever runs this session headless is called the operator. (own judgement)"
    elif asked:
        yield f"- A person talks to me here: {len(asked)} messages so far. (own judgement)"


def _goals(material: Material) -> Iterator[str]:
    mission = turns.directing(material)
    yield from ("## Mission", "")
    yield _mission(mission) if mission is not None else "(nobody has asked for anything yet)"
    yield from ("", "## Workstreams", "")
    yield _workstream(work.tasks(material))


def _mission(record: Record) -> str:
    who = "the operator's prompt (headless): " if record.channel is Channel.OPERATOR_HEADLESS else ""
    return f"- M1 [active] {who}{oneline(record.text, MISSION_WORDS)} (#{record.number})"


def _workstream(listed: list[work.Task]) -> str:
    if not listed:
        return "(no task list)"
    done = sum(task.status == "completed" for task in listed)
    now = [task.text for task in listed if task.status == "in_progress"]
    after = [task.text for task in listed if task.status not in {"in_progress", "completed"}]
    status = "done" if done == len(listed) else "active"
    doing = f"doing: {oneline(now[0], 160)}, " if now else ""
    following = f"next: {oneline(after[0], 160)}" if after else "nothing after it"
    return f"- W1 (M1) [{status}] the agent's task list: {done}/{len(listed)} done, {doing}{following}"


def _decisions(material: Material) -> Iterator[str]:
    answers = [r for r in material.said if r.channel is Channel.HUMAN_ANSWER and r.in_force]
    plans = {d.call: d for d in material.done if d.kind is Kind.PLAN and d.state is State.DONE}
    found = [(record.number, _answer(record, material)) for record in answers]
    found += [
        (plan.number, f"- A plan was approved: {oneline(_title(plan), 200)} (own judgement)") for plan in plans.values()
    ]
    yield from [text for _, text in sorted(found)[-DECISIONS:]] or [_NONE]


def _answer(record: Record, material: Material) -> str:
    said = f"{quote(record.text, 400)} (#{record.number})"
    if not record.extra.get("refusal"):
        return f"- I asked: {quote(str(record.extra.get('question', '')), 200)} The person answered: {said}"
    call = next((d for d in material.done if d.call == record.extra.get("call")), None)
    what = f"{call.name} {oneline(call.target, 120)}" if call else "a tool call"
    return f"- The person refused {what} and said: {said}"


def _title(plan: Done) -> str:
    text = str(plan.detail.get("plan") or plan.result)
    return next((row.strip("# ").strip() for row in text.splitlines() if row.strip()), "untitled")


def _lessons(material: Material) -> Iterator[str]:
    found = {(work.program(r.failed.target), r.worked.target): r for r in work.recoveries(material)}
    yield from [_lesson(recovery) for recovery in list(found.values())[-LESSONS:]] or [_NONE]


def _lesson(found: work.Recovery) -> str:
    failed, why = line(found.failed.target, 160), line(work.error_line(found.failed), 120)
    return f"- [confirmed] `{failed}` failed ({why}); `{line(found.worked.target, 160)}` worked (own judgement)"
