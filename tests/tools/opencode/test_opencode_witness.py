"""The client's own list of what was typed: same words, each line once, no session, no time."""

import json

import pytest
from opencode_rows import assistant, feed, text, tool, typed, user

from memd.tools.opencode import OpenCode

TOOL = OpenCode()


def line(said, mode="normal", parts=()):
    return json.dumps({"input": said, "parts": list(parts), "mode": mode}).encode()


def lifted(records, *lines):
    concerned = [record for record in records if TOOL.concerns(record)]
    events = TOOL.lift(concerned, lines, "ses_1")
    return {event.key: (str(event.channel), str(event.grade)) for event in events}


def prompts(*texts):
    return feed(*[one for n, said in enumerate(texts) for one in user(f"m{n}", text(said))]).records


def test_typed_words():
    """Text that stands in the list was typed by a person: inferred."""
    assert lifted(prompts("fix it", "other"), line("fix it")) == {"prt_m0_0": ("human.typed", "inferred")}


def test_each_line_once():
    """The same words came twice, the list has them once: the newest is the one that was typed last."""
    assert lifted(prompts("yes", "yes"), line("yes")) == {"prt_m1_0": ("human.typed", "inferred")}
    assert len(lifted(prompts("yes", "yes"), line("yes"), line("yes"))) == 2


def test_a_line_that_was_used_before():
    """What the list lifted before keeps its line: the next entry with the same words needs another."""
    first = prompts("yes", "yes")
    (key,) = lifted(first, line("yes"))
    again = feed(*user("m0", text("yes")), *user("m1", text("yes"))).records
    from msgspec.structs import replace  # noqa: PLC0415

    from memd.model import Channel, Grade  # noqa: PLC0415

    known = [
        replace(one, channel=Channel.HUMAN_TYPED, grade=Grade.INFERRED) if one.key == key else one for one in again
    ]
    assert lifted(known, line("yes")) == {}


def test_a_paste():
    """The list has a stand-in, and the pasted text beside it."""
    stand_in = {"type": "text", "text": "one\ntwo", "source": {"text": {"value": "[Pasted ~2 lines]"}}}
    typed_line = line("see [Pasted ~2 lines] please", parts=[stand_in])
    assert list(lifted(prompts("see one\ntwo please"), typed_line)) == ["prt_m0_0"]


def test_shell():
    """A command is found among the commands only."""
    rows = user("m1", text("executed by the user", synthetic=True))
    records = feed(*rows, *assistant("m2", "m1", tool("bash", {"command": "ls"}), finish="")).records
    assert lifted(records, line("ls", mode="shell")) == {"prt_m2_0:shell": ("human.shell", "inferred")}
    assert lifted(records, line("ls")) == {}


def test_what_is_known_better_is_left_alone():
    """The list lifts nothing that is proved, marked by the client, or a sub-agent's."""
    proved = feed(typed("m0", "prt_m0_0", kind="serve"), *user("m0", text("yes"))).records
    marked = feed(*user("m0", text("yes", synthetic=True))).records
    child = feed(*user("m0", text("yes")), child=True).records
    assert [lifted(records, line("yes")) for records in (proved, marked, child)] == [{}, {}, {}]


def test_an_expanded_command_is_not_in_the_list():
    """The list has what was typed (`/greet Ada`), the database what became of it."""
    assert lifted(prompts("Please greet Ada."), line("/greet Ada")) == {}


@pytest.mark.parametrize(
    "broken", [b"", b"{", b"[]", b'{"input": 5}', b'{"input": "x", "parts": [1, {"type": "text"}]}']
)
def test_a_broken_line_is_passed_over(broken):
    """The list proves nothing by itself, so what is not a line of it is no loss."""
    assert list(lifted(prompts("fix it"), broken, line("fix it"))) == ["prt_m0_0"]
