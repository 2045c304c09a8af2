"""What the operations on streams share: from an ARN to a stream and its one shard."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hansang.engine.faults import resource_not_found
from hansang.engine.shapes import Text

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

STREAM_ARN = Text(shortest=37, longest=1024)
SHARD_ID = Text(shortest=28, longest=65)


def find_stream(engine: Engine, arn: str) -> dict[str, Any]:
    for stream in engine.catalog().streams:
        if engine.stream_arn(stream["table"], stream["label"]) == arn:
            return stream
    raise resource_not_found(f"Requested resource not found: Stream: {arn} not found")


def shard_id(stream: dict[str, Any]) -> str:
    """The name of a stream's shard, in AWS's form: the time it began and a number."""
    return f"shardId-{int(stream['created'] * 1000):020d}-{stream['number']:08x}"
