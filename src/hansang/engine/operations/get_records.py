"""GetRecords: the changes behind a place in a shard."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hansang.engine.operations.stream_access import find_stream
from hansang.engine.shapes import Shape, Text, Whole, required
from hansang.engine.stream_iterators import Iterator, parsed, written
from hansang.engine.streams import KEPT_SECONDS, read

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

_MOST = 1000
_LARGEST = 1024 * 1024

SHAPE = Shape(ShardIterator=required(Text(shortest=1, longest=2048)), Limit=Whole(least=1, most=_MOST))


def run(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    SHAPE.check(request)
    now = engine.clock()
    place = parsed(request["ShardIterator"], now)
    stream = find_stream(engine, place.arn)
    limit = request.get("Limit") or _MOST
    found = engine.read(
        lambda reader: read(reader, stream["number"], engine.region, place.after, limit, now - KEPT_SECONDS)
    )
    records, after = _page(found, place.after)
    response: dict[str, Any] = {"Records": records}
    # A shard that has ended has nothing to go on to once it is read.
    if stream.get("ended") is None or (records and after < stream["last"]):
        response["NextShardIterator"] = written(Iterator(place.arn, after, now))
    return response


def _page(found: list[tuple[int, dict[str, Any]]], after: int) -> tuple[list[dict[str, Any]], int]:
    """As many records as make 1 MB, and the number of the last."""
    records: list[dict[str, Any]] = []
    room = _LARGEST
    for number, record in found:
        room -= record["dynamodb"]["SizeBytes"]
        if room < 0 and records:
            break
        records.append(record)
        after = number
    return records, after
