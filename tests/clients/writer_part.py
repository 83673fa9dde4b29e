"""A scripted model in the part of the writer: what it calls in each round, and what it answers at last."""

import re
from collections.abc import Callable
from pathlib import Path

from .scripted_model import Request, ScriptedModel, Tool, Turn

REQUEST = "This request comes from memd"
SCENE = """<scene>
## Current step
- The timeout (W1).
## Progress
- Done: the value is raised; the smoke test ran once and must not be run again, see the log of the run.
## Waiting on
(none)
## Next step
- The operator asked (#LATEST): raise it as far as allowed. First read the gateway's configuration again.
## Pitfalls
- A value of 0 hangs the pool.
## Exact references
- `request_timeout`
</scene>"""
LESSON = "- [confirmed] A value of 0 hangs the pool."
Round = Callable[[Path], tuple[Tool, ...]]


def reads(folder: Path) -> tuple[Tool, ...]:
    """Both files, which the client wants to be read before they are edited."""
    return tuple(Tool("Read", {"file_path": str(folder / name)}) for name in ("mind.md", "memo.md"))


def edits(*changes: tuple[str, str, str]) -> Round:
    """Edits of files beside the two: `(name, old, new)`."""
    return lambda folder: tuple(
        Tool("Edit", {"file_path": str(folder / name), "old_string": old, "new_string": new})
        for name, old, new in changes
    )


LEARNS = edits(("mind.md", "# Lessons\n\n(none)", f"# Lessons\n\n{LESSON}"))


def plays(model: ScriptedModel, *runs: tuple[list[Round], str]) -> list[Request]:
    """Play these runs, each with its rounds and its answer; the last again and again. The first request of each is kept."""
    started: list[Request] = []

    def answer(request: Request) -> Turn:
        done = rounds_done(request)
        if done == 0:
            started.append(request)
        rounds, text = runs[min(len(started), len(runs)) - 1]
        return (
            Turn(tools=rounds[done](folder(request)))
            if done < len(rounds)
            else Turn(text.replace("LATEST", _latest(request)))
        )

    model.rule(lambda request: REQUEST in request.text, answer)
    return started


def rounds_done(request: Request) -> int:
    """The model's answers since it was asked; what stands before is the conversation of the session, if it is a fork of one."""
    messages = request.body["messages"]
    asked = max(
        n for n, message in enumerate(messages) if message["role"] == "user" and REQUEST in str(message["content"])
    )
    return sum(message["role"] == "assistant" for message in messages[asked:])


def _latest(request: Request) -> str:
    """The latest request's number, as the request names it."""
    found = re.search(r"quoted with its number: .* \(#(\d+)\)\.", request.text)
    return found[1] if found else "?"


def ticks(folder: Path) -> tuple[Tool, ...]:
    """Every box that is empty, ticked."""
    rows = [row for row in (folder / "memo.md").read_text(encoding="utf-8").splitlines() if row.startswith("- [ ] ")]
    return edits(*(("memo.md", row, row.replace("[ ]", "[x]", 1)) for row in rows[:-1]))(folder)


def folder(request: Request) -> Path:
    """The working folder, by the paths in the request."""
    return next(Path(row.strip()).parent for row in request.text.splitlines() if row.strip().endswith("/mind.md"))
