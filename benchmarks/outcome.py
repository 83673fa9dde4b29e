"""What a benchmark gives back: its document, its own table, and the rows that are judged."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Row:
    """One promise and what was found. `measure` and `target` are in `unit`: times the reference, milliseconds, per cent."""

    what: str
    memd: str
    reference: str
    measure: float
    target: float
    unit: str = "x"

    @property
    def met(self) -> bool:
        return self.measure <= self.target

    def cells(self) -> tuple[str, ...]:
        """As the table shows it."""
        found, most = (f"{value:,.4g} {self.unit}" for value in (self.measure, self.target))
        return self.what, self.memd, self.reference, found, f"<= {most}", "yes" if self.met else "**no**"

    def as_object(self) -> dict[str, Any]:
        """As the JSON file has it."""
        figures = {"measure": round(self.measure, 4), "target": self.target, "unit": self.unit, "met": self.met}
        return {"what": self.what, "memd": self.memd, "reference": self.reference, **figures}


@dataclass(frozen=True, slots=True)
class Outcome:
    """`document` has all that was measured, `lines` are for people; a true `document["wrong"]` is a failure however fast."""

    document: dict[str, Any]
    lines: Sequence[str]
    rows: Sequence[Row] = ()


HEADS = ("what", "memd", "reference", "found", "target", "met")


def markdown(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A table of cells, as lines."""
    widths = [max(len(row[place]) for row in (heads, *rows)) for place in range(len(heads))]
    lines = [" | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in (heads, *rows)]
    bars = "|".join("-" * (width + 2) for width in widths)
    return [f"| {lines[0]} |", f"|{bars}|", *(f"| {line} |" for line in lines[1:])]
