"""What a reader's state is kept as.

Its text is read and written with every row, so it has to be small however long a session is. What grows with a session (where
each prompt stands) is looked up by key now and then: places, of which only the new ones are written.
"""

import json
from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field


class Places(Struct, frozen=True):
    """What is looked up by key: as JSON, what was saved (a lookup in the record) and what came since.

    A place that is put again is another one from then on; none is taken away.
    """

    saved: Mapping[str, str] = field(default_factory=dict)
    new: Mapping[str, str] = field(default_factory=dict)

    def get(self, key: str) -> Any:
        """What stands at a key; None: nothing does."""
        text = self.new.get(key) or self.saved.get(key)
        return None if text is None else json.loads(text)

    def put(self, key: str, value: Any) -> "Places":
        """The places with one more."""
        return Places(self.saved, {**self.new, key: json.dumps(value, separators=(",", ":"), ensure_ascii=False)})


class Kept(Struct, frozen=True):
    """A reader's state as the record keeps it: the line that is written anew each time, and the places beside it."""

    text: str
    places: Places = field(default_factory=Places)
