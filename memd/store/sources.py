"""How far each transcript is read, and what its reader keeps beside its state."""

from collections.abc import Iterator, Mapping

from memd.store.database import Database
from memd.store.rows import SourceRow

_ROW = (
    "SELECT o.path, s.id, cursor, reader, unit, size, offset, number, gone_at, o.seen_at, tool, native, parent"
    " FROM source o JOIN session s ON s.row = o.session"
)


class Sources:
    """All of one record; a source is named by its path."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def of(self, path: str) -> SourceRow | None:
        """How far one transcript is read."""
        found = self._db.row(f"{_ROW} WHERE o.path = ?", (path,))
        return SourceRow(*found) if found else None

    def every(self) -> list[SourceRow]:
        """How far each transcript is read, in the order of their paths."""
        return [SourceRow(*row) for row in self._db.rows(f"{_ROW} ORDER BY o.path")]

    def offsets(self, tool: str) -> dict[str, int]:
        """How far each transcript of a tool that is still there is read, in its unit, by path."""
        return dict(self._offsets(tool))

    def paths(self, tool: str) -> Iterator[str]:
        """The transcripts of a tool that are still there, one at a time; nothing may be written meanwhile."""
        return (path for path, _ in self._offsets(tool))

    def _offsets(self, tool: str) -> Iterator[tuple[str, int]]:
        rows = self._db.each(
            "SELECT o.path, o.offset FROM source o JOIN session s ON s.row = o.session"
            " WHERE s.tool = ? AND o.gone_at IS NULL",
            (tool,),
        )
        return ((path, offset) for path, offset in rows)

    def places(self, path: str) -> "Places":
        """What is kept by key for the reader of a transcript, read when it is looked up."""
        return Places(self._db, path)

    def gone(self, path: str, at: int) -> None:
        """Mark a transcript as gone since `at`; the record stays, and a commit from this path takes the mark away."""
        with self._db.transaction() as sql:
            sql.execute("UPDATE source SET gone_at = ifnull(gone_at, ?) WHERE path = ?", (at, path))


class Places(Mapping[str, str]):
    """What is kept by key for one source, one row each: it costs the same however much there is."""

    def __init__(self, database: Database, path: str) -> None:
        self._db = database
        self._path = path

    def __getitem__(self, key: str) -> str:
        found = self._db.row(
            "SELECT value FROM place WHERE source = (SELECT row FROM source WHERE path = ?) AND key = ?",
            (self._path, key),
        )
        if found is None:
            raise KeyError(key)
        return str(found[0])

    def __iter__(self) -> Iterator[str]:
        rows = self._db.rows(
            "SELECT key FROM place WHERE source = (SELECT row FROM source WHERE path = ?)", (self._path,)
        )
        return (key for (key,) in rows)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def whole(self) -> dict[str, str]:
        """All of it at once, for a reader elsewhere."""
        return dict(
            self._db.rows(
                "SELECT key, value FROM place WHERE source = (SELECT row FROM source WHERE path = ?)", (self._path,)
            )
        )
