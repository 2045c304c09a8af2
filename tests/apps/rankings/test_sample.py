"""The sample of the rankings: whole days, ranks without gaps, and players who change slowly."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, date, datetime, timedelta
from functools import cache
from itertools import pairwise

import pytest

from hansang.apps.rankings.application import APPLICATION
from hansang.apps.rankings.design import (
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
from hansang.apps.rankings.sample import last_day, rankings
from hansang.apps.rankings.service import Rankings
from hansang.design import Database, Entity
from hansang.parts.sampling import in_seoul
from tests.apps.sampled import NOW, pattern_names, stored, unanswered
from tests.clauses import clause

LAST = date(2026, 10, 23)
OF_WORK = {
    "SentDay.kept",
    "ImportPart.of_run",
    "ImportPart.of_day",
    "HiddenPlayer.everyone",
    "Erasure.open",
    "TieMarks.of_score",
}
"""What only an import, an erasure or a larger game has."""
DAYS = [LAST - timedelta(days=back) for back in range(44, -1, -1)]


@cache
def made() -> list[Entity]:
    return list(rankings(NOW))


@cache
def by_day() -> dict[date, list[Snapshot]]:
    found = defaultdict(list)
    for each in made():
        if isinstance(each, Snapshot):
            found[each.day].append(each)
    return dict(found)


@cache
def by_player() -> dict[str, list[Snapshot]]:
    found = defaultdict(list)
    for snapshots in by_day().values():
        for each in snapshots:
            found[each.uuid].append(each)
    return dict(found)


@cache
def profiles() -> dict[str, Profile]:
    return {each.uuid: each for each in made() if isinstance(each, Profile)}


@pytest.fixture(scope="module")
def db(sample: tuple[Database, list[int]]) -> Database:
    return sample[0]


# ── the whole ─────────────────────────────────────────────────────────────────────────────────────


def test_two_samples_are_the_same() -> None:
    assert list(rankings(NOW)) == made()


def test_every_item_is_told_of_and_none_is_written_twice(sample: tuple[Database, list[int]]) -> None:
    db, said = sample
    assert sum(said) == stored(db, APPLICATION) == len(made()) + len(DAYS) * 4
    assert 17_500 <= sum(said) <= 18_500


def test_every_access_pattern_has_an_answer(db: Database) -> None:
    player = next(iter(profiles()))
    questions = [
        NamedPlayer.called(profiles()[player].name),
        Snapshot.history(player),
        Snapshot.history_between(player, DAYS[3], DAYS[9]),
        OfficialLevelRow.top(LAST),
        OfficialPowerRow.top(LAST),
        LevelRow.ranking(LAST),
        LevelRow.between(LAST, 50, 80),
        PowerRow.ranking(LAST),
        PowerRow.between(LAST, 50_000, 100_000),
        SnapshotDay.newest(),
        SnapshotDay.finished(),
        SnapshotDay.kept(),
        SnapshotDay.before(LAST),
        SnapshotDay.between(DAYS[0], LAST),
    ]
    assert {question.name for question in questions} == pattern_names(APPLICATION) - OF_WORK
    assert unanswered(db, questions) == set()


# ── days ──────────────────────────────────────────────────────────────────────────────────────────


def test_there_are_forty_five_days_and_nearly_four_hundred_players_on_each() -> None:
    assert list(by_day()) == DAYS
    assert all(385 <= len(snapshots) <= 400 for snapshots in by_day().values())
    assert len(by_day()[LAST]) == 400


@clause("X5-13")
def test_a_day_says_how_many_there_are_of_it(db: Database) -> None:
    days = db.all(SnapshotDay.finished())
    assert [each.day for each in days] == DAYS[::-1]
    assert {each.day: each.players for each in days} == {day: len(found) for day, found in by_day().items()}
    assert all((each.level_ranked, each.power_ranked) == (100, 100) for each in days)


@clause("X5-15")
@pytest.mark.parametrize(
    ("now", "day"),
    [
        (datetime(2026, 10, 22, 20, 4, tzinfo=UTC), date(2026, 10, 23)),
        (datetime(2026, 10, 22, 20, 3, 59, tzinfo=UTC), date(2026, 10, 22)),
        (datetime(2026, 10, 22, 15, 0, tzinfo=UTC), date(2026, 10, 22)),
    ],
)
def test_the_last_day_is_that_of_seoul_and_whole_at_the_moment(now: datetime, day: date) -> None:
    assert last_day(in_seoul(now)) == day
    days = [each for each in rankings(now) if isinstance(each, SnapshotDay)]
    assert days[-1].day == day
    assert all(each.finished_at is not None and each.started_at < each.finished_at <= now for each in days)


# ── ranks ─────────────────────────────────────────────────────────────────────────────────────────


@clause("5-05", "5-13", "X5-11")
@pytest.mark.parametrize("day", [DAYS[0], DAYS[20], LAST])
def test_the_official_ranks_of_a_day_are_1_to_100_without_a_gap(db: Database, day: date) -> None:
    levels, powers = db.all(OfficialLevelRow.top(day)), db.all(OfficialPowerRow.top(day))
    assert [row.level_rank for row in levels] == list(range(1, 101))
    assert [row.power_rank for row in powers] == list(range(1, 101))


@clause("X5-07")
def test_who_ranks_higher_is_not_below_in_level_or_power_and_nobody_outside_is_above() -> None:
    for snapshots in by_day().values():
        levels = sorted((each.level_rank, each.level) for each in snapshots if each.level_rank)
        powers = sorted((each.power_rank, each.power) for each in snapshots if each.power_rank)
        assert [level for _, level in levels] == sorted((level for _, level in levels), reverse=True)
        assert [power for _, power in powers] == sorted((power for _, power in powers), reverse=True)
        assert max(each.level for each in snapshots if not each.level_rank) <= levels[-1][1]
        assert max(each.power for each in snapshots if not each.power_rank) <= powers[-1][1]


def test_levels_never_fall_and_ranks_move_slowly() -> None:
    moves = []
    for days in by_player().values():
        for before, after in pairwise(days):
            assert before.level <= after.level <= before.level + 4
            if before.level_rank and after.level_rank:
                moves.append(abs(before.level_rank - after.level_rank))
    assert 0 < sum(moves) / len(moves) < 4
    assert len({each.level_rank for each in by_player()[_second(LAST)]}) > 1


def _second(day: date) -> str:
    return next(each.uuid for each in by_day()[day] if each.level_rank == 2)


@clause("X5-10")
def test_every_day_of_the_sample_has_its_exact_ranks(db: Database) -> None:
    app = Rankings(db, lambda: 0.0)
    for day in (DAYS[0], LAST):
        found = app.reading.page("power", day, 3, 50).items
        assert [app.reading.rank(row.uuid, "power", day).rank for row in found] == [
            row.shared_rank for row in found
        ]
        assert len(app.reading.page("level", day, 1, 50, "below_official").items) == 50


# ── players ───────────────────────────────────────────────────────────────────────────────────────


@clause("5-03", "X5-14")
def test_a_profile_is_not_behind_the_last_snapshot() -> None:
    assert profiles().keys() == by_player().keys()
    for uuid, days in by_player().items():
        assert profiles()[uuid].current_level >= days[-1].level
        assert profiles()[uuid].current_power >= days[-1].power


def test_a_player_has_a_snapshot_of_every_day_since_he_joined() -> None:
    late = 0
    for days in by_player().values():
        assert [each.day for each in days] == DAYS[-len(days) :]
        late += len(days) < len(DAYS)
    assert late == 12


@clause("5-04", "X5-22", "X5-23")
def test_a_few_were_renamed_and_one_of_them_since_the_last_snapshot(db: Database) -> None:
    renamed = [days for days in by_player().values() if len({each.name for each in days}) == 2]
    assert len(renamed) == 5
    assert all(profiles()[days[-1].uuid].name == days[-1].name for days in renamed)
    [fresh] = [uuid for uuid, days in by_player().items() if profiles()[uuid].name != days[-1].name]
    [found] = db.all(NamedPlayer.called(profiles()[fresh].name))
    assert db.get(ProfileKey(uuid=found.uuid)).uuid == fresh


@clause("X5-17", "X5-18")
def test_two_players_have_the_same_name_but_for_its_case(db: Database) -> None:
    found = db.all(NamedPlayer.called("luna"))
    assert {db.get(ProfileKey(uuid=each.uuid)).name for each in found} == {"Luna", "LUNA"}


def test_names_are_told_apart_otherwise() -> None:
    assert len({each.name.lower() for each in profiles().values()}) == 399
