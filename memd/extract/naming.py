"""Whether a message may be about a thing that was named before: a pointer for the reader, on which nothing rests. Pure."""

import re

_WORD = re.compile(r"[^\W\d_]{4,}")
_PAIR = re.compile(r"(?=([\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3]{2}))")
"""Two characters of a script that is written without blanks."""
_ENOUGH = 2
"""Words that a message shares with a longer title."""


def about(text: str, title: str, kind: str) -> bool:
    """Whether a text shares words with a title, or says what kind of thing it is.

    >>> about("Drop the retry queue, please", "Add a retry queue to the uploads", "plan")
    True
    >>> about("Forget the plan.", "Add a retry queue", "plan"), about("Retry the test", "Add a retry queue", "plan")
    (True, False)
    """
    said, named = _words(text), _words(title)
    return kind in said or (bool(named) and len(said & named) >= min(_ENOUGH, len(named)))


def _words(text: str) -> set[str]:
    low = text.casefold()
    return {word.removesuffix("s") for word in _WORD.findall(low) if word[0] < "\u3041"} | set(_PAIR.findall(low))
