"""What refreshes keep from each other: never another checkpoint than one that is made of everything at once."""

from contextlib import closing
from pathlib import Path

import pytest

from memd import tokens
from memd.config import Config, paths
from memd.daemon.pipeline import Pipeline
from memd.render import Limits, compose
from memd.tools.registry import TOOLS

DATA = Path(__file__).parents[1] / "data"
RECORDED = [
    "claude_code/tui-full.jsonl",
    "claude_code/tui-sched-interrupt-rewind-ask.jsonl",  # goes back twice
    "claude_code/tui-autocompact.jsonl",
    "claude_code/adv-branches-0.jsonl",
    "codex/adv-rollback.jsonl",
    "codex/screen-queue.jsonl",
    "codex/code-mode.jsonl",
]


def pipeline(folder):
    return closing(Pipeline(Config(), paths({"MEMD_STATE_DIR": str(folder)}), lambda: 0, {"HOME": str(folder)}))


def made(one, name):
    """All that a session's checkpoint would be made of now, and its text."""
    session = one.store.session(name)
    draft = one.keeper.draft(session, one.keeper.material(session), one._writer, one.keeper.judging.of(name))
    return draft.parts, compose(draft.content, 4_000, tokens, Limits(9_000, 4)).text


@pytest.mark.parametrize("name", RECORDED)
def test_turn_by_turn_is_as_in_one_go(name, tmp_path):
    """Also where entries were taken back, calls ended later than they began, and the daemon came to rest in between."""
    tool, path = TOOLS[name.partition("/")[0].replace("_", "-")], tmp_path / "work" / (DATA / name).name
    path.parent.mkdir()
    rows = (DATA / name).read_bytes().splitlines(keepends=True)
    steps = [rows[start : start + 1 + len(rows) // 16] for start in range(0, len(rows), 1 + len(rows) // 16)]
    with pipeline(tmp_path / "slowly") as one:
        for number, step in enumerate(steps):
            with path.open("ab") as file:
                file.writelines(step)
            session = one.read_whole(tool, path)
            if session is not None:
                one.refresh(session, "turn")
            if number == 5:
                one.release()
        slowly = made(one, session)
        one.release()
        assert slowly == made(one, session)
    with pipeline(tmp_path / "at once") as one:
        one.read_whole(tool, path)
        at_once = made(one, session)
    assert [text.replace("slowly", "at once") for text in (*_texts(slowly),)] == [*_texts(at_once)]


def _texts(found):
    parts, text = found
    return parts.mind, parts.memo, parts.scene, text
