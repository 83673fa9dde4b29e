"""One checkpoint turn: what the writer wrote, what the program adds, and when it is new."""

from factories import SIZER, START, Story

from memd import tokens
from memd.checkpoint import turn
from memd.model import Channel, Parts
from memd.writers.extractive import Extractive


def drafted(story):
    return turn.draft(story.material(), Extractive(), 1)


def test_the_same_record_gives_the_same_digest():
    """No new number is made for nothing; number, time and receipt are not part of it."""
    story = Story()
    story.says("Make it")
    made = drafted(story)
    assert made.digest == drafted(story).digest
    checkpoint, content = turn.number(made, 3, START, "turn", "AB12CD")
    assert (checkpoint.number, checkpoint.upto, content.receipt) == (3, 1, "AB12CD")
    story.says("Stop")
    assert made.digest != drafted(story).digest


def test_the_request_of_a_turn_that_a_machine_followed_has_ended():
    """A notification's turn is not the request's."""
    story = Story()
    story.says("Make it")
    assert drafted(story).content.running
    story.says("<task-notification/>", Channel.BACKGROUND_NOTIFICATION)
    assert not drafted(story).content.running


def test_the_memo_says_whose_words_it_holds():
    """A person's words in the memo are not called the operator's because the last prompt was."""
    story = Story()
    story.says("Make it")
    story.says("Now by the program", Channel.OPERATOR_HEADLESS)
    content = drafted(story).content
    assert (content.operator, content.request.number) == (False, 2)
    alone = Story()
    alone.says("By the program", Channel.OPERATOR_HEADLESS)
    assert drafted(alone).content.operator


def test_sizes_are_counted_part_by_part():
    """Each part of the checkpoint has its own count."""
    story = Story()
    story.says("Make it")
    parts = drafted(story).parts
    sizes = turn.sizes(parts, 99, SIZER)
    assert (sizes.mind, sizes.total) == (SIZER.count(parts.mind), 99)


def test_a_memo_that_is_counted_in_pieces_has_what_it_has_as_a_whole(monkeypatch):
    """To the token: no token spans two entries, whatever they say."""
    rows = [
        "- [x] #1 2026-11-29 22:54Z human.typed | go on",
        "- [ ] #2 time unknown human.typed | 好的 … / //",
        "- [x] #3 \u2028 |",
    ]
    listed = "".join(f"{row}{number} /\n" for number in range(200) for row in rows).encode()
    monkeypatch.setattr(turn, "_AT_ONCE", 500)
    assert tokens.count(listed.decode()) == turn.sizes(Parts("", listed, ""), 0, tokens).memo
