"""Made-up transcripts of any size, the same for the same seed, shaped like those that Claude Code and Codex write.

The shares of row types and their sizes follow 14 recorded sessions of Claude Code (30 MB, 8,900 rows) and five of Codex
(9 MB): of the bytes 65 % and 69 % are answers of tools, whose sizes spread over four powers of ten. The texts are lines of
code, listings and prose made of a fixed vocabulary: nobody's words.
"""

import json
import random
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

START = datetime(2026, 11, 1, 9, 0, tzinfo=UTC)
CORPUS = 2 << 20
Row = dict[str, Any]


@cache
def corpus() -> str:
    """Two megabytes of tool output: code, listings, logs."""
    chance, lines, size = random.Random(7), list[str](), 0
    words = [
        "limit",
        "retry",
        "handler",
        "session",
        "queue",
        "cursor",
        "parse",
        "index",
        "merge",
        "store",
        "window",
        "budget",
        "reader",
        "writer",
        "batch",
    ]
    while size < CORPUS:
        a, b, c = (chance.choice(words) for _ in range(3))
        number = chance.randrange(10_000)
        line = chance.choice(
            (
                f"    {a}_{b} = self.{c}.{b}({number}, {a}={c})",
                f"src/{a}/{b}_{c}.py:{number}: {a} of the {b} is {c}",
                f"{number:6}→def {a}_{b}({c}: int, {b}: str = '{a}') -> None:",
                f"-rw-r--r-- 1 dev dev {number:6} Nov  1 09:{number % 60:02} {a}-{b}.{c}.json",
                f"        the {a} and the {b} are kept until the {c} has gone through all of them",
                f'{{"{a}": {number}, "{b}": "{c}", "ok": true}}',
                f"2026-11-01T09:{number % 60:02}:00Z INFO {a}.{b} {c} took {number} ms",
            )
        )
        lines.append(line)
        size += len(line) + 1
    return "\n".join(lines)


class Session:
    """One session's rows, one after another; `row()` of each call is one line of its transcript."""

    calls = (4, 14)
    """In a turn: at least, and fewer than."""

    def __init__(
        self, seed: int, cwd: str = "/home/user/work", start: datetime = START, calls: tuple[int, int] | None = None
    ) -> None:
        self._chance = random.Random(seed)
        self.calls = calls or self.calls
        self.id = str(uuid.UUID(int=self._chance.getrandbits(128), version=4))
        self._cwd, self._at, self._count, self._parent = cwd, start, 0, None
        self._turn, self._answers, self._pace = 0, 0, timedelta(seconds=2)

    def goes_on(self, at: datetime) -> None:
        """What comes next comes at that time, row after row as fast as they are written here."""
        self._at, self._pace = at, timedelta(milliseconds=10)

    def rows(self) -> Iterator[Row]:
        """Rows without end, whole turns."""
        while True:
            yield from self.turn()

    def lines(self) -> Iterator[bytes]:
        """The same as lines with their line ends."""
        for row in self.rows():
            yield _line(row)

    def turn(self) -> Iterator[Row]:
        """A prompt, some calls with what goes with them, an answer."""
        self._turn += 1
        yield self._user(
            f"Step {self._turn}: {self._text(200)}",
            origin={"kind": "human"},
            promptSource="typed",
            turnOrigin="human",
        )
        for _ in range(self._chance.randrange(*self.calls)):
            yield from self._call()
        self._answers += 1
        yield self._answer([{"type": "text", "text": f"Done with step {self._turn}. {self._text(600)}"}], "end_turn")
        yield self._row("system", subtype="turn_duration", durationMs=60_000)

    def _call(self) -> Iterator[Row]:
        """One answer of the model, a row for each of its blocks (recorded ones have 2.2), and what came of its call."""
        self._answers += 1
        if self._chance.random() < 0.65:
            yield self._answer([{"type": "thinking", "thinking": "", "signature": self._text(1_400)}], None)
        if self._chance.random() < 0.45:
            yield self._answer([{"type": "text", "text": self._text(400)}], None)
        call, path = (
            f"toolu_{self._chance.getrandbits(96):024x}",
            f"{self._cwd}/src/part{self._chance.randrange(60)}.py",
        )
        name, given, output, result = self._chance.choice((self._shell, self._look, self._edit))(path)
        yield self._answer([{"type": "tool_use", "id": call, "name": name, "input": given}], "tool_use")
        if self._chance.random() < 0.9:
            yield self._row("progress", toolUseID=call, data={"type": "bash_progress", "output": self._text(300)})
        block = {"type": "tool_result", "tool_use_id": call, "content": output, "is_error": False}
        yield self._row("user", message={"role": "user", "content": [block]}, toolUseResult=result)

    def _shell(self, _: str) -> tuple[str, Row, str, Row]:
        output = self._text(self._size())
        given = {"command": f"python -m pytest tests/test_{self._chance.randrange(60)}.py -q", "description": "Run"}
        return "Bash", given, output, {"stdout": output, "stderr": "", "interrupted": False, "isImage": False}

    def _look(self, path: str) -> tuple[str, Row, str, Row]:
        output = self._text(self._size())
        file = {"filePath": path, "content": output, "numLines": output.count("\n") + 1, "startLine": 1}
        return "Read", {"file_path": path}, output, {"type": "text", "file": file}

    def _edit(self, path: str) -> tuple[str, Row, str, Row]:
        given = {"file_path": path, "old_string": self._text(250), "new_string": self._text(350)}
        result = {"filePath": path, "originalFile": self._text(self._size() * 2), "structuredPatch": []}
        return "Edit", given, f"The file {path} has been updated successfully.", result

    def _size(self) -> int:
        """Of a tool's answer: half are under 1,600 characters, one in a hundred has over 40,000."""
        return min(int(self._chance.lognormvariate(7.4, 1.4)), 200_000)

    def _text(self, size: int) -> str:
        start = self._chance.randrange(CORPUS - size)
        return corpus()[start : start + size]

    def _user(self, text: str, **more: Any) -> Row:
        return self._row("user", message={"role": "user", "content": text}, **more)

    def _answer(self, content: list[Row], stop: str | None) -> Row:
        usage = {"input_tokens": 4, "cache_read_input_tokens": 40_000 + self._answers, "output_tokens": 200}
        model = "claude-opus-5-5"
        message = {"id": f"msg_{self._answers:016x}", "role": "assistant", "model": model, "content": content}
        return self._row("assistant", requestedModel=model, message={**message, "usage": usage, "stop_reason": stop})

    def _row(self, kind: str, **more: Any) -> Row:
        self._count += 1
        self._at += self._pace
        row, parent = str(uuid.UUID(int=self._chance.getrandbits(128), version=4)), self._parent
        self._parent = row
        return {
            "parentUuid": parent,
            "isSidechain": False,
            "userType": "external",
            "cwd": self._cwd,
            "sessionId": self.id,
            "version": "2.1.332",
            "entrypoint": "cli",
            "gitBranch": "main",
            "type": kind,
            **more,
            "uuid": row,
            "timestamp": self._at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        }


class CodexSession(Session):
    """The same as Codex writes it: every item of a model's answer is a row, and so is each event of its screen."""

    calls = (4, 30)

    def turn(self) -> Iterator[Row]:
        if not self._turn:
            yield self._codex("session_meta", id=self.id, cwd=self._cwd, cli_version="0.171.0", source="cli")
        self._turn += 1
        turn, prompt = f"{self.id[:-4]}{self._turn:04}", f"Step {self._turn}: {self._text(200)}"
        yield self._codex("event_msg", type="task_started", turn_id=turn, model_context_window=258_400)
        yield self._codex("turn_context", turn_id=turn, cwd=self._cwd, model="gpt-5.5", instructions=self._text(1_200))
        yield self._said("user", "input_text", prompt)
        yield self._codex("event_msg", type="user_message", message=prompt, images=[])
        for _ in range(self._chance.randrange(*self.calls)):
            yield from self._called(turn)
        text = f"Done with step {self._turn}. {self._text(600)}"
        yield self._codex("event_msg", type="agent_message", message=text)
        yield self._said("assistant", "output_text", text)
        yield self._codex("event_msg", type="task_complete", turn_id=turn, last_agent_message=text)

    def _called(self, turn: str) -> Iterator[Row]:
        call = f"call_{self._chance.getrandbits(96):024x}"
        yield self._codex("response_item", type="reasoning", summary=[], encrypted_content=self._text(140))
        if self._chance.random() < 0.45:
            text = self._text(300)
            yield self._codex("event_msg", type="agent_message", message=text)
            yield self._said("assistant", "output_text", text)
        command = f"python -m pytest tests/test_{self._chance.randrange(60)}.py -q && sed -n 1,200p src/part.py"
        given = json.dumps({"cmd": command, "workdir": self._cwd})
        yield self._codex("response_item", type="function_call", name="exec_command", arguments=given, call_id=call)
        output = (
            f"Chunk ID: a91810\nWall time: 0.7 seconds\nProcess exited with code 0\nOutput:\n{self._text(self._size())}"
        )
        yield self._codex("response_item", type="function_call_output", call_id=call, output=output)
        usage = {"input_tokens": 40_000 + self._count, "output_tokens": 200, "total_tokens": 40_200 + self._count}
        info = {"total_token_usage": usage, "last_token_usage": usage, "model_context_window": 258_400}
        yield self._codex("event_msg", type="token_count", info=info, rate_limits={"turn": turn})

    def _said(self, role: str, kind: str, text: str) -> Row:
        return self._codex("response_item", type="message", role=role, content=[{"type": kind, "text": text}])

    def _codex(self, kind: str, **payload: Any) -> Row:
        self._count += 1
        self._at += timedelta(seconds=2)
        at = self._at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        return {"timestamp": at, "type": kind, "payload": payload}

    def name(self) -> str:
        """Of its file."""
        return f"rollout-2026-11-01T09-00-00-{self.id}.jsonl"


def _line(row: Row) -> bytes:
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def grow(session: Session, path: Path, size: int) -> Path:
    """Append whole rows until the file has at least that many bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        for line in session.lines():
            file.write(line)
            if file.tell() >= size:
                return path
    return path


def take_turn(session: Session, path: Path) -> int:
    """Append one whole turn; the number of its rows."""
    rows = [_line(row) for row in session.turn()]
    with path.open("ab") as file:
        file.write(b"".join(rows))
    return len(rows)


def folder(where: Path, megabytes: int) -> Path:
    """As much of Claude Code's and of Codex's transcripts, a megabyte or two each."""
    for seed in range(max(1, megabytes // 2)):
        ours, theirs = Session(seed), CodexSession(1_000 + seed)
        grow(ours, where / "claude-code" / "projects" / "-home-user-work" / f"{ours.id}.jsonl", 2_000_000)
        grow(theirs, where / "codex" / "sessions" / "2026" / "11" / "01" / theirs.name(), 2_000_000)
    return where
