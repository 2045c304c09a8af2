"""BatchGetItem: up to 100 items from any tables, as many as fit into 16 MB, and the keys of the rest."""

from __future__ import annotations

from typing import Any

import pytest

from hansang.engine import Engine
from tests.clauses import clause
from tests.engine.items import KB, LARGEST, Item, filled, item
from tests.engine.tables import Answer, Index, Table, create, refused

INVALID = "One or more parameter values were invalid: "


@pytest.fixture
def plain(engine: Engine) -> Table:
    return create(engine, "pk", "Plain")


@pytest.fixture
def ranged(engine: Engine) -> Table:
    return create(engine, "pk sk:N", "Ranged", world=[Index("by_g", "g")])


def batch(engine: Engine, request: Any, **options: Any) -> Answer:
    return engine.call("BatchGetItem", {"RequestItems": request, **options})


def keys(count: int, first: int = 0) -> list[Item]:
    return [item(pk=f"{number:03}") for number in range(first, first + count)]


# ── what is found ─────────────────────────────────────────────────────────────────────────────────


def test_items_of_several_tables_are_found_under_the_names_of_the_tables(plain: Table, ranged: Table) -> None:
    plain.put(item(pk="a", x=1))
    ranged.put(item(pk="a", sk=1, x=2))
    request = {"Plain": {"Keys": [item(pk="a")]}, "Ranged": {"Keys": [item(pk="a", sk=1)]}}
    assert batch(plain.engine, request) == {
        "Responses": {"Plain": [item(pk="a", x=1)], "Ranged": [item(pk="a", sk=1, x=2)]},
        "UnprocessedKeys": {},
    }


def test_a_table_of_which_nothing_is_found_is_named(plain: Table) -> None:
    assert batch(plain.engine, {"Plain": {"Keys": keys(1)}})["Responses"] == {"Plain": []}


def test_each_table_has_its_own_projection(plain: Table, ranged: Table) -> None:
    plain.put(item(pk="a", x=1, y=2))
    ranged.put(item(pk="a", sk=1, m={"k": 1, "l": 2}))
    request = {
        "Plain": {
            "Keys": [item(pk="a")],
            "ProjectionExpression": "#x",
            "ExpressionAttributeNames": {"#x": "x"},
        },
        "Ranged": {"Keys": [item(pk="a", sk=1)], "ProjectionExpression": "m.k"},
    }
    assert batch(plain.engine, request)["Responses"] == {"Plain": [item(x=1)], "Ranged": [item(m={"k": 1})]}


def test_a_hundred_items_are_found_at_once(plain: Table) -> None:
    for key in keys(100):
        plain.put(key)
    assert sorted(batch(plain.engine, {"Plain": {"Keys": keys(100)}})["Responses"]["Plain"], key=str) == keys(
        100
    )


def test_the_table_may_be_named_by_its_arn(plain: Table) -> None:
    arn = plain.engine.table_arn("Plain")
    plain.put(item(pk="a"))
    assert batch(plain.engine, {arn: {"Keys": [item(pk="a")]}})["Responses"] == {arn: [item(pk="a")]}


# ── sixteen megabytes ─────────────────────────────────────────────────────────────────────────────


def test_of_items_of_300_kilobytes_fifty_two_fit_into_sixteen_megabytes(plain: Table) -> None:
    """The example of AWS's own documentation, which reckons megabytes in powers of ten."""
    for key in keys(60):
        plain.put(filled(300 * KB, pk=key["pk"]["S"]))
    first = batch(plain.engine, {"Plain": {"Keys": keys(60)}})
    assert len(first["Responses"]["Plain"]) == 52
    assert len(first["UnprocessedKeys"]["Plain"]["Keys"]) == 8


def test_what_is_left_can_be_asked_for_as_it_is(plain: Table) -> None:
    for key in keys(50):
        plain.put(filled(LARGEST, pk=key["pk"]["S"]))
    wanted = {"Keys": keys(50), "ConsistentRead": True, "ProjectionExpression": "pk"}
    first = batch(plain.engine, {"Plain": wanted})
    rest = first["UnprocessedKeys"]["Plain"]
    assert rest == {**wanted, "Keys": rest["Keys"]}
    second = batch(plain.engine, first["UnprocessedKeys"])
    assert second["UnprocessedKeys"] == {}
    assert sorted(first["Responses"]["Plain"] + second["Responses"]["Plain"], key=str) == keys(50)


def test_a_table_whose_turn_did_not_come_is_left_whole(plain: Table, ranged: Table) -> None:
    for key in keys(45):
        plain.put(filled(LARGEST, pk=key["pk"]["S"]))
    ranged.put(filled(300 * KB, pk="a") | item(sk=1))
    request = {"Plain": {"Keys": keys(45)}, "Ranged": {"Keys": [item(pk="a", sk=1)]}}
    answer = batch(plain.engine, request)
    assert answer["UnprocessedKeys"]["Ranged"] == request["Ranged"]
    assert answer["Responses"]["Ranged"] == []


def test_only_what_was_read_is_charged(plain: Table) -> None:
    for key in keys(45):
        plain.put(filled(LARGEST, pk=key["pk"]["S"]))
    answer = batch(plain.engine, {"Plain": {"Keys": keys(45)}}, ReturnConsumedCapacity="TOTAL")
    read = len(answer["Responses"]["Plain"])
    assert answer["ConsumedCapacity"] == [{"TableName": "Plain", "CapacityUnits": read * 50.0}]


# ── refusals ──────────────────────────────────────────────────────────────────────────────────────

MISSHAPEN: list[tuple[dict[str, Any], str]] = [
    ({}, "1 validation error detected: Value null at 'requestItems' failed to satisfy constraint: "
     "Member must not be null"),
    ({"RequestItems": {}}, "The requestItems parameter is required for BatchGetItem"),
    ({"RequestItems": {"abc": {}}}, "1 validation error detected: Value null at 'requestItems.abc.member.keys' "
     "failed to satisfy constraint: Member must not be null"),
    ({"RequestItems": {"a;": {"Keys": [{}]}}}, "1 validation error detected: Value "
     "'{a;=KeysAndAttributes(keys=[{}], consistentRead=null, attributesToGet=null, projectionExpression=null, "
     "expressionAttributeNames=null)}' at 'requestItems' failed to satisfy constraint: "
     "Map keys must satisfy constraint: [Member must have length less than or equal to 255, "
     "Member must have length greater than or equal to 1, "
     "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+]"),
    ({"RequestItems": {"abc": {"Keys": []}}},
     "1 validation error detected: Value '[]' at 'requestItems.abc.member.keys' failed to satisfy constraint: "
     "Member must have length greater than or equal to 1"),
    ({"RequestItems": {"abc": {"Keys": keys(101)}}},
     "1 validation error detected: Value at 'RequestItems.abc.member.Keys' failed to satisfy constraint: "
     "Member must have length less than or equal to 100"),
    ({"RequestItems": {"abc": {"Keys": keys(100)}, "abd": {"Keys": keys(1)}}},
     "Too many items requested for the BatchGetItem call"),
    ({"RequestItems": {"abc": {"Keys": [item(pk="a", sk=1), item(sk=1, pk="a")]}}},
     "Provided list of item keys contains duplicates"),
    ({"RequestItems": {"abc": {"Keys": [{"pk": {}}]}}},
     "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"),
    ({"RequestItems": {"abc": {"Keys": [{}], "ProjectionExpression": ""}}},
     "Invalid ProjectionExpression: The expression can not be empty;"),
    ({"RequestItems": {"abc": {"Keys": [{}], "ExpressionAttributeNames": {"#a": "a"}}}},
     "ExpressionAttributeNames can only be specified when using expressions"),
]  # fmt: skip


@clause("E14")
@pytest.mark.parametrize(("request_", "message"), MISSHAPEN)
def test_a_misshapen_request_is_refused_before_the_tables_are_looked_for(
    engine: Engine, request_: dict[str, Any], message: str
) -> None:
    with refused(message):
        engine.call("BatchGetItem", request_)


@pytest.mark.parametrize("wanted", [keys(100), [{}]])
def test_a_table_that_is_not_there_is_not_found(plain: Table, wanted: list[Item]) -> None:
    with refused("Requested resource not found", "ResourceNotFoundException"):
        batch(plain.engine, {"missing": {"Keys": wanted}})


@pytest.mark.parametrize(
    "key", [{}, item(b="a"), item(pk="a", b="a"), item(pk=1), item(pk={"a"}), item(pk=[])]
)
def test_a_key_of_another_schema_is_refused(plain: Table, key: Item) -> None:
    with refused("The provided key element does not match the schema"):
        batch(plain.engine, {"Plain": {"Keys": [item(pk="a"), key]}})


@pytest.mark.parametrize(("projection", "which"), [("x, pk.y", "Key: pk"), ("g[0]", "IndexKey: g")])
def test_a_projection_cannot_look_into_a_key(ranged: Table, projection: str, which: str) -> None:
    with refused(
        f"Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: {which}"
    ):
        wanted = {"Keys": [item(pk="a", sk=1)], "ProjectionExpression": projection}
        batch(ranged.engine, {"Ranged": wanted})


def test_a_key_that_is_too_long_is_refused(plain: Table) -> None:
    with refused(INVALID + "Size of hashkey has exceeded the maximum size limit of2048 bytes"):
        batch(plain.engine, {"Plain": {"Keys": [item(pk="a" * 2049)]}})


@pytest.mark.parametrize(
    "twice", [({"N": "1"}, {"N": "1"}), ({"N": "1"}, {"N": "1.0"}), ({"N": "0"}, {"N": "-0"})]
)
def test_the_same_key_twice_is_refused(ranged: Table, twice: tuple[dict[str, str], dict[str, str]]) -> None:
    with refused("Provided list of item keys contains duplicates"):
        batch(ranged.engine, {"Ranged": {"Keys": [{"pk": {"S": "a"}, "sk": each} for each in twice]}})


def test_the_same_key_in_two_tables_is_not_the_same(plain: Table) -> None:
    create(plain.engine, "pk", "Other")
    request = {"Plain": {"Keys": keys(1)}, "Other": {"Keys": keys(1)}}
    assert batch(plain.engine, request)["Responses"] == {"Plain": [], "Other": []}


def test_one_expression_and_one_older_parameter_do_not_go_together(engine: Engine) -> None:
    request = {
        "abc": {"Keys": [{}], "ProjectionExpression": "x"},
        "abd": {"Keys": [{}], "AttributesToGet": ["x"]},
    }
    with refused(
        "Can not use both expression and non-expression parameters in the same request: "
        "Non-expression parameters: {AttributesToGet} Expression parameters: {ProjectionExpression}"
    ):
        batch(engine, request)
