"""Modules that are imported when something of them is first asked for.

What reads transcripts is half of all that memd would import, and a command that only looks (`memd status`) reads none.
"""

from importlib import import_module
from typing import Any


class Later:
    """Stands for a module until then; what was once found is found at once."""

    def __init__(self, name: str) -> None:
        self.__name = name

    def __getattr__(self, attribute: str) -> Any:
        value = getattr(import_module(self.__name), attribute)
        setattr(self, attribute, value)
        return value


def later(package: str, *names: str) -> tuple[Any, ...]:
    """Modules of a package."""
    return tuple(Later(f"{package}.{name}") for name in names)
