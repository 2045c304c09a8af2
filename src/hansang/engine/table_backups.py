"""Backups of single tables: their items in rows of their own, and a document. A deleted table leaves one, as on AWS."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hansang.engine.schema import TableSchema
from hansang.engine.sql import archives, change_logs
from hansang.engine.sql.reader import Reader
from hansang.engine.sql.writer import Writer

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

BACKUP = "backup/"
KEPT_SECONDS = 35 * 24 * 60 * 60
"""For how long a deleted table can be restored."""


def backup_document(
    reader: Reader, definition: Mapping[str, Any], rows: int, name: str, now: float, kind: str
) -> dict[str, Any]:
    """What is known of a backup whose items are in these rows."""
    items, size_bytes = reader.counts(rows)
    return {
        "id": f"{round(now * 1000):014d}-{secrets.token_hex(4)}",
        "name": name,
        "definition": {key: value for key, value in definition.items() if key != "recovery"},
        "rows": rows,
        "items": items,
        "bytes": size_bytes,
        "created": now,
        "type": kind,
    }


def drop_items(writer: Writer, table: TableSchema, now: float) -> None:
    """Drop the items of a table and its log, or give them to a backup, if it could be recovered."""
    recovery = table.definition.get("recovery")
    if recovery and recovery["on"]:
        name = f"{table.name}$DeletedTableBackup"
        document = backup_document(writer, table.definition, table.rows, name, now, "SYSTEM")
        archives.save_document(writer, BACKUP + document["id"], document)
    else:
        writer.drop_rows(table.rows)
    if recovery:
        change_logs.drop_log(writer, recovery["log"])


def drop_expired(engine: Engine) -> None:
    """Delete the backups of tables that were deleted long ago."""
    found = engine.read(lambda reader: archives.documents(reader, BACKUP))
    expired = [
        each
        for each in found.values()
        if each["type"] == "SYSTEM" and each["created"] + KEPT_SECONDS < engine.clock()
    ]
    for document in expired:
        engine.store.write(lambda writer, document=document: drop_backup(writer, document))  # type: ignore[misc]


def drop_backup(writer: Writer, document: Mapping[str, Any]) -> None:
    """Delete a backup and its items, if nobody else has."""
    name = BACKUP + document["id"]
    if archives.find_document(writer, name) is not None:
        archives.delete_document(writer, name)
        writer.drop_rows(document["rows"])
