"""ListTables: the names of the tables, a page at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hansang.engine.shapes import INDEX_NAME, RequestShape, Whole

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

_MOST = 100

SHAPE = RequestShape(ExclusiveStartTableName=INDEX_NAME, Limit=Whole(least=1, most=_MOST))


def run(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    SHAPE.check(request)
    start, limit = request.get("ExclusiveStartTableName") or "", request.get("Limit") or _MOST
    names = [name for name in engine.catalog().names if name > start]
    response: dict[str, Any] = {"TableNames": names[:limit]}
    if len(names) > limit:
        response["LastEvaluatedTableName"] = names[limit - 1]
    return response
