"""What the operations on streams share: from an ARN to a stream and its one shard."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from hansang.engine.faults import invalid, resource_not_found
from hansang.engine.shapes import Text
from hansang.errors import WireError

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

STREAM_ARN = Text(shortest=37, longest=1024)
SHARD_ID = Text(shortest=28, longest=65)

_ARN = re.compile(
    r"arn:aws[a-z-]*:dynamodb:[a-z0-9-]+:[0-9]{12}:table/[a-zA-Z0-9_.-]{1,255}/stream/[0-9T:.-]+"
)


def check_arn(arn: str) -> None:
    if not _ARN.fullmatch(arn):
        raise invalid("Invalid StreamArn")


def find_stream(engine: Engine, arn: str) -> dict[str, Any]:
    check_arn(arn)
    for stream in engine.catalog().streams:
        if engine.stream_arn(stream["table"], stream["label"]) == arn:
            return stream
    raise resource_not_found(f"Requested resource not found: Stream: {arn} not found")


def shard_id(stream: dict[str, Any]) -> str:
    """The name of a stream's shard, in AWS's form: the time it began and a number."""
    return f"shardId-{int(stream['created'] * 1000):020d}-{stream['number']:08x}"


def trimmed() -> WireError:
    return WireError(
        "TrimmedDataAccessException",
        "The operation attempted to read past the oldest stream record in a shard.",
    )
