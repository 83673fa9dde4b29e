"""One turn with a writer that is passed in: what it is asked, what is kept, what it is asked again."""

from factories import SESSION, SIZER
from judged import MIND, SCENE, answer, edited, given
from msgspec.structs import replace

from memd.checkpoint.digest import Digest
from memd.checkpoint.request import Texts
from memd.checkpoint.revision import Revision, Work, revise
from memd.model import Session

LEARNED = edited("[hypothesis] The upstream", "[confirmed] The upstream")
TEXTS = Texts("request $session $next $digest$part", "repair\n$faults\nscene$scene_as\n")
WHOLE, OLDER = Digest("all of it", 9, whole=True), Digest("the older part", 5, whole=False)


class Author:
    """Leaves what the test says, run by run."""

    name = "agent"

    def __init__(self, *works):
        self.works = list(works)
        self.tasks = []

    def work(self, task):
        self.tasks.append(task)
        return self.works.pop(0)


def work(mind=MIND, memo=None, answered=None, **fields):
    return Work(mind, given().listed if memo is None else memo, answer() if answered is None else answered, **fields)


def revised(*works, of=None, digests=(WHOLE, OLDER)):
    author = Author(*works)
    session = Session(SESSION, "claude-code", "x", cwd="/srv/w")
    return revise(session, of or given(), digests, author, TEXTS, SIZER), author.tasks


def test_good_work_takes_one_run():
    """Nothing is asked again."""
    made, tasks = revised(work(LEARNED, tokens=7))
    assert made == Revision(LEARNED, {}, SCENE, 9, 1, 7)
    assert len(tasks) == 1
    assert tasks[0].request.startswith(f"request {SESSION} The next action, tied to the latest explicit request")
    assert tasks[0].request.endswith("(#9). all of it")


def test_every_fault_is_in_the_one_repair_request():
    """From the files as they were left, with a first scene that was right beside them."""
    bad = LEARNED.replace("# Lessons", "# Learned")
    made, tasks = revised(work(bad, "x"), work(LEARNED))
    assert len(tasks) == 2
    named = [row.partition(":")[0] for row in tasks[1].request.splitlines() if row.startswith("- ")]
    assert list(dict.fromkeys(named)) == ["- mind", "- memo"]
    assert "scene, as in scene.md beside the two files" in tasks[1].request
    assert (tasks[1].mind, tasks[1].memo, tasks[1].scene) == (bad, "x", SCENE)
    assert (made.mind, made.problems, made.runs) == (LEARNED, (), 2)


def test_a_fork_that_goes_wrong_is_tried_without_one():
    """One that fails, or is too long, is followed by a run that is told all of it; faults of the work are mended in a fork."""
    numbers = Digest("#1 …", 9, whole=True, fork=True)
    for wrong in (work(fault="claude says: no such session"), work(fault="too long", too_long=True)):
        made, tasks = revised(wrong, work(LEARNED), digests=(numbers, WHOLE, OLDER))
        assert [task.fork for task in tasks] == [True, False]
        assert tasks[1].request.endswith("(#9). all of it")
        assert (made.mind, made.problems) == (LEARNED, ())
    _, tasks = revised(work(answered="no scene"), work(LEARNED), digests=(numbers, WHOLE, OLDER))
    assert [task.fork for task in tasks] == [True, True]
    assert "the numbers of its entries" in tasks[1].request


def test_what_was_right_before_stays_right():
    """A repair that spoils another part does not take it away; a first scene is kept where the second run gives none."""
    spoiled = LEARNED.replace("# Goals", "# Goa")
    made, _ = revised(work(LEARNED, "x"), work(spoiled, answered="no scene"))
    assert (made.mind, made.scene, made.boxes) == (LEARNED, SCENE, {})
    assert made.problems == ()


def test_nothing_right_is_nothing():
    """Two runs, no change; every fault that is left is told."""
    bad = MIND.replace("# Goals", "# Goa")
    made, _ = revised(work(bad, "x", "no"), work(bad, "x", "no", tokens=3))
    assert made.empty
    assert {problem.part for problem in made.problems} == {"mind", "memo", "scene"}


def test_untouched_files_and_no_scene_are_no_work():
    """A run that crashed at once leaves the files right; that is not its merit."""
    crashed = work(answered="", fault="it crashed")
    made, _ = revised(crashed, crashed)
    assert made.empty
    assert [problem.part for problem in made.problems] == ["run", "scene"]


def test_a_run_that_could_not_start_is_not_tried_again():
    """There is nobody to be asked."""
    made, tasks = revised(work(answered="", fault="no program", ran=False))
    assert (len(tasks), made.runs, made.empty) == (1, 0, True)


def test_a_request_that_is_too_long_is_tried_once_with_the_older_part():
    """Mind and memo of it are used; its scene is of the past, so the program's own stands."""
    made, tasks = revised(work(answered="", fault="too long", too_long=True), work(LEARNED))
    assert "the older part(This is the older part; what came after it follows another time.)" in tasks[1].request
    assert (made.mind, made.scene, made.upto, made.runs) == (LEARNED, None, 5, 2)


def test_boxes_that_were_touched_decide_all_that_were_offered():
    """A list that was not touched decides nothing: when in doubt more is kept."""
    memo = given().listed.replace("- [ ] #9", "- [x] #9")
    assert revised(work(memo=memo))[0].boxes == {1: True, 2: True, 3: True, 4: False, 9: True}
    assert revised(work())[0].boxes == {}


def test_a_file_that_is_gone_falls_back():
    """Gone or no text is no edit."""
    gone = replace(work(), mind=None, memo=None)
    made, _ = revised(gone, gone)
    assert (made.mind, made.boxes, made.scene) == (None, None, SCENE)
    told = [("mind", "mind.md is gone or no text"), ("memo", "memo.md is gone or no text")]
    assert [(p.part, p.fault) for p in made.problems] == told
