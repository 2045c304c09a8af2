"""GetShardIterator: a place in a shard from which to read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hansang.engine.faults import invalid, resource_not_found
from hansang.engine.operations.stream_access import SHARD_ID, STREAM_ARN, find_stream, shard_id
from hansang.engine.shapes import Shape, Text, required
from hansang.engine.stream_iterators import Iterator, written
from hansang.engine.streams import KEPT_SECONDS, read
from hansang.errors import WireError

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

SHAPE = Shape(
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
    kind = request["ShardIteratorType"]
    if kind == "TRIM_HORIZON":
        after = stream["first"] - 1
    elif kind == "LATEST":
        after = engine.read(lambda reader: reader.last_sequence())
    else:
        after = _numbered(engine, stream, request)
    place = Iterator(request["StreamArn"], after, engine.clock())
    return {"ShardIterator": written(place)}


def _numbered(engine: Engine, stream: Mapping[str, Any], request: Mapping[str, Any]) -> int:
    given = request.get("SequenceNumber")
    if given is None:
        raise invalid(
            f"Missing SequenceNumber: it is required for ShardIteratorType {request['ShardIteratorType']}"
        )
    number = int(given)
    first: int = stream["first"]
    if not first <= number <= engine.read(lambda reader: reader.last_sequence()):
        raise invalid(f"Invalid SequenceNumber: {given} is not within the range of the shard")
    since = engine.clock() - KEPT_SECONDS
    oldest = engine.read(lambda reader: read(reader, stream["number"], engine.region, 0, 1, since))
    if oldest and number < oldest[0][0]:
        raise WireError(
            "TrimmedDataAccessException",
            "The operation attempted to read past the oldest stream record in a shard.",
        )
    return number - int(request["ShardIteratorType"] == "AT_SEQUENCE_NUMBER")
