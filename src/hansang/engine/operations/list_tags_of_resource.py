"""ListTagsOfResource: the tags of a table, all of them at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hansang.engine.faults import invalid
from hansang.engine.operations.tagging import RESOURCE_ARN, check_arn, tagged_table
from hansang.engine.shapes import RequestShape, Text

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

SHAPE = RequestShape(ResourceArn=RESOURCE_ARN, NextToken=Text())


def run(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    SHAPE.check(request)
    check_arn(engine, request["ResourceArn"], "ListTagsOfResource")
    table = tagged_table(engine, request["ResourceArn"])
    if request.get("NextToken") is not None:
        raise invalid("Invalid NextToken")
    tags = table.definition["tags"]
    return {"Tags": [{"Key": key, "Value": value} for key, value in sorted(tags.items())]}
