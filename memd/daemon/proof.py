"""What a transcript shows of an injection becomes proof of its delivery."""

from memd.model import Receipt
from memd.store import Store

SLACK = 1_000
"""Milliseconds by which the client's clock may be behind ours: it is the same machine's."""


def prove(store: Store, session: str, receipt: Receipt, now: int) -> None:
    """A text that a hook read from disk while the daemon was down is known by what stands on it.

    The end mark names session and code. A part without it is taken for the session's own checkpoint of that number,
    if there was one then: the old rows that a fork copies are about its source's.
    """
    origin = receipt.session or session
    given, at = store.checkpoints.get(origin, receipt.number), receipt.at or now
    if given is None or receipt.code not in {None, given.receipt} or given.at > at + SLACK:
        return
    behind = sum(boundary.at is None or boundary.at <= at for boundary in store.boundaries(session))
    store.deliveries.give(
        session,
        given.number,
        given.receipt,
        receipt.parts,
        receipt.hook,
        at,
        compactions=behind,
        origin=origin,
    )
