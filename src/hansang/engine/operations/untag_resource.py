"""UntagResource: take tags from a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hansang.engine.faults import invalid
from hansang.engine.operations.tagging import change_tags
from hansang.engine.shapes import Many, Shape, Text, required

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

SHAPE = Shape(
    ResourceArn=required(Text(shortest=1, longest=1283)),
    TagKeys=required(Many(Text(shortest=1, longest=128))),
)


def run(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    SHAPE.check(request)
    if not request["TagKeys"]:
        raise invalid("Atleast one Tag Key needs to be provided as Input.")

    def remove(tags: dict[str, str]) -> None:
        for key in request["TagKeys"]:
            tags.pop(key, None)

    return change_tags(engine, request, "UntagResource", remove)
