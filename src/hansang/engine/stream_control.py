"""Starting and ending a table's stream."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from hansang.engine.faults import invalid, invalid_parameter
from hansang.engine.sql.writer import Writer


def check_new(specification: Mapping[str, Any] | None) -> None:
    """The stream that a table is made with, or without."""
    if specification is None:
        return
    has_view = specification.get("StreamViewType") is not None
    if specification["StreamEnabled"] and not has_view:
        raise invalid_parameter("Table is being created with a stream enabled, UpdateViewType is required")
    if has_view and not specification["StreamEnabled"]:
        raise invalid_parameter(
            "Table is being created with a stream disabled, UpdateViewType should not be specified"
        )


def check_change(specification: Mapping[str, Any] | None) -> None:
    """The stream that a table is to get, or to lose."""
    if specification is None:
        return
    has_view = specification.get("StreamViewType") is not None
    if specification["StreamEnabled"] and not has_view:
        raise invalid_parameter("If stream is being enabled then UpdateViewType is required")
    if has_view and not specification["StreamEnabled"]:
        raise invalid_parameter("If stream is being disabled, then UpdateViewType must not be specified")


def change(writer: Writer, definition: dict[str, Any], specification: Mapping[str, Any], now: float) -> None:
    if specification["StreamEnabled"]:
        start(writer, definition, specification["StreamViewType"], now)
    else:
        _end(writer, definition, now)


def start(writer: Writer, definition: dict[str, Any], view: str, now: float) -> None:
    """Give the table a new stream."""
    if definition.get("stream"):
        raise invalid(f"Table already has an enabled stream: TableName: {definition['TableName']}")
    number = writer.next_number()
    label = _label(writer, definition["TableName"], now)
    definition["stream"] = {"number": number, "label": label, "view": view}
    description = {
        "number": number,
        "label": label,
        "view": view,
        "table": definition["TableName"],
        "key": definition["KeySchema"],
        "created": now,
        "first": writer.next_sequence(),
    }
    writer.save_stream(number, description)


def _label(writer: Writer, table: str, now: float) -> str:
    """The time, to the millisecond; a stream of the table that has it already keeps it."""
    taken = {stream["label"] for stream in writer.streams() if stream["table"] == table}
    moment = datetime.fromtimestamp(now, UTC)
    while (label := moment.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3]) in taken:
        moment += timedelta(milliseconds=1)
    return label


def _end(writer: Writer, definition: dict[str, Any], now: float) -> None:
    """Close the table's stream; what is in it can be read for another day."""
    stream = definition.get("stream")
    if not stream:
        raise invalid(f"Table has no stream to disable: TableName: {definition['TableName']}")
    close(writer, stream["number"], now)
    definition["last_stream"] = stream["label"]
    definition["stream"] = None


def close(writer: Writer, number: int, now: float) -> None:
    for description in writer.streams():
        if description["number"] == number:
            writer.save_stream(number, {**description, "ended": now, "last": writer.last_sequence()})
