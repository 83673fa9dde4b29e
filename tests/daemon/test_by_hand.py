"""mind.md and memo.md edited by the person: taken as theirs before the next checkpoint."""

import os
import time

import pytest
from transcript import Transcript

from memd import config
from memd.daemon.pipeline import Pipeline
from memd.store import folders
from memd.tools.registry import TOOLS

SESSION = "5d1f0c1e-7b1a-4b7e-9a52-000000000001"
NAME = f"claude-code:{SESSION}"


class Bench:
    def __init__(self, folder):
        chosen, paths = config.load({"MEMD_STATE_DIR": str(folder / "state"), "MEMD_CONFIG": "/nowhere"})
        self.transcript = Transcript(folder / "projects" / "-srv-work" / f"{SESSION}.jsonl")
        self.pipeline = Pipeline(chosen, paths)
        self.folder = self.pipeline.folders.session("claude-code", SESSION)
        self.says("Make it fast", "Keep the names", "continue")

    def says(self, *words):
        for one in words:
            self.transcript.turn(one)
        self.pipeline.ingest(TOOLS["claude-code"], self.transcript.path)

    def edit(self, name, old, new):
        path = self.folder / name
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))

    def refresh(self):
        return self.pipeline.refresh(NAME, "turn")

    @property
    def boxes(self):
        return [line[2:8] for line in self.pipeline.store.checkpoints.current(NAME).parts.memo.splitlines()[2:]]


@pytest.fixture
def bench(tmp_path):
    bench = Bench(tmp_path)
    yield bench
    bench.pipeline.close()


def test_an_edited_mind_becomes_a_number_of_its_own_and_stays(bench):
    """Without citations, and though it withdraws the mission: it is the person's word, and later turns keep it."""
    bench.edit(
        "mind.md", "M1 [active] Make it fast (#1)", "M1 [withdrawn] Make it fast (#1)\n- M2 [active] Make it small"
    )
    bench.edit("mind.md", "# Lessons\n\n(none)", "# Lessons\n\nno bullet here")
    mine = (bench.folder / "mind.md").read_text()
    made = bench.refresh()
    assert (made.writer, made.trigger, made.parts.mind) == ("hand", "edit", mine)
    bench.says("Go on then with it")
    later = bench.pipeline.store.checkpoints.current(NAME)
    assert (later.writer, later.parts.mind, (bench.folder / "mind.md").read_text()) == ("extractive", mine, mine)
    assert "Make it small" in bench.pipeline.folders.text(bench.folder, later.number)


def test_an_editors_mark_before_the_first_heading_is_none_of_the_text(bench):
    """Some editors begin a file with a byte order mark; the mind behind it is taken."""
    bench.edit("mind.md", "M1 [active]", "M1 [withdrawn]")
    mine = (bench.folder / "mind.md").read_bytes()
    (bench.folder / "mind.md").write_bytes(b"\xef\xbb\xbf" + mine)
    assert bench.refresh().parts.mind == mine.decode()


def test_a_pipe_in_the_minds_place_holds_nothing_up(bench):
    """It has no end to wait for: the turn's checkpoint is made."""
    (bench.folder / "mind.md").unlink()
    os.mkfifo(bench.folder / "mind.md")
    bench.says("Go on then with it")
    assert "Go on then with it" in bench.pipeline.store.checkpoints.current(NAME).parts.memo


def test_a_mind_without_its_headings_is_put_beside(bench):
    """Nothing that a person wrote is lost, and they are told."""
    before = bench.pipeline.store.checkpoints.current(NAME)
    bench.edit("mind.md", "# Lessons", "# Learned")
    mine = (bench.folder / "mind.md").read_text()
    made = bench.refresh()
    assert (made.parts.mind, (bench.folder / "mind.edited.md").read_text()) == (before.parts.mind, mine)
    told = bench.pipeline.store.checkpoints.current(NAME).told
    assert [(problem.part, problem.fallback) for problem in told] == [("mind", "the mind as it was")]


def test_an_edit_that_cannot_be_taken_leaves_the_one_before_in_force(bench):
    """What the person wrote last and well stays, now and in later turns."""
    bench.edit("mind.md", "# Lessons\n\n(none)", "# Lessons\n\n- [confirmed] Mine.")
    mine = bench.refresh().parts.mind
    bench.edit("mind.md", "# Lessons", "# Learned")
    bench.refresh()
    bench.edit("mind.md", "# Learned", "# Learned again")
    assert bench.refresh().parts.mind == mine
    bench.says("Now the docs")
    assert bench.pipeline.store.checkpoints.current(NAME).parts.mind == mine


def test_the_next_step_leads_back_to_the_mission_that_the_person_left(bench):
    """Not to one that they withdrew; where none is active, to a question."""
    bench.edit("mind.md", "M1 [active] Make it fast (#1)", "M1 [replaced by M2] Make it fast (#1)\n- M2 [active] Small")
    assert ", then back to M2\n" in bench.refresh().parts.scene
    bench.edit("mind.md", "M2 [active]", "M2 [withdrawn]")
    assert ", then ask what comes next: no mission is active\n" in bench.refresh().parts.scene
    bench.edit("mind.md", "M2 [withdrawn]", "M2:")
    assert ", then back to the mission\n" in bench.refresh().parts.scene


def test_a_mission_whose_line_was_deleted_is_withdrawn(bench):
    """A mission's status changes, its line is never dropped, in later turns neither; the person is told once."""
    bench.edit("mind.md", "- M1 [active] Make it fast (#1)", "- M2 [active] Make it small")
    made = bench.refresh()
    assert "- M2 [active] Make it small\n- M1 [withdrawn] Make it fast (#1)\n" in made.parts.mind
    assert (bench.folder / "mind.md").read_text() == made.parts.mind
    assert [(problem.fault, problem.fallback) for problem in made.told] == [
        ("edited by hand: 1 of its missions deleted", "an ended mission stays, as [withdrawn]")
    ]
    bench.edit("mind.md", "- M2 [active] Make it small\n- M1 [withdrawn] Make it fast (#1)\n", "")
    made = bench.refresh()
    assert "## Mission\n\n- M2 [withdrawn] Make it small\n- M1 [withdrawn] Make it fast (#1)\n" in made.parts.mind
    bench.says("Go on then with it")
    later = bench.pipeline.store.checkpoints.current(NAME)
    assert (later.parts.mind, later.told) == (made.parts.mind, ())


def test_boxes_that_the_person_changed_stay_as_they_set_them(bench):
    """Both ways, over later turns; the directing message too."""
    bench.edit("memo.md", "- [ ] #5", "- [x] #5")
    bench.edit("memo.md", "- [x] #1", "- [ ] #1")
    bench.refresh()
    assert bench.boxes == ["[ ] #1", "[x] #3", "[x] #5"]
    bench.says("Now the docs")
    assert bench.boxes == ["[ ] #1", "[x] #3", "[x] #5", "[x] #7"]


def test_of_a_memo_only_boxes_are_taken(bench):
    """The words are the record's; what else was changed is told."""
    bench.edit("memo.md", "Keep the names", "Drop the names")
    bench.edit("memo.md", "- [ ] #5", "- [x] #5")
    made = bench.refresh()
    assert "Keep the names" in made.parts.memo
    assert bench.boxes[2] == "[x] #5"
    assert [problem.fallback for problem in made.told] == ["only boxes are taken"]


def test_memds_own_files_are_no_edits(bench, monkeypatch):
    """Neither after each turn, nor where a crash left the copies of the number before."""
    monkeypatch.setattr(bench.pipeline.folders, "publish", lambda *_: None)
    bench.says("One more")
    bench.says("And one more")
    assert bench.pipeline.store.checkpoints.judged(NAME) == []
    assert bench.pipeline.store.judging.ticks(NAME) == {}


def test_zeros_are_no_edit(bench):
    """A power cut left them: the copies and the replies are made again from the record, and nobody is told of an edit."""
    before = {path: path.read_bytes() for path in bench.folder.rglob("*") if path.is_file()}
    for path, content in before.items():
        path.write_bytes(b"\0" * len(content))
    assert bench.pipeline.unfinished() == [NAME]
    bench.pipeline.keeper._laid.clear()  # as after a start
    made = bench.refresh()
    assert (made.noted, bench.pipeline.unfinished()) == ((), [])
    for name in ("mind.md", "memo.md", "scene.md", "checkpoint.md"):
        assert (bench.folder / name).read_bytes() == before[bench.folder / name]
    assert not (bench.folder / "mind.edited.md").exists()


def test_a_ready_reply_that_was_deleted_is_written_again(bench):
    """At a start, and at any refresh of a daemon that has written it once; the number stays."""
    ready = bench.folder / "ready"
    before = {path.name: path.read_bytes() for path in ready.iterdir()}
    number = bench.refresh().number
    time.sleep(0.05)  # longer than a step of the file system's clock
    (ready / "SessionStart.compact.1").unlink()
    assert bench.pipeline.unfinished() == [NAME]
    assert bench.refresh().number == number
    assert {path.name: path.read_bytes() for path in ready.iterdir()} == before
    assert bench.pipeline.unfinished() == []


def test_an_edit_between_a_hooks_reply_and_the_copies_is_taken(bench):
    """The copies come a moment later, and what a person wrote in that moment is theirs."""
    bench.transcript.turn("Go on with the cache")
    bench.pipeline.read_whole(TOOLS["claude-code"], bench.transcript.path)
    bench.pipeline.refresh_for_hook(NAME, "precompact")
    bench.edit("mind.md", "# Lessons\n\n(none)", "# Lessons\n\n- [confirmed] Mine.")
    mine = (bench.folder / "mind.md").read_text()
    bench.pipeline.finish(NAME)
    assert (bench.folder / "mind.md").read_text() == mine
    assert "Go on with the cache" in (bench.folder / "memo.md").read_text()
    made = bench.refresh()
    assert (made.writer, made.parts.mind) == ("hand", mine)


def test_an_edit_that_was_taken_makes_room_for_what_came_of_it(bench):
    """Ticks stand in the next number's memo, and a mind that could not be taken lies beside: neither is told of again."""
    bench.edit("memo.md", "[x] #3", "[ ] #3")
    bench.edit("mind.md", "# Lessons", "# Learned")
    bench.says("Use the cache")
    made = bench.pipeline.store.checkpoints.current(NAME)
    assert (bench.folder / "memo.md").read_text() == made.parts.memo
    assert (bench.folder / "mind.md").read_text() == made.parts.mind
    bench.says("Drop the queue")
    assert bench.pipeline.store.checkpoints.current(NAME).told == ()


def test_a_copy_that_cannot_be_written_holds_no_hook_up(bench):
    """What hooks give back is of the newest turn; the copies of a number before are no edit of a person's."""
    (bench.folder / "scene.md").unlink()
    (bench.folder / "scene.md").mkdir()
    (bench.folder / "scene.md" / "x").touch()
    for said in ("Use the cache", "Drop the queue", "Name it Lake"):
        bench.transcript.turn(said)
        bench.pipeline.read_whole(TOOLS["claude-code"], bench.transcript.path)
        bench.refresh()
        assert isinstance(bench.pipeline.unwritten(NAME), IsADirectoryError)
        assert said.encode() in bench.pipeline.folders.replies(bench.folder).get("SessionStart.compact.1")
        assert bench.pipeline.store.checkpoints.current(NAME).writer == "extractive"
    bench.transcript.turn("Use two of them")
    bench.pipeline.read_whole(TOOLS["claude-code"], bench.transcript.path)
    bench.pipeline.refresh_for_hook(NAME, "precompact")
    bench.pipeline.keeper.left._left.clear()  # a crash
    (bench.folder / "scene.md" / "x").unlink()
    (bench.folder / "scene.md").rmdir()
    made = bench.refresh()
    assert (made.writer, (bench.folder / "scene.md").read_text()) == ("extractive", made.parts.scene)
    assert (bench.pipeline.store.checkpoints.current(NAME).told, bench.pipeline.unwritten(NAME)) == ((), None)


def test_old_numbers_go_while_copies_cannot_be_written(bench, monkeypatch):
    """But for those that stand in the copies: by them it is known that no person wrote them."""
    bench.edit("mind.md", "# Lessons\n\n(none)", "# Lessons\n\n- [confirmed] Mine.")
    with monkeypatch.context() as patch:
        patch.setattr(folders, "_put", locked)
        for count in range(14):
            bench.transcript.turn(f"Use cache {count}")
            bench.pipeline.read_whole(TOOLS["claude-code"], bench.transcript.path)
            made = bench.refresh()
            if not count:
                stands = made.number
                bench.edit("mind.md", "Mine.", "Yours.")
    kept = bench.pipeline.store.checkpoints.numbers(NAME)
    assert kept == [1, stands, stands + 1, *range(made.number - 9, made.number + 1)]
    assert sorted(int(path.name) for path in (bench.folder / "history").iterdir()) == kept
    made = bench.refresh()
    assert (made.writer, (bench.folder / "mind.md").read_text()) == ("extractive", made.parts.mind)


def locked(path, _):
    """A copy that can be read and not replaced."""
    raise PermissionError(1, "Operation not permitted", str(path))
