"""One item that is written to find out whether anything can be written at all."""

from __future__ import annotations

from hansang.design import Database, Entity, Key, Timestamp
from hansang.parts.platform import Platform
from hansang.parts.timestamps import to_whole_second


class WriteProbeKey(Key["WriteProbe"], pk="PROBE", sk="PROBE"):
    """The key of the one that there is."""


class WriteProbe(WriteProbeKey, Entity, table=Platform, type="WriteProbe"):
    """When a server last tried to write."""

    at: Timestamp


def try_to_write(database: Database, now: float) -> None:
    """Write it, or say why nothing can be written."""
    database.put(WriteProbe(at=to_whole_second(now)))
