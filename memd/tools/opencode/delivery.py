"""From what is known of a part to its envelope: how was this delivered?

A message mixes channels, so it is asked part by part. The client's own marks (`synthetic`, `ignored`, `summary: true`, the
session's parent) demote. Nothing in the database tells a person at the screen from an HTTP client (measured on 1.18.33): only
the plugin's word about the process does, or, for its first prompt, that `opencode run` made the session.
"""

from memd.model import Channel, Delivery, Envelope, Grade, Origin, Wrapper
from memd.provenance import classify

Answer = tuple[Channel, Grade]

SCREEN = "tui"
"""The kind of process in which a person types."""
OWN = "memd-writer"
"""The agent that memd itself runs."""
_TASK = "<task id="


def prompt(*, child: bool, kind: str, run: bool, way: Delivery = Delivery.PROMPT) -> Answer:
    """Words that nothing marks as the client's: the screen's person's, an operator's, or nobody's that could be named."""
    if child:
        return classify(Envelope(Origin.NONE, child=True))
    if kind or run:
        return classify(Envelope(Origin.PERSON, way) if kind == SCREEN else Envelope(Origin.OPERATOR))
    return classify(Envelope(Origin.PERSON, headless=True))


def command(*, child: bool, kind: str) -> Answer:
    """The arguments of a command."""
    if child or kind != SCREEN:
        return prompt(child=child, kind=kind, run=False)
    return classify(Envelope(Origin.PERSON, Delivery.COMMAND))


def shell(*, child: bool, kind: str) -> Answer:
    """A command that somebody ran beside the agent: that it was not the agent is plain, who it was is the plugin's to say."""
    if child or (kind and kind != SCREEN):
        return prompt(child=child, kind=kind, run=False)
    channel = classify(Envelope(Origin.LOCAL, wrapper=Wrapper.SHELL_INPUT))[0]
    return channel, Grade.PROVED if kind else Grade.UNKNOWN


def answer(*, child: bool, kind: str) -> Answer:
    """What was answered to the agent's question."""
    if child or kind != SCREEN:
        return prompt(child=child, kind=kind, run=False)
    return classify(Envelope(Origin.PERSON, Delivery.ANSWER))


def synthetic(text: str) -> Answer:
    """A text that the client marks as its own: of these only the result of a background task is a kind of its own."""
    return classify(Envelope(Origin.JOB if text.lstrip().startswith(_TASK) else Origin.CLIENT))


def client() -> Answer:
    """The client's own text."""
    return classify(Envelope(Origin.CLIENT))


def injection() -> Answer:
    """What memd's plugin put in."""
    return classify(Envelope(Origin.HOOK, wrapper=Wrapper.OWN))


def agent(*, summary: bool) -> Answer:
    """The agent's words, or its summary of what the context held."""
    return classify(Envelope(Origin.AGENT, summary=summary))


def result() -> Answer:
    """A tool's answer."""
    return classify(Envelope(Origin.TOOL))
