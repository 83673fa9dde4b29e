"""A made-up session of Claude Code, long enough for a checkpoint of 40 kB: rows as the client writes them, nobody's words."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

SESSION = "0b3c5a52-5a0e-4d0c-9a53-6b8f3a3f7c11"
START = datetime(2026, 11, 29, 9, 0, tzinfo=UTC)


def write(path: Path, turns: int) -> None:
    """A transcript of that many turns, each with a prompt, an edit, a command and an answer."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows(turns)), "utf-8")


def rows(turns: int) -> Iterator[dict[str, object]]:
    number, parent = 0, None
    for turn in range(1, turns + 1):
        for kind, body in _turn(turn):
            number += 1
            at = START + timedelta(seconds=20 * number)
            row = f"{number:08x}-0000-4000-8000-000000000000"
            yield _row(kind, body, row, parent, at)
            parent = row


def _turn(turn: int) -> Iterator[tuple[str, object]]:
    path = f"/home/user/work/src/service/handler_{turn}.py"
    asked = f"Step {turn}: raise the limit in handler_{turn}.py to {turn * 10}; 不要改动数据库结构 🌱 "
    answer = f"handler_{turn}.py now has LIMIT = {turn * 10}; test_handler_{turn} passes. "
    edit = {"file_path": path, "old_string": f"LIMIT = {turn}", "new_string": f"LIMIT = {turn * 10}"}
    yield "typed", asked + "and keep the tests green. " * 9
    yield "call", ("Edit", f"e{turn}", edit)
    yield "result", (f"e{turn}", f"The file {path} has been updated successfully.")
    yield "call", ("Bash", f"b{turn}", {"command": f"python -m pytest tests/test_handler_{turn}.py -q"})
    yield "result", (f"b{turn}", f"{turn + 3} passed in 0.{turn}s")
    yield "text", answer + "Nothing else was touched. " * 6


def _row(kind: str, body: object, row: str, parent: str | None, at: datetime) -> dict[str, object]:
    shared: dict[str, object] = {
        "parentUuid": parent,
        "isSidechain": False,
        "uuid": row,
        "timestamp": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "cwd": "/home/user/work",
        "sessionId": SESSION,
        "version": "2.1.332",
        "entrypoint": "cli",
    }
    typed = {"origin": {"kind": "human"}, "promptSource": "typed", "turnOrigin": "human"}
    match kind, body:
        case "typed", text:
            return {**shared, **typed, "type": "user", "message": {"role": "user", "content": text}}
        case "result", (call, text):
            block = {"type": "tool_result", "tool_use_id": call, "content": text, "is_error": False}
            return {**shared, "type": "user", "message": {"role": "user", "content": [block]}}
        case "call", (name, call, given):
            return {
                **shared,
                **_answer([{"type": "tool_use", "id": call, "name": name, "input": given}], row, "tool_use"),
            }
        case _:
            return {**shared, **_answer([{"type": "text", "text": body}], row, "end_turn")}


def _answer(content: list[dict[str, object]], row: str, stop: str) -> dict[str, object]:
    usage = {"input_tokens": 40_000, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0}
    model = "claude-opus-5-5"
    message = {"id": f"msg_{row[:8]}", "role": "assistant", "model": model, "content": content, "usage": usage}
    return {"type": "assistant", "requestedModel": model, "message": {**message, "stop_reason": stop}}
