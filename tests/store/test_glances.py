"""What is asked of each session when many are looked at: the same answers as the whole messages give."""

import random

import pytest

from memd.model import MEMO_CHANNELS, Channel

from .builders import ONE, commit, message

ASKED = tuple(channel for channel in Channel if channel.starts_turn and not channel.background)
NAME = ONE.session


def undelivered(store, among):
    """By the messages themselves."""
    recent = store.messages(NAME, channels=ASKED, last=among)
    heard = [record for record in recent if record.in_force]
    since, texts = (heard[-1].number if heard else 0), {record.text for record in heard}
    return tuple(r.number for r in recent if r.undelivered and r.number > since and r.text not in texts)


@pytest.fixture(params=range(8))
def mixed(store, request):
    """A hundred messages of any channel, some of them taken back or never delivered, some the same words."""
    rng = random.Random(request.param)
    for number in range(100):
        channel = rng.choice([*Channel, *ASKED * 2])
        lost = channel in ASKED and rng.random() < 0.4
        words = rng.choice(["go on", f"step {number}", "stop\0here"])
        at = rng.choice([None, 1_000 + number, 5_000 - number])
        one = message(f"m{number}", at, channel=channel, text=words, undelivered=lost, withdrawn=rng.random() < 0.1)
        commit(store, one)
    for words in ("go on", "never before"):
        commit(store, message(words, channel=Channel.HUMAN_TYPED, text=words, undelivered=True))
    return store


def test_they_are_what_the_messages_say(mixed):
    """How far a checkpoint is behind, how a session began, and what was typed and never arrived."""
    for after in (0, 40, 101, 102):
        newer = mixed.messages(NAME, after=after)
        turns = sum(record.channel.starts_turn for record in newer)
        oldest = min((record.at for record in newer if record.at is not None), default=None)
        starts = [channel for channel in Channel if channel.starts_turn]
        assert mixed.glances.behind(NAME, after, starts) == (turns, oldest)
    for among in (3, 50):
        asked = mixed.messages(NAME, upto=among, channels=MEMO_CHANNELS)
        first = min(asked, key=lambda record: (not record.in_force, record.number), default=None)
        assert mixed.glances.first_text(NAME, MEMO_CHANNELS, among) == (first.text if first else "")
        assert mixed.glances.undelivered(NAME, ASKED, among) == undelivered(mixed, among)


def test_a_session_that_is_not_recorded_has_nothing(store):
    """As everywhere in the store."""
    assert store.glances.behind("codex:none", 0, ASKED) == (0, None)
    assert store.glances.first_text("codex:none", ASKED, 30) == ""
    assert store.glances.undelivered("codex:none", ASKED, 50) == ()
