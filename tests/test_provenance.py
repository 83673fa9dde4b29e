"""Who spoke is told by the envelope alone."""

import inspect
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import fields, replace

from memd.model import Channel, Delivery, Envelope, Grade, Origin, Wrapper
from memd.provenance import classify

P, I, U = Grade.PROVED, Grade.INFERRED, Grade.UNKNOWN  # noqa: E741
PERSON, NONE, LOCAL, OPERATOR = Origin.PERSON, Origin.NONE, Origin.LOCAL, Origin.OPERATOR

FLAGS = [field.name for field in fields(Envelope) if field.type is bool]
DEMOTING = ("meta", "summary", "child")
ALL = [
    Envelope(origin, delivery, wrapper, **dict(zip(FLAGS, flags, strict=True)))
    for origin in Origin
    for delivery in Delivery
    for wrapper in (None, *Wrapper)
    for flags in itertools.product((False, True), repeat=len(FLAGS))
]
"""Every envelope there is."""


def envelope(origin, delivery=Delivery.PROMPT, wrapper=None, **flags):
    return Envelope(origin, delivery, wrapper, **flags)


@pytest.mark.parametrize(
    ("given_", "channel", "grade"),
    [
        # a person at the client's own screen
        (envelope(PERSON), "human.typed", P),
        (envelope(PERSON, Delivery.QUEUED), "human.queued", P),
        (envelope(PERSON, Delivery.STEERED), "human.steered", P),
        (envelope(PERSON, Delivery.ANSWER), "human.answer", P),
        (envelope(PERSON, Delivery.COMMAND, Wrapper.COMMAND), "human.command", P),
        (envelope(PERSON, Delivery.SUGGESTION), "operator.headless", P),
        (envelope(PERSON, Delivery.CONTEXT), "harness.meta", P),
        # words that look like a machine's are still the person's where the fields say so
        *((envelope(PERSON, wrapper=wrapper), "human.typed", P) for wrapper in Wrapper),
        # a host vouches, or nobody does
        (envelope(PERSON, claimed=True), "operator.headless", U),
        (envelope(PERSON, headless=True), "operator.headless", U),
        (envelope(PERSON, claimed=True, trusted=True), "human.typed", I),
        (envelope(OPERATOR, headless=True), "operator.headless", P),
        (envelope(OPERATOR, trusted=True), "human.typed", I),
        # what the client did at the keyboard without asking the model
        (envelope(LOCAL, wrapper=Wrapper.COMMAND), "human.command", I),
        (envelope(LOCAL, wrapper=Wrapper.SHELL_INPUT), "human.shell", I),
        (envelope(LOCAL, wrapper=Wrapper.OUTPUT), "harness.meta", P),
        (envelope(LOCAL), "harness.meta", P),
        (envelope(LOCAL, wrapper=Wrapper.COMMAND, headless=True), "operator.headless", U),
        (envelope(LOCAL, wrapper=Wrapper.SHELL_INPUT, headless=True), "operator.headless", U),
        # an old client
        (envelope(NONE), "unattributed", U),
        (envelope(NONE, wrapper=Wrapper.COMMAND), "unattributed", U),
        (envelope(NONE, wrapper=Wrapper.SHELL_INPUT), "unattributed", U),
        (envelope(NONE, witness=True), "human.typed", I),
        (envelope(NONE, Delivery.QUEUED, witness=True), "human.queued", I),
        (envelope(NONE, Delivery.COMMAND, Wrapper.COMMAND, witness=True), "human.command", I),
        (envelope(NONE, wrapper=Wrapper.SHELL_INPUT, witness=True), "human.shell", I),
        (envelope(NONE, wrapper=Wrapper.NOTIFICATION, witness=True), "background.notification", I),
        (envelope(NONE, wrapper=Wrapper.TEAMMATE, witness=True), "background.peer", I),
        (envelope(NONE, wrapper=Wrapper.HOOK_STOP, witness=True), "harness.hook", I),
        (envelope(NONE, wrapper=Wrapper.OUTPUT, witness=True), "harness.meta", I),
        (envelope(NONE, wrapper=Wrapper.INSTRUCTIONS, witness=True), "harness.instructions", I),
        # machines
        (envelope(Origin.AGENT), "agent.text", P),
        (envelope(Origin.TOOL), "tool.result", P),
        (envelope(Origin.JOB), "background.notification", P),
        (envelope(Origin.SCHEDULE, meta=True), "background.schedule", P),
        (envelope(Origin.PEER), "background.peer", P),
        (envelope(Origin.QUEUE), "background.queue", P),
        (envelope(Origin.GOAL), "background.goal", P),
        (envelope(Origin.HOOK), "harness.hook", P),
        (envelope(Origin.HOOK, wrapper=Wrapper.OWN), "memd.injection", P),
        (envelope(Origin.INSTRUCTIONS), "harness.instructions", P),
        (envelope(Origin.CLIENT), "harness.meta", P),
        # what only demotes comes first
        (envelope(PERSON, meta=True), "harness.meta", P),
        (envelope(PERSON, summary=True), "harness.summary", P),
        (envelope(PERSON, child=True), "background.peer", P),
        (envelope(NONE, child=True, witness=True), "background.peer", P),
        (envelope(LOCAL, wrapper=Wrapper.COMMAND, meta=True), "harness.meta", P),
        (envelope(Origin.HOOK, wrapper=Wrapper.OWN, summary=True), "harness.summary", P),
    ],
)
def test_the_table(given_, channel, grade):
    """Each way in has its channel."""
    assert classify(given_) == (channel, grade)


def test_no_text_can_be_asked_about():
    """The only parameter is the envelope, and no field of it can hold what somebody wrote."""
    assert list(inspect.signature(classify).parameters) == ["envelope"]
    assert {field.type for field in fields(Envelope)} == {Origin, Delivery, Wrapper | None, bool}


def test_what_demotes_cannot_be_outweighed():
    """Whatever else a row claims: one demoting flag, and it is nobody's words."""
    demoted = [one for one in ALL if any(getattr(one, flag) for flag in DEMOTING)]
    assert demoted
    wrong = [one for one in demoted if classify(one)[0].human or classify(one)[0] is Channel.OPERATOR_HEADLESS]
    assert wrong == []


def test_a_person_is_proved_only_by_the_client_itself():
    """Proved human words: the client with its screen states a person, no host claims it for them, nothing demotes it."""
    for one in ALL:
        channel, grade = classify(one)
        if channel.human and grade is P:
            assert one.origin is PERSON
            assert not any((one.claimed, one.headless, one.meta, one.child, one.summary))


def test_a_machine_is_never_a_person():
    """An origin that is a machine's gives no human channel, whatever else is set."""
    people = {PERSON, NONE, LOCAL, OPERATOR}
    assert [one for one in ALL if one.origin not in people and classify(one)[0].human] == []


def test_without_a_screen_nothing_is_proved_human():
    """Of what a client without a screen ran for somebody, nothing tells a person from a program; a trusted host may."""
    headless = [one for one in ALL if one.headless and one.origin is not NONE]
    human = [one for one in headless if classify(one)[0].human]
    assert [one for one in human if not one.trusted or classify(one)[1] is P] == []


@given(st.sampled_from(ALL))
def test_the_witness_lifts_only_what_nothing_attributes(one):
    """The second witness changes nothing but `unattributed`, and makes it inferred at most."""
    without, with_it = classify(replace(one, witness=False)), classify(replace(one, witness=True))
    if without != with_it:
        assert one.origin is NONE
        assert without == (Channel.UNATTRIBUTED, U)
        assert with_it[1] is I


def test_memds_own_text_is_known_only_in_a_hooks_output():
    """The marks of an injection mean nothing where a person, a tool or an agent wrote them."""
    own = [one for one in ALL if classify(one)[0] is Channel.MEMD_INJECTION]
    assert {one.origin for one in own} == {Origin.HOOK}
    assert {one.wrapper for one in own} == {Wrapper.OWN}
