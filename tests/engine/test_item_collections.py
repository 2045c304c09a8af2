"""The estimate of an item collection: the partition of a table and its entries in the local indexes."""

from __future__ import annotations

from typing import Any

import pytest

from hansang.engine import Engine, item_collections
from tests.engine.items import KB, Item, filled, item
from tests.engine.tables import Index, Table, create


@pytest.fixture
def table(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Table:
    """A table whose gigabytes are ten kilobytes long."""
    monkeypatch.setattr(item_collections, "_GIGABYTE", 10 * KB)
    return create(
        engine,
        "pk sk",
        local=[Index("local", "pk l"), Index("keys", "pk m", include=())],
        world=[Index("world", "pk sk")],
    )


def estimate(table: Table, whole: Item) -> Any:
    answer = table.put(whole, ReturnItemCollectionMetrics="SIZE")
    assert answer["ItemCollectionMetrics"]["ItemCollectionKey"] == {"pk": whole["pk"]}
    return answer["ItemCollectionMetrics"]["SizeEstimateRangeGB"]


def test_the_estimate_grows_with_the_items_of_the_partition(table: Table) -> None:
    found = [estimate(table, filled(4 * KB, pk="a", sk=str(number))) for number in range(5)]
    assert found == [[0.0, 1.0], [0.0, 1.0], [1.0, 2.0], [1.0, 2.0], [2.0, 3.0]]


def test_another_partition_is_another_collection(table: Table) -> None:
    estimate(table, filled(40 * KB, pk="a", sk="b"))
    assert estimate(table, filled(KB, pk="b", sk="b")) == [0.0, 1.0]


def test_the_entries_in_local_indexes_count_as_far_as_they_project(table: Table) -> None:
    assert estimate(table, filled(6 * KB, pk="a", sk="b")) == [0.0, 1.0]
    assert estimate(table, filled(6 * KB, pk="a", sk="b", m="m")) == [0.0, 1.0]
    assert estimate(table, filled(6 * KB, pk="a", sk="b", l="l")) == [1.0, 2.0]


def test_the_estimate_shrinks_again(table: Table) -> None:
    estimate(table, filled(40 * KB, pk="a", sk="b"))
    answer = table.delete(item(pk="a", sk="b"), ReturnItemCollectionMetrics="SIZE")
    assert answer["ItemCollectionMetrics"]["SizeEstimateRangeGB"] == [0.0, 1.0]
