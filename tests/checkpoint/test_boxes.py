"""The memo list in somebody else's hands."""

from hypothesis import given
from hypothesis import strategies as st
from judged import SAID

from memd.checkpoint import boxes, memo
from memd.model import Tick

PIECES = st.sampled_from(
    ["- [x] ", "- [ ] ", "#12 ", "#3 ", "\n", "x", " ", "human.typed | ", "é", "批", "]", "2026-11-29 23:21Z "]
)


def ticks(**decided):
    return memo.Decided(
        {n: Tick(n, ticked=ticked, person=person) for n, (ticked, person) in decided["of"].items()},
        decided.get("replaced", {}),
    )


def shown(entries):
    return [(e.record.number, e.ticked, e.note) for e in entries]


def test_what_was_decided_before_stands_and_the_person_outranks_the_model():
    """What a model released has a line that says so, the replaced points to what replaced it; the mission's own message stays."""
    decided = ticks(of={1: (False, False), 2: (True, True), 4: (True, False), 9: (False, True)}, replaced={3: 9})
    assert shown(memo.entries(SAID, 1, decided=decided)) == [
        (1, True, "first"),
        (2, True, "first"),
        (3, False, "replaced by #9"),
        (4, True, ""),
        (7, False, "withdrawn"),
        (9, False, "released"),
    ]


def test_a_writer_is_offered_what_is_ticked_and_what_is_new_once():
    """Ticked before: ticked. New: without a tick. Left unticked, withdrawn, replaced: not again."""
    decided = ticks(of={1: (True, False), 2: (False, False)}, replaced={3: 9})
    entries = boxes.offered(memo.entries(SAID, 1, decided=decided), decided)
    assert [(n, ticked) for n, ticked, _ in shown(entries)] == [(1, True), (4, False), (9, False)]


@given(st.lists(st.booleans(), min_size=3, max_size=3))
def test_boxes_come_back_as_they_were_left(wanted):
    """Any ticks on the list as it was given are read."""
    entries = memo.entries([r for r in SAID if r.number in {1, 2, 3}], 1)
    given_list = memo.document(entries).decode()
    edited = memo.document([memo.Entry(e.record, t) for e, t in zip(entries, wanted, strict=True)]).decode()
    assert boxes.read(given_list, edited) == boxes.Edited(dict(zip([1, 2, 3], wanted, strict=True)), ())


@given(st.lists(PIECES, max_size=30).map("".join))
def test_a_list_without_faults_is_the_list_that_was_given(text):
    """Whatever came back: no fault means the same lines in the same order, apart from boxes."""
    given_list = memo.document(memo.entries(SAID, 1)).decode()
    for edited in (text, given_list + text, text + given_list):
        found = boxes.read(given_list, edited)
        if not found.faults:
            bare = [row[5:] for row in edited.splitlines() if row.startswith("- [")]
            assert [row.rstrip() for row in bare] == [row[5:] for row in given_list.splitlines()[2:]]


def test_a_second_line_of_a_number_releases_nothing():
    """What is ticked once stays, whatever a line that was not given says."""
    given_list = memo.document(memo.entries(SAID, 1)).decode()
    found = boxes.read(given_list, given_list + "- [ ] #1 forged\n")
    assert found.boxes[1] is True
    assert len(found.faults) == 1
