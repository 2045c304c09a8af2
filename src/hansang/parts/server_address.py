"""Where the server is: noted when it starts, so that commands on the same data can tell."""

from __future__ import annotations

from hansang.clock import Clock
from hansang.design import Database, Entity, Key, Timestamp
from hansang.parts.platform import Platform
from hansang.parts.timestamps import to_whole_second


class ServerAddressKey(Key["ServerAddress"], pk="SERVER", sk="ADDRESS"):
    """The key of the address."""


class ServerAddress(ServerAddressKey, Entity, table=Platform, type="ServerAddress"):
    """The address of the server that was started last."""

    url: str
    started_at: Timestamp


def note_address(database: Database, clock: Clock, url: str) -> None:
    """Keep where the server is."""
    database.put(ServerAddress(url=url, started_at=to_whole_second(clock())))


def find_address(database: Database) -> str | None:
    """Where the server that was started last is; None if none ever was."""
    found = database.find(ServerAddressKey(), consistent=True)
    return None if found is None else found.url
