"""What a citation may rest on, and the consent guard: whose words stand behind a statement, shown beside it.

Agreements, authorisations and missions rest on a person's words of grade proved or inferred. In a session that has none, on
the operator's prompts, always named so. Nothing rests on a machine's text or on what was taken back.
"""

from collections.abc import Iterable, Mapping

from msgspec import Struct, field

from memd.checkpoint.memo import bare
from memd.checkpoint.mind import Bullet
from memd.extract.asked import known
from memd.model import Channel, Record
from memd.model.text import quote

FIRST_WORDS = 60
"""Characters of a cited message that stand beside a statement."""
SHOWN = 2
"""So many cited messages are quoted beside one statement."""
_SHOWS = frozenset(
    {Channel.TOOL_RESULT, Channel.BACKGROUND_NOTIFICATION, Channel.HUMAN_SHELL, Channel.OPERATOR_HEADLESS}
)
"""Beside the person's words, what can show that a mission is done."""


class Evidence(Struct, frozen=True):
    """What is recorded of one session, as far as citations go.

    Attributes:
        said: every entry that can start a turn, by number.
        channels: the channel of every entry that is in force, by number.
        before: `<session>#n` of what a fork was told before it.
    """

    said: Mapping[int, Record]
    channels: Mapping[int, Channel] = field(default_factory=dict)
    before: frozenset[str] = frozenset()

    @property
    def person(self) -> bool:
        """Whether any words here are known to be a person's."""
        return any(known(record) and record.in_force for record in self.said.values())

    def binds(self, number: int) -> bool:
        """Whether an agreement may rest on this message."""
        record = self.said.get(number)
        if record is None or not record.in_force:
            return False
        return known(record) or (record.channel is Channel.OPERATOR_HEADLESS and not self.person)

    def turns(self, number: int, after: int) -> bool:
        """Whether this message can take back or replace what one before it said: it binds, is later, and says something."""
        return number > after and self.binds(number) and not bare(self.said[number])

    def shows(self, number: int) -> bool:
        """Whether this message can show that something is done."""
        return self.binds(number) or self.channels.get(number) in _SHOWS

    def fault(self, bullet: Bullet) -> str:
        """What is wrong with the messages that a statement cites; "" when they carry it."""
        faults = [why for number in bullet.cites if (why := self._why_not(number))]
        if not faults and self._operators(bullet.cites) and "operator" not in bullet.text.lower():
            faults = ["it rests on the operator's prompt (headless) and does not name the operator"]
        return "; ".join(faults)

    def _why_not(self, number: int) -> str:
        record = self.said.get(number)
        if record is not None and not record.in_force:
            return f"#{number} was withdrawn" if record.withdrawn else f"#{number} was never delivered"
        if self.binds(number):
            return ""
        channel = record.channel if record is not None else self.channels.get(number)
        return (
            f"there is no message #{number}" if channel is None else f"#{number} is not the person's ({channel.value})"
        )

    def _operators(self, numbers: Iterable[int]) -> bool:
        cited = [self.said[number] for number in numbers if number in self.said]
        return bool(cited) and all(record.channel is Channel.OPERATOR_HEADLESS for record in cited)

    def beside(self, bullet: Bullet) -> str:
        """The first words of the cited messages, for showing; "" where the statement quotes them itself."""
        shown = [self.said[number] for number in bullet.cites if number in self.said][:SHOWN]
        return "; ".join(told for record in shown if (told := _words(record, bullet.text)))


def _words(record: Record, text: str) -> str:
    if record.withdrawn:
        return f"#{record.number} was withdrawn since"
    quoted = quote(record.text, FIRST_WORDS)
    return "" if not record.text.strip() or quoted[1:-2] in text else f"#{record.number}: {quoted}"
