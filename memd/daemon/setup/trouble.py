"""The system's errors as one line for a person: what could not be done with which file, and why."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memd.errors import Refused


@contextmanager
def refused(path: Path, what: str) -> Iterator[None]:
    """Raises Refused for an OSError in the block: "<path> cannot be <what>: <reason>"."""
    try:
        yield
    except OSError as error:
        raise Refused(f"{path} cannot be {what}: {error.strerror or error}") from error
