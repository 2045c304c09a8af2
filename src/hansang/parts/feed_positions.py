"""How far somebody has followed the stream of a table, so that it goes on there."""

from __future__ import annotations

from hansang.design import Database, Entity, Key
from hansang.parts.platform import Platform


class FeedPositionKey(Key["FeedPosition"], pk="FEED#{name}", sk="POSITION"):
    """The key of a position: the name of whoever follows."""

    name: str


class FeedPosition(FeedPositionKey, Entity, table=Platform, type="FeedPosition"):
    """The last change of each shard that was dealt with."""

    shards: dict[str, str]


ACCEPTED = {"FeedPosition H205": "The shards of one stream."}
"""What the review finds and the design accepts, with the reason."""


def position_of(database: Database, name: str) -> dict[str, str] | None:
    """Where somebody is, None before the first change."""
    found = database.find(FeedPositionKey(name=name), consistent=True)
    return None if found is None else found.shards


def keep_position(database: Database, name: str, shards: dict[str, str]) -> None:
    """Note that everything up to there is dealt with."""
    database.put(FeedPosition(name=name, shards=shards))
