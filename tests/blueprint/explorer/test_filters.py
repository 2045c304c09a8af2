"""What a filter keeps, by the type of what is stored."""

from __future__ import annotations

import pytest

from hansang.blueprint.explorer.filters import AttributeFilter, FilterSign
from hansang.design.shape import Item

ITEM: Item = {
    "name": {"S": "Apple"},
    "price": {"N": "100"},
    "tags": {"L": [{"S": "red"}]},
    "code": {"S": "9"},
}


@pytest.mark.parametrize(
    ("attribute", "sign", "text", "is_kept"),
    [
        ("name", "contains", "PP", True),
        ("name", "begins_with", "App", True),
        ("name", "begins_with", "app", False),
        ("name", "=", "Apple", True),
        ("name", "<=", "B", True),
        ("price", "=", "100.0", True),
        ("price", ">=", "1,000", False),
        ("price", ">=", "9", True),
        ("price", ">=", "many", False),
        ("price", ">=", "NaN", False),
        ("code", ">=", "100", True),
        ("tags", "contains", "red", True),
        ("size", "contains", "x", False),
        ("size", "missing", "", True),
        ("name", "missing", "", False),
        ("name", "exists", "", True),
        ("size", "exists", "", False),
    ],
)
def test_an_item_is_kept_by_one_attribute(attribute: str, sign: FilterSign, text: str, is_kept: bool) -> None:
    assert AttributeFilter(attribute, sign, text).keeps(ITEM) is is_kept


@pytest.mark.parametrize(
    ("attribute", "sign", "text", "is_whole"),
    [("", "=", "x", False), ("a", "=", "", False), ("a", "exists", "", True), ("a", "=", "x", True)],
)
def test_a_filter_that_lacks_something_is_none(
    attribute: str, sign: FilterSign, text: str, is_whole: bool
) -> None:
    assert AttributeFilter(attribute, sign, text).is_whole is is_whole
