"""Starting and ending a table's stream."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from hansang.engine.faults import invalid, invalid_parameter
from hansang.engine.store import Writer


def start(writer: Writer, definition: dict[str, Any], specification: Mapping[str, Any], now: float) -> None:
    """Give the table a new stream."""
    view = specification.get("StreamViewType")
    if view is None:
        raise invalid_parameter("StreamSpecification requires StreamViewType when StreamEnabled is true")
    if definition.get("stream"):
        raise invalid(f"Table already has an enabled stream: TableName: {definition['TableName']}")
    number = writer.next_number()
    label = datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3]
    definition["stream"] = {"number": number, "label": label, "view": view}
    description = {
        "number": number,
        "label": label,
        "view": view,
        "table": definition["TableName"],
        "key": definition["KeySchema"],
        "created": now,
        "first": writer.last_sequence() + 1,
    }
    writer.save_stream(number, description)


def end(writer: Writer, definition: dict[str, Any], now: float) -> None:
    """Close the table's stream; what is in it can be read for another day."""
    stream = definition.get("stream")
    if not stream:
        raise invalid(f"Table is not enabled for streaming: TableName: {definition['TableName']}")
    close(writer, stream["number"], now)
    definition["last_stream"] = stream["label"]
    definition["stream"] = None


def close(writer: Writer, number: int, now: float) -> None:
    for description in writer.streams():
        if description["number"] == number:
            writer.save_stream(number, {**description, "ended": now, "last": writer.last_sequence()})


def apply(writer: Writer, definition: dict[str, Any], specification: Mapping[str, Any], now: float) -> None:
    if specification["StreamEnabled"]:
        start(writer, definition, specification, now)
    elif specification.get("StreamViewType") is not None:
        raise invalid_parameter(
            "Table is being created or updated without streams: StreamViewType is not allowed"
        )
    else:
        end(writer, definition, now)
