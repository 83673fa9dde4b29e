"""From how an input was delivered to who spoke: `Envelope -> (Channel, Grade)`.

The text is not a parameter, so no words can promote themselves. The rules are read from the top; the first that fits
decides. What only demotes (a summary, a sub-agent's transcript, the client's own flag) comes before what promotes.
"""

from memd.model.channels import Channel, Delivery, Envelope, Grade, Origin, Wrapper

_MACHINE = {
    Origin.AGENT: Channel.AGENT_TEXT,
    Origin.TOOL: Channel.TOOL_RESULT,
    Origin.JOB: Channel.BACKGROUND_NOTIFICATION,
    Origin.SCHEDULE: Channel.BACKGROUND_SCHEDULE,
    Origin.PEER: Channel.BACKGROUND_PEER,
    Origin.QUEUE: Channel.BACKGROUND_QUEUE,
    Origin.GOAL: Channel.BACKGROUND_GOAL,
    Origin.HOOK: Channel.HARNESS_HOOK,
    Origin.INSTRUCTIONS: Channel.HARNESS_INSTRUCTIONS,
    Origin.CLIENT: Channel.HARNESS_META,
}
_PERSON = {
    Delivery.PROMPT: Channel.HUMAN_TYPED,
    Delivery.QUEUED: Channel.HUMAN_QUEUED,
    Delivery.STEERED: Channel.HUMAN_STEERED,
    Delivery.ANSWER: Channel.HUMAN_ANSWER,
    Delivery.COMMAND: Channel.HUMAN_COMMAND,
    Delivery.SUGGESTION: Channel.OPERATOR_HEADLESS,
    Delivery.CONTEXT: Channel.HARNESS_META,
}
_DEMOTED = {
    Wrapper.NOTIFICATION: Channel.BACKGROUND_NOTIFICATION,
    Wrapper.TEAMMATE: Channel.BACKGROUND_PEER,
    Wrapper.HOOK_STOP: Channel.HARNESS_HOOK,
    Wrapper.INSTRUCTIONS: Channel.HARNESS_INSTRUCTIONS,
    Wrapper.OUTPUT: Channel.HARNESS_META,
}

Answer = tuple[Channel, Grade]


def classify(envelope: Envelope) -> Answer:
    """The channel of a delivery and how sure it is."""
    if envelope.summary:
        return Channel.HARNESS_SUMMARY, Grade.PROVED
    if envelope.origin is Origin.HOOK and envelope.wrapper is Wrapper.OWN:
        return Channel.MEMD_INJECTION, Grade.PROVED
    if envelope.origin in _MACHINE:
        return _MACHINE[envelope.origin], Grade.PROVED
    if envelope.meta:
        return Channel.HARNESS_META, Grade.PROVED
    if envelope.child:
        return Channel.BACKGROUND_PEER, Grade.PROVED
    if envelope.origin is Origin.LOCAL:
        return _local(envelope)
    if envelope.origin is Origin.NONE:
        return _unstated(envelope)
    return _prompt(envelope)


def _local(envelope: Envelope) -> Answer:
    """What the client ran at somebody's keyboard: only its tag tells a command from its output."""
    if envelope.wrapper not in {Wrapper.COMMAND, Wrapper.SHELL_INPUT}:
        return Channel.HARNESS_META, Grade.PROVED
    if envelope.headless:
        return Channel.OPERATOR_HEADLESS, Grade.UNKNOWN
    if envelope.wrapper is Wrapper.SHELL_INPUT:
        return Channel.HUMAN_SHELL, Grade.INFERRED
    return Channel.HUMAN_COMMAND, Grade.INFERRED


def _unstated(envelope: Envelope) -> Answer:
    """An old client: a machine tag demotes, the prompt history lifts, else nothing tells."""
    if envelope.wrapper in _DEMOTED:
        return _DEMOTED[envelope.wrapper], Grade.INFERRED
    if not envelope.witness:
        return Channel.UNATTRIBUTED, Grade.UNKNOWN
    if envelope.wrapper is Wrapper.SHELL_INPUT:
        return Channel.HUMAN_SHELL, Grade.INFERRED
    return _PERSON[envelope.delivery], Grade.INFERRED


def _prompt(envelope: Envelope) -> Answer:
    """A prompt whose origin is stated: a person at the client's own screen, or whoever runs it without one."""
    if envelope.origin is Origin.OPERATOR:
        trusted = envelope.trusted
        return (Channel.HUMAN_TYPED, Grade.INFERRED) if trusted else (Channel.OPERATOR_HEADLESS, Grade.PROVED)
    if envelope.claimed or envelope.headless:
        trusted = envelope.trusted
        return (Channel.HUMAN_TYPED, Grade.INFERRED) if trusted else (Channel.OPERATOR_HEADLESS, Grade.UNKNOWN)
    return _PERSON[envelope.delivery], Grade.PROVED
