"""The examples that libraries ship with are run as they are: the pages of PynamoDB and pydynantic, botocore's own calls."""

from __future__ import annotations

import json
import re
import textwrap
from importlib.metadata import metadata
from importlib.resources import files
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError
from pynamodb.exceptions import QueryError

from hansang import testing

_RST = re.compile(r"^\.\. code-block:: python\n\n((?:(?:    .*)?\n)+)", re.MULTILINE)
_MARKDOWN = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def description(distribution: str) -> str:
    """The page of a package, as it is installed with it."""
    found = metadata(distribution)
    return found["Description"] or str(found.get_payload())  # type: ignore[attr-defined]


def run(program: str, names: dict[str, Any] | None = None) -> dict[str, Any]:
    known = {"__name__": "example"} if names is None else names
    exec(compile(program, "example", "exec"), known)
    return known


# ── PynamoDB ──────────────────────────────────────────────────────────────────────────────────────


def test_the_first_example_of_pynamodb(capsys: pytest.CaptureFixture[str]) -> None:
    basic, _, _ = description("pynamodb").partition("Upgrade Warning")
    model, create, save, query, wrong, get = (textwrap.dedent(block) for block in _RST.findall(basic))
    with testing.boto3() as opened:
        names = run(model + create + save + query)
        # The page asks by `email`, which is no key: AWS refuses that.
        with pytest.raises(QueryError, match="missed key schema element: first_name"):
            run(wrong, names)
        run(get, names)
        [item] = opened.client().scan(TableName="dynamodb-user")["Items"]
    assert item["email"] == {"S": "djohn@company.org"}
    assert "Denver" in capsys.readouterr().out


def test_the_advanced_examples_of_pynamodb(capsys: pytest.CaptureFixture[str]) -> None:
    _, _, advanced = description("pynamodb").partition("Advanced Usage")
    model, question, *rest = (textwrap.dedent(block) for block in _RST.findall(advanced))
    made = "TestModel.create_table(read_capacity_units=1, write_capacity_units=1)\n"
    with testing.boto3():
        run(model + made + 'TestModel("forum", "thread").save()\n' + question)
    assert "Item queried from index" in capsys.readouterr().out
    for block in rest:
        with testing.boto3() as opened:
            names = run(block)
            (names.get("AnimalModel") or names["UserModel"]).create_table(billing_mode="PAY_PER_REQUEST")
            described = opened.call("DescribeTable", {"TableName": "dynamodb-user"})["Table"]
    assert described["StreamSpecification"]["StreamViewType"] == "NEW_AND_OLD_IMAGES"


# ── pydynantic ────────────────────────────────────────────────────────────────────────────────────

APP_PROD: Any = {
    "TableName": "app-prod",
    "KeySchema": [
        {"AttributeName": "PK", "KeyType": "HASH"},
        {"AttributeName": "SK", "KeyType": "RANGE"},
    ],
    "AttributeDefinitions": [
        {"AttributeName": name, "AttributeType": "S"} for name in ("PK", "SK", "GSI1PK", "GSI1SK")
    ],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "GSI1",
            "KeySchema": [
                {"AttributeName": "GSI1PK", "KeyType": "HASH"},
                {"AttributeName": "GSI1SK", "KeyType": "RANGE"},
            ],
            "Projection": {"ProjectionType": "ALL"},
        }
    ],
    "BillingMode": "PAY_PER_REQUEST",
}


def test_the_examples_of_pydynantic() -> None:
    blocks = _MARKDOWN.findall(description("pydynantic"))
    quick, queries, scan, *_ = blocks
    pages = next(block for block in blocks if "page.cursor" in block)
    with testing.boto3(tables=[APP_PROD]):
        names = run(quick)
        # The page deletes its user in the end; the questions that follow are asked of one who stayed.
        names["User"].put(names["user"])
        # Its projection leaves out fields that its own entity requires, and pydynantic refuses what comes back.
        run(queries.partition("# Projection")[0], names)
        run(scan + pages, names)
    assert [user.name for user in names["users"]] == ["Ana"]
    assert (names["user"].email, names["active"]) == ("a@x.com", 1)
    assert [user.user_id for user in names["all_users"]] == ["u1"]
    assert (len(names["page"].items), names["page"].cursor) == (1, None)


# ── boto3 ─────────────────────────────────────────────────────────────────────────────────────────


def calls() -> dict[str, dict[str, Any]]:
    """The examples of the API reference, by operation."""
    text = (files("botocore") / "data/dynamodb/2012-08-10/examples-1.json").read_text(encoding="utf-8")
    return {operation: found[0] for operation, found in json.loads(text)["examples"].items()}


CALLS = calls()
IN_ORDER = [
    "CreateTable",
    "ListTables",
    "PutItem",
    "BatchWriteItem",
    "GetItem",
    "BatchGetItem",
    "Query",
    "Scan",
    "UpdateItem",
    "DescribeTable",
    "DescribeLimits",
    "UpdateTable",
    "DeleteItem",
    "DeleteTable",
]


def test_every_call_of_the_api_reference_is_answered_in_the_form_that_it_shows() -> None:
    assert set(IN_ORDER) == set(CALLS)
    with testing.boto3():
        client = boto3.client("dynamodb")
        names = {api: name for name, api in client.meta.method_to_api_mapping.items()}
        # The example of UpdateTable is about another table of the same form.
        client.create_table(**CALLS["CreateTable"]["input"] | {"TableName": "MusicCollection"})
        for operation in IN_ORDER:
            example = CALLS[operation]
            answer = getattr(client, names[operation])(**example["input"])
            assert set(example["output"]) - set(answer) <= {
                "ConsumedCapacity",
                "UnprocessedKeys",
                "UnprocessedItems",
            }
        with pytest.raises(ClientError):
            client.describe_table(TableName="Music")
