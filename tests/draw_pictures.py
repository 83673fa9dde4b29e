"""`python tests/draw_pictures.py [HOME]`: works with the three real clients and draws what they and memd show.

The clients talk to a scripted model on this machine. In Claude Code its answer after the compaction is made from what it
finds in its request, and says so where it finds nothing. HOME (default: /tmp/dev) must not be there; it is in the pictures.
"""

import re
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from clients import codex, opencode, story
from clients.chat_model import serving_chat
from clients.claude_code import ClaudeCode, pinned_client
from clients.codex import Codex, pinned_codex
from clients.memd_process import COMMAND, Memd
from clients.opencode import OpenCode, pinned_opencode
from clients.responses_model import serving_responses
from clients.scripted_model import Request, ScriptedModel, Turn, serving
from clients.terminal import Terminal, terminal
from clients.waiting import eventually
from terminal_svg import Screen, film, still

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
CLIENTS = ROOT / ".clients"
COLUMNS, LINES = 118, 34
MISSION = "Make the gateway survive slow upstreams. The target: no 504 for a week."
RULE = "Do not touch schema.sql, the fixtures depend on it."
ORDER = "Run the smoke test."
QUESTION = "Which file is not to be touched, and what is the timeout now?"
SUMMARY = "Work went on in the project."


def main(home: Path) -> None:
    with ExitStack() as stack:
        claude_model = stack.enter_context(serving(ScriptedModel()))
        codex_model = stack.enter_context(serving_responses(ScriptedModel()))
        chat_model = stack.enter_context(serving_chat(ScriptedModel()))
        work = home / "work"
        first = ClaudeCode(pinned_client(CLIENTS), home, work / "gateway", claude_model.url, dict(story.WINDOW))
        second = Codex(pinned_codex(CLIENTS), home, work / "invoices", codex_model.url)
        third = OpenCode(pinned_opencode(CLIENTS), home, work / "handbook", chat_model.url)
        for client in (first, second, third):
            client.prepare()
            story.gateway(client.project)
        memd = Memd(home, first.project, second.env["PATH"])
        _install(memd)
        with memd.daemon():
            _codex(second, codex_model)
            _opencode(third, chat_model)
            frames = _claude(first, claude_model)
            eventually(lambda: memd.delivery(first.session) == "complete")
            with _shell(memd) as shell:
                frames.append(Screen("memd status", _said(shell, "memd status", COLUMNS), 7))
            _write("memd", film(frames, COLUMNS, poster=2))
            memd.run("uninstall", "opencode", "--yes")
            _status(memd, first.session)


def _install(memd: Memd) -> None:
    with _shell(memd) as shell:
        shell.resize(COLUMNS, 60)
        shell.press("C-l")
        shell.type("memd install claude-code")
        shell.wait_for("Proceed?")
        _write("install", still(Screen("memd install", shell.picture().rstrip()), COLUMNS))
        shell.type("n")
        shell.wait_for("stopped")
    memd.run("install", "--yes", "--trust-codex-hooks", "--statusline")


def _status(memd: Memd, session: str) -> None:
    with _shell(memd) as shell:
        _write("status", still(Screen("memd status", _said(shell, "memd status", COLUMNS)), COLUMNS))
        command = f"memd status {session[:8]}"
        _write("status-session", still(Screen(command, _said(shell, command, COLUMNS)), COLUMNS))
        shell.resize(80, 16)
        shell.press("C-l")
        shell.type("memd status --watch")
        shell.wait_for("daemon")
        time.sleep(2.5)
        _write("status-watch", still(Screen("memd status --watch, 80 columns", shell.picture()), 80))
        shell.press("q")


def _claude(client: ClaudeCode, model: ScriptedModel) -> list[Screen]:
    """A session on the screen up to an answer after a compaction; the pictures of it."""
    config = client.project / "gateway.toml"
    model.rule(lambda request: request.asks_for_summary, Turn(f"<summary>{SUMMARY}</summary>"))
    with client.screen() as screen:
        screen.resize(COLUMNS, LINES)
        model.push(
            *story.edit(config), Turn(f"The timeout is {story.VALUE} s now."), Turn("schema.sql stays as it is.")
        )
        for number, words in enumerate((MISSION, RULE), start=1):
            screen.type(words)
            client.turns_done(number)
        time.sleep(0.5)
        frames = [Screen("1  Work in Claude Code: a mission, an edit, a rule", screen.picture(), 5)]
        model.push(story.shell("echo 12 passed", about="Run the smoke test", tokens=story.FULL), Turn("12 passed."))
        screen.type(ORDER)
        client.turns_done(3)
        time.sleep(0.5)
        frames.append(
            Screen("2  The context is full: Claude Code compacts it. Its summary kept nothing", screen.picture(), 5)
        )
        before = model.latest
        model.rule(
            lambda request: request.texts[-1:] and QUESTION in request.text, lambda request: Turn(_found(request))
        )
        screen.type(QUESTION)
        client.turns_done(4)
        time.sleep(0.5)
        request = model.find(lambda request: QUESTION in request.text, after=before)
        frames.append(Screen("3  What the model's next request holds, by memd's hook", _given(request), 9))
        frames.append(Screen("4  The answer, from what stands there", screen.picture(), 5))
        screen.type("/exit")
        screen.exit_code()
    return frames


def _found(request: Request) -> str:
    """What a model without any other memory can say: it looks into memd's text, and nowhere else."""
    text = request.text.partition("memd checkpoint ")[2].partition(" ends here; receipt")[0]
    rule, value = re.search(r"Do not touch (\S+?),", text), re.search(r"-> `request_timeout = (\S+)`", text)
    if not rule or not value:
        return "I do not know."
    return f"{rule[1]} is not to be touched, and request_timeout is {value[1]}: both stand in memd's checkpoint."


def _given(request: Request) -> str:
    text = "memd checkpoint " + request.text.partition("memd checkpoint ")[2]
    end = re.search(r"ends here; receipt \w+", text)
    lines = text[: end.end() if end else None].splitlines()
    return "\n".join(_cut(lines))


def _cut(lines: list[str]) -> Iterator[str]:
    """As many as fit into the film, with headings in a colour; long ones by their beginning, as a narrow window has them."""
    for line in lines[:LINES]:
        short = line if len(line) <= COLUMNS else line[: COLUMNS - 1] + "…"
        yield f"\x1b[36m{short}\x1b[0m" if line.startswith("## ") else short


def _codex(client: Codex, model: ScriptedModel) -> None:
    model.rule(lambda request: request.asks_for_summary, Turn(SUMMARY))
    session = client.headless("Move the invoices to decimals; every cent must be exact.").session
    model.push(*codex.patch(client.project / "gateway.toml"), codex.run("echo 9 passed", tokens=codex.LIMIT + 1_000))
    model.push(Turn("Nine tests pass."))
    client.headless("resume", session, "Then run the tests.")


def _opencode(client: OpenCode, model: ScriptedModel) -> None:
    model.rule(lambda request: request.asks_for_summary, Turn(f"## Goal\n- {SUMMARY}"))
    model.rule(lambda request: request.asks_for_title, Turn("Offline search for the handbook"))
    client.headless("Give the handbook a search that works offline.")
    model.push(*opencode.edit(client.project / "gateway.toml"), Turn("The index is built.", tokens=41_000))
    client.headless("Build the index first.", "--continue")


@contextmanager
def _shell(memd: Memd) -> Iterator[Terminal]:
    """A shell in the project, in which `memd` is this memd."""
    rc, ended = memd.home / "tmp" / "rc", memd.home / "tmp" / "shell-ended"
    ended.unlink(missing_ok=True)
    rc.write_text(f"PS1='$ '; memd() {{ {' '.join(COMMAND)} \"$@\"; }}\n", encoding="utf-8")
    env = memd.env | {"TERM": "xterm-256color", "COLORTERM": "truecolor", "PAGER": "cat"}
    with terminal(["bash", "--rcfile", str(rc)], socket="memd-pictures", cwd=memd.cwd, env=env, ended=ended) as shell:
        shell.wait_for("$ ")
        yield shell


def _said(shell: Terminal, command: str, columns: int) -> str:
    """The command and what it prints, on a window that has room for all of it."""
    shell.resize(columns, 400)
    shell.type("clear")
    eventually(lambda: "that was all" not in shell.screen())
    shell.type(f"clear; {command}; echo th''at was all")  # what is typed is not what is waited for
    shell.wait_for("that was all", seconds=20)
    said = shell.picture().rpartition("that was all")[0].rstrip()
    return f"$ {command}\n{said}"


def _write(name: str, picture: str) -> None:
    target = IMAGES / f"{name}.svg"
    target.parent.mkdir(exist_ok=True)
    target.write_text(picture, encoding="utf-8")
    print(f"{target.relative_to(ROOT)}: {len(picture):,} characters")


if __name__ == "__main__":
    place = Path(sys.argv[1] if len(sys.argv) > 1 else "/tmp/dev")
    place.mkdir()
    try:
        main(place)
    finally:
        shutil.rmtree(place)
