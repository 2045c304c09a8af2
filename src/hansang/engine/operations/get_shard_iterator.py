"""GetShardIterator: a place in a shard from which to read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hansang.engine.faults import invalid, resource_not_found
from hansang.engine.operations.stream_access import SHARD_ID, STREAM_ARN, find_stream, shard_id, trimmed
from hansang.engine.shapes import RequestShape, Text, required
from hansang.engine.sql.reader import Reader
from hansang.engine.stream_iterators import HORIZON, Iterator, written
from hansang.engine.streams import KEPT_SECONDS

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

SHAPE = RequestShape(
    StreamArn=required(STREAM_ARN),
    ShardId=required(SHARD_ID),
    ShardIteratorType=required(Text("TRIM_HORIZON", "LATEST", "AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER")),
    SequenceNumber=Text(shortest=21, longest=40, pattern="[0-9]+"),
)


def run(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    SHAPE.check(request)
    stream = find_stream(engine, request["StreamArn"])
    if request["ShardId"] != shard_id(stream):
        raise resource_not_found(f"Requested resource not found: Shard does not exist: {request['ShardId']}")
    kind, now = request["ShardIteratorType"], engine.clock()
    number = _number(kind, request.get("SequenceNumber"))
    if number is not None:
        since = now - KEPT_SECONDS
        engine.read(lambda reader: _check_place(reader, stream, number, since))
        after = number - 1 if kind == "AT_SEQUENCE_NUMBER" else number
    elif kind == "LATEST":
        after = engine.read(lambda reader: reader.last_sequence())
    else:
        after = HORIZON
    return {"ShardIterator": written(Iterator(request["StreamArn"], after, now))}


def _number(kind: str, given: str | None) -> int | None:
    if kind.endswith("_SEQUENCE_NUMBER"):
        if given is None:
            raise invalid(f"Missing SequenceNumber: it is required for ShardIteratorType {kind}")
        return int(given)
    if given is not None:
        raise invalid(f"Invalid SequenceNumber: it cannot be given for ShardIteratorType {kind}")
    return None


def _check_place(reader: Reader, stream: Mapping[str, Any], number: int, since: float) -> None:
    last = reader.last_sequence() if stream.get("ended") is None else stream["last"]
    if not stream["first"] <= number <= last:
        raise invalid(f"Invalid SequenceNumber: {number:021d} is not within the range of the shard")
    if number <= reader.trimmed(stream["number"], since):
        raise trimmed()
