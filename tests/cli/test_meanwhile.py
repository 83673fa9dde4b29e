"""What another program is asked for while a command goes on."""

import threading

import pytest

from memd.cli.common import meanwhile


def test_it_is_asked_at_once_and_once():
    """Before anybody waits for the answer."""
    asked = []
    begun = threading.Event()
    answer = meanwhile(lambda: begun.set() or asked.append(threading.current_thread()) or 7)
    assert begun.wait(10)
    assert (answer(), answer(), len(asked)) == (7, 7, 1)
    assert asked != [threading.current_thread()]


def test_what_fails_is_raised_where_the_answer_is_wanted(capfd):
    """And says nothing before."""

    def ask():
        raise OSError("no such program")

    answer = meanwhile(ask)
    with pytest.raises(OSError, match="no such program"):
        answer()
    assert capfd.readouterr() == ("", "")
