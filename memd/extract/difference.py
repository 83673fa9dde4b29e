"""What a change of a text comes to in one line. Pure."""

from collections.abc import Sequence


def difference(old: str, new: str) -> tuple[str, str]:
    """The first line that a change took out and the first that it put in; empty where there is none."""
    before, after = old.splitlines(), new.splitlines()
    while before and after and before[0] == after[0]:
        del before[0], after[0]
    while before and after and before[-1] == after[-1]:
        del before[-1], after[-1]
    return _first(before), _first(after)


def _first(lines: Sequence[str]) -> str:
    return next((line.strip() for line in lines if line.strip()), "")
