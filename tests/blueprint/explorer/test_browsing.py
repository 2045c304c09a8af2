"""Tables and indexes page by page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

import pytest

from hansang.apps.assets.design import AssetManager
from hansang.apps.leaderboards.design import UsersLeaderboard
from hansang.apps.news.design import NewsItems
from hansang.blueprint.explorer.browsing import Search, Sign, Source, browse, source, sources
from hansang.design import Database
from hansang.errors import InvalidCursor, InvalidInput, NotFound
from tests.apps.assets.household import income
from tests.checked.fair import Fair, Visit
from tests.storing import opened

TABLE = Source(AssetManager)
INDEX = source(AssetManager, "yearMonth-PK-index")


@pytest.fixture
def db() -> Iterator[Database]:
    with opened(AssetManager, UsersLeaderboard) as db:
        for month in ("2025.01", "2025.02"):
            for name in ("배우자1", "배우자2", "배우자10"):
                db.put(income(month, name))
        yield db


def names(db: Database, search: Search) -> list[str]:
    return [item["name"]["S"] for item in browse(db, search).items]


def test_without_a_key_everything_comes_in_pages(db: Database) -> None:
    seen: list[str] = []
    cursor, offsets = None, []
    for _ in range(3):
        page = browse(db, Search(TABLE, limit=2, cursor=cursor))
        seen += [f"{item['PK']['S']}/{item['SK']['S']}" for item in page.items]
        offsets.append(page.offset)
        cursor = page.cursor
    assert (len(set(seen)), offsets) == (6, [0, 2, 4])
    assert page.operation == "Scan"
    last = browse(db, Search(TABLE, limit=2, cursor=cursor)) if cursor else page
    assert last.cursor is None


def test_a_partition_comes_in_the_order_of_its_sort_key_or_the_other_way(db: Database) -> None:
    found = names(db, Search(TABLE, "INCOME#2025.01"))
    assert found == ["배우자1", "배우자10", "배우자2"]
    assert names(db, Search(TABLE, "INCOME#2025.01", is_forward=False)) == found[::-1]


@pytest.mark.parametrize(
    ("sign", "sort", "count"),
    [
        ("begins_with", "배우자1", 2),
        ("=", "배우자1#월급", 1),
        (">=", "배우자1#월급", 3),
        ("<=", "배우자1#월급", 1),
    ],
)
def test_the_sort_key_is_asked_for_in_four_ways(db: Database, sign: Sign, sort: str, count: int) -> None:
    assert len(names(db, Search(TABLE, "INCOME#2025.01", sort, sign))) == count


def test_an_index_is_browsed_as_a_table_is(db: Database) -> None:
    page = browse(db, Search(INDEX, "2025.02", "INCOME#"))
    assert {item["yearMonth"]["S"] for item in page.items} == {"2025.02"}
    assert page.request["IndexName"] == "yearMonth-PK-index"
    assert len(browse(db, Search(INDEX)).items) == 6


def test_browsing_tells_what_it_cost_and_is_counted(db: Database) -> None:
    told: list[tuple[str, str]] = []
    watched = Database(db.backend, observer=lambda operation, pattern, _: told.append((operation, pattern)))
    assert browse(watched, Search(TABLE)).read_units == 0.5
    assert told == [("Scan", "browse")]


def test_a_number_is_not_asked_for_by_its_beginning(db: Database) -> None:
    top = source(UsersLeaderboard, "Week-TopScore-Index")
    assert top.signs == ("=", ">=", "<=")
    assert Source(NewsItems).signs == ()
    assert browse(db, Search(top, "2014-05-09, 2014-05-15", "10")).items == []


def test_a_key_of_the_wrong_type_is_refused(db: Database) -> None:
    with pytest.raises(InvalidInput) as refusal:
        browse(db, Search(Source(UsersLeaderboard), "not a number"))
    assert refusal.value.field == "Id"


@pytest.mark.parametrize("cursor", ["!", "e30", "W10", "WzEsMl0", "\x00"])
def test_a_cursor_that_is_none_is_refused(db: Database, cursor: str) -> None:
    with pytest.raises(InvalidCursor):
        browse(db, Search(TABLE, cursor=cursor))


def test_an_index_that_is_not_there_is_not_found() -> None:
    assert [each.name for each in sources(AssetManager)] == ["AssetManager", "yearMonth-PK-index"]
    with pytest.raises(NotFound, match="There are yearMonth-PK-index"):
        source(AssetManager, "other")


def test_keys_of_an_index_come_first() -> None:
    assert INDEX.keys == ("yearMonth", "PK", "SK")


# ── keys of several attributes ────────────────────────────────────────────────────────────────────

MOODS = source(Fair, "ByMood")


@pytest.fixture(scope="module")
def visits() -> Iterator[Database]:
    with opened(Fair) as db:
        db.batch_write(
            Visit(
                stall=UUID(int=1),
                at=datetime(2026, 1, 1, number, tzinfo=UTC),
                who="민지",
                mood="good" if number % 2 else "bad",
                score=number // 4,
            )
            for number in range(12)
        )
        yield db


def hours(db: Database, search: Search) -> list[int]:
    return [int(item["SK"]["S"][11:13]) for item in browse(db, search).items]


def test_an_index_of_several_attributes_is_asked_by_all_of_its_partition(visits: Database) -> None:
    assert (MOODS.partition_keys, MOODS.sort_keys) == (("who", "mood"), ("score", "SK"))
    assert MOODS.keys == ("who", "mood", "score", "SK", "PK")
    assert len(hours(visits, Search(MOODS))) == 12
    good = Search(MOODS, "민지", further={"mood": "good"})
    assert hours(visits, good) == [1, 3, 5, 7, 9, 11]
    assert hours(visits, replace(good, is_forward=False, limit=2)) == [11, 9]
    with pytest.raises(InvalidInput) as refusal:
        browse(visits, Search(MOODS, "민지"))
    assert refusal.value.field == "mood"


@pytest.mark.parametrize(
    ("sort", "further", "sign", "found"),
    [
        ("1", {}, ">=", [5, 7, 9, 11]),
        ("1", {}, "begins_with", [5, 7]),
        ("1", {"SK": "2026-01-01T06"}, ">=", [7]),
        ("1", {"SK": "2026-01-01T05"}, "begins_with", [5]),
    ],
)
def test_the_last_attribute_of_the_sort_key_is_asked_by_the_sign_and_those_before_by_equality(
    visits: Database, sort: str, further: dict[str, str], sign: Sign, found: list[int]
) -> None:
    assert hours(visits, Search(MOODS, "민지", sort, sign, further={"mood": "good", **further})) == found


def test_a_hole_in_the_sort_key_is_refused_and_pages_go_on(visits: Database) -> None:
    with pytest.raises(InvalidInput) as refusal:
        browse(visits, Search(MOODS, "민지", further={"mood": "good", "SK": "2026"}))
    assert refusal.value.field == "score"
    asked = Search(
        MOODS, "민지", limit=4, keep=lambda item: item["score"] != {"N": "1"}, further={"mood": "bad"}
    )
    page = browse(visits, replace(asked, limit=2))
    assert hours(visits, replace(asked, cursor=page.cursor)) == [8, 10]
