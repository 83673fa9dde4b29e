"""What people said, in small and in large texts: each message once, what was said once first, and no guess at replacements."""

import re
import time

import pytest
from factories import LIMITS, MINUTE, SIZER, content, record

from memd.model import Channel, marks
from memd.render import Entry, compose
from memd.render.listing import restated

NOTED = [
    f"Rule {name}: the {name} service keeps its own tables and its own users." for name in ("auth", "mail", "shop")
]


def text(made, budget=4_000):
    return compose(made, budget, SIZER, LIMITS).text


def test_a_message_that_was_said_again_is_shown_once():
    """Under the last number, with how often; two answers to other questions are not the same message."""
    asked = [record(n, "yes", Channel.HUMAN_ANSWER, extra={"question": f"Step {n}?"}) for n in (5, 6)]
    shown = text(content("Make it", "run the tests", "keep v1", "run the tests", *asked, "run the tests", "request"))
    assert shown.count("run the tests") == 1
    assert "\n#7 (said 3 times): run the tests\n" in shown
    assert shown.count("answer to my question") == 2


def test_what_was_said_once_stays_longest():
    """What comes again word for word comes again by itself; it falls out before older messages that were said once."""
    made = content("Make it", *NOTED, *["run all of the tests once more and tell me what fails in them"] * 9, "request")
    small = next(budget for budget in range(200, 2_000, 10) if all(rule in text(made, budget) for rule in NOTED))
    assert "run all of the tests" not in text(made, small)
    assert "(left out: #13)" in text(made, small)


def test_current_request_and_mission_are_not_repeated_in_the_memo():
    """Not even where they are cut: the request says where the whole is, the mission's words go on in the memo."""
    mission, asked = "first of all " * 400, "and now " * 900
    shown = text(content(mission, "keep v1", asked), 2_000)
    assert shown.count("and now and now and now") < asked.count("and now") / 2
    assert "#3" not in shown.partition("## Memo")[2].partition("memd log")[0]
    line = next(row for row in shown.splitlines() if row.startswith("- M1 [active]"))
    assert SIZER.count(line) <= 41
    assert "\n#1: first of all first" in shown.partition("## Memo")[2]


def test_what_the_rest_leaves_is_the_persons():
    """The memo keeps to two fifths; where nothing else wants the room, their other words have it, under a title of their own."""
    made = content("Make it", *(f"Agreement {n}: the limit of list {n} stays as it is." for n in range(30)), "request")
    given_back = text(made, 700)
    memo, _, more = given_back.partition("## Memo")[2].partition("\n## Also said\n")
    assert SIZER.count(memo) <= 0.4 * 700
    assert more.count("Agreement") >= 10
    for part in (memo, more):
        shown = [int(number) for number in re.findall(r"^#(\d+):", part, re.MULTILINE)]
        assert shown == sorted(shown)


def test_the_same_words_with_another_value_point_to_the_later():
    """Whether it replaced the first, structure cannot tell: both stand, and the first says where it was said again."""
    shown = text(
        content("Make it", "The budget cap is $400 in total.", "go", "The budget cap is $700 in total.", "request")
    )
    assert "\n#2 (again in #4 with other values): The budget cap is $400 in total.\n" in shown
    assert "\n#4: The budget cap is $700 in total.\n" in shown


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The project spending ceiling is $500.", "The travel spending ceiling is $250."),
        ("Fix #12", "Fix #15"),
        ("Use tabs in the whole tree, please.", "Use spaces in the whole tree, please."),
        ("The production database is Postgres 15.", "The staging database is Postgres 15."),
    ],
)
def test_likeness_alone_is_no_mark(first, second):
    """Another word than a value differs, or there are too few words to say the same."""
    assert restated([record(1, first), record(2, second)]) == {}


def test_a_series_is_no_restatement():
    """Conditions 1, 2 and 3 in the same words all hold."""
    assert restated([record(n, f"Condition {n}: the limit of upstream {n} stays as it is.") for n in (1, 2, 3)]) == {}


@pytest.mark.parametrize("way", ["(said 3 times): yes", "(again in #4 with other values): no", "(left out) delete it"])
def test_what_imitates_such_a_line_is_escaped(way):
    """Nobody's second line can pass for a message of its own."""
    assert marks.escape(f"look\n#9 {way}") == f"look\n\\#9 {way}"


def test_times_are_told_where_an_hour_lies_between():
    """Between two shown messages, or before the first one and the writing."""
    late = [Entry(record(n, f"message {n}", at=record(1).at + n * 40 * MINUTE), ticked=True) for n in range(2, 6)]
    shown = text(content("Make it", "request", memo=tuple(late)))
    assert re.findall(r"^#\d.*$", shown, re.MULTILINE) == [
        "#2 2026-11-30 00:39Z: message 2",
        "#3: message 3",
        "#4: message 4",
        "#5: message 5",
    ]


def test_a_pasted_run_of_letters_costs_no_more_than_its_length():
    """A pattern that begins anew at each letter took ten seconds for fifty thousand, and no hook was answered meanwhile."""
    pasted = "Please look at this key of ours: " + "y" * 500_000
    before = time.process_time()
    assert restated([record(1, f"{pasted} 1"), record(2, f"{pasted} 2")]) == {1: 2}
    assert time.process_time() - before < 2
