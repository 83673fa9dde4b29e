"""How each change of a shell line ended, as far as the line's one exit status and its output tell. Pure.

The status is that of the last command: behind `| tail`, `; echo` or `|| true` a command may have failed all the same. Such a one
stands as done unless the output has a complaint of its; one that waits for another to fail (`a || b`) may not have run at all.
"""

import re
from posixpath import basename

from memd.extract import argv, effects, work
from memd.extract.journal import commands
from memd.extract.journal.commands import Step
from memd.model import Done, State
from memd.model.journal import Op

_FAILED = re.compile(
    r"(?<!\d)[1-9]\d* (?:failed|failing|fail\b|errors?\b)|^(?:FAIL|FAILED)\b|test result: FAILED", re.MULTILINE
)
_COMPLAINS = r"error|fatal|npm ERR!|npm error| ! \[(?:remote )?rejected\]"
_WHOLE = " (of the whole line)"


def told(done: Done, step: Step, *, alone: bool) -> tuple[str, bool]:
    """The words for a change, and whether it is known to have done what it was to do."""
    if done.state is State.INTERRUPTED:
        return "interrupted", False
    code = done.detail.get("exit")
    committed = step.change.op is Op.COMMIT and bool(commands.committed(done.result))
    good = done.state is State.DONE or committed
    status = f"exit {code}" if isinstance(code, int) else ("done" if good else "failed")
    if good and not (committed or step.part.ran):
        return f"{status}{_WHOLE}: what stands before it decided whether it ran", False
    complaint = _complaint(done, step) if good and not (committed or step.part.proved) else ""
    if complaint or (code and not alone):
        status += _WHOLE
    return f"{status}: {complaint or _said(done, step.change.op)}".rstrip(": "), good and not complaint


def doubted(done: Done) -> bool:
    """Whether something in a line that went well, and that must not be done twice, may have failed or not have run at all."""
    lasting = {one.part for one in effects.deeds(done.target) if not one.again}
    steps = commands.steps(done.target, None)
    return any(step.part in lasting and not told(done, step, alone=len(steps) == 1)[1] for step in steps)


def _said(done: Done, op: Op) -> str:
    """What the answer says of it: the counts, the commit, or the line that says most."""
    own = {Op.TEST: commands.counted, Op.COMMIT: commands.committed}.get(op)
    said = own(done.result) if own else ""
    return said or (work.outcome(done) if done.state is State.DONE else work.error_line(done))


def _complaint(done: Done, step: Step) -> str:
    """The line in which a command whose status is not known says that it failed; empty where none does."""
    program, target = (re.escape(name) for name in (argv.program(step.part.text), basename(step.change.target)))
    own = rf"(?:\S*/)?{program}: |(?:\S*/)?(?:ba|z|da)?sh:.*(?<!\w)(?:{program}|{target})(?!\w)"
    match step.change.op:
        case Op.TEST:
            return commands.counted(done.result) if _FAILED.search(done.result) else ""
        case Op.COMMAND | Op.COMMIT:
            shape = rf"^(?:{_COMPLAINS}|{own}).*$"
        case _:
            shape = rf"^(?:{own}).*$"
    found = re.search(shape, done.result, re.MULTILINE)
    return found[0].strip() if found else ""
