"""One program of boto3 under `hansang.testing.boto3()` and under moto's mock, in one run: processor time of each step.

python bench/testing.py
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from contextlib import AbstractContextManager
from time import process_time
from typing import Any

import boto3
from moto import mock_aws

import hansang.testing

TABLE: Any = {
    "TableName": "Orders",
    "KeySchema": [
        {"AttributeName": "customer", "KeyType": "HASH"},
        {"AttributeName": "number", "KeyType": "RANGE"},
    ],
    "AttributeDefinitions": [
        {"AttributeName": "customer", "AttributeType": "S"},
        {"AttributeName": "number", "AttributeType": "N"},
    ],
    "BillingMode": "PAY_PER_REQUEST",
}
CONTENDERS: dict[str, Callable[[], AbstractContextManager[Any]]] = {
    "hansang": hansang.testing.boto3,
    "moto": mock_aws,
}
QUESTION: Any = {
    "KeyConditionExpression": "customer = :customer",
    "ExpressionAttributeValues": {":customer": {"S": "many"}},
}
GOALS = {"query of 100": 10.0}
"""How many times faster a step has to be; the others once."""


def item(customer: str, number: int) -> Any:
    return {
        "customer": {"S": customer},
        "number": {"N": str(number)},
        "total": {"N": "12900"},
        "note": {"S": "leave it at the door"},
    }


def steps(client: Any) -> dict[str, Callable[[int], object]]:
    def transaction(turn: int) -> object:
        puts = [{"Put": {"TableName": "Orders", "Item": item("tx", turn * 5 + each)}} for each in range(5)]
        return client.transact_write_items(TransactItems=puts)

    key = {"customer": {"S": "many"}, "number": {"N": "7"}}
    return {
        "put": lambda turn: client.put_item(TableName="Orders", Item=item("one", turn)),
        "get": lambda turn: client.get_item(TableName="Orders", Key=key),
        "query of 100": lambda turn: client.query(TableName="Orders", **QUESTION),
        "transaction of 5": transaction,
    }


def seconds(step: Callable[[int], object], turns: int) -> float:
    step(turns)
    start = process_time()
    for turn in range(turns):
        step(turn)
    return (process_time() - start) / turns


def small_test(opened: Callable[[], AbstractContextManager[Any]]) -> None:
    """A test as people write them: a table, an item, a question."""
    with opened():
        client = boto3.client("dynamodb", region_name="us-east-1")
        client.create_table(**TABLE)
        client.put_item(TableName="Orders", Item=item("many", 1))
        assert client.query(TableName="Orders", **QUESTION)["Count"] == 1


def measure(opened: Callable[[], AbstractContextManager[Any]], turns: int, tests: int) -> dict[str, float]:
    with opened():
        client = boto3.client("dynamodb", region_name="us-east-1")
        client.create_table(**TABLE)
        for number in range(100):
            client.put_item(TableName="Orders", Item=item("many", number))
        found = {name: seconds(step, turns) for name, step in steps(client).items()}
    found[f"suite of {tests}"] = seconds(lambda _: small_test(opened), tests) * tests
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--turns", type=int, default=100)
    parser.add_argument("--tests", type=int, default=200)
    given = parser.parse_args()
    least: dict[str, dict[str, float]] = {name: {} for name in CONTENDERS}
    for _ in range(given.rounds):
        for name, opened in CONTENDERS.items():
            for step, found in measure(opened, given.turns, given.tests).items():
                least[name][step] = min(found, least[name].get(step, found))
    print(f"{'':18}{'hansang':>12}{'moto':>12}{'times':>8}{'goal':>8}")
    for step, ours in least["hansang"].items():
        theirs = least["moto"][step]
        print(
            f"{step:18}{ours * 1000:9.2f} ms{theirs * 1000:9.2f} ms{theirs / ours:8.1f}{GOALS.get(step, 1.0):8.0f}"
        )


if __name__ == "__main__":
    main()
