"""What the bill says of every write, against what the engine charges for it."""

from __future__ import annotations

from typing import Any

import pytest

from hansang.backends.embedded import Embedded
from hansang.blueprint.capacity import Line, lines
from hansang.blueprint.sizes import Sizes
from hansang.blueprint.subject import Design
from hansang.design.shape import Item, Shape
from hansang.surfaces.cli.designs import load
from tests.blueprint.designs import Faulty, Shop

APPLICATIONS = ["assets", "leaderboards", "news", "codex", "rankings"]
DESIGNS = {name: load([name]) for name in APPLICATIONS} | {"shop": Design([Shop]), "faulty": Design([Faulty])}
BILLS = {name: {line.name: line for line in lines(design)} for name, design in DESIGNS.items()}
KINDS = [
    pytest.param(name, shape, id=f"{name}-{shape.cls.__name__}")
    for name, design in DESIGNS.items()
    for table in design.tables
    for shape in table.shapes
]
TURNED = {True: False, False: True}


class Ledger:
    """An engine with one table, and what it charges."""

    def __init__(self, shape: Shape) -> None:
        self.table = shape.table
        self.backend = Embedded.open(":memory:", durability="normal")
        self.backend.call("CreateTable", self.table.definition())

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self.backend.close()

    def charged(self, operation: str, **request: Any) -> float:
        """The write units of one request by itself."""
        found = self.backend.call(
            operation, {"TableName": self.table.name, "ReturnConsumedCapacity": "TOTAL", **request}
        )
        return float(found["ConsumedCapacity"]["CapacityUnits"])

    def charged_together(self, kind: str, **action: Any) -> float:
        """The write units of the same in a transaction."""
        items = [{kind: {"TableName": self.table.name, **action}}]
        found = self.backend.call(
            "TransactWriteItems", {"TransactItems": items, "ReturnConsumedCapacity": "TOTAL"}
        )
        return float(found["ConsumedCapacity"][0]["CapacityUnits"])

    def key(self, item: Item) -> Item:
        return {name: item[name] for name in self.table.key_attributes()}


def other(value: dict[str, Any]) -> dict[str, Any]:
    """Another value of the same size."""
    [(kind, given)] = value.items()
    if kind == "S":
        return {"S": given[:-1] + ("x" if given[-1:] != "x" else "y")}
    if kind == "N":
        return {"N": given[:-1] + ("1" if given[-1] != "1" else "2")}
    return {kind: TURNED[given]} if kind == "BOOL" else value


def changes(item: Item, names: frozenset[str]) -> dict[str, Any]:
    """An update that gives these attributes other values."""
    changed = {name: other(item[name]) for name in sorted(names & item.keys())}
    return {
        "UpdateExpression": "SET " + ", ".join(f"#{at} = :{at}" for at in range(len(changed))),
        "ExpressionAttributeNames": {f"#{at}": name for at, name in enumerate(changed)},
        "ExpressionAttributeValues": {f":{at}": value for at, value in enumerate(changed.values())},
    }


def index_keys(shape: Shape, item: Item) -> frozenset[str]:
    """The keys of the indexes that the item is in."""
    held = [index.keys for index in shape.table.indexes if item.keys() >= {*index.keys}]
    return frozenset(name for keys in held for name in keys)


@pytest.mark.parametrize(("design", "shape"), KINDS)
def test_a_put_and_a_delete_cost_what_the_engine_charges(design: str, shape: Shape) -> None:
    item, name = Sizes(DESIGNS[design]).example(shape), shape.cls.__name__
    put, delete = BILLS[design][f"{name}.put"], BILLS[design][f"{name}.delete"]
    with Ledger(shape) as ledger:
        assert ledger.charged("PutItem", Item=item) == put.write
        assert ledger.charged("DeleteItem", Key=ledger.key(item)) == delete.write
        assert ledger.charged_together("Put", Item=item) == put.in_transaction
        assert ledger.charged_together("Delete", Key=ledger.key(item)) == delete.in_transaction


@pytest.mark.parametrize(("design", "shape"), KINDS)
def test_an_update_costs_what_the_engine_charges(design: str, shape: Shape) -> None:
    item, bill = Sizes(DESIGNS[design]).example(shape), BILLS[design]
    free, keys = loose(shape, item), index_keys(shape, item)
    if free - keys:
        line = bill[f"{shape.cls.__name__}.update"]
        assert charges(shape, item, free - keys) == (line.write, line.in_transaction)
    if free & keys:
        line = bill[f"{shape.cls.__name__}.update_index_key"]
        assert charges(shape, item, free) == (line.write, line.in_transaction)


def loose(shape: Shape, item: Item) -> frozenset[str]:
    """What can be changed of an item, and is changed with ease."""
    in_key = {*shape.pk.fields, *(shape.sk.fields if shape.sk else ())}
    bound = {slot.attribute for slot in shape.slots.values() if slot.name in in_key}
    bound |= {*shape.table.key_attributes(), shape.table.type_attribute}
    return frozenset(name for name in item.keys() - bound if other(item[name]) != item[name])


def charges(shape: Shape, item: Item, names: frozenset[str]) -> tuple[float, float]:
    update = changes(item, names)
    with Ledger(shape) as ledger:
        ledger.charged("PutItem", Item=item)
        alone = ledger.charged("UpdateItem", Key=ledger.key(item), **update)
        ledger.charged("PutItem", Item=item)
        return alone, ledger.charged_together("Update", Key=ledger.key(item), **update)


@pytest.mark.parametrize(("design", "shape"), KINDS)
def test_a_get_in_a_transaction_costs_what_the_engine_charges(design: str, shape: Shape) -> None:
    item = Sizes(DESIGNS[design]).example(shape)
    with Ledger(shape) as ledger:
        ledger.charged("PutItem", Item=item)
        wish = {"Get": {"TableName": shape.table.name, "Key": ledger.key(item)}}
        found = ledger.backend.call(
            "TransactGetItems", {"TransactItems": [wish], "ReturnConsumedCapacity": "TOTAL"}
        )
    get = BILLS[design][f"{shape.cls.__name__}.get"]
    assert found["ConsumedCapacity"][0]["CapacityUnits"] == get.in_transaction


@pytest.mark.clause("X2-11")
def test_an_improvement_of_a_score_is_five_units() -> None:
    assert line("leaderboards", "WeeklyBest.update_index_key").write == 5
    assert line("leaderboards", "WeeklyBest.update_index_key").ceiling == 500
    assert line("leaderboards", "WeeklyBest.update").write == 3


@pytest.mark.clause("X2-12")
def test_the_row_of_a_friend_is_three_units() -> None:
    assert line("leaderboards", "FriendScore.update_index_key").write == 3


def test_what_an_index_does_not_hold_costs_nothing_there() -> None:
    assert line("rankings", "Profile.update").write == 1
    assert line("rankings", "Profile.put").write == 2


def test_an_item_that_is_all_key_has_no_update() -> None:
    assert "Post.update" not in BILLS["faulty"]
    assert "Post.delete" in BILLS["faulty"]


def line(design: str, name: str) -> Line:
    return BILLS[design][name]
