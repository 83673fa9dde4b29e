"""What the plugin noted: before the rows or behind them, the record is the same."""

import pytest
from opencode_rows import MADE, assistant, feed, note, step, text, tool, typed, user, words

from memd.model import Channel, Grade

GREET = {"name": "greet", "arguments": "Ada"}


def entries(*rows):
    return [(one.key, str(one.channel), str(one.grade), one.text, one.extra) for one in feed(*rows).records]


PROMPT = user("m1", text("please", synthetic=False), text("marked", synthetic=True))
SHELL = [
    *user("m1", text("executed by the user", synthetic=True)),
    *assistant("m2", "m1", tool("bash", {"command": "ls"}), finish=""),
]


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (PROMPT, typed("m1", "prt_m1_0")),
        (PROMPT, typed("m1", "prt_m1_0", kind="run")),
        (PROMPT, typed("m1", "prt_other")),
        (PROMPT, typed("m1")),
        (SHELL, typed("m1")),
        (SHELL, typed("m1", kind="serve")),
        (user("m1", {"type": "subtask", "prompt": "go", "description": "d"}), typed("m1", "prt_m1_0")),
    ],
)
def test_either_order(rows, told):
    """A note that comes behind its rows changes them to what they would have been."""
    assert sorted(entries(told, *rows)) == sorted(entries(*rows, told))


def test_a_command_s_expansion():
    """What the client stored is its template; what was said with the command is the person's."""
    expected = [
        ("prt_m1_0", "harness.meta", "proved", "Please greet Ada.", {"command": "greet"}),
        ("m1:command", "human.command", "proved", "Ada", {"command": "greet"}),
    ]
    rows = user("m1", text("Please greet Ada."))
    assert expected == entries(typed("m1", command=GREET), *rows)
    late = entries(*rows, typed("m1", command=GREET))
    assert [one[:4] for one in expected] == [one[:4] for one in late]


def test_a_command_with_the_words_of_run():
    """`opencode run --command` has no screen: the arguments are an operator's."""
    rows = [typed("m1", command=GREET, kind="run"), *user("m1", text("Please greet Ada."))]
    assert entries(*rows)[1][:4] == ("m1:command", "operator.headless", "proved", "Ada")


def test_a_command_without_words():
    """A command without arguments has no words of the person's."""
    rows = [typed("m1", command={"name": "init", "arguments": " "}), *user("m1", text("Create AGENTS.md"))]
    assert [channel for _, channel, *_ in entries(*rows)] == ["harness.meta"]


def test_a_note_that_names_no_parts_says_nothing_of_words():
    """The client made the message without a prompt (a replay, a copy): the process tells nothing about who wrote it."""
    assert entries(typed("m1"), *user("m1", text("again")))[0][1:3] == ("operator.headless", "unknown")


def test_the_first_note_of_a_message_counts():
    """A second process that sees the message later did not bring it."""
    rows = [typed("m1", "prt_m1_0"), typed("m1", kind="run"), *user("m1", text("please"))]
    assert entries(*rows)[0][1] == "human.typed"
    rows = [typed("m1", "prt_m1_0"), *user("m1", text("please")), typed("m1", kind="run")]
    assert entries(*rows)[0][1] == "human.typed"


def test_a_note_does_not_reach_into_a_child():
    """A sub-agent's prompts are the parent's, in whatever process they were made."""
    rows = [*user("m1", text("list")), typed("m1", "prt_m1_0")]
    (record,) = feed(*rows, child=True).records
    assert (record.channel, record.grade) == (Channel.BACKGROUND_PEER, Grade.PROVED)


def test_the_window():
    """The database has no window; the plugin has."""
    assert feed(note("window", model="scripted/m1", context=60_000, output=4_000)).facts.window == 60_000


def test_the_process():
    """Facts name the kind of process that the session's prompts came through."""
    assert feed(typed("m1", "prt_m1_0")).facts.entrypoint == "tui"


def answer(at):
    return assistant("m2", "m1", words("ok"), step(), at=at)


def test_an_injection_and_its_answer():
    """Delivered when it went into the request, complete with the code when the model's answer has ended."""
    given = note("injected", number=7, code="ABC123", at=MADE + 2_000)
    (went_in,) = feed(*user("m1", text("go")), given).receipts
    assert (went_in.number, went_in.part, went_in.parts, went_in.code, went_in.hook) == (7, 1, 1, None, "plugin")
    assert [one.code for one in feed(*user("m1", text("go")), given, *answer(MADE + 3_000)).receipts] == [
        None,
        "ABC123",
    ]


def test_an_injection_noted_behind_its_answer():
    """The rows may be read first."""
    given = note("injected", number=7, code="ABC123", at=MADE + 2_000)
    assert [one.code for one in feed(*user("m1", text("go")), *answer(MADE + 3_000), given).receipts] == [
        None,
        "ABC123",
    ]


def test_an_answer_from_before_the_injection():
    """An answer that ended before proves nothing, and is waited behind."""
    given = note("injected", number=7, code="ABC123", at=MADE + 9_000)
    assert [one.code for one in feed(*user("m1", text("go")), *answer(MADE + 3_000), given).receipts] == [None]


def test_an_injection_without_a_number():
    """The one line on a resume is no checkpoint: nothing to prove."""
    read = feed(note("injected", number=None, code=None))
    assert (read.receipts, read.gaps) == ([], [])


@pytest.mark.parametrize(
    "broken", [note("message"), note("message", message_id=5, kind=[]), note("message", kind="tui")]
)
def test_a_broken_note_is_counted(broken):
    """A note without a message or a kind changes nothing."""
    assert feed(broken).gaps == [("malformed", "a note without a message or a kind")]


def test_many_notes_before_their_rows():
    """Who reads after a long time has all notes first: each finds its message."""
    notes = [typed(f"m{n}", f"prt_m{n}_0") for n in range(300)]
    rows = [row for n in range(300) for row in user(f"m{n}", text(f"prompt {n}"))]
    assert {Channel.HUMAN_TYPED} == {one.channel for one in feed(*notes, *rows).records}


def test_advice_is_memds_own_text():
    """What was said beside a call stands in the record by its channel, so that nobody takes it for a tool's."""
    told = note("advised", call_id="c1", message_id="m1", text="memd: note: x")
    (entry,) = [one for one in feed(*PROMPT, told).records if one.channel is Channel.MEMD_INJECTION]
    assert (entry.text, entry.turn, entry.extra) == ("memd: note: x", "m1", {"call": "c1"})


@pytest.mark.parametrize("odd", [{"text": "x"}, {"call_id": "c1"}, {"call_id": 7, "text": []}])
def test_odd_advice_is_counted(odd):
    """A note without a call or a text."""
    read = feed(note("advised", message_id="m1", **odd))
    assert (read.records, [kind for kind, *_ in read.gaps]) == ([], ["malformed"])
