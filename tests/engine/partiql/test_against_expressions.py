"""A statement and the request with expressions that it stands for: the same answers on the same items."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hansang.engine import Engine
from hansang.errors import WireError
from tests.engine.items import Item, item
from tests.engine.tables import Index, Table, create

Parameter = dict[str, Any]
NAMES = ("x", "y", "z")
SORTS = ("1", "2", "3")

scalars = st.one_of(
    st.sampled_from(["", "a", "ab", "b", "가"]).map(lambda text: {"S": text}),
    st.sampled_from(["-1", "0", "1", "1.5"]).map(lambda text: {"N": text}),
    st.sampled_from(["AA==", "AAE="]).map(lambda text: {"B": text}),
)
documents = st.one_of(
    scalars,
    st.booleans().map(lambda flag: {"BOOL": flag}),
    st.just({"NULL": True}),
    st.sets(st.sampled_from("ab"), min_size=1).map(lambda found: {"SS": sorted(found)}),
    st.sets(st.sampled_from(["1", "2"]), min_size=1).map(lambda found: {"NS": sorted(found)}),
    st.lists(scalars, max_size=2).map(lambda found: {"L": found}),
    st.dictionaries(st.sampled_from("ab"), scalars, max_size=2).map(lambda found: {"M": found}),
)
attributes = st.dictionaries(st.sampled_from(NAMES), documents, max_size=3)


@pytest.fixture(scope="module")
def table() -> Iterator[Table]:
    with Engine.open(":memory:", sweep_seconds=None) as engine:
        yield create(engine, "pk sk:N", world=[Index("by-sort", "sk:N")])


class Written:
    """A condition in both languages; its values are counted as they are met."""

    def __init__(self) -> None:
        self.values: list[Parameter] = []

    def value(self, value: Parameter) -> tuple[str, str]:
        self.values.append(value)
        return f":v{len(self.values)}", "?"

    @property
    def references(self) -> dict[str, Parameter]:
        return {f":v{place}": value for place, value in enumerate(self.values, 1)}


FORMS = [
    *(("{n} " + sign + " {0}", "{n} " + sign + " {0}", 1) for sign in ("=", "<>", "<", "<=", ">", ">=")),
    ("{n} BETWEEN {0} AND {1}", "{n} BETWEEN {0} AND {1}", 2),
    ("{n} IN ({0}, {1})", "{n} IN [{0}, {1}]", 2),
    ("begins_with({n}, {0})", "begins_with({n}, {0})", 1),
    ("contains({n}, {0})", "contains({n}, {0})", 1),
    ("size({n}) > {0}", "size({n}) > {0}", 1),
    ("attribute_exists({n})", "{n} IS NOT MISSING", 0),
    ("attribute_not_exists({n})", "{n} IS MISSING", 0),
    ("NOT {n} = {0}", "NOT {n} = {0}", 1),
    ("(NOT {n} BETWEEN {0} AND {1})", "{n} NOT BETWEEN {0} AND {1}", 2),
]


@st.composite
def conditions(draw: st.DrawFn, written: Written) -> tuple[str, str]:
    """A condition of one to three parts, as an expression and behind WHERE."""
    texts: tuple[str, str] = ("", "")
    for place in range(draw(st.integers(1, 3))):
        expression, statement, count = draw(st.sampled_from(FORMS))
        name = draw(st.sampled_from(NAMES))
        values = [written.value(draw(documents)) for _ in range(count)]
        part = (
            expression.format(*(value[0] for value in values), n=name),
            statement.format(*(value[1] for value in values), n=name),
        )
        word = draw(st.sampled_from([" AND ", " OR "]))
        texts = part if place == 0 else (texts[0] + word + part[0], texts[1] + word + part[1])
    return texts


def answer(table: Table, operation: str, request: dict[str, Any]) -> Any:
    """What comes of a request, of a refusal only its kind."""
    try:
        found = table.engine.call(operation, request)
    except WireError as error:
        return error.code
    return found


def executed(table: Table, statement: str, parameters: list[Parameter], **more: Any) -> Any:
    request = {"Statement": statement, **more} | ({"Parameters": parameters} if parameters else {})
    return answer(table, "ExecuteStatement", request)


def fill(table: Table, stored: dict[str, Item]) -> None:
    for sort in SORTS:
        table.delete({"pk": {"S": "p"}, "sk": {"N": sort}})
    for sort, each in stored.items():
        table.put({"pk": {"S": "p"}, "sk": {"N": sort}, **each})


stores = st.dictionaries(st.sampled_from(SORTS), attributes, max_size=3)


@given(st.data(), stores)
def test_a_selection_finds_what_a_query_and_a_scan_find(
    table: Table, data: st.DataObject, stored: dict[str, Item]
) -> None:
    fill(table, stored)
    written = Written()
    expression, where = data.draw(conditions(written))
    values = written.references
    keyed = answer(
        table,
        "Query",
        {
            "TableName": table.name,
            "KeyConditionExpression": "pk = :pk AND sk >= :sk",
            "FilterExpression": expression,
            "ExpressionAttributeValues": {":pk": {"S": "p"}, ":sk": {"N": "2"}, **values},
            "ReturnConsumedCapacity": "TOTAL",
        },
    )
    statement = f"SELECT * FROM \"{table.name}\" WHERE ({where}) AND pk = 'p' AND sk >= 2"
    assert shown(executed(table, statement, written.values, ReturnConsumedCapacity="TOTAL")) == shown(keyed)
    scan: dict[str, Any] = {"TableName": table.name, "FilterExpression": expression}
    scanned = answer(table, "Scan", scan | ({"ExpressionAttributeValues": values} if values else {}))
    assert shown(executed(table, f'SELECT * FROM "{table.name}" WHERE {where}', written.values)) == shown(
        scanned
    )


def shown(found: Any) -> Any:
    return found if isinstance(found, str) else (found["Items"], found.get("ConsumedCapacity"))


@given(st.data(), attributes, documents)
def test_a_write_does_what_its_request_does(
    table: Table, data: st.DataObject, stored: Item, value: Parameter
) -> None:
    written = Written()
    new = written.value(value)
    expression, where = data.draw(conditions(written))
    key = item(pk="p", sk=1)
    asked = {"TableName": table.name, "Key": key, "ConditionExpression": expression}
    update = asked | {
        "UpdateExpression": f"SET y = {new[0]} REMOVE z",
        "ExpressionAttributeValues": written.references,
        "ReturnValues": "ALL_NEW",
    }
    statement = f"UPDATE \"{table.name}\" SET y = ? REMOVE z WHERE pk = 'p' AND sk = 1 AND ({where})"
    results = []
    execute = {"Statement": statement + " RETURNING ALL NEW *", "Parameters": written.values}
    for operation, request in (("UpdateItem", update), ("ExecuteStatement", execute)):
        fill(table, {"1": stored})
        told = answer(table, operation, request)
        returned = told if isinstance(told, str) else told.get("Attributes") or told["Items"][0]
        results.append((returned, table.found(key)))
    assert results[0] == results[1]


@given(st.data(), attributes)
def test_a_deletion_does_what_its_request_does(table: Table, data: st.DataObject, stored: Item) -> None:
    written = Written()
    expression, where = data.draw(conditions(written))
    key = item(pk="p", sk=1)
    delete: dict[str, Any] = {"TableName": table.name, "Key": key, "ConditionExpression": expression}
    if written.values:
        delete["ExpressionAttributeValues"] = written.references
    statement = f"DELETE FROM \"{table.name}\" WHERE pk = 'p' AND sk = 1 AND ({where})"
    results = []
    execute: dict[str, Any] = {"Statement": statement}
    if written.values:
        execute["Parameters"] = written.values
    for operation, request in (("DeleteItem", delete), ("ExecuteStatement", execute)):
        fill(table, {"1": stored})
        told = answer(table, operation, request)
        results.append((told if isinstance(told, str) else "done", table.found(key)))
    assert results[0] == results[1]


@given(attributes)
def test_an_insertion_puts_the_item_that_it_says(table: Table, stored: Item) -> None:
    fill(table, {})
    pairs = "".join(f", '{name}': ?" for name in stored)
    statement = f"INSERT INTO \"{table.name}\" VALUE {{'pk': 'p', 'sk': 1{pairs}}}"
    assert executed(table, statement, list(stored.values())) == {"Items": []}
    assert table.found(item(pk="p", sk=1)) == item(pk="p", sk=1) | stored
    assert executed(table, statement, list(stored.values())) == "DuplicateItemException"
