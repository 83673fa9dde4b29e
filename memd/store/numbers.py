"""The three large tables since the fourteenth step: name, shape, rows from the one before, and indexes of each. Never edited.

`text` and `said` are the last columns, so that filters on the others do not read their overflow pages.
"""

_CHANNELS = (
    "tool.result agent.text human.typed human.queued human.steered human.answer human.command human.shell operator.headless"
    " background.notification background.schedule background.peer background.queue background.goal harness.meta harness.hook"
    " harness.instructions harness.summary memd.injection unattributed"
)
_KINDS = "command read edit create search web tasks ask plan agent skill schedule stop server other"


def _number(column: str, words: str) -> str:
    """A word's place in a list."""
    cases = (f"WHEN '{word}' THEN {place}" for place, word in enumerate(words.split()))
    return f"CASE {column} {' '.join(cases)} END"


_MESSAGE = (
    "message",
    (
        "CREATE TABLE message (id INTEGER PRIMARY KEY, session INTEGER NOT NULL REFERENCES session ON DELETE CASCADE,"
        " number INTEGER NOT NULL, key INTEGER NOT NULL, at INTEGER, channel INTEGER NOT NULL, grade INTEGER NOT NULL,"
        " withdrawn INTEGER NOT NULL DEFAULT 0, undelivered INTEGER NOT NULL DEFAULT 0, offset INTEGER NOT NULL,"
        " length INTEGER NOT NULL, copy_of TEXT, turn TEXT, extra TEXT, pack INTEGER, text TEXT NOT NULL)"
    ),
    (
        "INSERT INTO message SELECT id, session, number, hashed(key), at,"  # noqa: S608 - constants
        f" {_number('channel', _CHANNELS)}, {_number('grade', 'proved inferred unknown')}, withdrawn, undelivered, offset,"
        " length, copy_of, turn, extra, pack, text FROM message_by_words"
    ),
    (
        "CREATE UNIQUE INDEX message_number ON message (session, number)",
        "CREATE UNIQUE INDEX message_key ON message (key, session)",
        "CREATE INDEX message_copy ON message (session, number) WHERE copy_of IS NOT NULL",
    ),
)
_OPERATION = (
    "operation",
    (
        "CREATE TABLE operation (id INTEGER PRIMARY KEY, session INTEGER NOT NULL REFERENCES session ON DELETE CASCADE,"
        " key INTEGER NOT NULL, number INTEGER NOT NULL, kind INTEGER NOT NULL, state INTEGER NOT NULL, at INTEGER,"
        " ended_at INTEGER, journalled INTEGER NOT NULL DEFAULT 0, file INTEGER, answer INTEGER, pack INTEGER, slot INTEGER,"
        " said TEXT)"
    ),
    (
        "INSERT INTO operation SELECT id, session, hashed(call), number,"  # noqa: S608 - constants
        f" {_number('kind', _KINDS)}, {_number('state', 'done failed running background refused interrupted')}, at, ended_at,"
        " journalled, CASE WHEN kind IN ('read', 'edit', 'create') THEN hashed(target) END,"
        " CASE substr(result, 1, 1) WHEN char(1) THEN CAST(substr(result, 2) AS INTEGER) END, NULL, NULL,"
        " said(call, name, target, detail, result) FROM operation_by_words"
    ),
    (
        "CREATE UNIQUE INDEX operation_key ON operation (session, key)",
        "CREATE INDEX operation_session ON operation (session)",
        "CREATE INDEX operation_kind ON operation (session, kind)",
        "CREATE INDEX operation_file ON operation (session, file) WHERE file IS NOT NULL",
        "CREATE INDEX operation_pending ON operation (session) WHERE journalled = 0",
        "CREATE INDEX operation_loose ON operation (session) WHERE pack IS NULL",
    ),
)
_USAGE = (
    "usage",
    (
        "CREATE TABLE usage (session INTEGER NOT NULL REFERENCES session ON DELETE CASCADE, key INTEGER NOT NULL,"
        " number INTEGER NOT NULL, at INTEGER, tokens INTEGER NOT NULL, PRIMARY KEY (session, key)) WITHOUT ROWID"
    ),
    "INSERT INTO usage SELECT session, hashed(key), number, at, tokens FROM usage_by_words",
    (),
)
NUMBERS = (_MESSAGE, _OPERATION, _USAGE)
