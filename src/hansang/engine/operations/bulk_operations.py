"""Bulk work on buckets and searches in indexes of vectors: there are none here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hansang.engine.faults import invalid_parameter, resource_not_found
from hansang.engine.operations.restore_shapes import ARN
from hansang.engine.shapes import INDEX_NAME, TABLE_NAME, RequestShape, Struct, Text, Whole, required

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

_BULK = RequestShape(
    TableName=required(TABLE_NAME),
    InputS3Configuration=required(Struct("InputS3Configuration", S3Bucket=required(Text(longest=255)))),
)
_BULK_NAMED = RequestShape(BulkOperationArn=required(ARN))
_SEARCH = RequestShape(
    TableName=required(TABLE_NAME), IndexName=required(INDEX_NAME), TopK=required(Whole(least=1))
)


def listed(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    return {"BulkOperationsSummaryList": []}


def load_items(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    _BULK.check(request)
    engine.catalog().described(request["TableName"])
    raise invalid_parameter(
        f"The bucket {request['InputS3Configuration']['S3Bucket']} cannot be reached from here; "
        "write its items with BatchWriteItem, or import them into a new table with ImportTable"
    )


def absent(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    """What is asked of a bulk operation: there is none."""
    _BULK_NAMED.check(request)
    arn = request["BulkOperationArn"]
    raise resource_not_found(f"Requested resource not found: BulkOperation: {arn} not found")


def search(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    """A search in an index of vectors: no table here has one."""
    _SEARCH.check(request)
    table = engine.catalog().table(request["TableName"])
    table.index(request["IndexName"])
    raise invalid_parameter(f"The index {request['IndexName']} is not a vector index")


def refuse_vectors(request: Mapping[str, Any]) -> None:
    """Refuse an index of vectors for a table."""
    if request.get("VectorIndexes") or request.get("VectorIndexUpdates"):
        raise invalid_parameter("Vector indexes are not supported")
