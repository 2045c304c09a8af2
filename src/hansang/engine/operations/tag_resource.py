"""TagResource: add tags to a table, or change them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hansang.engine import tags
from hansang.engine.faults import invalid
from hansang.engine.operations.tagging import RESOURCE_ARN, change_tags, check_arn
from hansang.engine.shapes import RequestShape, required
from hansang.engine.table_shapes import TAGS

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

SHAPE = RequestShape(ResourceArn=RESOURCE_ARN, Tags=required(TAGS))


def run(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    SHAPE.check(request)
    check_arn(engine, request["ResourceArn"], "TagResource")
    if not request["Tags"]:
        raise invalid("Atleast one Tag needs to be provided as Input.")
    tags.check(request["Tags"])
    added = {tag["Key"]: tag["Value"] for tag in request["Tags"]}
    return change_tags(engine, request["ResourceArn"], lambda kept: kept.update(added))
