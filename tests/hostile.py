"""Real rows with anything in any field: what the readers of rows are tried with."""

import copy

VALUES = (
    None,
    True,
    False,
    0,
    -1,
    3,
    1 << 63,
    1 << 200,
    1e308,
    float("inf"),
    float("nan"),
    "",
    "text",
    "\0",
    "\ud83d",
    "😀" * 50,
    "x" * 5_000,
    "[" * 2_000,
    "2026-13-45T99:99:99Z",
    "9999-12-31T23:59:59-23:59",
    [],
    {},
    [[]],
    [None],
    ["text"],
    [{}],
    [{"type": "text"}],
    {"a": {"b": []}},
)
"""What no field expects, in every tool; a tool's own tests add what its fields could be taken in by."""


def spots(value, path=()):
    """Every place in a row."""
    yield path
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from spots(inner, (*path, key))


def mutated(row, rng, others, values=VALUES):
    """A row with one to three of its places replaced, removed or doubled under another name."""
    row = copy.deepcopy(row)
    for _ in range(rng.randint(1, 3)):
        path = rng.choice([path for path in spots(row) if path] or [("type",)])
        holder = row
        for key in path[:-1]:
            holder = holder[key]
        match rng.randrange(4):
            case 0 if isinstance(holder, dict):
                holder.pop(path[-1], None)
            case 1:
                other = rng.choice(others)
                holder[path[-1]] = copy.deepcopy(rng.choice(list(other.values())))
            case _:
                holder[path[-1]] = copy.deepcopy(rng.choice(values))
    return row


def damaged(line, rng):
    """A line with some of its bytes cut, flipped or doubled, three times in ten."""
    data = bytearray(line)
    if rng.random() < 0.3:
        at = rng.randrange(len(data))
        data[at : at + rng.randrange(4)] = rng.choice([b"", b"\0", b"\xff", b'"', b"{", b"}" * 3, data[: at // 2]])
    return bytes(data)
