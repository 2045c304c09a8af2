"""Copying tables from one backend to another: resumable, and verified."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from hansang.backends.base import Backend
from hansang.blueprint.copy_state import CopyState
from hansang.blueprint.fingerprints import Fingerprint, pages
from hansang.blueprint.live import call, describe, expiry
from hansang.design.runner import Runner
from hansang.design.shape import Item
from hansang.errors import NoSuchTable, Refused

_AT_ONCE = 25
_INDEX = ("IndexName", "KeySchema", "Projection")
_INDEXES = ("GlobalSecondaryIndexes", "LocalSecondaryIndexes")

Progress = Callable[[int], None]
"""Told how many items have just been done."""


def tables_of(backend: Backend) -> list[str]:
    """The names of all tables."""
    found: list[str] = []
    start: dict[str, Any] = {}
    while True:
        response = call(backend, "ListTables", start)
        found += response["TableNames"]
        if "LastEvaluatedTableName" not in response:
            return found
        start = {"ExclusiveStartTableName": response["LastEvaluatedTableName"]}


def expected_items(backend: Backend, table: str) -> int:
    """About how many items a table has; DynamoDB's own figure is some hours old."""
    return int(_described(backend, table).get("ItemCount", 0))


def _described(backend: Backend, table: str) -> dict[str, Any]:
    found = describe(backend, table)
    if found is None:
        raise NoSuchTable(f"Table {table} not found, so it cannot be copied.")
    return found


def copy_table(
    source: Backend, target: Backend, table: str, name: str, state: CopyState, progress: Progress
) -> int:
    """Copy every item that is not copied yet; how many have been copied in all."""
    runner = Runner(target, {})
    _prepare(source, runner, table, name)
    done = state.of(table)
    if done.copied:
        progress(done.copied)
    if done.whole:
        return done.copied
    for items, following in pages(source, table, done.start):
        _write(runner, name, items)
        done = state.advance(table, following, len(items))
        progress(len(items))
    return done.copied


def _prepare(source: Backend, runner: Runner, table: str, name: str) -> None:
    """Make the target table as the source table is, unless it is there."""
    described = _described(source, table)
    if describe(runner.backend, name) is not None:
        return
    runner.call("CreateTable", definition_of(described, name), "")
    for _ in range(600):
        if (describe(runner.backend, name) or {}).get("TableStatus") == "ACTIVE":
            break
        runner.pause(0.5)
    else:
        raise Refused(f"The table {name} did not become active.")
    attribute = expiry(source, table)
    if attribute is not None:
        specification = {"Enabled": True, "AttributeName": attribute}
        runner.call("UpdateTimeToLive", {"TableName": name, "TimeToLiveSpecification": specification}, "")


def definition_of(described: dict[str, Any], name: str) -> dict[str, Any]:
    """The request that creates a table like a described one."""
    request: dict[str, Any] = {"TableName": name, "BillingMode": "PAY_PER_REQUEST"}
    request |= {part: described[part] for part in ("AttributeDefinitions", "KeySchema")}
    for title in _INDEXES:
        if described.get(title):
            request[title] = [{part: index[part] for part in _INDEX} for index in described[title]]
    stream = described.get("StreamSpecification") or {}
    return request | ({"StreamSpecification": stream} if stream.get("StreamEnabled") else {})


def _write(runner: Runner, name: str, items: list[Item]) -> None:
    for some in _chunks(items):
        wanted = {name: [{"PutRequest": {"Item": item}} for item in some]}
        for _ in runner.until_done("BatchWriteItem", {"RequestItems": wanted}, "UnprocessedItems", "copy"):
            pass


def _chunks(items: list[Item]) -> Iterator[list[Item]]:
    for at in range(0, len(items), _AT_ONCE):
        yield items[at : at + _AT_ONCE]


def fingerprint(backend: Backend, table: str, progress: Progress) -> Fingerprint:
    """The count and the hash of all items of a table."""
    found = Fingerprint()
    for items, _ in pages(backend, table):
        found = found.with_items(items)
        progress(len(items))
    return found
