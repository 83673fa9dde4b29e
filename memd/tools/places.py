"""What a reader's state is kept as.

Its text is read and written with every row, so it has to be small however long a session is. What grows with a session (where
each prompt stands) is looked up by key now and then: places, of which only the new ones are written.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct, field, json


class Added(Mapping[str, str]):
    """What was put up to one state.

    States that follow one another share a dictionary, in which each knows its own end: where thousands of prompts are read at
    once, a copy for each took a quarter of the time.
    """

    def __init__(self, shared: dict[str, tuple[int, str]] | None = None, end: int = 0) -> None:
        self._shared = {} if shared is None else shared
        self._end = end

    def __getitem__(self, key: str) -> str:
        text = self.find(key)
        if text is None:
            raise KeyError(key)
        return text

    def __iter__(self) -> Iterator[str]:
        return (key for key, (number, _) in self._shared.items() if number < self._end)

    def __len__(self) -> int:
        return self._end

    def find(self, key: str) -> str | None:
        """What was put for a key; mostly nothing."""
        number, text = self._shared.get(key, (self._end, ""))
        return text if number < self._end else None

    def put(self, key: str, text: str) -> "Added":
        """The same with one more, or with another text for a key; only what is put behind the last one is put in place."""
        shared = self._shared
        if len(shared) != self._end or key in shared:
            shared = {name: (number, old) for number, (name, old) in enumerate(self.items())}
        shared[key] = (shared[key][0] if key in shared else self._end, text)
        return Added(shared, len(shared))


class Places(Struct, frozen=True):
    """What is looked up by key: as JSON, what was saved (a lookup in the record) and what came since.

    A place that is put again is another one from then on; none is taken away.
    """

    saved: Mapping[str, str] = field(default_factory=dict)
    new: Added = field(default_factory=Added)

    def get(self, key: str) -> Any:
        """What stands at a key; None: nothing does."""
        text = self.new.find(key) or self.saved.get(key)
        return None if text is None else json.decode(text)

    def put(self, key: str, value: Any) -> "Places":
        """The places with one more."""
        return Places(self.saved, self.new.put(key, json.encode(value).decode()))


class Kept(Struct, frozen=True):
    """A reader's state as the record keeps it: the line that is written anew each time, and the places beside it."""

    text: str
    places: Places = field(default_factory=Places)
