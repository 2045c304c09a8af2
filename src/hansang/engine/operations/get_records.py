"""GetRecords: the changes behind a place in a shard."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hansang.engine.operations.stream_access import find_stream, trimmed
from hansang.engine.shapes import RequestShape, Text, Whole, required
from hansang.engine.sql.reader import Reader
from hansang.engine.stream_iterators import HORIZON, Iterator, parsed, written
from hansang.engine.streams import KEPT_SECONDS, read

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

_MOST = 1000
_LARGEST = 1024 * 1024

SHAPE = RequestShape(ShardIterator=required(Text(shortest=1, longest=2048)), Limit=Whole(least=1, most=_MOST))

Found = list[tuple[int, dict[str, Any]]]


def run(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    SHAPE.check(request)
    now = engine.clock()
    place = parsed(request["ShardIterator"], now)
    stream = find_stream(engine, place.arn)
    number, limit, since = stream["number"], request.get("Limit") or _MOST, now - KEPT_SECONDS

    def job(reader: Reader) -> Found:
        found = read(reader, number, engine.region, place.after, limit, since)
        if place.after != HORIZON and place.after < reader.trimmed(number, since):
            raise trimmed()
        return found

    records, after = _page(engine.read(job), place.after)
    response: dict[str, Any] = {"Records": records}
    # A shard that has ended has nothing to go on to once it is read.
    if stream.get("ended") is None or (records and after < stream["last"]):
        response["NextShardIterator"] = written(Iterator(place.arn, after, now))
    return response


def _page(found: Found, after: int) -> tuple[list[dict[str, Any]], int]:
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
