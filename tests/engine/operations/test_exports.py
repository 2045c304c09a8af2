"""Exports into a folder and imports from one, in the formats of AWS."""

from __future__ import annotations

import base64
import gzip
import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from hansang.engine import Engine
from tests.engine.control import NOW, ManualClock, attributes, create, definition, key, refusal, with_index

ARN = "arn:aws:dynamodb:us-east-1:123456789012:table/rice"
BUCKET = {"S3Bucket": "bucket"}


@pytest.fixture
def bucket(tmp_path: Path) -> Path:
    folder = tmp_path / "buckets" / "bucket"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def served(clock: ManualClock, bucket: Path) -> Iterator[Engine]:
    """An engine with a table that can be recovered, and 600 items in it."""
    with Engine.open(clock=clock, sweep_seconds=None, buckets=bucket.parent) as engine:
        create(engine, with_index())
        recovery = {"PointInTimeRecoveryEnabled": True}
        engine.call(
            "UpdateContinuousBackups", {"TableName": "rice", "PointInTimeRecoverySpecification": recovery}
        )
        for start in range(0, 600, 25):
            puts = [{"PutRequest": {"Item": grain(start + each)}} for each in range(25)]
            engine.call("BatchWriteItem", {"RequestItems": {"rice": puts}})
        yield engine


def grain(number: int) -> dict[str, Any]:
    return {"pk": {"S": f"{number:05}"}, "raw": {"B": "AAE="}, "many": {"NS": ["1", "2"]}}


def exported(engine: Engine, **request: Any) -> dict[str, Any]:
    made = engine.call("ExportTableToPointInTime", {"TableArn": ARN, **BUCKET, **request})[
        "ExportDescription"
    ]
    assert made["ExportStatus"] in ("IN_PROGRESS", "COMPLETED")
    found: dict[str, Any] = engine.call("DescribeExport", {"ExportArn": made["ExportArn"]})[
        "ExportDescription"
    ]
    return found


def imported(engine: Engine, table: dict[str, Any], **request: Any) -> dict[str, Any]:
    made = engine.call("ImportTable", {"TableCreationParameters": table, **request})["ImportTableDescription"]
    found: dict[str, Any] = engine.call("DescribeImport", {"ImportArn": made["ImportArn"]})[
        "ImportTableDescription"
    ]
    return found


def scanned(engine: Engine, name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = engine.call("Scan", {"TableName": name})["Items"]
    return found


def test_an_export_has_the_files_of_aws(served: Engine, clock: ManualClock, bucket: Path) -> None:
    clock.advance(10)
    served.call("PutItem", {"TableName": "rice", "Item": grain(9999)})
    told = exported(served, S3Prefix="kept", ExportTime=NOW + 5)
    assert (told["ExportStatus"], told["ItemCount"], told["ExportTime"]) == ("COMPLETED", 600, NOW + 5)
    summary = orjson.loads((bucket / told["ExportManifest"]).read_bytes())
    assert (summary["itemCount"], summary["outputFormat"]) == (600, "DYNAMODB_JSON")
    assert summary["exportTime"] == "2023-11-14T22:13:25.000Z"
    listed = bucket / summary["manifestFilesS3Key"]
    digest = base64.b64encode(hashlib.md5(listed.read_bytes()).digest())
    assert listed.with_suffix(".md5").read_bytes() == digest
    lines = []
    for file in map(orjson.loads, listed.read_bytes().splitlines()):
        written = (bucket / file["dataFileS3Key"]).read_bytes()
        assert base64.b64encode(hashlib.md5(written).digest()).decode() == file["md5Checksum"]
        lines += [orjson.loads(line)["Item"] for line in gzip.decompress(written).splitlines()]
    assert sorted(lines, key=lambda item: item["pk"]["S"]) == [grain(number) for number in range(600)]
    [listed_one] = served.call("ListExports", {"TableArn": ARN})["ExportSummaries"]
    assert listed_one["ExportArn"] == told["ExportArn"]


def test_exports_are_listed_page_by_page_and_a_token_that_was_not_given_is_refused(served: Engine) -> None:
    made = {exported(served)["ExportArn"] for _ in range(3)}
    first = served.call("ListExports", {"MaxResults": 2})
    second = served.call("ListExports", {"MaxResults": 2, "NextToken": first["NextToken"]})
    listed = [each["ExportArn"] for each in (*first["ExportSummaries"], *second["ExportSummaries"])]
    assert (set(listed), len(listed), "NextToken" in second) == (made, 3, False)
    for operation in ("ListExports", "ListImports"):
        assert refusal(served, operation, {"NextToken": "another"})[1] == "Invalid NextToken"


def test_an_export_comes_back_as_a_table(served: Engine) -> None:
    told = exported(served)
    folder = told["ExportManifest"].rpartition("/")[0]
    source = BUCKET | {"S3KeyPrefix": f"{folder}/data/"}
    table = with_index("new")
    found = imported(
        served, table, S3BucketSource=source, InputFormat="DYNAMODB_JSON", InputCompressionType="GZIP"
    )
    assert (found["ImportStatus"], found["ImportedItemCount"], found["ErrorCount"]) == ("COMPLETED", 600, 0)
    assert scanned(served, "new") == scanned(served, "rice")
    assert "RestoreSummary" not in served.call("DescribeTable", {"TableName": "new"})["Table"]
    [summary] = served.call("ListImports", {})["ImportSummaryList"]
    assert summary["TableArn"] == ARN.replace("rice", "new")


def test_csv_has_types_in_its_keys_alone(served: Engine, bucket: Path) -> None:
    (bucket / "in").mkdir()
    (bucket / "in" / "a.csv").write_text('pk;age;note\nb;7;"two\nlines"\nb;8;\nc;old;\nd;9\n')
    table = definition("new", AttributeDefinitions=attributes(pk="S", age="N"), KeySchema=key("pk", "age"))
    found = imported(
        served,
        table,
        S3BucketSource=BUCKET | {"S3KeyPrefix": "in/"},
        InputFormat="CSV",
        InputFormatOptions={"Csv": {"Delimiter": ";"}},
    )
    assert [found[f"{name}Count"] for name in ("ProcessedItem", "ImportedItem", "Error")] == [4, 2, 2]
    first, second = scanned(served, "new")
    assert first == {"pk": {"S": "b"}, "age": {"N": "7"}, "note": {"S": "two\nlines"}}
    assert second == {"pk": {"S": "b"}, "age": {"N": "8"}}


def test_lines_that_hold_no_item_are_counted(served: Engine, bucket: Path) -> None:
    lines = [b'{"Item":{"pk":{"S":"a"}}}', b"{", b"[]", b'{"Item":{"pk":{"N":"1"}}}', b'{"Item":{"pk":7}}']
    (bucket / "a.json").write_bytes(b"\n".join(lines))
    found = imported(served, definition("new"), S3BucketSource=BUCKET, InputFormat="DYNAMODB_JSON")
    assert (found["ImportedItemCount"], found["ErrorCount"]) == (1, 4)
    found = imported(
        served,
        definition("newer"),
        S3BucketSource=BUCKET,
        InputFormat="DYNAMODB_JSON",
        InputCompressionType="GZIP",
    )
    assert (found["ImportedItemCount"], found["ErrorCount"]) == (0, 1)


def test_a_request_with_a_token_is_done_once(served: Engine) -> None:
    first = exported(served, ClientToken="one")
    assert exported(served, ClientToken="one")["ExportArn"] == first["ExportArn"]
    other = {"TableArn": ARN, **BUCKET, "ClientToken": "one", "S3Prefix": "other"}
    assert refusal(served, "ExportTableToPointInTime", other)[0] == "ExportConflictException"


def test_a_bucket_that_is_not_there_fails_the_work(served: Engine) -> None:
    request = {"TableArn": ARN, "S3Bucket": "nothing"}
    arn = served.call("ExportTableToPointInTime", request)["ExportDescription"]["ExportArn"]
    told = served.call("DescribeExport", {"ExportArn": arn})["ExportDescription"]
    assert (told["ExportStatus"], told["FailureCode"]) == ("FAILED", "S3NoSuchBucket")
    source = {"S3BucketSource": {"S3Bucket": "nothing"}, "InputFormat": "CSV"}
    assert imported(served, definition("new"), **source)["ImportStatus"] == "FAILED"
    assert served.call("ListTables", {})["TableNames"] == ["rice"]


def test_nothing_outside_a_bucket_is_reached(served: Engine, bucket: Path) -> None:
    (bucket.parent / "secret").write_bytes(b'{"Item":{"pk":{"S":"a"}}}')
    names = [("..", ""), ("bucket", "../"), ("bucket", "a/../../"), ("bucket", "/etc"), (".", "")]
    names += [("bucket", "."), ("bucket", "./a"), ("bucket", "a\0b")]
    asked = [{"S3Bucket": name, "S3KeyPrefix": prefix} for name, prefix in names]
    table = {"TableCreationParameters": definition("new"), "InputFormat": "DYNAMODB_JSON"}
    exports = [{"TableArn": ARN, "S3Bucket": name, "S3Prefix": prefix} for name, prefix in names]
    codes = [refusal(served, "ImportTable", table | {"S3BucketSource": source})[0] for source in asked]
    codes += [refusal(served, "ExportTableToPointInTime", request)[0] for request in exports]
    assert codes == ["ValidationException"] * 16


def test_a_symbolic_link_leads_out_of_no_bucket(served: Engine, bucket: Path, tmp_path: Path) -> None:
    outside, beside = tmp_path / "outside", bucket.parent / "bucketed"
    for folder in (outside, beside):
        folder.mkdir()
        (folder / "a.json").write_bytes(b'{"Item":{"pk":{"S":"secret"}}}')
    (bucket / "a.json").write_bytes(b'{"Item":{"pk":{"S":"own"}}}')
    (bucket / "b.json").symlink_to(outside / "a.json")
    (bucket / "link").symlink_to(outside)
    (bucket.parent / "linked").symlink_to(outside)

    imported(served, definition("new"), S3BucketSource=BUCKET, InputFormat="DYNAMODB_JSON")
    assert scanned(served, "new") == [{"pk": {"S": "own"}}]
    through = BUCKET | {"S3KeyPrefix": "link/"}
    table = {"TableCreationParameters": definition("newer"), "InputFormat": "DYNAMODB_JSON"}
    assert refusal(served, "ImportTable", table | {"S3BucketSource": through})[0] == "ValidationException"
    request = {"TableArn": ARN, **BUCKET, "S3Prefix": "link"}
    assert refusal(served, "ExportTableToPointInTime", request)[0] == "ValidationException"
    linked = imported(
        served, definition("newest"), S3BucketSource={"S3Bucket": "linked"}, InputFormat="DYNAMODB_JSON"
    )
    assert linked["FailureCode"] == "S3NoSuchBucket"
    assert [each.name for each in outside.iterdir()] == ["a.json"]


def test_what_is_not_read_or_written_here_is_refused(served: Engine, clocked: Engine) -> None:
    table = {"TableCreationParameters": definition("new"), "S3BucketSource": BUCKET}
    cases: list[tuple[str, dict[str, Any]]] = [
        ("ExportTableToPointInTime", {"TableArn": ARN, **BUCKET, "ExportFormat": "ION"}),
        ("ExportTableToPointInTime", {"TableArn": ARN, **BUCKET, "ExportType": "INCREMENTAL_EXPORT"}),
        ("ImportTable", table | {"InputFormat": "ION"}),
        ("ImportTable", table | {"InputFormat": "CSV", "InputCompressionType": "ZSTD"}),
    ]
    assert {refusal(served, *case)[0] for case in cases} == {"ValidationException"}
    taken = table | {"TableCreationParameters": definition("rice"), "InputFormat": "CSV"}
    assert refusal(served, "ImportTable", taken)[0] == "ResourceInUseException"
    _, message = refusal(clocked, "ImportTable", table | {"InputFormat": "CSV"})
    assert "--buckets" in message
