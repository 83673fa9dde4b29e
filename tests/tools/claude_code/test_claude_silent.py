"""Rows of which nothing is kept go by at once: such a type has no reader, and hides nothing that stands beside it."""

import json

from claude_rows import read, typed

from memd.tools.claude_code import known, parse

SNAPSHOT = {"type": "file-history-snapshot", "messageId": "m", "uuid": "s", "parentUuid": None, "snapshot": {}}


def test_no_type_that_has_a_reader_is_passed_over():
    """What the client keeps for itself, and what is read, are never the same type."""
    assert known.ROWS.isdisjoint(parse._READERS)


def test_words_behind_a_row_that_is_passed_over_are_read():
    """The client lost the newline between them: the prompt is the person's all the same."""
    line = json.dumps(SNAPSHOT) + json.dumps(typed("Ship it."))
    assert read(line.encode()).said == [("human.typed", "Ship it.")]


def test_a_torn_row_of_such_a_type_is_counted():
    """It may have held anything."""
    assert read(json.dumps(SNAPSHOT).encode()[:-1]).gaps == [("torn", "a line that is not JSON")]


def test_a_row_that_is_passed_over_changes_nothing():
    """Neither what is known nor where the conversation stands."""
    prompt = typed("Ship it.")
    assert read(prompt, SNAPSHOT) == read(prompt)
