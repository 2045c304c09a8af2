"""Stored items against their design."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from hansang.apps.catalog import APPLICATIONS
from hansang.blueprint.examples import entities, read_examples
from hansang.design.shape import Item
from hansang.parts.checking import WrongAttribute, check
from tests.blueprint.designs import EXAMPLES, Customer, Shop


def customer(**changed: Any) -> Item:
    shape: Any = Customer.__shape__
    found = next(each for each in EXAMPLES if isinstance(each, Customer))
    item = {**shape.encode(found), **changed}
    return {name: value for name, value in item.items() if value is not None}


def test_items_that_are_right_are_not_found() -> None:
    for each in EXAMPLES:
        shape: Any = type(each).__shape__
        assert check(Shop, shape.encode(each)) is None


@pytest.mark.parametrize("application", APPLICATIONS, ids=lambda each: str(each.name))
def test_the_examples_of_every_design_are_right(application: Any) -> None:
    for table in application.tables:
        for each in entities(read_examples(sys.modules[table.__module__]), [table]):
            shape: Any = type(each).__shape__
            assert check(table, shape.encode(each)) is None


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"name": None}, "has no attribute name"),
        ({"name": {"N": "7"}}, "The attribute name of the item"),
        ({"Type": {"S": "Nobody"}}, "No entity of Shop knows the item PK="),
        ({"SK": {"S": "META"}}, "has no key of a Customer"),
    ],
)
def test_an_item_that_cannot_be_read_is_found(changed: dict[str, Any], reason: str) -> None:
    found = check(Shop, customer(**changed))
    assert found is not None
    assert (reason in found.reason, found.attributes) == (True, [])


def test_an_attribute_that_does_not_follow_from_the_others_is_found() -> None:
    right = customer()["name_lower"]
    found = check(Shop, customer(name_lower={"S": "OLD"}))
    assert found is not None
    assert found.attributes == [WrongAttribute("name_lower", {"S": "OLD"}, right)]
    missing = check(Shop, customer(name_lower=None))
    assert missing is not None
    assert missing.attributes == [WrongAttribute("name_lower", None, right)]


def test_what_the_design_does_not_know_is_no_fault() -> None:
    assert check(Shop, customer(Old={"S": "stays"})) is None
