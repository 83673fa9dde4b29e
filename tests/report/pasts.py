"""A made-up session looked back upon."""

from memd.report.past import Past, recorded


def past(story):
    """What the record has of a story told in `factories.Story`; its words are those of the record."""
    session = story.material().session
    return recorded(Past(session, tuple(story.all), tuple(story.calls), tuple(story.boundaries), {}))
