"""Rows of which nothing is kept go by at once: such a type has no reader, and hides nothing that stands beside it."""

import json

from codex_rows import begin, event, item, meta, read, row

from memd.tools.codex import answers, calls, events, known, parse

REASONING = row("response_item", {"type": "reasoning", "summary": [], "encrypted_content": "x"})


def test_no_type_that_has_a_reader_is_passed_over():
    """What the client keeps for itself, and what is read, are never the same type."""
    assert known.ROWS.isdisjoint(parse._READERS)
    assert known.ITEMS.isdisjoint(answers._READERS)
    assert known.EVENTS.isdisjoint(events._READERS)
    assert known.EVENTS.isdisjoint(calls._AS_ITEMS)


def test_words_behind_a_row_that_is_passed_over_are_read():
    """The client lost the newline between them: the agent's text is there all the same."""
    line = json.dumps(REASONING) + json.dumps(item("Done.", role="assistant"))
    assert read(meta(), line.encode()).said == [("agent.text", "Done.")]


def test_a_torn_row_of_such_a_type_is_counted():
    """It may have held anything."""
    assert read(meta(), json.dumps(REASONING).encode()[:-2]).gaps == [("torn", "a line that is not JSON")]


def test_a_row_that_is_passed_over_lets_a_prompt_wait_on():
    """The event that vouches for an item may come behind it."""
    prompt, vouched = item("Ship it."), event("user_message", message="Ship it.")
    assert read(meta(), begin(), prompt, REASONING, vouched) == read(meta(), begin(), prompt, vouched)
