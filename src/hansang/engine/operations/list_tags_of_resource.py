"""ListTagsOfResource: the tags of a table, ten at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hansang.engine.faults import invalid
from hansang.engine.operations.tagging import tagged_table
from hansang.engine.shapes import Shape, Text, required

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

_PAGE = 10

SHAPE = Shape(ResourceArn=required(Text(shortest=1, longest=1283)), NextToken=Text())


def run(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    SHAPE.check(request)
    table = tagged_table(engine, request["ResourceArn"], "ListTagsOfResource")
    tags = [{"Key": key, "Value": value} for key, value in sorted(table.definition["tags"].items())]
    start = _start(request.get("NextToken"))
    response: dict[str, Any] = {"Tags": tags[start : start + _PAGE]}
    if start + _PAGE < len(tags):
        response["NextToken"] = str(start + _PAGE)
    return response


def _start(token: str | None) -> int:
    if token is None:
        return 0
    if not (token.isascii() and token.isdigit() and len(token) < 6):
        raise invalid("Invalid NextToken")
    return int(token)
