"""Entities, keys and views as classes."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Annotated, Any

import pytest

from hansang.backends.embedded import Embedded
from hansang.design import GSI, KEYS_ONLY, Attr, Database, Entity, Key, Table, View, attr, derived
from hansang.design.kinds import recognised
from hansang.errors import DesignError


class Season(Enum):
    SPRING = "spring"


class Garden(Table, name="Garden"):
    by_owner = GSI("Owner", pk="OwnerKey", sk="PlantedKey")
    by_low = GSI("Low", pk="Name_Lower", project=KEYS_ONLY)


class PlantKey(Key["Plant"], pk="SEASON#{season}", sk="PLANT#{number:04d}"):
    season: Season
    number: int


class Plant(
    PlantKey, Entity, table=Garden, index_keys={Garden.by_owner: ("OWNER#{owner}", "{planted}#{number:04d}")}
):
    name: Annotated[str, Attr("Name")]
    owner: str | None = None
    planted: str = "2026"
    name_lower = derived("Name_Lower", of="name", by=str.lower)


@pytest.fixture
def garden() -> Iterator[Database]:
    with Embedded.open(":memory:") as backend:
        database = Database(backend)
        database.create_tables(Garden)
        yield database


def stored(database: Database) -> dict[str, Any]:
    [item] = database.backend.call("Scan", {"TableName": "Garden"})["Items"]
    found: dict[str, Any] = item
    return found


KEY = PlantKey(season=Season.SPRING, number=7)


def test_a_choice_in_a_key_comes_back_as_a_choice(garden: Database) -> None:
    garden.create(Plant(season=Season.SPRING, number=7, name="Rose"))
    assert garden.get(KEY).season is Season.SPRING


def test_an_index_key_is_composed_of_fields(garden: Database) -> None:
    garden.create(Plant(season=Season.SPRING, number=7, name="Rose", owner="me"))
    item = stored(garden)
    assert (item["OwnerKey"], item["PlantedKey"]) == ({"S": "OWNER#me"}, {"S": "2026#0007"})


def test_without_a_field_of_it_an_index_key_is_left_out(garden: Database) -> None:
    garden.create(Plant(season=Season.SPRING, number=7, name="Rose"))
    assert "OwnerKey" not in stored(garden)


def test_index_keys_and_derived_attributes_follow_an_update(garden: Database) -> None:
    garden.create(Plant(season=Season.SPRING, number=7, name="Rose", owner="me"))
    garden.update(KEY, attr(Plant.owner).set("you"), attr(Plant.name).set("LILY"))
    item = stored(garden)
    assert (item["OwnerKey"], item["Name_Lower"]) == ({"S": "OWNER#you"}, {"S": "lily"})


def test_an_index_key_goes_with_its_field(garden: Database) -> None:
    garden.create(Plant(season=Season.SPRING, number=7, name="Rose", owner="me"))
    garden.update(KEY, attr(Plant.owner).remove())
    assert "OwnerKey" not in stored(garden)


def test_what_cannot_follow_is_refused(garden: Database) -> None:
    with pytest.raises(DesignError, match="not known here"):
        garden.update(KEY, attr(Plant.owner).set_if_missing("you"))


def test_a_derived_attribute_is_not_updated_by_itself(garden: Database) -> None:
    with pytest.raises(DesignError, match="derived from name"):
        garden.update(KEY, attr(Plant.name_lower).set("x"))


def test_an_entity_does_not_change() -> None:
    plant = Plant(season=Season.SPRING, number=7, name="Rose")
    with pytest.raises(ValueError, match="frozen"):
        plant.name = "Lily"  # type: ignore[misc]


def test_a_view_has_only_what_its_index_projects() -> None:
    with pytest.raises(DesignError, match="does not project"):

        class Low(PlantKey, View, index=Garden.by_low):
            name: Annotated[str, Attr("Name")]


def test_a_key_without_its_field_is_refused() -> None:
    with pytest.raises(DesignError, match="which is not a field"):

        class LostKey(Key["Lost"], pk="LOST#{id}", sk="METADATA"):
            pass

        class Lost(LostKey, Entity, table=Garden):
            pass


def test_a_key_attribute_has_one_type() -> None:
    class Mixed(Table, name="Mixed", pk="A", sk=None, type_attribute="Kind"):
        pass

    class OneKey(Key["One"], pk="{a}"):
        a: int

    class One(OneKey, Entity, table=Mixed, type="One"):
        pass

    class TwoKey(Key["Two"], pk="{a}"):
        a: str

    class Two(TwoKey, Entity, table=Mixed, type="Two"):
        pass

    with pytest.raises(DesignError, match="has one type"):
        Mixed.definition()


class CodesKey(Key["Codes"], pk="CODE#{kind}", sk="METADATA"):
    kind: str


class Codes(CodesKey, Entity, table=Garden):
    codes: list[str]


class SpecialKey(Key["Special"], pk="CODE#SPECIAL", sk="METADATA"):
    pass


class Special(SpecialKey, Entity, table=Garden):
    codes: dict[str, list[str]]


def test_of_two_keys_that_fit_the_narrower_one_is_meant() -> None:
    item = {"PK": {"S": "CODE#SPECIAL"}, "SK": {"S": "METADATA"}}
    found = recognised(Garden.shapes, item)
    assert found is not None
    assert found.cls is Special
