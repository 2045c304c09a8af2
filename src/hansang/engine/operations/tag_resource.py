"""TagResource: add tags to a table, or change them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hansang.engine.faults import invalid
from hansang.engine.operations.tagging import change_tags
from hansang.engine.shapes import Shape, Text, required
from hansang.engine.table_shapes import TAGS

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

SHAPE = Shape(ResourceArn=required(Text(shortest=1, longest=1283)), Tags=required(TAGS))


def run(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    SHAPE.check(request)
    if not request["Tags"]:
        raise invalid("Atleast one Tag needs to be provided as Input.")
    added = {tag["Key"]: tag["Value"] for tag in request["Tags"]}
    return change_tags(engine, request, "TagResource", lambda tags: tags.update(added))
