"""`memd demo`: the whole piece without an agent, a key or a network, and nothing of it afterwards."""

from pathlib import Path

import pytest

from .conftest import at_a_terminal


def paths(folder):
    return set(Path(folder).rglob("*"))


def test_it_shows_the_loss_and_what_comes_back_and_leaves_no_trace(memd, home, tmp_path):
    """What a job claims is a notification; the person's words come back whole; the transcript proves that they did."""
    (tmp_path / "tmp").mkdir()
    before = paths(home)
    done = memd("demo", TMPDIR=str(tmp_path / "tmp"), MEMD_STATE_DIR=str(home / "state"))
    assert (done.returncode, done.stderr) == (0, "")
    work, _, rest = done.stdout.partition("2. The window is nearly full")
    lost, _, back = rest.partition("3. memd's hook gives the checkpoint back")
    given, _, proof = back.partition("4. The agent's transcript shows")
    assert "background.notification <task-notification>" in work
    for words in (
        "Do not touch migrations/: what is in there has run in production.",
        "The report for March must stay byte for byte the same.",
        "Half to even, as the bank does it",
    ):
        assert words in work
        assert words in given
        assert words not in lost
    assert "● ok" in work
    assert "degraded" not in done.stdout
    assert "ends here; receipt " in given
    assert "complete 8" in proof
    assert "`memd install`" in proof
    assert paths(home) == before
    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.usefixtures("home")
def test_fast_on_a_terminal_is_the_same_without_pauses():
    """With colours; and it ends by itself."""
    code, said = at_a_terminal([], "demo", "--fast")
    assert code == 0
    assert "\x1b[" in said
    assert "ends here; receipt" in said
