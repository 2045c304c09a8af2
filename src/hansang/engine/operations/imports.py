"""Imports of a bucket, which is a folder, into a new table."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

import orjson

from hansang.engine import recovery
from hansang.engine.actions import plan_put
from hansang.engine.backfill import retried
from hansang.engine.buckets import NoSuchBucket, failure
from hansang.engine.faults import invalid, resource_in_use
from hansang.engine.import_files import Candidate, ImportFormat
from hansang.engine.operations import create_table
from hansang.engine.operations.restore_shapes import ARN, BUCKET, CLIENT_TOKEN, IMPORT, page, with_token
from hansang.engine.restoring import INDEXES, publish
from hansang.engine.schema import TableSchema, compiled
from hansang.engine.shapes import ITEM, Many, RequestShape, Struct, Text, Whole, required
from hansang.engine.sql import archives
from hansang.engine.sql.writer import Writer
from hansang.engine.table_rules import check_new_table
from hansang.errors import WireError

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

_PIECE = 500
_TABLE = (
    "TableName",
    "AttributeDefinitions",
    "KeySchema",
    "BillingMode",
    "ProvisionedThroughput",
    "OnDemandThroughput",
    "GlobalSecondaryIndexes",
)
CREATE = RequestShape(
    ClientToken=CLIENT_TOKEN,
    S3BucketSource=required(
        Struct(
            "S3BucketSource", S3BucketOwner=Text(), S3Bucket=required(BUCKET), S3KeyPrefix=Text(longest=1024)
        )
    ),
    InputFormat=required(Text("DYNAMODB_JSON", "ION", "CSV")),
    InputFormatOptions=Struct(
        "InputFormatOptions",
        Csv=Struct(
            "CsvOptions",
            Delimiter=Text(shortest=1, longest=1, pattern="[,;:|\t ]"),
            HeaderList=Many(Text(shortest=1, longest=65536), fewest=1, most=255),
        ),
    ),
    InputCompressionType=Text("GZIP", "ZSTD", "NONE"),
    TableCreationParameters=required(
        Struct(
            "TableCreationParameters",
            **{name: create_table.SHAPE.fields[name] for name in _TABLE},
            SSESpecification=Struct("SSESpecification"),
        )
    ),
)
NAMED = RequestShape(ImportArn=required(ARN))
LIST = RequestShape(
    TableArn=Text(shortest=1, longest=1024), PageSize=Whole(least=1, most=25), NextToken=Text()
)
_ITEM = RequestShape(Item=required(ITEM))


def create(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    CREATE.check(request)
    given = request["TableCreationParameters"]
    plan = {"BillingMode": "PROVISIONED"} | {name: given[name] for name in _TABLE if given.get(name)}
    check_new_table(plan)
    engine.buckets.expect_served()
    if request["InputFormat"] == "ION" or request.get("InputCompressionType") == "ZSTD":
        raise invalid("Only DYNAMODB_JSON and CSV are read here, plain or with GZIP.")
    known = with_token(engine, IMPORT, request)
    if known is not None:
        return {"ImportTableDescription": dict(known["told"])}
    catalog = engine.catalog()
    catalog.expect_served(plan)
    if catalog.find(plan["TableName"]) is not None:
        raise resource_in_use(f"Table already exists: {plan['TableName']}")
    document = _imported(engine, request, plan)
    engine.store.write(lambda writer: archives.save_document(writer, IMPORT + document["id"], document))
    return {"ImportTableDescription": document["told"] | {"ImportStatus": "IN_PROGRESS"}}


def _imported(engine: Engine, request: Mapping[str, Any], plan: dict[str, Any]) -> dict[str, Any]:
    now, source = engine.clock(), request["S3BucketSource"]
    name = f"{round(now * 1000):014d}-{secrets.token_hex(4)}"
    arn = engine.table_arn(plan["TableName"])
    told = {
        "ImportArn": f"{arn}/import/{name}",
        "TableArn": arn,
        "StartTime": now,
        "InputCompressionType": "NONE",
        **{each: value for each, value in request.items() if value is not None},
    }
    tally = Tally()
    try:
        files = list(engine.buckets.objects(source["S3Bucket"], source.get("S3KeyPrefix") or ""))
        tally.size_bytes = sum(each.stat().st_size for each in files)
        kinds = {each["AttributeName"]: each["AttributeType"] for each in plan["AttributeDefinitions"]}
        format_ = ImportFormat(request, kinds)
        with recovery.of_nothing(engine, plan["TableName"]) as copy:
            # What an index refuses of an item, the import refuses too.
            table = compiled(_schema(plan, copy.rows))
            _load(engine, copy, table, (item for file in files for item in format_.items(file)), tally)
            told["TableId"] = publish(engine, copy, plan, {})["TableId"]
        told["ImportStatus"] = "COMPLETED"
    except (NoSuchBucket, OSError) as reason:
        told |= {"ImportStatus": "FAILED"} | failure(reason)
    return {"id": name, "request": dict(request), "told": told | tally.told() | {"EndTime": engine.clock()}}


def _schema(plan: Mapping[str, Any], rows: int) -> dict[str, Any]:
    none_yet = {title: [{**each, "rows": 0} for each in plan.get(title) or ()] for title in INDEXES}
    return {**plan, **none_yet, "rows": rows}


class Tally:
    """What was found in the files, and what of it is in the table."""

    def __init__(self) -> None:
        self.size_bytes = self.found = self.kept = self.errors = 0

    def told(self) -> dict[str, int]:
        return {
            "ProcessedSizeBytes": self.size_bytes,
            "ProcessedItemCount": self.found,
            "ImportedItemCount": self.kept,
            "ErrorCount": self.errors,
        }


def _load(
    engine: Engine, copy: recovery.TableCopy, table: TableSchema, items: Iterable[Candidate], tally: Tally
) -> None:
    """Put the items into the copy, in pieces; of several with one key the last one stays."""
    waiting = iter(items)
    while piece := list(islice(waiting, _PIECE)):
        tally.found += len(piece)
        rows = list(_rows(table, piece))
        tally.kept += len(rows)
        tally.errors += len(piece) - len(rows)
        retried(engine, partial(engine.store.write, partial(_put, copy, rows, engine.clock()), len(rows)))


def _rows(table: TableSchema, piece: list[Candidate]) -> Iterator[tuple[bytes, bytes, int]]:
    for item in piece:
        try:
            _ITEM.check({"Item": item})
            plan = plan_put({"TableName": table.name, "Item": item})
            yield table.check_item(plan.item), orjson.dumps(plan.item), plan.size
        except (WireError, UnicodeEncodeError):
            continue


def _put(copy: recovery.TableCopy, rows: list[tuple[bytes, bytes, int]], now: float, writer: Writer) -> None:
    recovery.own(writer, copy, now)
    for key, blob, size in rows:
        there = writer.get(copy.rows, key)
        writer.put(copy.rows, key, blob, size, there[1] if there else None)


def describe(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    NAMED.check(request)
    for document in _imports(engine):
        if document["told"]["ImportArn"] == request["ImportArn"]:
            return {"ImportTableDescription": dict(document["told"])}
    raise WireError("ImportNotFoundException", f"Import not found: {request['ImportArn']}")


def listed(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    LIST.check(request)
    arn = request.get("TableArn")
    found = [each for each in _imports(engine) if arn in (None, each["told"]["TableArn"])]
    shown, more = page(found, request, "PageSize")
    fields = (
        "ImportArn",
        "ImportStatus",
        "TableArn",
        "S3BucketSource",
        "InputFormat",
        "StartTime",
        "EndTime",
    )
    return {"ImportSummaryList": [{name: each["told"][name] for name in fields} for each in shown]} | more


def _imports(engine: Engine) -> list[dict[str, Any]]:
    catalog = engine.catalog()
    found = engine.read(lambda reader: archives.documents(reader, IMPORT)).values()
    return [
        each
        for each in found
        if not catalog.keeps_back({"TableName": each["told"]["TableArn"].rpartition("/")[2]})
    ]
