"""What a source's reader looks up by key: one row each, so that it costs the same however much there is."""

from collections.abc import Iterator, Mapping

from memd.store.database import Database


class Saved(Mapping[str, str]):
    """What is kept for one source, read when it is asked for."""

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
