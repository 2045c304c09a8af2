"""What is compared: ours in the process, and anything that boto3 can speak to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal, Protocol

import boto3
from botocore.config import Config

import workload
from hansang.engine import Engine
from workload import INDEXED, REQUESTS, Request

Call = Callable[[str, Request], dict[str, Any]]
Work = tuple[Callable[[Any], object], list[Any]]


@dataclass(frozen=True)
class Pace:
    """How much is measured."""

    seconds: float
    """For one column in one turn, at most."""
    turns: int
    loads: int
    """How many of the turns measure the load, too."""
    count: int = 20_000
    """Operations made ready for a turn."""


class Contender(Protocol):
    """Someone who can do every column."""

    name: str
    pace: Pace

    def prepare(self) -> None:
        """Make the two tables."""

    def loading(self, turn: int, items: Sequence[int]) -> Work:
        """Load the items; from the second turn on, into a table that is then dropped."""

    def loaded(self, turn: int) -> None: ...

    def work(self, column: str, numbers: Sequence[int]) -> Work:
        """A function, and the arguments that it has to be called with."""

    def pages(self) -> Iterator[int]:
        """Walk a whole index; the number of items on each page."""

    def close(self) -> None: ...


class Wire:
    """A contender that takes DynamoDB's requests."""

    def __init__(self, name: str, call: Call, close: Callable[[], None], pace: Pace) -> None:
        self.name = name
        self.pace = pace
        self.call = call
        self._close = close

    def prepare(self) -> None:
        self.call("CreateTable", workload.plain_table())
        self.call("CreateTable", workload.indexed_table())

    def loading(self, turn: int, items: Sequence[int]) -> Work:
        table = INDEXED if turn == 0 else f"Load{turn}"
        if turn:
            self.call("CreateTable", workload.indexed_table(table))
        return partial(self.call, "BatchWriteItem"), workload.batches(table, items)

    def loaded(self, turn: int) -> None:
        if turn:
            self.call("DeleteTable", {"TableName": f"Load{turn}"})

    def work(self, column: str, numbers: Sequence[int]) -> Work:
        operation, request = REQUESTS[column]
        return partial(self.call, operation), [request(number) for number in numbers]

    def pages(self) -> Iterator[int]:
        request: Request = {"TableName": INDEXED, "IndexName": "ByTeam"}
        while True:
            page = self.call("Scan", request)
            size, last = len(page["Items"]), page.get("LastEvaluatedKey")
            # Bare sqlite3 keeps no items either while it reads the next; a second page beside the first costs a third.
            del page
            yield size
            if not last:
                return
            request["ExclusiveStartKey"] = last

    def close(self) -> None:
        self._close()


def ours(name: str, path: Path | str, durability: Literal["full", "normal"], pace: Pace) -> Wire:
    engine = Engine.open(path, durability=durability)
    return Wire(name, engine.call, engine.close, pace)


METHODS = {
    "CreateTable": "create_table",
    "DeleteTable": "delete_table",
    "PutItem": "put_item",
    "GetItem": "get_item",
    "UpdateItem": "update_item",
    "Query": "query",
    "Scan": "scan",
    "BatchWriteItem": "batch_write_item",
    "TransactWriteItems": "transact_write_items",
}


def through_boto3(name: str, port: int, close: Callable[[], None], pace: Pace) -> Wire:
    client = boto3.client(
        "dynamodb",
        endpoint_url=f"http://127.0.0.1:{port}",
        region_name="us-east-1",
        aws_access_key_id="bench",
        aws_secret_access_key="bench",
        config=Config(retries={"max_attempts": 0}, connect_timeout=5, read_timeout=120),
    )

    def call(operation: str, request: Request) -> dict[str, Any]:
        answer: dict[str, Any] = getattr(client, METHODS[operation])(**request)
        return answer

    return Wire(name, call, close, pace)
