"""Scan: every item of a table, of an index or of one segment, before the filter and after it."""

from __future__ import annotations

from typing import Any

import pytest

from hansang.engine import Engine
from tests.clauses import clause
from tests.engine.items import Item, item
from tests.engine.tables import Index, Table, create, refused

INVALID = "One or more parameter values were invalid: "
NESTED_KEY = "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: "


@pytest.fixture
def table(engine: Engine) -> Table:
    found = create(
        engine,
        "pk sk",
        local=[Index("local", "pk l:N", include=())],
        world=[Index("world", "g h"), Index("keys", "g", include=())],
    )
    for number in range(20):
        found.put(item(pk=f"p{number % 7}", sk=f"s{number:02}", x=number))
    for number in range(5):
        found.put(item(pk="q", sk=f"s{number}", x=number, l=number, g="g", h=str(number), y="secret"))
    return found


def sorts(items: list[Item]) -> list[str]:
    return sorted(each["sk"]["S"] for each in items)


# ── which items ───────────────────────────────────────────────────────────────────────────────────


def test_a_scan_finds_every_item_once(table: Table) -> None:
    answer = table.scan()
    assert sorts(answer["Items"]) == sorted([f"s{n:02}" for n in range(20)] + [f"s{n}" for n in range(5)])
    assert (answer["Count"], answer["ScannedCount"], "LastEvaluatedKey" in answer) == (25, 25, False)


def test_a_scan_of_nothing_is_empty(engine: Engine) -> None:
    assert create(engine, "pk", "Empty").scan() == {"Items": [], "Count": 0, "ScannedCount": 0}


def test_items_of_one_partition_come_together_in_order(table: Table) -> None:
    found = [(each["pk"]["S"], each["sk"]["S"]) for each in table.scan()["Items"]]
    partitions = list(dict.fromkeys(pk for pk, _ in found))
    assert found == [pair for pk in partitions for pair in sorted(found) if pair[0] == pk]


@pytest.mark.parametrize("index", ["world", "keys", "local"])
def test_a_scan_of_an_index_finds_the_items_that_are_in_it(table: Table, index: str) -> None:
    answer = table.scan(IndexName=index)
    assert sorts(answer["Items"]) == [f"s{n}" for n in range(5)]


def test_a_filter_takes_away_after_the_items_are_counted(table: Table) -> None:
    answer = table.scan(FilterExpression="x < :x AND pk <> :p", x=2, p="q")
    assert sorts(answer["Items"]) == ["s00", "s01"]
    assert (answer["Count"], answer["ScannedCount"]) == (2, 25)


def test_a_projection_returns_what_it_names(table: Table) -> None:
    answer = table.scan(ProjectionExpression="x", FilterExpression="sk = :s", s="s03")
    assert answer["Items"] == [item(x=3)]


def test_a_filter_on_an_index_does_not_see_what_the_index_does_not_hold(table: Table) -> None:
    for index in ("keys", "local"):
        answer = table.scan(IndexName=index, FilterExpression="y = :y", y="secret")
        assert (answer["Count"], answer["ScannedCount"]) == (0, 5)


def test_the_table_may_be_named_by_its_arn(table: Table) -> None:
    assert Table(table.engine, table.engine.table_arn(table.name)).scan(Select="COUNT")["Count"] == 25


# ── segments ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("total", [1, 2, 3, 7, 100])
@pytest.mark.parametrize(("index", "count"), [(None, 25), ("world", 5)])
def test_the_segments_together_hold_every_item_once(
    table: Table, index: str | None, count: int, total: int
) -> None:
    options = {"IndexName": index} if index else {}
    found = [table.scan(Segment=n, TotalSegments=total, **options)["Count"] for n in range(total)]
    assert sum(found) == count


def test_there_may_be_a_million_segments(table: Table) -> None:
    answer = table.scan(Segment=999_999, TotalSegments=1_000_000)
    assert answer == {"Items": [], "Count": 0, "ScannedCount": 0}


def test_segments_are_disjoint(table: Table) -> None:
    found = [sorts(table.scan(Segment=n, TotalSegments=4)["Items"]) for n in range(4)]
    assert sum(map(len, found)) == len({sort for part in found for sort in part}) == 25
    assert sum(map(bool, found)) > 1


SEGMENTS = [
    ({"Segment": 0}, "The TotalSegments parameter is required but was not present in the request "
     "when Segment parameter is present"),
    ({"TotalSegments": 4}, "The Segment parameter is required but was not present in the request "
     "when parameter TotalSegments is present"),
    ({"Segment": 5, "TotalSegments": 5}, "The Segment parameter is zero-based and must be less than parameter "
     "TotalSegments: Segment: 5 is not less than TotalSegments: 5"),
    ({"Segment": -1, "TotalSegments": 1}, "1 validation error detected: Value '-1' at 'segment' failed to satisfy "
     "constraint: Member must have value greater than or equal to 0"),
    ({"Segment": 0, "TotalSegments": 0}, "1 validation error detected: Value '0' at 'totalSegments' failed to satisfy "
     "constraint: Member must have value greater than or equal to 1"),
    ({"Segment": 0, "TotalSegments": 1_000_001}, "1 validation error detected: Value '1000001' at 'totalSegments' "
     "failed to satisfy constraint: Member must have value less than or equal to 1000000"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "message"), SEGMENTS)
def test_a_segment_that_is_none_is_refused(engine: Engine, options: dict[str, int], message: str) -> None:
    with refused(message):
        Table(engine, "missing").scan(**options)


def test_a_scan_goes_on_in_its_own_segment_only(table: Table) -> None:
    first = table.scan(Segment=1, TotalSegments=2, Limit=1)["LastEvaluatedKey"]
    with refused(
        "The provided starting key is invalid: Invalid ExclusiveStartKey. "
        "Please use ExclusiveStartKey with correct Segment. TotalSegments: 2 Segment: 0"
    ):
        table.scan(Segment=0, TotalSegments=2, ExclusiveStartKey=first)


# ── refusals ──────────────────────────────────────────────────────────────────────────────────────

MISSHAPEN: list[tuple[dict[str, Any], str]] = [
    ({"Limit": 0}, "1 validation error detected: Value '0' at 'limit' failed to satisfy constraint: "
     "Member must have value greater than or equal to 1"),
    ({"FilterExpression": ""}, "Invalid FilterExpression: The expression can not be empty;"),
    ({"ProjectionExpression": ""}, "Invalid ProjectionExpression: The expression can not be empty;"),
    ({"FilterExpression": "x = :x"}, "Invalid FilterExpression: An expression attribute value used in expression "
     "is not defined; attribute value: :x"),
    ({"FilterExpression": "x = :x", "x": 1, "y": 2},
     "Value provided in ExpressionAttributeValues unused in expressions: keys: {:y}"),
    ({"x": 1}, "ExpressionAttributeValues can only be specified when using expressions: FilterExpression is null"),
    ({"FilterExpression": "attribute_exists(x)", "ScanFilter": {}},
     "Can not use both expression and non-expression parameters in the same request: "
     "Non-expression parameters: {ScanFilter} Expression parameters: {FilterExpression}"),
]  # fmt: skip


@clause("B3")
@pytest.mark.parametrize(("options", "message"), MISSHAPEN)
def test_a_misshapen_request_is_refused_before_the_table_is_looked_for(
    engine: Engine, options: dict[str, Any], message: str
) -> None:
    with refused(message):
        Table(engine, "missing").scan(**options)


def test_a_table_that_is_not_there_is_not_found(engine: Engine) -> None:
    with refused("Requested resource not found", "ResourceNotFoundException"):
        Table(engine, "missing").scan(ExclusiveStartKey={})


@pytest.mark.parametrize(
    ("options", "message"),
    [({"IndexName": "whatever", "ExclusiveStartKey": {}}, "The table does not have the specified index: whatever"),
     ({"IndexName": "world", "ConsistentRead": True},
      "Consistent reads are not supported on global secondary indexes"),
     ({"IndexName": "keys", "Select": "ALL_ATTRIBUTES"},
      INVALID + "Select type ALL_ATTRIBUTES is not supported for global secondary index keys "
      "because its projection type is not ALL"),
     ({"IndexName": "keys", "ProjectionExpression": "sk, y"},
      INVALID + "Global secondary index keys does not project [y]"),
     ({"Select": "SPECIFIC_ATTRIBUTES"},
      "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES"),
     ({"Select": "COUNT", "ProjectionExpression": "x"},
      "Cannot specify the ProjectionExpression when choosing to get only the Count"),
     ({"Select": "ALL_PROJECTED_ATTRIBUTES"},
      "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName"),
     ({"FilterExpression": "attribute_exists(pk.a)"}, NESTED_KEY + "Key: pk"),
     ({"FilterExpression": "attribute_exists(l[0])"}, NESTED_KEY + "IndexKey: l"),
     ({"ProjectionExpression": "x, g.a"}, NESTED_KEY + "IndexKey: g")],
)  # fmt: skip
def test_what_a_scan_cannot_return_is_refused(table: Table, options: dict[str, Any], message: str) -> None:
    with refused(message):
        table.scan(**options)


# ── Select ────────────────────────────────────────────────────────────────────────────────────────


@clause("B9")
@pytest.mark.parametrize(
    ("index", "select", "names"),
    [("world", None, {"pk", "sk", "x", "l", "g", "h", "y"}), ("keys", None, {"pk", "sk", "g"}),
     ("keys", "ALL_PROJECTED_ATTRIBUTES", {"pk", "sk", "g"}), ("local", None, {"pk", "sk", "l"}),
     ("local", "ALL_ATTRIBUTES", {"pk", "sk", "x", "l", "g", "h", "y"})],
)  # fmt: skip
def test_each_kind_of_index_returns_its_own_attributes(
    table: Table, index: str, select: str | None, names: set[str]
) -> None:
    options = {"Select": select} if select else {}
    answer = table.scan(IndexName=index, **options)
    assert [set(each) for each in answer["Items"]] == [names] * 5


def test_count_returns_no_items(table: Table) -> None:
    assert table.scan(Select="COUNT") == {"Count": 25, "ScannedCount": 25}


def test_count_counts_after_the_filter(table: Table) -> None:
    assert table.scan(Select="COUNT", FilterExpression="x < :x", x=1) == {"Count": 2, "ScannedCount": 25}


def test_a_local_index_fetches_what_it_does_not_hold(table: Table) -> None:
    answer = table.scan(IndexName="local", ProjectionExpression="y")
    assert answer["Items"] == [item(y="secret")] * 5
