"""The tables that the database began with; what became of them since is in `migrations`. Never edited.

The ids of sessions are long and occur in every row, so the large tables name a session by its row. `delivery` and
`receipt` name it by its id: a hook can ask for a text before the first line of the session's transcript is read.
`message.id` never changes, so that a full text index can refer to it later; `text` is the last column, so that filters on the
others do not read its overflow pages.
"""

RECORDS = (
    """\
CREATE TABLE session (
    row INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    tool TEXT NOT NULL,
    native TEXT NOT NULL,
    parent TEXT,
    path TEXT,
    cwd TEXT,
    title TEXT,
    model TEXT,
    "window" INTEGER,
    version TEXT,
    entrypoint TEXT,
    branch TEXT,
    forked_from TEXT,
    created_at INTEGER,
    last_at INTEGER,
    ended_at INTEGER,
    turn_ended_at INTEGER,
    tokens INTEGER,
    usage_key TEXT,
    messages INTEGER NOT NULL DEFAULT 0,
    compactions INTEGER NOT NULL DEFAULT 0,
    seen_at INTEGER
)""",
    """\
CREATE TABLE source (
    path TEXT PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES session ON DELETE CASCADE,
    cursor TEXT NOT NULL,
    reader TEXT NOT NULL,
    unit TEXT NOT NULL,
    size INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    number INTEGER NOT NULL,
    gone_at INTEGER,
    seen_at INTEGER NOT NULL
)""",
    "CREATE INDEX source_session ON source (session)",
    """\
CREATE TABLE message (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES session ON DELETE CASCADE,
    number INTEGER NOT NULL,
    key TEXT NOT NULL,
    at INTEGER,
    channel TEXT NOT NULL,
    grade TEXT NOT NULL,
    withdrawn INTEGER NOT NULL DEFAULT 0,
    undelivered INTEGER NOT NULL DEFAULT 0,
    copy_of TEXT,
    turn TEXT,
    offset INTEGER NOT NULL,
    length INTEGER NOT NULL,
    extra TEXT,
    text TEXT NOT NULL
)""",
    "CREATE UNIQUE INDEX message_number ON message (session, number)",
    "CREATE UNIQUE INDEX message_key ON message (key, session)",
    """\
CREATE TABLE operation (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES session ON DELETE CASCADE,
    call TEXT NOT NULL,
    number INTEGER NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    at INTEGER,
    ended_at INTEGER,
    state TEXT NOT NULL,
    target TEXT NOT NULL,
    detail TEXT NOT NULL,
    result TEXT NOT NULL,
    UNIQUE (session, call)
)""",
    """\
CREATE TABLE usage (
    session INTEGER NOT NULL REFERENCES session ON DELETE CASCADE,
    key TEXT NOT NULL,
    number INTEGER NOT NULL,
    at INTEGER,
    tokens INTEGER NOT NULL,
    model TEXT,
    PRIMARY KEY (session, key)
) WITHOUT ROWID""",
    """\
CREATE TABLE boundary (
    session INTEGER NOT NULL REFERENCES session ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    key TEXT NOT NULL,
    number INTEGER NOT NULL,
    at INTEGER,
    "trigger" TEXT NOT NULL,
    "before" INTEGER,
    "after" INTEGER,
    PRIMARY KEY (session, ordinal),
    UNIQUE (session, key)
) WITHOUT ROWID""",
    """\
CREATE TABLE gap (
    session INTEGER NOT NULL REFERENCES session ON DELETE CASCADE,
    kind TEXT NOT NULL,
    what TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (session, kind, what)
) WITHOUT ROWID""",
)
CHECKPOINTS = (
    """\
CREATE TABLE checkpoint (
    session INTEGER NOT NULL REFERENCES session ON DELETE CASCADE,
    number INTEGER NOT NULL,
    at INTEGER NOT NULL,
    writer TEXT NOT NULL,
    "trigger" TEXT NOT NULL,
    upto INTEGER NOT NULL,
    receipt TEXT NOT NULL,
    digest TEXT NOT NULL,
    tokens TEXT,
    problems TEXT NOT NULL,
    mind TEXT NOT NULL,
    memo TEXT NOT NULL,
    scene TEXT NOT NULL,
    UNIQUE (session, number)
)""",
    """\
CREATE TABLE delivery (
    id INTEGER PRIMARY KEY,
    session TEXT NOT NULL,
    origin TEXT NOT NULL,
    number INTEGER NOT NULL,
    code TEXT NOT NULL,
    at INTEGER NOT NULL,
    hook TEXT NOT NULL,
    parts INTEGER NOT NULL,
    compactions INTEGER NOT NULL,
    short INTEGER NOT NULL,
    UNIQUE (session, number, code)
)""",
    "CREATE INDEX delivery_origin ON delivery (origin, number)",
    """\
CREATE TABLE receipt (
    id INTEGER PRIMARY KEY,
    session TEXT NOT NULL,
    delivery INTEGER REFERENCES delivery ON DELETE SET NULL,
    number INTEGER NOT NULL,
    part INTEGER NOT NULL,
    parts INTEGER NOT NULL,
    code TEXT NOT NULL,
    at INTEGER,
    named TEXT,
    hook TEXT NOT NULL
)""",
    "CREATE UNIQUE INDEX receipt_once ON receipt (session, number, part, code, ifnull(at, -1), hook)",
    "CREATE INDEX receipt_delivery ON receipt (delivery)",
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
)
