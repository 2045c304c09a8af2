"""Items as plain JSON, and back."""

from __future__ import annotations

from typing import Any

import pytest

from hansang.blueprint.markdown import code, table
from hansang.blueprint.plain import plain_item, tagged
from hansang.errors import SettingsError

ITEM: dict[str, dict[str, Any]] = {
    "PK": {"S": "A"},
    "whole": {"N": "3"},
    "part": {"N": "1.5"},
    "flag": {"BOOL": True},
    "nothing": {"NULL": True},
    "list": {"L": [{"S": "x"}, {"M": {"y": {"N": "2"}}}]},
}
PLAIN = {"PK": "A", "whole": 3, "part": 1.5, "flag": True, "nothing": None, "list": ["x", {"y": 2}]}


def test_an_item_loses_its_types_and_gets_them_back() -> None:
    assert plain_item(ITEM) == PLAIN
    assert tagged(PLAIN) == ITEM


def test_an_item_with_types_stays_as_it_is() -> None:
    assert tagged(ITEM) is ITEM


def test_sets_and_bytes_have_a_plain_form() -> None:
    assert plain_item({"a": {"SS": ["y", "x"]}, "b": {"B": "AQI="}}) == {"a": ["x", "y"], "b": "AQI="}


def test_what_is_no_object_is_no_item() -> None:
    with pytest.raises(SettingsError, match="JSON object"):
        tagged(["x"])


def test_a_bar_in_a_cell_does_not_end_it() -> None:
    assert table(("a", "b"), [("x|y", "two\nlines")]) == "| a | b |\n| --- | --- |\n| x\\|y | two lines |"
    assert code("") == ""
