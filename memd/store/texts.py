"""JSON as it is kept."""

import json
from typing import Any


def compact(value: Any) -> str:
    """JSON without blanks, letters of all scripts as they are."""
    return json.dumps(
        value if isinstance(value, dict | list) else dict(value), ensure_ascii=False, separators=(",", ":")
    )
