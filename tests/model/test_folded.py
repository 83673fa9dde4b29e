"""Messages of long ago: folded together, and as they were."""

import tracemalloc

from msgspec.structs import replace

from memd.model import Channel, Grade, Record, Source
from memd.model.folded import SIZE, folded

WORDS = "then look at the queue's cursor – what it holds when the store is closed, and why; step "


def prompts(count):
    """So many of 200 characters, each of its own objects."""
    return [
        Record(
            number,
            10**17 + number,
            1_795_990_000_000 + number,
            Channel.HUMAN_TYPED,
            Grade.PROVED,
            f"{WORDS * 2}{number}",
            Source(1_000_000 + number, 700 + number),
        )
        for number in range(1_000, 1_000 + count)
    ]


def test_a_folded_message_is_what_it_was():
    """Its text, its key and its place too, in any order, and in a copy of it."""
    plain = prompts(SIZE * 6)
    found = [one for start in range(0, len(plain), SIZE) for one in folded(plain[start : start + SIZE])]
    for was, now in reversed([*zip(plain, found, strict=True)]):
        assert [getattr(was, name) for name in Record.__struct_fields__] == [
            getattr(now, name) for name in Record.__struct_fields__
        ]
        assert hash(was) == hash(now)
        assert was.text == replace(now, number=0, copy_of="x#1").text


def test_a_folded_message_takes_little():
    """Under half of what it takes as it is."""
    plain, now = measured(lambda: prompts(SIZE * 20)), measured(lambda: folding(SIZE * 20))
    assert now < plain / 2


def folding(count):
    """The same, folded one by one."""
    return [one for _ in range(0, count, SIZE) for one in folded(prompts(SIZE))]


def measured(make):
    """Bytes that are held by what was made."""
    tracemalloc.start()
    try:
        made = make()
        held, _ = tracemalloc.get_traced_memory()
        assert made
        return held
    finally:
        tracemalloc.stop()
