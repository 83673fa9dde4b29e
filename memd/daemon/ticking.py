"""The person's boxes, from the command line: decided, and shown in a checkpoint at once."""

from collections.abc import Mapping
from typing import Any

from memd.daemon.pipeline import Pipeline
from memd.model import Tick


def tick(pipeline: Pipeline, name: str, changed: Mapping[str, bool]) -> dict[str, Any]:
    """Decide on boxes, by message number; the number of the checkpoint that has it."""
    pipeline.store.judging.tick(name, [Tick(int(number), bool(box), person=True) for number, box in changed.items()])
    made = pipeline.refresh(name, "edit")
    return {"number": made.number if made else None}
