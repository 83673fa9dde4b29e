"""The writer `agent`: the person's own command line client, run once, headless, in a folder of its own.

It works in `<state>/writing/<slot>/`: two files that it may edit, made anew for each run and gone after it. What it does there
beside those two is thrown away and told. The slots are few and keep their names, since a client may remember where it ran.
"""

import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from string import Template

from memd import files
from memd.checkpoint.revision import Task, Work
from memd.tools.scribe import MEMO, MIND, ROUNDS, SCENE, Errand, Scribe
from memd.writers.agent.process import Children, Ended

__all__ = ["NAME", "Agent", "Children"]

NAME = "agent"
SECONDS = 240.0
"""The time of one run; two of them are less than a command waits for the daemon."""
_OURS = frozenset({"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "INVOCATION_ID", "JOURNAL_STREAM"})
"""What the service manager tells the daemon alone."""


class Agent:
    """The `checkpoint.revision.Author` that runs a tool's own client."""

    name = NAME

    def __init__(
        self,
        scribe: Scribe,
        children: Children,
        place: Path,
        environ: Mapping[str, str],
        *,
        cwd: str | None,
        model: str | None,
        fork: str | None = None,
        seconds: float = SECONDS,
    ) -> None:
        self._scribe = scribe
        self._children = children
        self._place = place
        self._environ = environ
        self._cwd = cwd
        self._model = model
        self._fork = fork
        self._seconds = seconds

    def work(self, task: Task) -> Work:
        """One run, to its end; never raises for what a model or its program does."""
        program, why = self._program()
        if program is None:
            return Work(task.mind, task.memo, fault=why, ran=False)
        folder, spare = self._place / "notes", self._place / "spare"
        try:
            given = _lay_out(folder, spare, task)
            return self._run(program, task, folder, spare, given)
        except OSError as error:
            return Work(task.mind, task.memo, fault=f"it could not be run: {error}", ran=False)
        finally:
            with suppress(OSError):
                files.remove_tree(self._place)

    def _program(self) -> tuple[str | None, str]:
        """The client, and why there is none to be run."""
        name = self._scribe.program
        found = shutil.which(name, path=self._environ.get("PATH", os.defpath))
        places = [str(path) for path in self._scribe.places(self._environ) if os.access(path, os.X_OK)]
        program = found or next(iter(places), None)
        if program is None:
            return None, f"{name} is neither on the PATH of memd nor where it usually is"
        shut = [path for path in self._scribe.keeps(self._environ) if path.is_dir() and not os.access(path, os.W_OK)]
        if shut:  # a login that cannot be renewed where it is kept would be lost
            return None, f"{name} could not write to {shut[0]}: `memd install --service` lets the service do so"
        return program, ""

    def _run(self, program: str, task: Task, folder: Path, spare: Path, given: Mapping[str, bytes]) -> Work:
        names = {"mind_path": str(folder / MIND), "memo_path": str(folder / MEMO)}
        request = Template(task.request).safe_substitute(names)
        read = {path: files.read_bytes_or_none(path) for path in self._scribe.reads(self._environ)}
        errand = Errand(
            request,
            folder,
            spare,
            self._cwd,
            self._model,
            ROUNDS,
            task.mind,
            task.memo,
            {path: content for path, content in read.items() if content is not None},
            self._fork if task.fork else None,
        )
        start = self._scribe.start(errand)
        for path, content in start.files.items():
            files.write_atomic(path, content, durable=False)
        environ = {k: v for k, v in self._environ.items() if k not in start.without | _OURS} | dict(start.variables)
        ended = self._children.run([program, *start.arguments], environ, folder, start.stdin, self._seconds)
        return self._left(ended, folder, given)

    def _left(self, ended: Ended, folder: Path, given: Mapping[str, bytes]) -> Work:
        """What lies there now."""
        code = -1 if ended.code is None else ended.code
        said = self._scribe.said(code, ended.out, ended.err)
        fault = f"it was ended after {self._seconds:.0f} s" if ended.code is None else said.fault
        answered = {name: _clean(text) for name, text in said.files.items()}
        texts = {name: answered.get(name) or _text(folder / name) for name in (MIND, MEMO)}
        return Work(
            texts[MIND],
            texts[MEMO],
            "" if fault else _clean(said.text),
            said.tokens,
            _clean(fault),
            tuple(_strays(folder, given)),
            too_long=said.too_long,
        )


def _lay_out(folder: Path, spare: Path, task: Task) -> dict[str, bytes]:
    """The working folder, fresh; what was put there."""
    files.remove_tree(folder.parent)
    files.private_dir(folder)
    files.private_dir(spare)
    texts = {MIND: task.mind, MEMO: task.memo} | ({SCENE: task.scene} if task.scene else {})
    given = {name: text.encode("utf-8", "replace") for name, text in texts.items()}
    for name, content in given.items():
        files.write_atomic(folder / name, content, durable=False)
    return given


def _clean(text: str) -> str:
    """Without halves of characters, which JSON can hold and nothing else, and without zeros."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\ufffd")


def _text(path: Path) -> str | None:
    """A regular file's text; None for anything else."""
    try:
        return path.read_text("utf-8") if path.is_file() and not path.is_symlink() else None
    except (OSError, ValueError):
        return None


def _strays(folder: Path, given: Mapping[str, bytes]) -> list[str]:
    """Files that are not its to write, and were written."""
    found = []
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if name not in {MIND, MEMO} and (name not in given or files.read_bytes_or_none(path) != given[name]):
            found.append(name)
    return found
