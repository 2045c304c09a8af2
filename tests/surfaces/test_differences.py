"""What is different between two states of an item."""

from __future__ import annotations

from hansang.design.shape import Item
from hansang.surfaces.differences import differences

BEFORE: Item = {"PK": {"S": "a"}, "title": {"S": "옛 제목"}, "gone": {"N": "1"}, "tags": {"SS": ["b", "a"]}}
AFTER: Item = {"PK": {"S": "a"}, "title": {"S": "새 제목"}, "new": {"BOOL": True}, "tags": {"SS": ["a", "b"]}}


def test_what_differs_comes_first_and_says_how() -> None:
    found = [(each.name, each.kind, each.before, each.after) for each in differences(BEFORE, AFTER)]
    assert found[:3] == [
        ("title", "changed", "옛 제목", "새 제목"),
        ("new", "added", None, "true"),
        ("gone", "removed", "1", None),
    ]


def test_a_set_in_another_order_is_the_same() -> None:
    assert {each.name: each.kind for each in differences(BEFORE, AFTER)}["tags"] == "same"


def test_a_created_item_has_everything_added() -> None:
    assert {each.kind for each in differences(None, AFTER)} == {"added"}


def test_a_deleted_item_has_everything_removed() -> None:
    assert {each.kind for each in differences(BEFORE, None)} == {"removed"}


def test_a_change_of_type_alone_is_a_change() -> None:
    (found,) = differences({"n": {"N": "1"}}, {"n": {"S": "1"}})
    assert (found.kind, found.type) == ("changed", "N → S")


def test_nested_values_are_shown_without_marks() -> None:
    (found,) = differences(None, {"m": {"M": {"a": {"L": [{"N": "1"}, {"NULL": True}]}}}})
    assert found.after is not None
    assert found.after.split() == ["{", '"a":', "[", '"1",', "null", "]", "}"]


def test_of_what_is_hidden_it_is_told_that_it_differs() -> None:
    (found,) = differences({"pin": {"S": "old"}}, {"pin": {"S": "new"}}, {"pin"})
    assert (found.kind, found.before, found.after) == ("changed", "••••••••", "••••••••")
