"""Statements of hostile size and depth: AWS's refusal or an answer, and nothing of them is kept."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from hansang.engine import Engine
from hansang.engine.partiql.parser import parse
from hansang.errors import WireError
from tests.engine.tables import Table, create

REFUSED = {
    "more than 8 KB": "SELECT * FROM {t} WHERE " + "(" * 10_000,
    "brackets": "SELECT * FROM {t} WHERE " + "(" * 8_000,
    "brackets that close": "SELECT * FROM {t} WHERE " + "(" * 3_000 + "a=1" + ")" * 3_000,
    "denials in brackets": "SELECT * FROM {t} WHERE " + "NOT(" * 1_500 + "a=1" + ")" * 1_500,
    "names in a path": "SELECT * FROM {t} WHERE " + ".".join("a" * 4_000) + "=1",
    "positions in a path": "SELECT a" + "[0]" * 2_600 + " FROM {t}",
    "a long number": "SELECT * FROM {t} WHERE a=" + "9" * 8_000,
    "a long exponent": "SELECT * FROM {t} WHERE a=1e" + "9" * 7_000,
    "a long position": "SELECT * FROM {t} WHERE a[" + "9" * 7_000 + "]=1",
    "lists": "INSERT INTO {t} VALUE {{'pk':'x','a':" + "[" * 3_000 + "]" * 3_000 + "}}",
    "maps": "INSERT INTO {t} VALUE " + "{{'a':" * 1_500,
    "choices": "SELECT * FROM {t} WHERE a IN [" + ",".join("1" * 3_000) + "]",
    "functions": "UPDATE {t} SET a=" + "list_append(a," * 300 + "a" + ")" * 300 + " WHERE pk='x'",
    "one attribute set often": "UPDATE {t} " + "SET a=1 " * 900 + "WHERE pk='x'",
    "a name that is no Unicode": 'SELECT "\ud800" FROM {t}',
    "a table that is no Unicode": 'SELECT * FROM "\ud800"',
}
ANSWERED = {
    "alternatives": "SELECT * FROM {t} WHERE a=1" + " OR a=1" * 1_100,
    "conjunctions": "SELECT * FROM {t} WHERE pk='x'" + " AND a=1" * 900,
    "denials": "SELECT * FROM {t} WHERE " + "NOT " * 1_900 + "a=1",
    "columns": "SELECT " + ",".join("a" * 3_900) + " FROM {t}",
    "removals": "UPDATE {t} REMOVE " + ",".join(f"a{n}" for n in range(1_100)) + " WHERE pk='x'",
    "functions beside each other": "UPDATE {t} SET "
    + ",".join(f"a{n}=if_not_exists(a{n},1)" for n in range(150))
    + " WHERE pk='x'",
}


@pytest.fixture(scope="module")
def table() -> Iterator[Table]:
    with Engine.open(":memory:", sweep_seconds=None) as engine:
        made = create(engine, "pk")
        engine.call("PutItem", {"TableName": made.name, "Item": {"pk": {"S": "x"}}})
        engine.call("PutItem", {"TableName": made.name, "Item": {"pk": {"S": "y"}}})
        yield made


def _codes(table: Table, statement: str) -> list[str]:
    """What each of the three operations says to a statement; empty for an answer."""
    alone: dict[str, Any] = {"Statement": statement}
    requests: dict[str, dict[str, Any]] = {
        "ExecuteStatement": {**alone, "Limit": 1},
        "BatchExecuteStatement": {"Statements": [alone]},
        "ExecuteTransaction": {"TransactStatements": [alone]},
    }
    found = []
    for operation, request in requests.items():
        try:
            answer = table.engine.call(operation, request)
            found.append(answer.get("Responses", [{}])[0].get("Error", {}).get("Code", ""))
        except WireError as refusal:
            found.append(refusal.code)
    return found


def test_hostile_statements_are_refused_as_aws_refuses_them(table: Table) -> None:
    fitting = {
        "ValidationException",
        "ValidationError",
        "SerializationException",
        "TransactionCanceledException",
    }
    found = {name: _codes(table, text.format(t=table.name)) for name, text in REFUSED.items()}
    assert {name: codes for name, codes in found.items() if not fitting.issuperset(codes)} == {}


def test_several_lists_of_values_of_a_key_do_not_multiply(table: Table) -> None:
    names = ("a", "b", "c", "d")
    key = [{"AttributeName": name, "KeyType": "HASH"} for name in names]
    table.engine.call(
        "CreateTable",
        {
            "TableName": "Many",
            "AttributeDefinitions": [
                {"AttributeName": name, "AttributeType": "S"} for name in ("pk", *names)
            ],
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            "GlobalSecondaryIndexes": [
                {"IndexName": "abcd", "KeySchema": key, "Projection": {"ProjectionType": "ALL"}}
            ],
            "BillingMode": "PAY_PER_REQUEST",
        },
    )
    for count, is_refused in ((2, False), (30, True)):
        choices = ", ".join(f"'{number}'" for number in range(count))
        where = " AND ".join(f"{name} IN [{choices}]" for name in names)
        codes = _codes(table, f"SELECT * FROM Many.abcd WHERE {where}")
        assert (codes[0] == "ValidationException") == is_refused


def test_long_statements_of_little_depth_are_answered(table: Table) -> None:
    found = {name: _codes(table, text.format(t=table.name))[0] for name, text in ANSWERED.items()}
    assert {name: code for name, code in found.items() if code} == {}


def test_short_statements_are_read_once_and_long_ones_are_not_kept() -> None:
    short = "SELECT * FROM Notes WHERE pk = ?"
    long = short + " OR pk = ?" * 200
    assert parse(short) is parse(short)
    assert parse(long) is not parse(long)
