"""Exports of a table at a moment into a bucket, which is a folder."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from hansang.engine import recovery
from hansang.engine.buckets import NoSuchBucket, failure
from hansang.engine.export_files import moment_text, write_items, write_manifests
from hansang.engine.faults import invalid
from hansang.engine.key_order import EVERYTHING
from hansang.engine.operations.continuous_backups import moment_in, table_of
from hansang.engine.operations.restore_shapes import (
    ARN,
    BUCKET,
    CLIENT_TOKEN,
    EXPORT,
    Moment,
    page,
    with_token,
)
from hansang.engine.schema import TableSchema
from hansang.engine.shapes import RequestShape, Struct, Text, Whole, required
from hansang.engine.sql import archives
from hansang.errors import WireError

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

_PIECE = 500
CREATE = RequestShape(
    TableArn=required(Text(shortest=1, longest=1024)),
    ExportTime=Moment(),
    ClientToken=CLIENT_TOKEN,
    S3Bucket=required(BUCKET),
    S3BucketOwner=Text(pattern="[0-9]{12}"),
    S3Prefix=Text(longest=1024),
    S3SseAlgorithm=Text("AES256", "KMS"),
    S3SseKmsKeyId=Text(shortest=1, longest=2048),
    ExportFormat=Text("DYNAMODB_JSON", "ION"),
    ExportType=Text("FULL_EXPORT", "INCREMENTAL_EXPORT"),
    IncrementalExportSpecification=Struct("IncrementalExportSpecification"),
)
NAMED = RequestShape(ExportArn=required(ARN))
LIST = RequestShape(
    TableArn=Text(shortest=1, longest=1024), MaxResults=Whole(least=1, most=25), NextToken=Text()
)


def create(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    CREATE.check(request)
    table = table_of(engine, request["TableArn"])
    now = engine.clock()
    at = moment_in(table, float(request.get("ExportTime") or now), now)
    engine.buckets.expect_served()
    if request.get("ExportFormat") == "ION" or request.get("ExportType") == "INCREMENTAL_EXPORT":
        raise invalid("Only full exports in the format DYNAMODB_JSON are made here.")
    known = with_token(engine, EXPORT, request)
    if known is not None:
        return {"ExportDescription": _described(known)}
    document = _exported(engine, table, request, now, at)
    engine.store.write(lambda writer: archives.save_document(writer, EXPORT + document["id"], document))
    told = _described(document)
    return {"ExportDescription": told | {"ExportStatus": "IN_PROGRESS"}}


def _exported(
    engine: Engine, table: TableSchema, request: Mapping[str, Any], now: float, at: float
) -> dict[str, Any]:
    name = f"{round(now * 1000):014d}-{secrets.token_hex(4)}"
    start = (request.get("S3Prefix") or "").rstrip("/")
    prefix = f"{start}/AWSDynamoDB/{name}" if start else f"AWSDynamoDB/{name}"
    told = {
        "ExportArn": f"{engine.table_arn(table.name)}/export/{name}",
        "StartTime": now,
        "TableArn": engine.table_arn(table.name),
        "TableId": table.definition["id"],
        "ExportTime": at,
        "ExportFormat": "DYNAMODB_JSON",
        "ExportType": "FULL_EXPORT",
        **{each: request[each] for each in ("ClientToken", "S3Bucket", "S3Prefix") if request.get(each)},
    }
    document = {"id": name, "request": dict(request), "told": told}
    try:
        folder = engine.buckets.path(request["S3Bucket"], prefix)
        with recovery.as_of(engine, table.name, at) as copy:
            items, files = write_items(folder, prefix, _items(engine, copy.rows))
            size_bytes = engine.read(lambda reader: reader.counts(copy.rows))[1]
            told |= {"ItemCount": items, "BilledSizeBytes": size_bytes, "EndTime": engine.clock()}
            told["ExportManifest"] = f"{prefix}/manifest-summary.json"
            write_manifests(folder, files, _summary(told, prefix))
            told["ExportStatus"] = "COMPLETED"
    except (NoSuchBucket, OSError) as reason:
        told |= {"ExportStatus": "FAILED", "EndTime": now} | failure(reason)
    return document


def _items(engine: Engine, rows: int) -> Iterator[bytes]:
    low = EVERYTHING[0]
    while piece := engine.read(lambda reader, low=low: reader.entries(rows, low, EVERYTHING[1], _PIECE)):  # type: ignore[misc]
        yield from (value for _, value, _ in piece)
        low = piece[-1][0] + b"\0"


def _summary(told: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """The manifest of an export."""
    return {
        "version": "2020-06-30",
        "exportArn": told["ExportArn"],
        "startTime": moment_text(told["StartTime"]),
        "endTime": moment_text(told["EndTime"]),
        "tableArn": told["TableArn"],
        "tableId": told["TableId"],
        "exportTime": moment_text(told["ExportTime"]),
        "s3Bucket": told["S3Bucket"],
        "s3Prefix": told.get("S3Prefix"),
        "s3SseAlgorithm": "AES256",
        "s3SseKmsKeyId": None,
        "manifestFilesS3Key": f"{prefix}/manifest-files.json",
        "billedSizeBytes": told["BilledSizeBytes"],
        "itemCount": told["ItemCount"],
        "outputFormat": told["ExportFormat"],
    }


def describe(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    NAMED.check(request)
    arn = request["ExportArn"]
    for document in _exports(engine):
        if document["told"]["ExportArn"] == arn:
            return {"ExportDescription": _described(document)}
    raise WireError("ExportNotFoundException", f"Export not found: {arn}")


def listed(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    LIST.check(request)
    arn = request.get("TableArn")
    found = [each for each in _exports(engine) if arn in (None, each["told"]["TableArn"])]
    shown, more = page(found, request, "MaxResults")
    fields = ("ExportArn", "ExportStatus", "ExportType")
    return {"ExportSummaries": [{name: each["told"][name] for name in fields} for each in shown]} | more


def _exports(engine: Engine) -> list[dict[str, Any]]:
    catalog = engine.catalog()
    found = engine.read(lambda reader: archives.documents(reader, EXPORT)).values()
    return [
        each
        for each in found
        if not catalog.keeps_back({"TableName": each["told"]["TableArn"].rpartition("/")[2]})
    ]


def _described(document: Mapping[str, Any]) -> dict[str, Any]:
    return dict(document["told"])
