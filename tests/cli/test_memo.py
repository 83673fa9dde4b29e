"""`memd memo` and `memd show diff`: boxes by hand, and what was changed."""

import json

import pytest
from transcript import Transcript

ONE = "5d1f0c1e-0000-4000-8000-000000000001"


@pytest.fixture
def transcript(tmp_path, call):
    transcript = Transcript(tmp_path / "projects" / f"{ONE}.jsonl", cwd=str(tmp_path))
    for words in ("Make the gateway fast.", "Keep the names.", "continue"):
        transcript.turn(words)
    call("ingest", transcript.path)
    return transcript


@pytest.fixture
def editor(tmp_path, monkeypatch):
    """An editor that runs a sed script over the list; what it was given is kept."""

    def use(script):
        path = tmp_path / "editor"
        path.write_text(f'#!/bin/sh\ncp "$1" "{tmp_path}/seen"\nsed -i "{script}" "$1"\n')
        path.chmod(0o755)
        monkeypatch.setenv("VISUAL", str(path))
        return tmp_path / "seen"

    return use


def boxes(call, *words):
    _, out, _ = call("show", ONE, "memo", *words)
    return [line[2:8] for line in out.splitlines() if line.startswith("- [")]


def test_what_is_ticked_by_hand_stays(call, transcript, editor):
    """Both ways; the next turn's checkpoint has it too."""
    seen = editor(r"s/- \[x\] #3/- [ ] #3/; s/- \[ \] #5/- [x] #5/")
    code, out, err = call("memo", ONE)
    assert (code, out, err) == (0, f"claude-code:{ONE}: 1 ticked, 1 unticked; checkpoint 2\n", "")
    assert [line[:8] for line in seen.read_text().splitlines()[:3]] == ["- [x] #1", "- [x] #3", "- [ ] #5"]
    transcript.turn("And the docs")
    call("ingest", transcript.path)
    assert boxes(call) == ["[x] #1", "[ ] #3", "[x] #5", "[x] #7"]


def test_a_list_that_is_no_text_any_more_is_refused_in_one_line(call, transcript, editor):
    """No defect of memd's, and nothing is changed."""
    editor(r"s/Make/\xff\xfe/")
    assert call("memo", ONE) == (1, "", "memd: nothing was changed: what the editor left is not UTF-8\n")
    assert boxes(call) == ["[x] #1", "[x] #3", "[ ] #5"]


@pytest.mark.parametrize("name", ["/bin/false", "no-such-editor"])
def test_an_editor_that_fails_is_told_in_memds_own_line(call, transcript, monkeypatch, name):
    """As git does it: with an editor that gives up nothing is changed."""
    monkeypatch.setenv("VISUAL", name)
    code, out, err = call("memo", ONE)
    assert (code, out) == (1, "")
    assert err.startswith(f"memd: nothing was changed: {name}: Editing failed")
    assert err.count("\n") == 1


def test_what_was_released_is_listed_only_on_request(call, transcript, editor):
    """`--all` lists everything."""
    editor(r"s/- \[x\] #3/- [ ] #3/")
    call("memo", ONE)
    for words, count in (((), 2), (("--all",), 3)):
        seen = editor("")
        assert call("memo", ONE, *words)[1] == f"claude-code:{ONE}: nothing changed\n"
        assert seen.read_text().count("\n- [") + 1 == count


@pytest.mark.parametrize("script", ["", "d", "s/^# .*//"])
def test_a_list_that_is_as_it_was_or_empty_changes_nothing(call, transcript, editor, script):
    """As in git: who deletes everything wants nothing."""
    editor(script)
    assert call("memo", ONE) == (0, f"claude-code:{ONE}: nothing changed\n", "")


def test_a_bad_edit_is_explained(call, transcript, editor):
    """Nobody can be asked here, so nothing is changed."""
    editor("s/Keep the names/Drop the names/")
    code, out, err = call("memo", ONE)
    assert (code, out) == (1, "")
    assert err.splitlines()[0].startswith("memd: a line was changed, though only boxes may be: '#3 ")
    assert err.splitlines()[-1] == "memd: nothing was changed: only boxes can be"
    assert boxes(call) == ["[x] #1", "[x] #3", "[ ] #5"]


def test_a_bad_edit_is_offered_again(call, transcript, editor, monkeypatch):
    """With what was edited and why it cannot be taken."""
    seen = editor("s/Keep the names/Drop the names/")
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("click.confirm", lambda *_, **__: bool(editor("s/Drop the names/Keep the names/")))
    assert call("memo", ONE)[:2] == (0, f"claude-code:{ONE}: nothing changed\n")
    assert "# Fault: a line was changed" in seen.read_text()


def test_diff_shows_what_a_person_changed(call, transcript, home):
    """A patch of the last number that the program did not write alone."""
    assert call("show", ONE, "diff")[0] == 1
    path = home / ".local/state/memd/sessions/claude-code" / ONE / "mind.md"
    path.write_text(path.read_text().replace("# Lessons\n\n(none)", "# Lessons\n\n- [confirmed] mine"))
    transcript.turn("And the docs")
    call("ingest", transcript.path)
    code, out, _ = call("show", ONE, "diff", "--json")
    assert (code, json.loads(out)["part"]) == (0, "diff")
    assert json.loads(out)["text"].splitlines()[:2] == ["--- a/mind.md", "+++ b/mind.md"]
    assert "\n-(none)\n+- [confirmed] mine\n" in json.loads(out)["text"]
