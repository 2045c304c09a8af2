"""The table of the daily rankings is the one of its document, clause by clause."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

import pytest

from hansang.apps.rankings.application import APPLICATION
from hansang.apps.rankings.design import (
    Hanwol,
    LevelRow,
    NamedPlayer,
    OfficialLevelRow,
    OfficialPowerRow,
    PowerRow,
    Profile,
    ProfileKey,
    Snapshot,
    SnapshotDay,
)
from hansang.apps.rankings.rules import rank_at
from hansang.design import Database, Entity, Index, attr
from hansang.parts.ranks.table import Ranks
from tests.apps.rankings.players import DAY, profile, snapshot, uuid
from tests.clauses import clause
from tests.storing import after_round_trip, asked, examples, item, load, opened, projected, shape, stored

EXAMPLES = examples("rankings")


@pytest.fixture
def db() -> Iterator[Database]:
    with opened(Hanwol) as db:
        yield db


# ── the table and its items ───────────────────────────────────────────────────────────────────────


@clause("5-01")
def test_everything_is_in_one_table_and_the_first_hundred_cost_no_more_for_all_who_follow(
    db: Database,
) -> None:
    # The trees stand beside it, and hold nothing that the document speaks of (X5-10).
    assert APPLICATION.tables == (Hanwol, Ranks)
    costs = []
    for few, many in ((1, 101), (101, 1001)):
        for number in range(few, many):
            db.put(snapshot(number, level_rank=number if number <= 100 else None))
        with db.meter() as cost:
            assert len(db.all(OfficialLevelRow.top(DAY))) == 100
        costs.append(cost.read)
    assert costs == [1.5, 1.5]


@clause("5-01", "5-16")
def test_a_year_of_a_player_is_one_partition_and_costs_five_and_a_half(db: Database) -> None:
    for day in range(365):
        whole = snapshot(1, date(2026, 1, 1) + timedelta(days=day), level_rank=57, power_rank=99)
        db.put(whole.model_copy(update={"name": "한월BOT77"}))
    with db.meter() as cost:
        assert len(db.all(Snapshot.history(uuid(1)))) == 365
    assert cost.read == 5.5


@clause("5-02", "X5-27")
def test_one_table_has_a_partition_key_and_a_sort_key_of_text() -> None:
    definition = Hanwol.definition()
    assert definition["TableName"] == "Hanwol_Bot_DEV_Single_Table"
    assert definition["KeySchema"] == [
        {"AttributeName": "PK", "KeyType": "HASH"},
        {"AttributeName": "SK", "KeyType": "RANGE"},
    ]
    assert (Hanwol.kind_of("PK"), Hanwol.kind_of("SK")) == ("S", "S")


@clause("X5-27")
def test_the_name_of_the_table_is_a_parameter(db: Database) -> None:
    live = Database(db.backend, names={Hanwol: "Hanwol_Bot_Single_Table"})
    assert live.create_tables(Hanwol) == ["Hanwol_Bot_Single_Table"]
    live.put(snapshot(1))
    assert (stored(db, Hanwol), len(stored(live, Hanwol))) == ([], 1)
    assert (len(live.all(LevelRow.ranking(DAY))), db.all(LevelRow.ranking(DAY))) == (1, [])


@clause("5-03", "5-05")
@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (Profile, "Profile"),
        (Snapshot, "Snapshot"),
        (Snapshot, "Snapshot outside the first hundred"),
    ],
)
def test_an_item_of_the_document_comes_back_as_it_was(kind: type[Entity], name: str) -> None:
    assert after_round_trip(kind, EXAMPLES[name]) == item(EXAMPLES[name])


@clause("5-03")
def test_a_profile_has_the_names_and_the_present_values() -> None:
    found = shape(Profile).encode(profile(1, "Hello"))
    assert found == item(
        {
            "PK": f"USER#{uuid(1)}",
            "SK": "METADATA",
            "Name": "Hello",
            "Name_Lower": "hello",
            "CurrentLevel": 50,
            "CurrentPower": 100_000,
        }
    )


@clause("5-04")
def test_a_rename_changes_the_profile_and_no_snapshot(db: Database) -> None:
    load(db, Hanwol, EXAMPLES["Profile"], EXAMPLES["Snapshot"])
    db.update(ProfileKey(uuid="A101"), attr(Profile.name).set("Bye"))
    renamed = EXAMPLES["Profile"] | {"Name": "Bye", "Name_Lower": "bye"}
    assert stored(db, Hanwol) == [item(renamed), item(EXAMPLES["Snapshot"])]


@clause("5-05")
def test_ranks_are_there_from_1_to_100_and_absent_otherwise() -> None:
    assert not {"Level_Rank", "Power_Rank"} & shape(Snapshot).encode(snapshot(1)).keys()
    for rank in (0, 101):
        with pytest.raises(ValueError, match="level_rank"):
            snapshot(1, level_rank=rank)


# ── indexes ───────────────────────────────────────────────────────────────────────────────────────


@clause("5-07", "5-08", "5-09", "5-10", "5-11")
@pytest.mark.parametrize(
    ("index", "name", "keys", "projection"),
    [
        (Hanwol.official_level, "GSI_Official_Level_Rank", ("SK", "Level_Rank"), ["Name", "Level"]),
        (Hanwol.official_power, "GSI_Official_Power_Rank", ("SK", "Power_Rank"), ["Name", "Power"]),
        (Hanwol.internal_level, "GSI_Internal_Level", ("SK", "Level"), ["Name"]),
        (Hanwol.internal_power, "GSI_Internal_Power", ("SK", "Power"), ["Name"]),
        (Hanwol.by_name, "GSI_Find_User_By_Name", ("Name_Lower", "SK"), "KEYS_ONLY"),
    ],
)
def test_an_index_has_its_keys_and_what_it_projects(
    index: Index, name: str, keys: tuple[str, str], projection: object
) -> None:
    assert (index.name, index.keys, projected(index), index.is_global) == (name, keys, projection, True)


@clause("5-07", "5-08", "5-09", "5-10", "5-11")
def test_there_are_five_indexes_and_no_more() -> None:
    assert len(Hanwol.indexes) == len(Hanwol.definition()["GlobalSecondaryIndexes"]) == 5


@clause("5-12")
def test_profiles_stay_out_of_the_rankings_and_snapshots_out_of_the_names(db: Database) -> None:
    db.put(profile(1))
    db.put(snapshot(1))
    held = {
        index.name: db.backend.call("Scan", {"TableName": Hanwol.name, "IndexName": index.name})["Count"]
        for index in Hanwol.indexes
    }
    assert list(held.values()) == [0, 0, 1, 1, 1]
    assert [row.uuid for row in db.all(NamedPlayer.called("HELLO"))] == [uuid(1)]


@clause("5-20")
def test_ranks_levels_and_powers_are_numbers() -> None:
    assert {Hanwol.kind_of(name) for name in ("Level_Rank", "Power_Rank", "Level", "Power")} == {"N"}


# ── access patterns ───────────────────────────────────────────────────────────────────────────────


@clause("5-13", "X5-01")
def test_the_official_first_hundred_of_a_day_start_at_rank_1(db: Database) -> None:
    for number in (3, 1, 2):
        db.put(snapshot(number, level_rank=number, power_rank=4 - number))
    assert [row.level_rank for row in db.all(OfficialLevelRow.top(DAY))] == [1, 2, 3]
    assert [row.power_rank for row in db.all(OfficialPowerRow.top(DAY))] == [1, 2, 3]
    assert asked(OfficialLevelRow.top(DAY)) == "SK = SNAP#2026-02-21"


@clause("5-14", "5-15", "X5-01")
def test_the_ranking_of_everyone_goes_down_page_by_page(db: Database) -> None:
    for number in range(1, 8):
        db.put(snapshot(number, level=100 - number, power=number))
    first = db.page(LevelRow.ranking(DAY), limit=3)
    second = db.page(LevelRow.ranking(DAY), limit=3, cursor=first.cursor)
    ranked = [(rank_at(second.offset, index), row.level) for index, row in enumerate(second)]
    assert ranked == [(4, 96), (5, 95), (6, 94)]
    assert [row.power for row in db.page(PowerRow.ranking(DAY), limit=2)] == [7, 6]


@clause("5-16", "X5-03")
def test_the_history_of_a_player_comes_newest_first(db: Database) -> None:
    db.put(profile(1))
    for day in (19, 21, 20):
        db.put(snapshot(1, date(2026, 2, day)))
    assert [each.day.day for each in db.all(Snapshot.history(uuid(1)))] == [21, 20, 19]
    assert asked(Snapshot.history("A101")) == "PK = USER#A101 AND begins_with(SK, SNAP#)"


@clause("5-16")
def test_a_period_of_the_history_is_asked_for_by_its_ends(db: Database) -> None:
    for month in (1, 2, 3):
        db.put(snapshot(1, date(2026, month, 1)))
    question = Snapshot.history_between(uuid(1), date(2026, 1, 1), date(2026, 2, 21))
    assert [each.day.month for each in db.all(question)] == [2, 1]
    assert asked(question).endswith("SK BETWEEN SNAP#2026-01-01 AND SNAP#2026-02-21")


@clause("5-17", "X5-02")
def test_a_range_of_levels_includes_both_ends_and_starts_at_the_top(db: Database) -> None:
    for number, level in enumerate((49, 50, 65, 80, 81)):
        db.put(snapshot(number, level=level, power=level * 10))
    assert [row.level for row in db.all(LevelRow.between(DAY, 50, 80))] == [80, 65, 50]
    assert [row.power for row in db.all(PowerRow.between(DAY, 500, 800))] == [800, 650, 500]
    assert asked(LevelRow.between(DAY, 50, 80)) == "SK = SNAP#2026-02-21 AND Level BETWEEN 50 AND 80"


@clause("5-18")
def test_today_is_asked_of_the_snapshot_and_not_of_the_profile(db: Database) -> None:
    db.put(snapshot(1, DAY - timedelta(days=1), level=69, power=690))
    db.put(snapshot(1, level=70, power=700))
    db.put(profile(1).model_copy(update={"current_level": 75, "current_power": 750}))
    assert [row.level for row in db.all(LevelRow.between(DAY, 0, 99))] == [70]
    assert [row.power for row in db.all(PowerRow.between(DAY, 0, 999))] == [700]
    newest = db.first(Snapshot.history(uuid(1)))
    assert newest is not None
    assert (newest.day, newest.level, newest.power) == (DAY, 70, 700)


@clause("5-19", "X5-04")
def test_a_name_leads_to_the_player_and_the_player_to_the_name(db: Database) -> None:
    load(db, Hanwol, EXAMPLES["Profile"])
    [found] = db.all(NamedPlayer.called("hELLo"))
    assert (found.uuid, db.get(ProfileKey(uuid=found.uuid), consistent=True).name) == ("A101", "Hello")
    assert asked(NamedPlayer.called("Hello")) == "Name_Lower = hello AND SK = METADATA"


@clause("X5-13")
def test_the_newest_finished_day_is_known_and_is_in_no_index(db: Database) -> None:
    started = {
        "StartedAt": "2026-02-21T15:00:00Z",
        "PlayerCount": 2,
        "LevelRankCount": 1,
        "PowerRankCount": 1,
    }
    for day, status in (("20", "finished"), ("21", "finished"), ("22", "running")):
        key = {"PK": "SYSTEM#SNAPSHOT", "SK": f"DAY#2026-02-{day}"}
        load(db, Hanwol, key | {"Status": status} | started)
    newest, finished = db.first(SnapshotDay.newest()), db.first(SnapshotDay.finished())
    assert newest is not None
    assert finished is not None
    assert (newest.day.day, finished.day.day) == (22, 21)
    keys = {key for index in Hanwol.indexes for key in index.keys} - {"SK"}
    assert not keys & shape(SnapshotDay).attributes
