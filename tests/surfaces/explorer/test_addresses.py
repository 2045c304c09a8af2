"""Keys as people write them."""

from __future__ import annotations

import pytest

from hansang.apps.assets.design import AssetManager
from hansang.apps.leaderboards.design import UsersLeaderboard
from hansang.apps.news.design import NewsItems
from hansang.errors import InvalidInput
from hansang.surfaces.explorer.addresses import address, key_at, key_value


def test_the_address_of_an_item_leads_back_to_its_key() -> None:
    key = {"Id": {"N": "7"}, "Week": {"S": "2014-05-09, 2014-05-15"}}
    assert address(UsersLeaderboard, {**key, "Name": {"S": "x"}}) == {
        "pk": "7",
        "sk": "2014-05-09, 2014-05-15",
    }
    assert key_at(UsersLeaderboard, address(UsersLeaderboard, key)) == key


def test_a_table_without_a_sort_key_needs_none() -> None:
    assert key_at(NewsItems, {"pk": "h#1"}) == {"pk": {"S": "h#1"}}


def test_a_key_that_lacks_a_part_is_refused_by_name() -> None:
    with pytest.raises(InvalidInput, match="SK is part of the key") as refusal:
        key_at(AssetManager, {"pk": "CODE#NAME"})
    assert refusal.value.field == "SK"


@pytest.mark.parametrize("text", ["abc", "NaN", "Infinity", "1e"])
def test_a_number_in_a_key_is_a_number(text: str) -> None:
    with pytest.raises(InvalidInput, match="Id is a number"):
        key_value("Id", "N", text)


def test_a_binary_in_a_key_is_written_as_base64() -> None:
    assert key_value("b", "B", "AQID") == {"B": "AQID"}
    with pytest.raises(InvalidInput, match="base64"):
        key_value("b", "B", "no base64!")
