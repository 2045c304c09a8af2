"""What can be said of one item, against what the engine charges for it."""

from __future__ import annotations

from hansang.apps.assets.design import AssetManager
from hansang.apps.codex.design import FMWebApp
from hansang.apps.rankings.design import Hanwol, Snapshot
from hansang.blueprint.explorer.details import details
from hansang.design import Database
from tests.apps.assets.household import income
from tests.apps.codex.site import post
from tests.apps.rankings.players import snapshot
from tests.storing import opened, shape

SNAPSHOT = snapshot(1)


def test_an_item_costs_what_the_engine_charges() -> None:
    with opened(AssetManager, FMWebApp, Hanwol) as db:
        for entity in (income(), post().model_copy(update={"contents": "x" * 6000}), SNAPSHOT):
            found = details(shape(type(entity)).table, shape(type(entity)).encode(entity), "viewer")
            assert found.write == _charged(db, entity)
            assert found.entity == entity


def _charged(db: Database, entity: object) -> float:
    with db.meter() as cost:
        db.put(entity)  # type: ignore[type-var]
    return cost.write


def test_an_item_stands_where_it_has_the_key() -> None:
    with_ranks = details(Hanwol, shape(Snapshot).encode(SNAPSHOT), "viewer")
    standing = {each.index.name: each.lacks for each in with_ranks.indexes}
    assert standing["GSI_Internal_Level"] == ""
    assert standing["GSI_Find_User_By_Name"] == "Name_Lower"


def test_a_stranger_and_a_misfit_are_told_apart() -> None:
    key = {"PK": {"S": "?"}, "SK": {"S": "?"}}
    assert (details(AssetManager, key, "viewer").shape, details(AssetManager, key, "viewer").misfit) == (
        None,
        "",
    )
    broken = details(AssetManager, {"PK": {"S": "INCOME#2025.01"}, "SK": {"S": "a#b"}}, "viewer")
    assert broken.entity is None
    assert "has no attribute" in broken.misfit
