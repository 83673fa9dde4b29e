"""mind.md from the record: who is there, the mission, the task list, what the person decided, what failed and then worked."""

from collections.abc import Iterator

from memd.extract import missions, turns, work
from memd.extract.asked import asks
from memd.extract.material import Material
from memd.extract.naming import about
from memd.model import Channel, Done, Kind, Record, State
from memd.model.text import line, named, oneline, quote
from memd.render import RELATIVE, images_of
from memd.writers.extractive.phrases import NONE

MISSION_WORDS = 1_200
"""Characters of the directing message that stand in the mission; the memo has its exact text."""
LESSONS, DECISIONS = 10, 24


def mind(material: Material) -> str:
    """The four sections of mind.md."""
    sections = {
        "Where I am": _where(material),
        "Goals": _goals(material),
        "Key decisions": _decisions(material),
        "Lessons": _lessons(material),
    }
    return "\n\n".join(f"# {name}\n\n" + "\n".join(list(lines) or [NONE]) for name, lines in sections.items()) + "\n"


def _where(material: Material) -> Iterator[str]:
    if material.session.cwd:
        yield f"- I work in `{named(material.session.cwd)}`; {RELATIVE}. (own judgement)"
    if earlier := [record for record in material.before if asks(record)]:
        sources = dict.fromkeys((record.copy_of or "").rpartition("#")[0] for record in earlier)
        shown = ", ".join(f"`memd log {source} --human`" for source in sources)
        told = f"what was said there before ({len(earlier)}) is in force here too: {shown}"
        yield f"- This session was forked from {', '.join(sources)}; {told}. (own judgement)"
    asked = material.asked
    if asked and all(record.channel is Channel.OPERATOR_HEADLESS for record in asked):
        yield "- No person is known here: whoever runs this session headless is called the operator. (own judgement)"


def _goals(material: Material) -> Iterator[str]:
    rows = [_mission(number, one) for number, one in enumerate(missions.missions(material), 1)]
    yield from ("## Mission", "", *(rows or [NONE]))
    yield from ("", "## Workstreams", "")
    yield from list(_workstreams(material)) or [NONE]


_WHO = {
    Channel.OPERATOR_HEADLESS: "the operator's prompt (headless): ",
    Channel.UNATTRIBUTED: "from a prompt, sender not known: ",
}


def _mission(number: int, one: missions.Set) -> str:
    who, cited = _WHO.get(one.by.channel, ""), ", ".join(map(_cited, filter(None, (one.by, one.ended))))
    said = oneline(one.by.text, MISSION_WORDS) or images_of(one.by)
    return f"- M{number} [{one.status}] {who}{said} ({cited})"


def _cited(record: Record) -> str:
    """A message's number, with the session where it is not this one's."""
    if record.number:
        return f"#{record.number}"
    source, _, number = (record.copy_of or "").rpartition("#")
    return f"#{number} of {source}"


def _workstreams(material: Material) -> Iterator[str]:
    listed, turn = work.tasks(material), turns.current(material)
    mission = missions.directing(material)
    named = next((n for n, one in enumerate(missions.missions(material), 1) if one.by is mission), 1)
    if listed:
        yield _listed(listed, named)
    aside = turn.request is not None and mission is not None and mission.extra.get("command") == "goal"
    if aside and turn.request is not None and turn.request != mission and turn.ended:
        told = quote(turn.request.text, 160)
        yield f"- W2 [done] a request beside the mission, its turn has ended: {told} (#{turn.request.number})"


def _listed(listed: list[work.Task], mission: int) -> str:
    done = sum(task.status == "completed" for task in listed)
    now = [task.text for task in listed if task.status == "in_progress"]
    after = [task.text for task in listed if task.status not in {"in_progress", "completed"}]
    status = "done" if done == len(listed) else "active"
    doing = f", doing: {oneline(now[0], 100)}" if now else ""
    following = f", next: {oneline(after[0], 100)}" if after else ""
    return f"- W1 (M{mission}) [{status}] my task list: {done}/{len(listed)} done{doing}{following}"


def _decisions(material: Material) -> Iterator[str]:
    found = [(r.number, _answer(r, material)) for r in material.by(Channel.HUMAN_ANSWER) if r.in_force]
    found += [
        (done.number, _plan(done, material))
        for done in material.of(Kind.PLAN)
        if done.state in {State.DONE, State.REFUSED}
    ]
    yield from [text for _, text in sorted(found) if text][-DECISIONS:]


def _answer(record: Record, material: Material) -> str:
    said = f"{quote(record.text, 160)} (#{record.number})"
    allowed = bool(record.extra.get("allowed"))
    if not allowed and not record.extra.get("refusal"):
        return f"- I asked: {quote(str(record.extra.get('question', '')), 200)} The person answered: {said}"
    call = next((d for d in material.done if d.call == record.extra.get("call")), None)
    if allowed:
        return _allowed(call, said, material)
    if call is None:
        return f"- The person refused a tool call and said: {said}"
    if call.kind is Kind.PLAN:
        return f"- [cancelled] The person turned down the plan {quote(title(call), 120)} and said: {said}"
    return f"- The person refused {call.name} `{line(call.target, 100)}` and said: {said}"


def _allowed(call: Done | None, said: str, material: Material) -> str:
    """What was said with a permission: it may allow less than was asked for."""
    if call is None:
        return f"- The person allowed a tool call and said: {said}"
    if call.kind is not Kind.PLAN:
        return f"- The person allowed {call.name} `{line(call.target, 100)}` and said: {said}"
    told = f" ({'; '.join(since)})" if (since := list(_since(call, material))) else ""
    return f"- [approved] The person approved the plan {quote(title(call), 120)}{told} and said: {said}"


def _plan(plan: Done, material: Material) -> str:
    """What became of a plan; one about which something was said with that stands with the words already."""
    if any(r.extra.get("call") == plan.call and r.in_force for r in material.by(Channel.HUMAN_ANSWER)):
        return ""
    if plan.state is State.DONE:
        since = "".join(f"; {told}" for told in _since(plan, material))
        return f"- [approved] The plan {quote(title(plan), 160)} was approved{since}. (own judgement)"
    return f"- [cancelled] The plan {quote(title(plan), 160)} was turned down without words. (own judgement)"


def _since(plan: Done, material: Material) -> Iterator[str]:
    """What came behind an approval and may have ended it: whether it did, only its words say."""
    later = [one for one in material.of(Kind.PLAN) if one.number > plan.number and one.state is State.DONE]
    if later:
        yield f"another one was approved later, in #{later[-1].number}"
    later_said = (r for r in reversed(material.asked) if r.number > plan.number and r.extra.get("call") != plan.call)
    named = (r for r in later_said if about(r.text, title(plan), "plan"))
    if spoken := next(named, None):
        who = "the operator (headless)" if spoken.channel is Channel.OPERATOR_HEADLESS else "the person"
        yield f"{who} spoke of it again in #{spoken.number}"


def title(plan: Done) -> str:
    """A plan's first line."""
    text = str(plan.detail.get("plan") or plan.result)
    return next((row.strip("# ").strip() for row in text.splitlines() if row.strip()), "untitled")


def _lessons(material: Material) -> Iterator[str]:
    found = {(work.error_line(r.failed), r.worked.target): r for r in work.recoveries(material)}
    yield from (_lesson(recovery) for recovery in list(found.values())[-LESSONS:])


def _lesson(found: work.Recovery) -> str:
    failed, why = line(found.failed.target, 140), oneline(work.error_line(found.failed), 120)
    return (
        f"- [confirmed] `{failed}` failed ({why}); `{line(found.worked.target, 140)}` worked (#{found.worked.number})"
    )
