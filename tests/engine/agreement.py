"""The engine beside the model: each step is taken on both, and every answer is compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from hansang.engine import Engine
from hansang.errors import WireError
from tests.engine.model import Change, Delete, Model, Put, Units, Update, Write, read_units
from tests.engine.model_reads import Read
from tests.engine.model_requests import (
    OPERATIONS,
    Request,
    attributes,
    batch_request,
    consumed,
    consumed_by,
    transaction_request,
    without_zeros,
    write_request,
)
from tests.engine.model_tables import TABLES, Index, Table
from tests.engine.model_values import Item, Refused, Unspecified, comparable, item_size, spelled
from tests.engine.streams import stream_records


class Agreement:
    """An engine and a model with the same tables."""

    def __init__(self) -> None:
        self.engine = Engine.open(":memory:", sweep_seconds=None)
        self.model = Model()
        self.changed: set[str] = set()
        for table in TABLES.values():
            self.engine.call("CreateTable", table.creation())

    def fill(self, puts: Sequence[Put]) -> None:
        for start in range(0, len(puts), 25):
            self.batch(puts[start : start + 25], "TOTAL")

    # ── writes ────────────────────────────────────────────────────────────────────────────────────

    def write(self, write: Put | Update | Delete, mode: str, wish: str) -> None:
        returns = _possible(write, wish)
        failing = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
        request = write_request(write, ReturnConsumedCapacity=mode, ReturnValues=returns, **failing)
        try:
            change = self.model.decide(write)
        except Unspecified:
            return
        except Refused as refusal:
            self.refuses(OPERATIONS[type(write)], request, refusal)
            return
        response = self.engine.call(OPERATIONS[type(write)], request)
        self.commit([change])
        expected = attributes(write, change, returns)
        assert comparable(response.pop("Attributes", {})) == comparable(expected)
        cost = consumed(write.table, change.units, mode)
        assert without_zeros(response.pop("ConsumedCapacity")) == cost
        assert response == {}

    def batch(self, writes: Sequence[Put | Delete], mode: str) -> None:
        request = batch_request(writes, ReturnConsumedCapacity=mode)
        try:
            changes = self.model.decide_batch(writes)
        except Refused as refusal:
            self.refuses("BatchWriteItem", request, refusal)
            return
        response = self.engine.call("BatchWriteItem", request)
        self.commit(changes)
        assert response["UnprocessedItems"] == {}
        assert _by_table(response) == consumed_by(changes, mode)

    def transact(self, writes: Sequence[Write], mode: str) -> None:
        request = transaction_request(writes, ReturnConsumedCapacity=mode)
        try:
            changes = self.model.decide_all(writes)
        except Unspecified:
            return
        except Refused as refusal:
            self.refuses("TransactWriteItems", request, refusal)
            return
        response = self.engine.call("TransactWriteItems", request)
        self.commit(changes)
        assert _by_table(response) == consumed_by(changes, mode, transaction=True)

    def commit(self, changes: Sequence[Change]) -> None:
        self.model.do(changes)
        self.changed.update(change.table.name for change in changes)

    def refuses(self, operation: str, request: Request, refusal: Refused) -> None:
        with pytest.raises(WireError) as caught:
            self.engine.call(operation, request)
        self.changed.update(TABLES)
        assert caught.value.code == refusal.code, caught.value.message
        if refusal.code == "ConditionalCheckFailedException":
            assert comparable(caught.value.fields) == comparable(refusal.fields)
        if refusal.code == "TransactionCanceledException":
            _check_reasons(caught.value, refusal.fields["reasons"])

    # ── single items ──────────────────────────────────────────────────────────────────────────────

    def get(self, table: Table, key: Item, consistent: bool, mode: str) -> None:
        found = self.model.find(table, key)
        request = {"TableName": table.name, "Key": key, "ConsistentRead": consistent}
        response = self.engine.call("GetItem", {**request, "ReturnConsumedCapacity": mode})
        assert comparable(response.pop("Item", None)) == comparable(found)
        cost: Units = {None: read_units(item_size(found or {}), consistent)}
        assert without_zeros(response.pop("ConsumedCapacity")) == consumed(table, cost, mode)
        assert response == {}

    def get_together(self, wanted: Sequence[tuple[Table, Item]]) -> None:
        gets = [{"Get": {"TableName": table.name, "Key": key}} for table, key in wanted]
        if not _distinct(wanted):
            self.refuses("TransactGetItems", {"TransactItems": gets}, Refused())
            return
        response = self.engine.call("TransactGetItems", {"TransactItems": gets})
        found = [self.model.find(table, key) for table, key in wanted]
        answers = [{"Item": item} if item else {} for item in found]
        assert comparable(response["Responses"]) == comparable(answers)

    def get_batch(self, wanted: Sequence[tuple[Table, Item]]) -> None:
        request: dict[str, Any] = {}
        for table, key in wanted:
            request.setdefault(table.name, {"Keys": []})["Keys"].append(key)
        if not _distinct(wanted):
            self.refuses("BatchGetItem", {"RequestItems": request}, Refused())
            return
        response = self.engine.call("BatchGetItem", {"RequestItems": request})
        for name in request:
            found = [self.model.find(table, key) for table, key in wanted if table.name == name]
            assert spelled(response["Responses"][name]) == spelled([item for item in found if item])

    # ── queries and scans ─────────────────────────────────────────────────────────────────────────

    def walk(self, read: Read, mode: str) -> None:
        """Read page by page, and compare each page and the whole."""
        try:
            entries = read.answer(self.model)
            shown = read.shown(self.model, entries)
        except Unspecified:
            return
        except Refused as refusal:
            self.refuses(read.operation, read.request(mode), refusal)
            return
        pages = [page for segment in range(read.segments) for page in self.pages(read, mode, segment)]
        assert sum(page["ScannedCount"] for page in pages) == len(entries)
        assert sum(page["Count"] for page in pages) == len(shown)
        if len(pages) == 1:
            cost = consumed(read.table, read.units(self.model, entries), mode)
            assert without_zeros(pages[0]["ConsumedCapacity"]) == cost
        if read.select == "COUNT":
            assert not any("Items" in page for page in pages)
        else:
            self.compare(read, [item for page in pages for item in page["Items"]], shown)

    def compare(self, read: Read, found: list[Item], expected: list[Item]) -> None:
        assert spelled(found) == spelled(expected)
        if read.partition:
            # The order among equal sort keys is not specified (R4).
            assert [read.position(item) for item in found] == [read.position(item) for item in expected]

    def pages(self, read: Read, mode: str, segment: int = 0) -> list[dict[str, Any]]:
        request = read.request(mode)
        if read.segments > 1:
            request |= {"Segment": segment, "TotalSegments": read.segments}
        pages = []
        while True:
            page = self.engine.call(read.operation, request)
            pages.append(page)
            self.page_is_sound(read, page, mode)
            if "LastEvaluatedKey" not in page or read.unique:
                return pages
            request = {**request, "ExclusiveStartKey": page["LastEvaluatedKey"]}

    def page_is_sound(self, read: Read, page: dict[str, Any], mode: str) -> None:
        """What can be said of one page: it stops at the limit, and costs what its items weigh."""
        assert read.unique or ("LastEvaluatedKey" in page) == (page["ScannedCount"] == read.limit)
        if "Items" not in page:
            return
        assert page["Count"] == len(page["Items"])
        if read.where is None:
            entries = [read.index.entry(item, read.table) or {} for item in page["Items"]]
            cost = consumed(read.table, read.units(self.model, entries), mode)
            assert without_zeros(page["ConsumedCapacity"]) == cost
            if "LastEvaluatedKey" in page:
                assert page["LastEvaluatedKey"] == read.start_key(page["Items"][-1])

    # ── the whole ─────────────────────────────────────────────────────────────────────────────────

    def indexes_agree(self) -> None:
        """Every table that changed and all its indexes hold what the model says, no more and no less."""
        for table in [TABLES[name] for name in sorted(self.changed)]:
            for index in (table.base, *table.indexes):
                found = [item for page in self.pages(Read(table, index), "TOTAL") for item in page["Items"]]
                assert spelled(found) == spelled(self.model.entries(table, index)), index.name
        self.changed.clear()

    def order_agrees(self, table: Table) -> None:
        """Every partition of every index is in the order of its sort key, there and back."""
        for index in (table.base, *table.indexes):
            for values in self.partitions(table, index):
                for forward in (True, False):
                    self.walk(Read(table, index, values, forward=forward), "INDEXES")

    def partitions(self, table: Table, index: Index) -> list[tuple[Any, ...]]:
        keys = {
            repr(values): values
            for item in self.model.entries(table, index)
            if (values := tuple(item[name] for name in index.hash))
        }
        return list(keys.values())

    def stream_agrees(self, table: Table) -> None:
        """The stream tells each key's changes in order, with both images."""
        found = [_told(record) for record in stream_records(self.engine, table.name)]
        expected = [_expected(change) for change in self.model.log[table.name]]
        places = {table.key(change.key) for change in self.model.log[table.name]}
        for place in places:
            assert _of_key(table, found, place) == _of_key(table, expected, place)
        assert len(found) == len(expected)


def _possible(write: Write, wish: str) -> str:
    """Only an update returns more than the old item; parts of lists are not compared."""
    if not isinstance(write, Update):
        return "ALL_OLD"
    numbered = any(isinstance(step, int) for action in write.actions for step in action.path)
    return "ALL_NEW" if numbered else wish


def _distinct(wanted: Sequence[tuple[Table, Item]]) -> bool:
    places = [(table.name, table.key(table.check_key(key))) for table, key in wanted]
    return len(set(places)) == len(places)


def _by_table(response: dict[str, Any]) -> dict[str, Any]:
    return {part["TableName"]: without_zeros(part) for part in response["ConsumedCapacity"]}


def _check_reasons(error: WireError, expected: list[str]) -> None:
    codes = [reason["Code"] for reason in error.fields["CancellationReasons"]]
    if "ValidationError" in expected:
        # Only the first invalid action is named as such, and what is after it may not be looked at.
        first = expected.index("ValidationError")
        codes, expected = codes[first : first + 1], expected[first : first + 1]
    assert codes == expected


def _told(record: dict[str, Any]) -> dict[str, Any]:
    body = record["dynamodb"]
    images = {name: body.get(name) for name in ("Keys", "OldImage", "NewImage")}
    return {"eventName": record["eventName"], **comparable(images)}


def _expected(change: Change) -> dict[str, Any]:
    images = {"Keys": change.key, "OldImage": change.old, "NewImage": change.new}
    return {"eventName": change.event, **comparable(images)}


def _of_key(table: Table, records: list[dict[str, Any]], place: tuple[Any, ...]) -> list[dict[str, Any]]:
    return [record for record in records if table.key(record["Keys"]) == place]
