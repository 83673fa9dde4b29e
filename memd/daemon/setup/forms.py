"""Lines of `.agent/` that memd cannot use, with the reason: told by `memd doctor`, never mended by memd."""

from collections.abc import Iterator

from memd.daemon.setup.findings import Finding
from memd.project import agent, checks, engram, facts
from memd.project.identity import AGENT, Project
from memd.project.places import Places
from memd.project.sources import remembered

LONGEST, TOLD = 400, 20
"""Characters of a rule, and findings of one kind, beyond which it is too much."""


def forms(project: Project | None, places: Places) -> tuple[Finding, ...]:
    """What is wrong in the files that people and agents write; notes, since memd works in spite of it."""
    if project is None or project.agent is None:
        return ()
    found = [*_constraints(project), *_facts(project, places), *_engram(project)]
    return tuple(found[:TOLD])


def _finding(code: str, file: str, line: int, why: str, fix: str = "mend that line") -> Finding:
    return Finding(code, f"{AGENT}/{file}:{line}: {why}", fix, note=True)


def _constraints(project: Project) -> Iterator[Finding]:
    for number, why in agent.faults(checks.text(project.root, f"{AGENT}/{agent.CONSTRAINTS}") or "", LONGEST):
        yield _finding("constraint-form", agent.CONSTRAINTS, number, why)


def _facts(project: Project, places: Places) -> Iterator[Finding]:
    for name, number, why in facts.faults(project):
        yield _finding("fact-form", f"{facts.FOLDER}/{name}", number, why)
    known = remembered(places.own(project.id))
    for fact in (fact for fact in facts.facts(project) if not fact.struck):
        line = facts.check(project.root, fact, known).line
        where = f"{facts.FOLDER}/{fact.file}"
        if line is None:
            why = f"its source {fact.path}:{fact.line} does not show it any more"
            yield _finding("fact-source", where, fact.row, why, "name its source, or strike it with ~~")
        elif line != fact.line:
            yield _finding(
                "fact-moved", where, fact.row, f"its source moved to {fact.path}:{line}", "write that line number"
            )


def _engram(project: Project) -> Iterator[Finding]:
    for number, why in engram.parse(checks.text(project.root, f"{AGENT}/{engram.NAME}") or "")[1]:
        yield _finding("engram-form", engram.NAME, number, why)
