"""What the journal tells of a shell line, as the tests say it."""

from memd.extract import risks
from memd.extract.journal import commands


def told(command):
    """Each change as `op target`, with `!` in front where it is hard to take back."""
    hard = "!" if risks.high(command) else ""
    return [f"{hard}{change.op} {change.target}" for change in commands.changes(command, "/srv/work")]
