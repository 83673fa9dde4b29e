"""From facts to verdicts: is a session's checkpoint healthy, did it reach the model, and what mends what is wrong. Pure."""

from memd.health.facts import Facts
from memd.health.verdict import Health, Reason, Verdict, judge

__all__ = ["Facts", "Health", "Reason", "Verdict", "judge"]
