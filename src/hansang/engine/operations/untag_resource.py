"""UntagResource: take tags from a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hansang.engine import tags
from hansang.engine.faults import invalid
from hansang.engine.operations.tagging import RESOURCE_ARN, change_tags, check_arn
from hansang.engine.shapes import Many, RequestShape, Text, required

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

SHAPE = RequestShape(ResourceArn=RESOURCE_ARN, TagKeys=required(Many(Text())))


def run(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    SHAPE.check(request)
    check_arn(engine, request["ResourceArn"], "UntagResource")
    if not request["TagKeys"]:
        raise invalid("Atleast one Tag Key needs to be provided as Input.")
    tags.check_keys(request["TagKeys"])

    def remove(kept: dict[str, str]) -> None:
        for key in request["TagKeys"]:
            kept.pop(key, None)

    return change_tags(engine, request["ResourceArn"], remove)
