"""Keys as they are kept: a number of 64 bits in place of the tool's own words, which are long and never read again.

Two keys of a session with 100,000 entries have one number in one of three billion such sessions.
"""

from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b


@lru_cache(4_096)  # of a key it is always the same; each is asked for two or three times in a commit
def hashed(key: str) -> int:
    """The number of a key; on disk for ever, so never changed."""
    return int.from_bytes(blake2b(key.encode(), digest_size=8).digest(), "little", signed=True)


def of(keys: Iterable[str]) -> dict[int, str]:
    """Keys by their numbers."""
    return {hashed(key): key for key in keys}
