"""What the patterns of the rankings cost, and what their keys and values refuse."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta

import pytest

from hansang.apps.rankings.days import Days
from hansang.apps.rankings.design import (
    Hanwol,
    LevelRow,
    NamedPlayer,
    OfficialLevelRow,
    OfficialPowerRow,
    Profile,
    ProfileKey,
    Snapshot,
    SnapshotDay,
    SnapshotKey,
)
from hansang.design import Database, attr
from hansang.engine.values import item_size
from hansang.errors import InvalidKey
from tests.apps.rankings.players import DAY, profile, snapshot, uuid
from tests.clauses import clause
from tests.storing import opened, shape


@pytest.fixture
def db() -> Iterator[Database]:
    with opened(Hanwol) as db:
        yield db


def fill(db: Database, count: int) -> None:
    ranked = min(count, 100)
    db.batch_write(
        snapshot(
            number,
            level=1000 - number,
            level_rank=number if number <= ranked else None,
            power_rank=number if number <= ranked else None,
        )
        for number in range(1, count + 1)
    )


# ── reads ─────────────────────────────────────────────────────────────────────────────────────────


@clause("5-13")
def test_the_official_first_hundred_cost_one_and_a_half_units(db: Database) -> None:
    fill(db, 120)
    with db.meter() as level:
        assert len(db.all(OfficialLevelRow.top(DAY))) == 100
    with db.meter() as power:
        assert len(db.all(OfficialPowerRow.top(DAY))) == 100
    assert (level.read, power.read, level.requests) == (1.5, 1.5, 1)


@clause("5-14")
def test_a_page_of_a_hundred_of_everyone_costs_one_unit(db: Database) -> None:
    fill(db, 250)
    with db.meter() as cost:
        page = db.page(LevelRow.ranking(DAY), limit=100)
    assert (len(page), cost.read, cost.requests) == (100, 1.0, 1)


@clause("5-17")
def test_a_range_costs_what_it_finds_and_not_what_the_day_holds(db: Database) -> None:
    fill(db, 250)
    with db.meter() as cost:
        assert len(db.all(LevelRow.between(DAY, 950, 970))) == 21
    assert cost.read == 0.5


@clause("5-16")
def test_a_year_of_history_costs_five_and_a_half_units(db: Database) -> None:
    start = date(2025, 3, 1)
    days = [snapshot(1, start + timedelta(days=n), 70, 123_456_789, 7, 12) for n in range(365)]
    assert item_size(shape(Snapshot).encode(days[0])) == 115
    db.batch_write(days)
    with db.meter() as cost:
        assert len(db.all(Snapshot.history(uuid(1)))) == 365
    assert (cost.read, cost.requests) == (5.5, 1)


@clause("5-19", "X5-04")
def test_a_lookup_by_name_costs_a_half_and_a_whole_unit(db: Database) -> None:
    db.put(profile(1, "Hello"))
    with db.meter() as cost:
        [found] = db.all(NamedPlayer.called("hello"))
        db.get(ProfileKey(uuid=found.uuid), consistent=True)
    assert [(name, units.read) for name, units in cost.patterns.items()] == [
        ("NamedPlayer.called", 0.5),
        ("Profile.get", 1.0),
    ]


@clause("X5-25")
def test_yesterday_of_a_page_of_fifty_costs_twenty_five_units(db: Database) -> None:
    fill(db, 50)
    with db.meter() as cost:
        found = db.batch_get(SnapshotKey(uuid=uuid(number), day=DAY) for number in range(1, 51))
    assert (len(found), cost.read, cost.requests) == (50, 25.0, 1)


@clause("X5-13")
def test_the_newest_day_costs_half_a_unit(db: Database) -> None:
    moment = datetime(2026, 2, 21, 15, tzinfo=UTC)
    for number in range(1, 29):
        db.put(SnapshotDay(day=date(2026, 2, number), status="finished", started_at=moment))
    with db.meter() as cost:
        newest = Days(db, lambda: 0.0).finished()
    assert (newest.day, cost.read, cost.requests) == (date(2026, 2, 28), 0.5, 1)


# ── writes ────────────────────────────────────────────────────────────────────────────────────────


@clause("5-05")
@pytest.mark.parametrize(
    ("level_rank", "power_rank", "units"),
    [(None, None, 3.0), (1, None, 4.0), (None, 100, 4.0), (1, 100, 5.0)],
)
def test_a_snapshot_costs_three_units_and_one_for_each_top_list(
    db: Database, level_rank: int | None, power_rank: int | None, units: float
) -> None:
    with db.meter() as cost:
        db.put(snapshot(1, level_rank=level_rank, power_rank=power_rank))
    assert (cost.write, cost.tables[Hanwol.name].write) == (units, 1.0)


@clause("X5-24", "5-04")
def test_a_change_of_a_profile_costs_one_unit_and_a_rename_two_more(db: Database) -> None:
    db.put(profile(1, "Hello"))
    with db.meter() as change:
        db.update(ProfileKey(uuid=uuid(1)), attr(Profile.current_level).set(51))
    with db.meter() as rename:
        db.update(ProfileKey(uuid=uuid(1)), attr(Profile.name).set("Bye"))
    assert (change.write, rename.write) == (1.0, 3.0)
    assert rename.indexes[Hanwol.name, "GSI_Find_User_By_Name"].write == 2.0


# ── what is refused ───────────────────────────────────────────────────────────────────────────────


@clause("X5-19")
def test_a_player_has_any_id_of_up_to_64_characters_without_a_number_sign(db: Database) -> None:
    for ident in ("", "x" * 65):
        with pytest.raises(ValueError, match="uuid"):
            ProfileKey(uuid=ident)
    with pytest.raises(InvalidKey, match="'#'"):
        db.find(ProfileKey(uuid="A#101"))
    assert db.find(ProfileKey(uuid="x" * 64)) is None


@clause("X5-28")
def test_power_is_a_whole_number_of_up_to_38_digits(db: Database) -> None:
    db.put(snapshot(1, power=10**37))
    assert db.get(SnapshotKey(uuid=uuid(1), day=DAY)).power == 10**37
    for power in (10**37 + 1, -1, 1.0, True):
        with pytest.raises(ValueError, match="power"):
            Snapshot.model_validate({**snapshot(1).model_dump(), "power": power})


@clause("X5-18")
def test_the_searched_name_follows_a_rename_and_finds_decomposed_hangul(db: Database) -> None:
    db.put(profile(1, "Hello"))
    db.update(ProfileKey(uuid=uuid(1)), attr(Profile.name).set("한월"))
    assert db.all(NamedPlayer.called("hello")) == []
    assert len(db.all(NamedPlayer.called("\u1112\u1161\u11ab\u110b\u116f\u11af"))) == 1
