"""Keys as people write them."""

from __future__ import annotations

import pytest

from hansang.apps.assets.design import AssetManager
from hansang.apps.leaderboards.design import UsersLeaderboard
from hansang.apps.news.design import NewsItems
from hansang.errors import InvalidInput
from hansang.surfaces.addresses import address, key_at


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
