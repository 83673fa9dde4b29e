"""What the program does not let a model do: every fault of its work, all named at once. Pure.

Mind: headings whole and in order, bullets only, every citation the person's, missions kept word for word with statuses that
cite, sections within their caps, one section rewritten at most. Memo: nothing but boxes, within its room. Scene: one block,
long enough, six headings, and a way back to the mission.
"""

import re
from collections.abc import Iterator, Mapping

from msgspec import Struct

from memd.checkpoint import boxes, scene
from memd.checkpoint.caps import MIND, SLACK, Caps
from memd.checkpoint.evidence import Evidence
from memd.checkpoint.mind import (
    HEADINGS,
    MISSION,
    NONE,
    OWN,
    WORKSTREAMS,
    Bullet,
    Mind,
    Mission,
    mission,
    parse,
    section,
)
from memd.model.text import oneline
from memd.render import Entry, Sizer

_CONSENT = re.compile(
    r"\b(?:approv|authori[sz]|permi(?:t|ss)|allow|agree|consent|grant|green light|sign(?:ed)? off|said yes)"
    r"|批准|授权|同意|允许|许可",
    re.IGNORECASE,
)
"""Words that claim that somebody allowed something: they need a message. Looked for only where nothing is cited."""
_SAID = re.compile(
    r"\b(?:person|user|operator|human|owner) (?:has |had )?(?:said|says|told|tells|wants?|wanted|asked|asks|decided|ordered"
    r"|insist(?:s|ed)|requested|confirmed|chose|prefers?|preferred)\b|(?:用户|对方|(?<!其)[他她])(?:说|要求|想要|决定|希望|确认)",
    re.IGNORECASE,
)
"""Words that tell what somebody said: so do these."""
_QUOTED = re.compile(r"#(\d{1,9})\)?(?: says| said)?:? ?[\"“「](.{8,}?)[\"”」](?=[\s.,;:!?)。，；]|$)")
_QUOTED_BEFORE = re.compile(r"[\"“「]([^\"“”「」\n]{8,})[\"”」] ?\(#(\d{1,9})\b")
"""A quotation right behind a message's number, or right before it: it is taken for that message's own words."""
_CLAIMED = re.compile(
    rf"{_SAID.pattern}"
    r"|\b(?:person|user|operator|human|owner) (?:has |had )?"
    r"(?:approved|authori[sz]ed|permitted|allowed|agreed|consented|granted)\b"
    r"|\b(?:approved|authori[sz]ed|permitted|allowed|granted|requested|confirmed) by the (?:person|user|operator|human|owner)\b"
    r"|(?:用户|对方)(?:批准|授权|同意|允许|许可)",
    re.IGNORECASE,
)
"""What a scene tells of somebody's words or consent: it names the one whose they are, since `permission denied` is none."""
_OPEN = re.compile(
    r"(?:\b(?:if|whether|unless|until|not|never|(?<!not )be)(?: (?:a|an|explicitly|has|been|is|it|that|the|this|was|yet))*|\bonce"
    r"|如果?|若|是否|除非|直到|未经|没有|尚未|(?<![不无毋])(?:等|等待|等候|待|需要?|须|请|让|由|问))\s*$",
    re.IGNORECASE,
)
"""What stands right before such words where they tell of no deed: a condition, a question, what is still to come or did not."""
_FREED = re.compile(r"(?:n't|\bno longer|\bnever|\bnot) (?:\w+ ){0,2}to be\b[^.;\n]*$|不需要\s*$", re.IGNORECASE)
"""What stands there where it tells that nobody has to be asked: that is a claim as well."""
_BEFORE = 40
"""Characters in which that stands."""
_LESSON = re.compile(r"- \[(?:confirmed|hypothesis)\] \S")
_WORKSTREAM = re.compile(r"- W[1-9]\d* \((M[1-9]\d*)\) \[([a-z]+)\] \S")
_ALL_DONE = re.compile(
    r"\b(?:all|everything) (?:is |has been )?(?:done|complete|completed|finished)\b|全部完成", re.IGNORECASE
)


class Fault(Struct, frozen=True):
    """One fault: in which part, and what it is, as a sentence for the writer."""

    part: str
    text: str


class Given(Struct, frozen=True):
    """What a writer was given and is measured by.

    Attributes:
        mind: the file as it was.
        memo: the entries that were offered; `listed` is the file.
        judged: the mind was written with judgement, so that only one section of it may be rewritten.
        request: the number of the latest request, which the next step names.
    """

    mind: str
    memo: tuple[Entry, ...]
    listed: str
    evidence: Evidence
    caps: Caps
    judged: bool = False
    request: int | None = None


class Made(Struct, frozen=True):
    """What a writer left: the two files, and its answer."""

    mind: str
    memo: str
    answer: str


def faults(given: Given, made: Made, sizer: Sizer) -> tuple[Fault, ...]:
    """Everything that is wrong, part by part."""
    wrong_mind = tuple(Fault("mind", text) for text in _mind(given, made.mind, sizer))
    kept = given.mind if wrong_mind else made.mind
    edited = boxes.read(given.listed, made.memo)
    over = boxes.over(given.memo, edited.boxes, given.caps, sizer) if not edited.faults else ""
    wrong_memo = tuple(Fault("memo", text) for text in (*edited.faults, *filter(None, [over])))
    wrong_scene = tuple(Fault("scene", text) for text in _scene(given, made.answer, parse(kept), sizer))
    return (*wrong_mind, *wrong_memo, *wrong_scene)


def _mind(given: Given, text: str, sizer: Sizer) -> Iterator[str]:
    before, after = parse(given.mind), parse(text)
    if not after.whole:
        yield f"the headings are {_listed(after.headings)}, they stay {_listed(HEADINGS)}"
    yield from (f"neither a heading nor a bullet nor an indented line: {oneline(row, 80)!r}" for row in after.stray[:3])
    yield from _missions(given.evidence, before.missions, after)
    old = {bullet.text for bullet in before.all}
    yield from (told for bullet in after.all if (told := _stale(bullet, given.evidence, known=bullet.text in old)))
    for heading, bullets in after.bullets.items():
        for bullet in (bullet for bullet in bullets if bullet.text not in old):
            yield from _bullet(heading, bullet, after, given.evidence)
    fresh = "\n".join(bullet.text for bullet in after.all if bullet.text not in old)
    yield from _misquoted(given.evidence, fresh)
    yield from _sizes(given, text, sizer)
    if given.judged and len(rewritten := _rewritten(before, after)) > 1:
        yield f"{' and '.join(rewritten)} are rewritten; one section at most may be, the others are edited"


def _listed(headings: tuple[str, ...]) -> str:
    return ", ".join(headings) or "missing"


def _name(bullet: Bullet) -> str:
    return repr(oneline(bullet.text, 70))


def _stale(bullet: Bullet, evidence: Evidence, *, known: bool) -> str:
    """A statement that was there before rests on what was taken back since."""
    gone = [n for n in bullet.cites if known and n in evidence.said and not evidence.said[n].in_force]
    return f"{_name(bullet)} rests on #{gone[0]}, which was withdrawn: change it or take it out" if gone else ""


def _bullet(heading: str, bullet: Bullet, mind: Mind, evidence: Evidence) -> Iterator[str]:
    """A statement that is new or changed."""
    match heading:
        case "Where I am" | "Key decisions":
            yield from _cited(bullet, evidence)
        case "Mission":
            if mission(bullet) is None:
                yield f"{_name(bullet)} is no mission: `- M2 [active] … (#n)`"
        case "Workstreams":
            found = _WORKSTREAM.match(bullet.text)
            if found is None:
                yield f"{_name(bullet)} is no workstream: `- W1 (M1) [active] …`"
            elif found[1] not in mind.missions:
                yield f"{_name(bullet)} belongs to {found[1]}, which is no mission"
            elif found[2] == "done" and "\n" in bullet.text:
                yield f"{_name(bullet)} is done and shrinks to one line"
        case "Lessons":
            if not _LESSON.match(bullet.text):
                yield f"{_name(bullet)} begins with neither [confirmed] nor [hypothesis]"
        case _:
            pass  # a heading that is not ours is told already


def _cited(bullet: Bullet, evidence: Evidence) -> Iterator[str]:
    if bullet.citation is None:
        yield f"{_name(bullet)} ends neither in (#n) nor in {OWN}"
    elif bullet.own and (_CONSENT.search(bullet.body) or _tells(_SAID, bullet.body)):
        yield f"{_name(bullet)} says that something was allowed, agreed or said and cites no message of the person's"
    elif not bullet.own and not bullet.cites and not _elsewhere(bullet.citation or "", evidence):
        yield f"{_name(bullet)} cites messages that are not known here"
    elif why := evidence.fault(bullet):
        yield f"{_name(bullet)}: {why}"
    yield from (
        f"{_name(bullet)}: #{new} cannot replace #{old}: it came before it, or says nothing of its own"
        for new, old in bullet.replaces
        if not evidence.turns(new, old)
    )


def _elsewhere(text: str, evidence: Evidence) -> bool:
    """Whether it cites what was said in the session that this one was forked from."""
    found = re.findall(r"#(\d+) of (\S+?)[,;)]?(?:\s|$)", text)
    return bool(found) and all(f"{source}#{number}" in evidence.before for number, source in found)


def _missions(evidence: Evidence, before: Mapping[str, Mission], after: Mind) -> Iterator[str]:
    now = after.missions
    ids = [one.id for bullet in after.bullets.get(MISSION, ()) if (one := mission(bullet)) is not None]
    yield from (f"the mission {name} is there twice" for name in dict.fromkeys(ids) if ids.count(name) > 1)
    for name, old in before.items():
        new = now.get(name)
        if new is None:
            yield f"the mission {name} is missing: missions stay, only their status changes"
        elif new.words != old.words:
            yield f"the words of the mission {name} were changed: they stay as they were, only the status changes"
        else:
            yield from _status(evidence, old, new, now)
    for new in (one for name, one in now.items() if name not in before):
        if not any(evidence.binds(number) for number in new.cites):
            yield f"the new mission {new.id} cites no message of the person's"


def _status(evidence: Evidence, old: Mission, new: Mission, now: Mapping[str, Mission]) -> Iterator[str]:
    if gone := [number for number in old.cites if number not in new.cites]:
        yield f"the mission {old.id} no longer cites #{gone[0]}: citations stay, others may be added"
    added = [number for number in new.cites if number not in old.cites]
    if new.status == old.status:
        yield from (f"the mission {old.id} cites #{n}, which is not known" for n in added if not evidence.shows(n))
    elif new.status == "done":
        if not any(evidence.shows(number) for number in added):
            yield f"the mission {old.id} is [done] without evidence: cite the message that shows it, e.g. a tool's result"
    elif not any(evidence.turns(number, max(old.cites, default=0)) for number in added):
        yield f"the mission {old.id} is [{new.status}] and cites no later message of the person's that says so"
    if new.status.startswith("replaced by") and new.status != old.status:
        by = new.status.rpartition(" ")[2]
        if by == new.id or by not in now:
            yield f"the mission {old.id} is [{new.status}], and there is no other mission {by}"


def _misquoted(evidence: Evidence, text: str) -> Iterator[str]:
    """What is quoted right behind a message's number stands in that message; blanks do not count, an end may be cut off."""
    quoted = [(int(found[1]), found[2]) for found in _QUOTED.finditer(text)]
    quoted += [(int(found[2]), found[1]) for found in _QUOTED_BEFORE.finditer(text)]
    for number, words in quoted:
        said = evidence.said.get(number)
        if said is not None and oneline(words, len(words)).rstrip("…. ") not in oneline(said.text, len(said.text) + 1):
            yield f"#{number} does not say {oneline(words, 80)!r}: quote it exactly or not at all"


def _sizes(given: Given, text: str, sizer: Sizer) -> Iterator[str]:
    """A section is at fault above its cap, unless it was above it already and has become smaller."""
    for name in MIND:
        cap, size = given.caps.mind(name), sizer.count(section(text, name))
        if size > cap and size >= sizer.count(section(given.mind, name)):
            yield f"{name} has {size:,} tokens, {cap:,} are allowed: fold, shorten, take out what no longer matters"


def _rewritten(before: Mind, after: Mind) -> list[str]:
    """The sections of which less than half the statements stayed as they were."""
    found = []
    for name in ("Where I am", WORKSTREAMS, "Key decisions", "Lessons"):
        old, new = before.bullets.get(name, ()), {bullet.text for bullet in after.bullets.get(name, ())}
        if len(old) >= 3 and sum(bullet.text in new for bullet in old) * 2 < len(old):
            found.append(name)
    return found


def _scene(given: Given, answer: str, mind: Mind, sizer: Sizer) -> Iterator[str]:
    text, why = scene.block(answer)
    if why:
        yield why
        return
    if len(text.strip()) < scene.SHORTEST:
        yield f"the scene has {len(text.strip())} characters, at least {scene.SHORTEST} are needed"
    wanted = tuple(f"## {name}" for name in scene.HEADINGS)
    if (found := scene.headings(text)) != wanted:
        yield f"the scene's headings are {_listed(found)}, they are {_listed(wanted)}"
        return
    if (size := sizer.count(text)) > given.caps.scene * SLACK:
        yield f"the scene has {size:,} tokens, about {given.caps.scene:,} are right"
    yield from _misquoted(given.evidence, text)
    yield from _claims(given.evidence, text)
    yield from _next(given, scene.sections(text)["Next step"], mind)


def _claims(evidence: Evidence, text: str) -> Iterator[str]:
    """What somebody is told to have said or allowed has a message of theirs."""
    for entry in re.split(r"\n(?=\S)", text):
        numbers = [int(number) for number in re.findall(r"#(\d{1,9})\b", entry)]
        if _tells(_CLAIMED, entry) and not (any(map(evidence.binds, numbers)) or _elsewhere(entry, evidence)):
            told = (
                f"cites {', '.join(f'#{number}' for number in numbers)}, none of which is theirs"
                if numbers
                else "cites none"
            )
            yield f"{oneline(entry, 70)!r} says what somebody said or allowed, which needs their message: it {told}"


def _tells(words: re.Pattern[str], text: str) -> bool:
    """Whether it tells by such words what somebody did, rather than asks for it or waits until they do."""
    before = (text[max(found.start() - _BEFORE, 0) : found.start()] for found in words.finditer(text))
    return any(not _OPEN.search(ahead) or _FREED.search(ahead) for ahead in before)


def _next(given: Given, text: str, mind: Mind) -> Iterator[str]:
    active = [one.id for one in mind.missions.values() if one.status == "active"]
    if active and (text in {"", NONE} or _ALL_DONE.search(text)):
        yield f"the next step leads nowhere while {active[0]} is active: name the next action, or the question to be answered"
    if given.request is not None and not re.search(rf"#{given.request}\b", text):
        yield f"the next step does not name the latest request (#{given.request})"
