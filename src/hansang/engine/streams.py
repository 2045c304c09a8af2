"""Streams: the changes of a table's items, in order, kept for a day."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from hansang.engine.schema import Stream, TableSchema
from hansang.engine.sql.reader import Reader
from hansang.engine.sql.writer import Writer
from hansang.engine.values import item_size

if TYPE_CHECKING:
    from hansang.engine.writes import StoredChange

KEPT_SECONDS = 24 * 60 * 60
VIEWS = ("NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES", "KEYS_ONLY")

_SERVICE = {"PrincipalId": "dynamodb.amazonaws.com", "Type": "Service"}
TRIMMED_AT_ONCE = 1000


def sequence_number(number: int) -> str:
    """A record's number as DynamoDB writes it: at least 21 digits, sorting as the numbers do."""
    return f"{number:021d}"


def record(writer: Writer, table: TableSchema, stream: Stream, change: StoredChange, now: float) -> None:
    """Append the record of one change."""
    number = writer.next_sequence()
    images = _images(stream, change)
    keys = table.key.pick(change.new if change.new is not None else _old(change))
    document = {
        "eventID": f"{stream.number:08x}{number:024x}",
        "eventName": "INSERT" if change.old is None else "REMOVE" if change.new is None else "MODIFY",
        "eventVersion": "1.1",
        "eventSource": "aws:dynamodb",
        "dynamodb": {
            "ApproximateCreationDateTime": int(now),
            "Keys": keys,
            **images,
            "SequenceNumber": sequence_number(number),
            "SizeBytes": item_size(keys) + sum(map(item_size, images.values())),
            "StreamViewType": stream.view,
        },
    }
    if change.by_service:
        document["userIdentity"] = _SERVICE
    writer.append_record(stream.number, number, now, orjson.dumps(document))


def _old(change: StoredChange) -> dict[str, Any]:
    assert change.old is not None
    return change.old.item


def _images(stream: Stream, change: StoredChange) -> dict[str, Any]:
    images = {}
    if change.new is not None and stream.view in ("NEW_IMAGE", "NEW_AND_OLD_IMAGES"):
        images["NewImage"] = change.new
    if change.old is not None and stream.view in ("OLD_IMAGE", "NEW_AND_OLD_IMAGES"):
        images["OldImage"] = change.old.item
    return images


def read(
    reader: Reader, stream: int, region: str, after: int, limit: int, since: float
) -> list[tuple[int, dict[str, Any]]]:
    """Records behind a place in the stream, with their numbers; what is older than a day is gone."""
    return [
        (number, {**orjson.loads(text), "awsRegion": region})
        for number, text in reader.records(stream, after, since, limit)
    ]


def trim(writer: Writer, now: float) -> int:
    """Delete records that are older than a day, and streams that ended that long ago."""
    gone = 0
    for description in writer.streams():
        number = description["number"]
        gone += writer.trim_records(number, now - KEPT_SECONDS, TRIMMED_AT_ONCE)
        ended = description.get("ended")
        if ended is not None and ended < now - KEPT_SECONDS:
            writer.delete_stream(number)
    return gone
