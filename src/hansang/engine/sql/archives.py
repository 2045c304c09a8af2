"""Documents beside the tables: backups, exports, imports, and work that is not finished yet."""

from __future__ import annotations

from typing import Any

import orjson

from hansang.engine.sql.checksums import sealed, unsealed
from hansang.engine.sql.reader import Reader
from hansang.engine.sql.writer import Writer

SCHEMA = "CREATE TABLE archives (name TEXT PRIMARY KEY, document TEXT NOT NULL) WITHOUT ROWID;"


def save_document(writer: Writer, name: str, document: dict[str, Any]) -> None:
    text = sealed(orjson.dumps(document), name).decode()
    writer.execute("INSERT OR REPLACE INTO archives VALUES (?, ?)", (name, text))


def delete_document(writer: Writer, name: str) -> None:
    writer.execute("DELETE FROM archives WHERE name = ?", (name,))


def find_document(reader: Reader, name: str) -> dict[str, Any] | None:
    sql = "SELECT CAST(document AS BLOB) FROM archives WHERE name = ?"
    found = reader.execute(sql, (name,)).fetchone()
    return None if found is None else orjson.loads(unsealed(found[0], name))


def documents(reader: Reader, kind: str = "") -> dict[str, dict[str, Any]]:
    """All documents whose names begin so, by their names; a file of an older format has none."""
    if reader.execute("SELECT 1 FROM sqlite_schema WHERE name = 'archives'").fetchone() is None:
        return {}
    sql = "SELECT name, CAST(document AS BLOB) FROM archives WHERE name >= ? AND name < ? ORDER BY name"
    found = reader.execute(sql, (kind, kind + "\U0010ffff"))
    return {name: orjson.loads(unsealed(text, name)) for name, text in found.fetchall()}


def archived_rows(reader: Reader) -> set[int]:
    """The rows that belong to a backup or to work, and to no table."""
    found = [document.get("rows", []) for document in documents(reader).values()]
    return {number for rows in found for number in (rows if isinstance(rows, list) else [rows])}
