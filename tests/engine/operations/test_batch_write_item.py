"""BatchWriteItem: up to 25 puts and deletes on any tables, each checked before the first is done."""

from __future__ import annotations

from typing import Any

import pytest

from hansang.engine import Engine
from hansang.errors import WireError
from tests.clauses import clause
from tests.engine.items import LARGEST, Item, filled, item
from tests.engine.tables import Answer, Index, Table, create, refused

INVALID = "One or more parameter values were invalid: "
MISFIT = "The provided key element does not match the schema"


@pytest.fixture
def plain(engine: Engine) -> Table:
    return create(engine, "pk", "Plain")


@pytest.fixture
def ranged(engine: Engine) -> Table:
    return create(engine, "pk sk:N", "Ranged", local=[Index("by_l", "pk l")], world=[Index("by_g", "g")])


def put(**attributes: Any) -> dict[str, Any]:
    return {"PutRequest": {"Item": item(**attributes)}}


def delete(**key: Any) -> dict[str, Any]:
    return {"DeleteRequest": {"Key": item(**key)}}


def batch(engine: Engine, request: Any, **options: Any) -> Answer:
    return engine.call("BatchWriteItem", {"RequestItems": request, **options})


# ── what is written ───────────────────────────────────────────────────────────────────────────────


def test_puts_and_deletes_go_together_on_any_tables(plain: Table, ranged: Table) -> None:
    plain.put(item(pk="old"))
    request = {"Plain": [put(pk="new", x=1), delete(pk="old")], "Ranged": [put(pk="a", sk=1)]}
    assert batch(plain.engine, request) == {"UnprocessedItems": {}}
    assert plain.all() == [item(pk="new", x=1)]
    assert ranged.all() == [item(pk="a", sk=1)]


def test_a_put_replaces_the_whole_item(plain: Table) -> None:
    plain.put(item(pk="a", x=1))
    batch(plain.engine, {"Plain": [put(pk="a", y=2)]})
    assert plain.all() == [item(pk="a", y=2)]


def test_deleting_what_is_not_there_is_no_error(plain: Table) -> None:
    assert batch(plain.engine, {"Plain": [delete(pk="a")]}) == {"UnprocessedItems": {}}


def test_twenty_five_on_two_tables_together(plain: Table, ranged: Table) -> None:
    request = {"Plain": [put(pk=str(n)) for n in range(13)], "Ranged": [put(pk="a", sk=n) for n in range(12)]}
    batch(plain.engine, request)
    assert plain.scan(Select="COUNT")["Count"] + ranged.scan(Select="COUNT")["Count"] == 25


def test_items_of_400_kilobytes_are_written(plain: Table) -> None:
    batch(plain.engine, {"Plain": [{"PutRequest": {"Item": filled(LARGEST, pk=str(n))}} for n in range(10)]})
    assert (
        plain.engine.call("DescribeTable", {"TableName": "Plain"})["Table"]["TableSizeBytes"] == 10 * LARGEST
    )


def test_the_table_may_be_named_by_its_arn(plain: Table) -> None:
    batch(plain.engine, {plain.engine.table_arn("Plain"): [put(pk="a")]})
    assert plain.all() == [item(pk="a")]


def test_the_item_collections_are_measured_each_once(plain: Table, ranged: Table) -> None:
    request = {"Plain": [put(pk="a")], "Ranged": [put(pk="a", sk=1), put(pk="a", sk=2), delete(pk="b", sk=1)]}
    answer = batch(plain.engine, request, ReturnItemCollectionMetrics="SIZE")
    found = sorted(answer["ItemCollectionMetrics"].pop("Ranged"), key=str)
    assert answer["ItemCollectionMetrics"] == {}
    assert found == [
        {"ItemCollectionKey": item(pk=name), "SizeEstimateRangeGB": [0.0, 1.0]} for name in ("a", "b")
    ]


# ── refusals ──────────────────────────────────────────────────────────────────────────────────────

MISSHAPEN: list[tuple[dict[str, Any], str]] = [
    ({}, "1 validation error detected: Value null at 'requestItems' failed to satisfy constraint: "
     "Member must not be null"),
    ({"RequestItems": {}}, "The requestItems parameter is required for BatchWriteItem"),
    ({"RequestItems": {"abc": [{"PutRequest": {}}]}},
     "1 validation error detected: Value null at 'requestItems.abc.member.1.member.putRequest.item' "
     "failed to satisfy constraint: Member must not be null"),
    ({"RequestItems": {"abc": [{}]}}, "Supplied AttributeValue has more than one datatypes set, "
     "must contain exactly one of the supported datatypes"),
    ({"RequestItems": {"abc": [put(a=1) | delete(a=2)]}}, "Supplied AttributeValue has more than one datatypes set, "
     "must contain exactly one of the supported datatypes"),
    ({"RequestItems": {"abc": [put(a=1)] * 13, "abd": [put(a=1)] * 13}},
     "Too many items requested for the BatchWriteItem call"),
    ({"RequestItems": {"abc": [{"PutRequest": {"Item": {"a": {"SS": []}}}}]}},
     INVALID + "An string set  may not be empty"),
    ({"RequestItems": {"abc": [{"PutRequest": {"Item": filled(LARGEST + 1, pk="a")}}]}},
     "Item size has exceeded the maximum allowed size"),
]  # fmt: skip


@clause("E14")
@pytest.mark.parametrize(("request_", "message"), MISSHAPEN)
def test_a_misshapen_request_is_refused_before_the_tables_are_looked_for(
    engine: Engine, request_: dict[str, Any], message: str
) -> None:
    with refused(message):
        engine.call("BatchWriteItem", request_)


@clause("R9", "E14")
@pytest.mark.parametrize("count", [0, 26])
def test_a_table_has_between_one_and_twenty_five_requests(engine: Engine, count: int) -> None:
    with pytest.raises(WireError) as caught:
        batch(engine, {"abc": [put(pk=str(number)) for number in range(count)]})
    message = caught.value.message or ""
    assert message.startswith("1 validation error detected: Value '{abc=[")
    assert message.endswith(
        "]}' at 'requestItems' failed to satisfy constraint: Map value must satisfy constraint: "
        "[Member must have length less than or equal to 25, Member must have length greater than or equal to 1]"
    )


@pytest.mark.parametrize("requests", [[put(pk="a"), delete(pk="a")], [{"PutRequest": {"Item": {}}}]])
def test_a_table_that_is_not_there_is_not_found(plain: Table, requests: list[dict[str, Any]]) -> None:
    with refused("Requested resource not found", "ResourceNotFoundException"):
        batch(plain.engine, {"Plain": [put(pk="a")], "missing": requests})
    assert plain.all() == []


@pytest.mark.parametrize(
    "requests",
    [[put(pk="a"), put(pk="a")], [put(pk="a"), delete(pk="a")], [delete(pk="a"), put(pk="a")],
     [delete(pk="a"), put(pk="b"), delete(pk="a")]],
)  # fmt: skip
def test_an_item_is_written_once_in_a_batch(plain: Table, requests: list[dict[str, Any]]) -> None:
    with refused("Provided list of item keys contains duplicates"):
        batch(plain.engine, {"Plain": requests})
    assert plain.all() == []


def test_the_same_key_in_two_tables_is_not_the_same(plain: Table) -> None:
    other = create(plain.engine, "pk", "Other")
    batch(plain.engine, {"Plain": [put(pk="a")], "Other": [put(pk="a")]})
    assert plain.all() == other.all() == [item(pk="a")]


@pytest.mark.parametrize(
    "given",
    [{}, item(b="a"), item(pk=1), item(pk=None), item(pk={"a"}), item(pk={}), item(pk=[]), item(pk=True)],
)
def test_a_put_without_the_key_of_its_table_is_refused_in_the_words_for_keys(
    plain: Table, given: Item
) -> None:
    with refused(MISFIT):
        batch(plain.engine, {"Plain": [put(pk="ok"), {"PutRequest": {"Item": given}}]})
    assert plain.all() == []


@pytest.mark.parametrize("key", [{}, item(pk="a"), item(pk="a", sk="1"), item(pk="a", sk=1, x=1)])
def test_a_delete_by_another_key_is_refused(ranged: Table, key: Item) -> None:
    with refused(MISFIT):
        batch(ranged.engine, {"Ranged": [put(pk="ok", sk=1), {"DeleteRequest": {"Key": key}}]})
    assert ranged.all() == []


@pytest.mark.parametrize(
    ("given", "message"),
    [(item(pk="a", sk=1, g=1), INVALID + "Type mismatch for Index Key g Expected: S Actual: N IndexName: by_g"),
     (item(pk="", sk=1), "One or more parameter values are not valid. The AttributeValue for a key attribute "
      "cannot contain an empty string value. Key: pk"),
     (item(pk="a", sk=1, l=""), "One or more parameter values are not valid. A value specified for a secondary index "
      "key is not supported. The AttributeValue for a key attribute cannot contain an empty string value. "
      "IndexName: by_l, IndexKey: l"),
     (item(pk="a" * 2049, sk=1), INVALID + "Size of hashkey has exceeded the maximum size limit of2048 bytes")],
)  # fmt: skip
def test_one_item_that_cannot_be_stored_refuses_the_batch(ranged: Table, given: Item, message: str) -> None:
    with refused(message):
        batch(ranged.engine, {"Ranged": [put(pk="ok", sk=1), {"PutRequest": {"Item": given}}]})
    assert ranged.all() == []


@pytest.mark.parametrize("name", ["", "a b", "a" * 256])
def test_what_can_be_no_table_is_not_looked_for(engine: Engine, name: str) -> None:
    with pytest.raises(WireError) as caught:
        engine.call("BatchWriteItem", {"RequestItems": {name: [{"DeleteRequest": {"Key": {}}}]}})
    assert caught.value.code == "ValidationException"
    assert "Map keys must satisfy constraint: [Member must have length" in (caught.value.message or "")
