"""Importing a day: in parts, once, whatever happens on the way; and readers see finished days only."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from hansang.apps.rankings.application import APPLICATION
from hansang.apps.rankings.boards import DESIGNS
from hansang.apps.rankings.design import (
    BOARDS,
    DayOfficialsKey,
    DayRejectedKey,
    ImportPart,
    LevelRow,
    OfficialLevelRow,
    SnapshotKey,
)
from hansang.apps.rankings.importing import PART
from hansang.apps.rankings.service import Rankings
from hansang.backends.busy_retry import PAUSES
from hansang.backends.chaos import Chaos, Faults
from hansang.backends.embedded import Embedded
from hansang.design import Database
from hansang.design.meter import Cost
from hansang.errors import Busy, Conflict, NotFound, StoreBusy
from hansang.parts.ranks.table import Ranks
from tests.apps.rankings.imports import NOON, TABLES, crowd, import_day, player, rankings
from tests.apps.rankings.players import DAY, profile, uuid
from tests.apps.sampled import items
from tests.clauses import clause
from tests.contention import Contended
from tests.engine.holding import writer_held
from tests.parts.ranks.boards import Died, Mortal
from tests.storing import opened, stored

KILLS = int(os.environ.get("HANSANG_RANKINGS_KILLS", "3"))
YESTERDAY = DAY - timedelta(days=1)


@pytest.fixture
def db() -> Iterator[Database]:
    with opened(*TABLES) as db:
        yield db


# ── a day ─────────────────────────────────────────────────────────────────────────────────────────


@clause("5-05", "X5-13", "X5-16")
def test_a_day_is_imported_with_official_ranks_computed(db: Database) -> None:
    day = import_day(db, crowd(250))
    assert (day.status, day.players, day.level_ranked, day.power_ranked) == ("finished", 250, 100, 100)
    rows = db.all(OfficialLevelRow.top(DAY))
    assert [row.level_rank for row in rows] == list(range(1, 101))
    assert [row.uuid for row in rows] == [row.uuid for row in db.all(LevelRow.ranking(DAY), 100)]
    assert (day.level_mismatches, day.power_mismatches) == (0, 0)


@clause("X5-07")
def test_official_ranks_are_taken_as_delivered_and_those_out_of_place_are_counted(db: Database) -> None:
    day = import_day(db, [player(1, 50, level_rank=2), player(2, 40, level_rank=1), player(3, 50)])
    assert [(row.level_rank, row.uuid) for row in db.all(OfficialLevelRow.top(DAY))] == [
        (1, uuid(2)),
        (2, uuid(1)),
    ]
    assert (day.level_ranked, day.level_mismatches, day.power_ranked) == (2, 1, 3)


@clause("X5-12")
def test_a_row_costs_three_units_and_its_part_little_beside(db: Database) -> None:
    cost = Cost()
    watched = Database(db.backend, observer=cost.record)
    rankings(watched).importer.load(DAY, crowd(500))
    assert cost.patterns["batch_write"].write == 3 * 500
    assert cost.write - 3 * 500 < 120


@clause("X5-12")
def test_a_pace_is_kept_between_parts(db: Database) -> None:
    waited: list[float] = []
    app = rankings(db, pace=100)
    app.importer._sleep, app.importer._timer = waited.append, lambda: 0.0
    app.importer.load(DAY, crowd(700))
    assert waited == [5.0, 2.0]


@clause("X5-12", "X5-13", "5-18")
def test_readers_have_the_day_before_until_a_day_is_finished(db: Database) -> None:
    import_day(db, [player(1)], YESTERDAY)
    app = rankings(db)
    app.importer.load(DAY, [player(1), player(2)])
    assert app.days.finished().day == YESTERDAY
    with pytest.raises(NotFound, match="not finished"):
        app.reading.page("level", DAY)
    app.finisher.finish(DAY)
    assert app.days.finished().day == DAY


def test_before_the_first_day_readers_are_told_what_to_do(db: Database) -> None:
    with pytest.raises(NotFound, match="hansang rankings import"):
        rankings(db).days.finished()


@clause("X5-13")
def test_a_finished_day_is_closed_to_other_writes(db: Database) -> None:
    import_day(db, [player(1)])
    app = rankings(db)
    with pytest.raises(Conflict, match="closed"):
        app.importer.load(DAY, [player(2)])
    with pytest.raises(Conflict, match="closed"):
        app.importer.add(DAY, [player(2)])
    assert app.finisher.finish(DAY).players == 1
    assert {kind.__name__ for kind, rule in APPLICATION.writes.items() if rule.by == "application"} >= {
        "Snapshot",
        "SnapshotDay",
        "ImportPart",
        "RankRoot",
    }


def test_a_day_without_rows_is_not_finished(db: Database) -> None:
    app = rankings(db)
    app.importer.load(DAY, [])
    with pytest.raises(Conflict, match="no rows"):
        app.finisher.finish(DAY)
    assert app.days.get(DAY).status == "running"


# ── rows ──────────────────────────────────────────────────────────────────────────────────────────


@clause("X5-16")
def test_a_row_without_a_uuid_is_found_by_its_name_and_others_are_listed(db: Database) -> None:
    db.put(profile(1, "Hello"))
    db.put(profile(2, "Luna"))
    db.put(profile(3, "LUNA"))
    row = {"level": "70", "power": "5"}
    given = [
        {"name": "hello", **row},
        {"name": "luna", **row},
        {"name": "Nobody", **row},
        {"uuid": "A101", **row},
    ]
    app = rankings(db)
    app.importer.load(DAY, [*given, {"name": "x", "uuid": "A1", "level": -1, "power": 1}, 7])
    day = app.finisher.finish(DAY)
    assert (day.players, day.rejected) == (1, 5)
    assert db.get(SnapshotKey(uuid=uuid(1), day=DAY)).level == 70
    rejected = db.get(DayRejectedKey(day=DAY)).rows
    assert [(row.line, row.code.partition(".")[2]) for row in rejected] == [
        (2, "row-ambiguous"),
        (3, "row-unknown"),
        (4, "row-no-name"),
        (5, "row-number"),
        (6, "row-not-an-object"),
    ]
    assert rejected[0].values["players"] == f"{uuid(2)}, {uuid(3)}"


def test_a_player_who_is_in_a_part_twice_is_taken_once(db: Database) -> None:
    day = import_day(db, [player(1, 5), player(1, 6)])
    assert (day.players, day.rejected, db.get(SnapshotKey(uuid=uuid(1), day=DAY)).level) == (1, 1, 5)


def test_a_player_who_is_in_two_parts_has_the_later_row(db: Database) -> None:
    app = rankings(db)
    app.importer.add(DAY, [player(1, 5), player(2, 7)])
    app.importer.add(DAY, [player(1, 6), player(3, 8)])
    day = app.finisher.finish(DAY)
    assert (day.players, [row.level for row in db.all(LevelRow.ranking(DAY))]) == (3, [8, 7, 6])


# ── again ─────────────────────────────────────────────────────────────────────────────────────────


def test_the_same_part_sent_again_is_the_same_part(db: Database) -> None:
    app = rankings(db)
    first = app.importer.add(DAY, [player(1), player(2)])
    again = app.importer.add(DAY, [player(1), player(2)])
    assert (first.part, first.rows) == (again.part, 2)
    assert app.days.get(DAY).players == 2


def test_an_import_goes_on_with_the_same_list_and_with_no_other(db: Database) -> None:
    app, players = rankings(db), crowd(1200)
    app.importer.load(DAY, players[:1000])
    written = len(db.all(ImportPart.of_run(DAY, 0)))
    app.importer.load(DAY, players)
    assert (written, len(db.all(ImportPart.of_run(DAY, 0))), app.days.get(DAY).players) == (2, 3, 1200)
    with pytest.raises(Conflict, match="rows 501 to 1000"):
        app.importer.load(DAY, [*players[:600], player(9999), *players[601:]])


@clause("X5-11")
def test_a_second_import_of_a_day_leaves_nobody_with_a_rank_of_the_first(db: Database) -> None:
    import_day(db, crowd(300, seed=1))
    app = rankings(db)
    app.finisher.reopen(DAY)
    fresh = crowd(260, seed=2)
    app.importer.load(DAY, fresh)
    day = app.finisher.finish(DAY)
    with opened(*TABLES) as other:
        import_day(other, fresh)
        assert day_of(db) == day_of(other)
    assert (day.players, day.removed, day.generation, day.revision) == (260, 40, 2, 3)
    assert [row.level_rank for row in db.all(OfficialLevelRow.top(DAY))] == list(range(1, 101))


@clause("X5-11")
def test_the_first_trees_and_parts_are_gone_after_a_second_import(db: Database) -> None:
    import_day(db, crowd(20))
    app = rankings(db)
    app.finisher.reopen(DAY)
    app.importer.load(DAY, crowd(20))
    app.finisher.finish(DAY)
    assert {item["PK"]["S"] for item in stored(db, Ranks)} == {f"RANK#{board}.{DAY}.2" for board in BOARDS}
    assert db.all(ImportPart.of_day(DAY)) == []


def test_a_day_is_rolled_back_whole(db: Database) -> None:
    import_day(db, crowd(30), YESTERDAY)
    before = everything(db)
    import_day(db, crowd(1300))
    app = rankings(db)
    app.finisher.roll_back(DAY)
    left = [item for item in everything(db) if item not in before]
    assert ([f"DAY#{DAY}" in item and "removed" in item for item in left], len(everything(db))) == (
        [True],
        len(before) + 1,
    )
    assert app.days.finished().day == YESTERDAY
    assert ([each.day for each in app.days.page()], app.days.find(DAY)) == ([YESTERDAY], None)
    assert [*app.days.between(YESTERDAY, DAY)] == [YESTERDAY]


@clause("X5-12")
def test_a_day_that_comes_again_after_a_roll_back_is_not_answered_from_what_was_kept_of_the_first(
    db: Database,
) -> None:
    """One process goes on answering: ranks, pages, names and movers are those of the second import."""
    app = rankings(db)

    def answers(one: Rankings) -> list[Any]:
        day = one.days.finished(DAY)
        return [
            [one.reading.rank(uuid(5), board, DAY) for board in BOARDS],
            one.reading.page("level", DAY, 1, 3).items,
            one.search.search("5")[1],
            one.reports.histogram("level", day, 5),
            one.histories.movers("level", "day", DAY).climbed,
        ]

    import_day(db, crowd(12, seed=3), YESTERDAY)
    app.import_day(DAY, crowd(12))
    first = answers(app), app.days.finished(DAY).revision
    app.finisher.roll_back(DAY)
    app.import_day(DAY, [each | {"name": f"다시{each['uuid'][-1]}"} for each in crowd(40, seed=2)])
    assert answers(app) == answers(rankings(db))
    assert (answers(app) != first[0], app.days.finished(DAY).revision > first[1]) == (True, True)


def test_a_part_that_was_begun_and_not_written_keeps_the_day_open(db: Database) -> None:
    app = rankings(db)
    app.importer.add(DAY, [player(1)])
    dying = Database(Mortal(db.backend, 3), secret=b"of a test")
    with pytest.raises(Died):
        rankings(dying, threads=1).importer.add(DAY, [player(2)])
    with pytest.raises(Conflict, match="Send it again"):
        app.finisher.finish(DAY)
    app.importer.add(DAY, [player(2)])
    assert app.finisher.finish(DAY).players == 2


# ── killed, busy, throttled, lagging ────────────────────────────────────────────────────────────────────


def day_of(db: Database, day: date = DAY) -> list[Any]:
    """A day as readers see it: rows, positions of the officials, and what the trees say of every score."""
    app = rankings(db)
    found = app.days.finished(day)
    rows = sorted((each.uuid, each.model_dump_json()) for each in app.reading.each(day))
    officials = [db.get(DayOfficialsKey(day=day, board=board)).positions for board in BOARDS]
    scores = [(board, row.score) for board in BOARDS for row in DESIGNS[board].each(db, day)]
    return [
        found.players,
        rows,
        officials,
        [app.trees.standing(board, found, score) for board, score in scores],
    ]


def everything(db: Database) -> list[str]:
    return sorted(repr(item) for table in TABLES for item in items(db, table))


@clause("X5-12")
@pytest.mark.parametrize("seed", range(KILLS))
def test_an_import_that_is_killed_and_resumed_is_the_same_as_one_that_was_not(
    db: Database, seed: int
) -> None:
    chance, players = Random(seed), crowd(1100, seed)
    import_day(db, players[:5], YESTERDAY)
    for _ in range(20):
        dying = Database(
            Mortal(db.backend, chance.randrange(chance.choice([90, 900])), after=chance.random() < 0.5),
            secret=b"of a test",
        )
        with suppress(Died, Conflict):
            rankings(dying, threads=1).import_day(DAY, players)
        seen = rankings(db).days.finished()
        assert (seen.day, seen.players) in ((YESTERDAY, 5), (DAY, 1100))
    if seen.day != DAY:
        rankings(db).import_day(DAY, players)
    with opened(*TABLES) as other:
        import_day(other, players)
        assert day_of(db) == day_of(other)


@clause("X5-12")
def test_batches_that_are_left_over_are_written_again(db: Database) -> None:
    shaky = Database(Chaos(db.backend, Faults(throttled=0.2, lost=0.1), seed=3), secret=b"of a test")
    app = rankings(shaky, threads=2)
    app.importer.load(DAY, crowd(400))
    assert rankings(db).finisher.finish(DAY).players == 400


@clause("X5-12")
def test_an_import_outlasts_a_file_that_is_busy_at_every_write(db: Database) -> None:
    players = crowd(120)
    done = rankings(Database(Contended(db.backend), secret=b"of a test"), threads=1).import_day(DAY, players)
    assert (done.status, done.players) == ("finished", 120)
    with opened(*TABLES) as other:
        import_day(other, players)
        assert day_of(db) == day_of(other)


@clause("X5-12")
def test_an_import_that_cannot_write_for_minutes_says_how_far_it_came_and_goes_on(tmp_path: Path) -> None:
    players, waits = crowd(PART + 20), list[float]()
    with ExitStack() as stack:
        backend = stack.enter_context(Embedded.open(tmp_path / "busy.db", wait_seconds=0.01, sweeps=False))
        busy = Database(backend, secret=b"of a test")
        busy.create_tables(*TABLES)
        app = Rankings(busy, lambda: NOON, sleep=waits.append, threads=1)
        with ExitStack() as others:

            def others_come(rows: int) -> None:
                others.enter_context(writer_held(backend.engine.store))

            with pytest.raises(Busy, match=f"stopped after {PART} rows.*same list again") as stopped:
                app.import_day(DAY, players, progress=others_come)
            with pytest.raises(StoreBusy):
                app.parts.add(DAY, [player(9_999)])
        assert (stopped.value.code, waits) == ("rankings.import-stopped", list(PAUSES))
        assert app.import_day(DAY, players).players == PART + 20


@clause("X5-12")
def test_a_lagging_index_neither_drops_nor_doubles_a_player_of_a_finished_day() -> None:
    with opened(*TABLES) as db, opened(*TABLES) as other:
        lagging = Chaos(db.backend, Faults(lag=0.3, lag_calls=12), seed=5)
        try:
            app = rankings(Database(lagging, secret=b"of a test"))
            app.importer.load(DAY, crowd(300, 1))
            app.finisher.finish(DAY)
            app.finisher.reopen(DAY)
            app.importer.load(DAY, crowd(280, 2))
            app.finisher.finish(DAY)
            import_day(other, crowd(280, 2))
            assert day_of(db) == day_of(other)
        finally:
            lagging.close()


# ── snapshots of profiles ─────────────────────────────────────────────────────────────────────────


@clause("5-06", "X5-15")
def test_a_snapshot_takes_the_profiles_of_now_for_the_day_in_seoul(db: Database) -> None:
    for number in range(1, 251):
        db.put(profile(number, f"n{number}"))
    day = rankings(db).snapshots.take()
    assert (day.day, day.players, day.status) == (DAY, 250, "finished")
    assert db.get(SnapshotKey(uuid=uuid(7), day=DAY)).name == "n7"


@clause("5-06")
def test_a_snapshot_that_was_broken_off_is_taken_again_and_a_finished_one_stays(db: Database) -> None:
    for number in range(1, 30):
        db.put(profile(number, f"n{number}"))
    dying = Database(Mortal(db.backend, 9), secret=b"of a test")
    with pytest.raises(Died):
        rankings(dying, threads=1).snapshots.take()
    db.put(profile(1, "renamed"))
    assert rankings(db).snapshots.take().players == 29
    assert db.get(SnapshotKey(uuid=uuid(1), day=DAY)).name == "renamed"
    db.put(profile(99, "later"))
    assert rankings(db).snapshots.take().players == 29
