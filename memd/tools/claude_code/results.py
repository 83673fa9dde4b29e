"""The results of tool calls: what a user row says of how a call ended, and whether the person refused it.

Names and fields as in the client's published `sdk-tools.d.ts` (2.1.332) and in transcripts from 2.1.5 on.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from memd.later import pattern
from memd.model import Kind, Operation, State
from memd.model.secrets import mask, masked_in
from memd.tools.claude_code import jobs
from memd.tools.fields import DETAIL, flag, flat, items, short, string, table

Row = Mapping[str, Any]

RESULT = 400
"""Characters of a tool's answer that are kept; the rest is found by the record's pointer into the transcript."""

_VERSION = pattern(r"(\d{1,6})\.(\d{1,6})\.(\d{1,6})")
_DENIALS = (2, 1, 332)
"""From this version on a refusal is known to have the client's own field."""
_EXIT = pattern(r"\AExit code (\d{1,3})\b")
_SILENT = ("(Bash completed with no output)",)
"""What the client puts where a command printed nothing (seen in 2.1.332)."""
_REFUSAL = "The user doesn't want to proceed with this tool use."
_SAID = "the user said:\n"
_CLIENT_WORDS = ("The user wants to clarify these questions.",)
"""What the client writes as the words of a refusal when the person chose to talk instead of answering (2.1.45, 2.1.332)."""
_ANSWER, _NOTES = "  Answer: ", "  User notes: "
"""What stands below a question in the client's list before what was answered and noted so far."""
_IDS = (("job", "backgroundTaskId"), ("job", "shellId"), ("agent", "agentId"), ("output", "outputFile"))
_VALUES = ("id", "humanSchedule", "scheduledFor", "numLines")
_TELLING = frozenset({*(key for _, key in _IDS), *_VALUES, "originalFile", "plan", "answers", "file", "task"})
"""Fields of a structured result that say more of the call; most results have none of them."""


class Result(NamedTuple):
    """What a tool answered: the user row, its `tool_result` block, that block's text, and whether the person said no."""

    row: Row
    block: Row
    text: str
    refused: bool


def of(row: Row, block: Row) -> Result:
    """The result that a `tool_result` block of a user row holds."""
    text = flat(block.get("content"))
    return Result(row, block, text, _refused(row, block, text))


def finished(call: str, begun: Row, result: Result, at: int | None, kept: str) -> Operation:
    """The call that began so with its result, of which `kept` is kept."""
    found = result.row.get("toolUseResult")
    known = found if isinstance(found, dict) else {}
    kind, state = Kind(begun["kind"]), _state(result, known)
    detail: dict[str, Any] = {**begun["detail"], **_answered(known)}
    if kind is Kind.EDIT:
        detail |= _unnamed(detail, known)
    elif kind is Kind.COMMAND and (code := _EXIT.match(result.text)):
        detail["exit"] = int(code[1])
    elif kind is Kind.COMMAND and state is State.DONE:
        detail["exit"] = 0
    kept = "" if kept.strip() in _SILENT else kept
    return Operation(call, kind, begun["name"], at, state, begun["target"], detail, kept)


def _unnamed(pieces: Row, known: Row) -> dict[str, Any]:
    """The pieces of an edit without the secrets that only the whole lines, which the result has, show to be some."""
    hunks = [hunk for hunk in items(known, "structuredPatch") if isinstance(hunk, dict)]
    rows = [row for hunk in hunks for row in items(hunk, "lines") if isinstance(row, str)]
    lines = "\n".join(row[1:] for row in rows if row.startswith(("-", "+")))
    if mask(lines) == lines:
        return {}
    found = {name: pieces.get(name) for name in ("old", "new")}
    return {name: masked_in(piece, lines) for name, piece in found.items() if isinstance(piece, str)}


def _state(result: Result, known: Row) -> State:
    if result.refused:
        return State.INTERRUPTED if _began(result.row) else State.REFUSED
    if flag(known, "interrupted"):
        return State.INTERRUPTED
    if flag(result.block, "is_error"):
        return State.FAILED
    if flag(known, "isAsync") or string(known, "backgroundTaskId") or string(known, "shellId"):
        return State.BACKGROUND
    return State.DONE


def _answered(known: Row) -> dict[str, Any]:
    """What a structured result adds: ids of what goes on, answers, plans, when a schedule fires, that a job is over."""
    found: dict[str, Any] = {}
    if _TELLING.isdisjoint(known):
        return found
    found |= {name: ident for name, key in _IDS if (ident := string(known, key))}
    found |= {name: short(known[name]) for name in _VALUES if name in known}
    if string(known, "type") == "update" and "originalFile" in known:  # a Write over a file that was there
        found |= {"existed": True, "old": short(string(known, "originalFile"))}
    if plan := string(known, "plan"):
        found["plan"] = mask(plan)[: DETAIL * 4]
    if answers := table(known, "answers"):
        found["answers"] = {str(q): short(a) for q, a in answers.items()}
    if string(shown := table(known, "file"), "filePath"):
        found |= {name: short(shown.get(name)) for name in ("startLine", "numLines", "totalLines")}
    return found | jobs.ended(known)


def _began(row: Row) -> bool:
    """Whether a call that the person ended was at work: else a no without words says so, and one with words was a decision."""
    asked = string(table(row, "permissionDecision"), "decision") == "reject"
    return bool(string(row, "toolDenialKind")) and not flag(row, "toolDenialBeforeRun") and not asked


def release(version: str) -> tuple[int, ...]:
    """A client's version as numbers that can be compared; nothing for what is none."""
    found = _VERSION.match(version)
    return tuple(int(part) for part in found.groups()) if found else ()


def _refused(row: Row, block: Row, text: str) -> bool:
    """Whether the person said no: the client's own field, or in clients without it the fixed text of its whole answer.

    The result of a tool cannot pass for it: a failed command's text begins with its exit code, and a client that has the
    field (measured on 2.1.332) writes it for each refusal.
    """
    denial = string(row, "toolDenialKind")
    if not denial and not flag(block, "is_error"):
        return False
    if string(table(row, "permissionDecision"), "source") == "config":
        return False  # nobody was asked: a headless run denies what its settings do not allow (measured on 2.1.332)
    if denial:
        return denial == "user-rejected" and not row.get("toolDenialUnanswered")
    if string(row, "promptSource") or table(row, "permissionDecision"):
        return False
    return text.startswith(_REFUSAL) and release(string(row, "version")) < _DENIALS


def refusal_words(result: Result) -> str:
    """The person's own words in a refusal, empty when they gave none.

    They have a field of their own, `userFeedback` (2.1.332); else they stand behind the client's fixed text. In both the client
    itself writes that the person chose to talk.
    """
    if not result.refused:
        return ""  # as nearly always
    words = _feedback(result)
    return "" if words.lstrip().startswith(_CLIENT_WORDS) else words


def talked(result: Result, questions: Sequence[str]) -> Iterator[tuple[str, str]]:
    """What the person had answered or noted before they chose to talk: the client lists each question with it.

    An agent may write in a question what looks like another with its answer. So each is looked for whole, one behind the other;
    where one is not there as it was asked, nothing counts.
    """
    words = _feedback(result)
    if not words.lstrip().startswith(_CLIENT_WORDS):
        return
    pieces = [words]
    for question in questions:
        piece, listed, rest = pieces.pop().partition(f'\n- "{question}"\n')
        if not listed:
            return
        pieces += [piece, rest]
    for question, piece in zip(questions, pieces[1:], strict=True):
        answer, _, notes = piece.partition(_NOTES)
        told = (answer.removeprefix(_ANSWER) if answer.startswith(_ANSWER) else "", notes)
        yield from ((question, said.strip()) for said in told if said.strip())


def _feedback(result: Result) -> str:
    if not result.refused:
        return ""
    if string(result.row, "userFeedback").strip():
        return string(result.row, "userFeedback")
    return result.text.partition(_SAID)[2].strip()
