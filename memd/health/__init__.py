"""From facts to verdicts: is a session's checkpoint healthy, did it reach the model, and what mends what is wrong. Pure."""

from memd.health.verdict import Facts, Health, Reason, Verdict, judge

__all__ = ["Facts", "Health", "Reason", "Verdict", "judge"]
