"""Reading finished days: every player once, every rank exact, and for how many units."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from fractions import Fraction

import pytest

from hansang.apps.rankings.design import LevelRow, OfficialLevelRow, PowerRow
from hansang.apps.rankings.reading import MODES, Mode
from hansang.apps.rankings.service import Rankings
from hansang.backends.recording import Recording
from hansang.design import Database
from hansang.errors import InvalidCursor, InvalidInput, NotFound
from tests.apps.rankings.imports import TABLES, crowd, import_day, player, rankings
from tests.apps.rankings.players import DAY, uuid
from tests.clauses import clause
from tests.storing import opened

COUNT = 900
YESTERDAY = DAY - timedelta(days=1)


@pytest.fixture(scope="module")
def db() -> Iterator[Database]:
    """A day with large groups of equals, and official ranks that are not those of the levels."""
    players = [each | {"level": min(each["level"], 4)} for each in crowd(COUNT)]
    ranked = [each | {"level_rank": rank} for rank, each in enumerate(players[100:180], 1)]
    with opened(*TABLES) as db:
        import_day(db, [*players[:100], *ranked, *players[180:]])
        yield db


@pytest.fixture
def app(db: Database) -> Rankings:
    return rankings(db)


# ── pages ─────────────────────────────────────────────────────────────────────────────────────────


@clause("5-14", "5-15", "X5-05", "X5-08")
@pytest.mark.parametrize("size", [100, 37])
def test_pages_of_everyone_in_sequence_are_the_index_and_ranks_follow_the_formula(
    db: Database, app: Rankings, size: int
) -> None:
    walked = [row.uuid for row in db.all(LevelRow.ranking(DAY))]
    found = [
        row for page in range(COUNT // size + 1) for row in app.reading.page("level", DAY, page, size).items
    ]
    assert [row.uuid for row in found] == walked
    assert [row.rank for row in found] == list(range(1, COUNT + 1))
    assert app.reading.page("level", DAY, COUNT // size + 1, size).items == []


@clause("X5-09")
@pytest.mark.parametrize("board", ["level", "power"])
def test_equals_share_a_rank_beside_the_one_of_the_formula(db: Database, app: Rankings, board: str) -> None:
    view = LevelRow if board == "level" else PowerRow
    scores = [getattr(row, board) for row in db.all(view.ranking(DAY))]
    for page in (0, 3, 8):
        for row in app.reading.page(board, DAY, page).items:  # type: ignore[arg-type]
            assert row.shared_rank == scores.index(row.score) + 1


@clause("X5-05", "X5-06", "X5-07")
@pytest.mark.parametrize("size", [100, 33])
def test_below_official_every_player_is_there_once_and_the_officials_come_first(
    db: Database, app: Rankings, size: int
) -> None:
    pages = [
        app.reading.page("level", DAY, page, size, "below_official").items
        for page in range(COUNT // size + 1)
    ]
    found = [row for page in pages for row in page]
    officials = [row.uuid for row in db.all(OfficialLevelRow.top(DAY))]
    walked = [row.uuid for row in db.all(LevelRow.ranking(DAY))]
    assert [row.uuid for row in found[:80]] == officials
    assert [row.uuid for row in found[80:]] == [each for each in walked if each not in officials]
    assert [row.rank for row in found] == list(range(1, COUNT + 1))


@clause("G21", "X5-05")
@pytest.mark.parametrize("mode", MODES)
def test_two_equals_at_rank_100_and_behind_appear_once_each(mode: Mode) -> None:
    players = [player(number, 50 if number < 100 else 40) for number in range(1, 121)]
    for rank, each in enumerate(players[:100], 1):
        each["level_rank"] = rank
    with opened(*TABLES) as db:
        import_day(db, players)
        pages = [rankings(db).reading.page("level", DAY, page, 100, mode).items for page in range(2)]
    found = [row.uuid for page in pages for row in page]
    assert (found.count(uuid(100)), found.count(uuid(101)), len({*found})) == (1, 1, 120)
    assert pages[1][0].rank == 101


@clause("X5-08")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("number", [1, 77, 130, 450, 900])
def test_the_page_of_a_player_has_the_player(app: Rankings, mode: Mode, number: int) -> None:
    page = app.reading.page_of(uuid(number), "level", DAY, 50, mode)
    assert uuid(number) in {row.uuid for row in app.reading.page("level", DAY, page, 50, mode).items}


@clause("X5-08", "5-14")
def test_any_page_costs_about_the_same(db: Database, app: Rankings) -> None:
    costs = []
    for page in (0, 1, 8):
        with db.meter() as cost:
            assert len(app.reading.page("level", DAY, page).items) == 100
        costs.append((cost.requests, cost.read))
    assert costs == [(3, 2.5), (4, 3.5), (2, 2.0)]


@clause("X5-08")
def test_a_page_inside_a_large_group_reads_no_row_that_it_does_not_show(db: Database) -> None:
    """It is entered right where the page begins; the last page begins in a small group, at its third row.

    The marks of a finished day are kept.
    """
    recorded = Recording(db.backend)
    app = rankings(Database(recorded, secret=b"of a test"))
    for page in range(9):
        app.reading.page("level", DAY, page)
    limits = [call.request["Limit"] for call in recorded.calls if call.operation == "Query"]
    assert limits == [*[100] * 8, 102]
    recorded.clear()
    for page in range(9):
        app.reading.page("level", DAY, page)
    assert Counter(call.operation for call in recorded.calls) == {"Query": 9, "GetItem": 9}


@pytest.mark.parametrize(("page", "size"), [(-1, 10), (0, 0), (0, 1001)])
def test_a_page_that_cannot_be_is_refused(app: Rankings, page: int, size: int) -> None:
    with pytest.raises(InvalidInput, match="numbered from 0"):
        app.reading.page("level", DAY, page, size)


# ── one player ────────────────────────────────────────────────────────────────────────────────────


@clause("X5-10", "X5-28")
def test_the_rank_of_every_player_is_what_the_count_says(db: Database, app: Rankings) -> None:
    powers = [row.power for row in db.all(PowerRow.ranking(DAY))]
    for number in range(1, COUNT, 50):
        found = app.reading.rank(uuid(number), "power", DAY)
        above = sum(power > found.score for power in powers)
        assert (found.rank, found.of, found.equal) == (above + 1, COUNT, powers.count(found.score))
        assert found.percentile == Fraction(100 * (COUNT - above), COUNT)


@clause("X5-10")
def test_a_rank_costs_the_day_the_snapshot_and_the_tree(db: Database) -> None:
    with db.meter() as level:
        rankings(db).reading.rank(uuid(5), "level", DAY)
    with db.meter() as power:
        rankings(db).reading.rank(uuid(5), "power", DAY)
    assert (level.requests, level.read, power.requests, power.read) == (4, 3.0, 5, 3.5)
    app = rankings(db)
    app.reading.rank(uuid(5), "power", DAY)
    with db.meter() as again:
        app.reading.rank(uuid(5), "power", DAY)
    assert (again.requests, again.read) == (2, 1.5)


@clause("X5-26")
def test_a_player_without_a_snapshot_is_said_to_have_none(app: Rankings) -> None:
    with pytest.raises(NotFound, match="no snapshot of 2026-02-21"):
        app.reading.rank("stranger", "level", DAY)


@clause("X5-09")
def test_the_position_of_a_player_in_a_large_group_is_that_of_the_index(db: Database, app: Rankings) -> None:
    walked = [row.uuid for row in db.all(LevelRow.ranking(DAY))]
    day = app.days.finished(DAY)
    for place in [*range(0, COUNT, 40), 99, 100, 101, 199, 200, 201, COUNT - 1]:
        assert app.trees.position("level", day, app.reading.snapshot(walked[place], day)) == place


@clause("X5-13")
def test_a_day_that_others_open_again_is_lost_to_readers_at_once() -> None:
    with opened(*TABLES) as db:
        import_day(db, [player(1, 9), player(2, 8)])
        app = rankings(db)
        assert app.reading.rank(uuid(2), "level", DAY).rank == 2
        rankings(db).days.reopen(DAY)
        with pytest.raises(NotFound, match="not finished"):
            app.reading.rank(uuid(2), "level", DAY)
        import_day(db, [player(1, 9), player(2, 10), player(3, 1)])
        found = app.reading.rank(uuid(2), "level", DAY)
    assert (found.rank, found.of) == (1, 3)


# ── official ──────────────────────────────────────────────────────────────────────────────────────


@clause("5-13", "X5-25", "X5-26")
def test_the_official_list_says_what_changed_since_the_finished_day_before() -> None:
    with opened(*TABLES) as db:
        import_day(db, [player(1, 9), player(2, 8), player(3, 7)], DAY - timedelta(days=3))
        app = rankings(db)
        first = app.reading.official_moves("level")
        assert (first.against, [move.before for move in first.items]) == (None, [None] * 3)
        import_day(db, [player(2, 10), player(1, 9), player(4, 8)])
        found = app.reading.official_moves("level")
    assert found.against is not None
    assert found.against.day == DAY - timedelta(days=3)
    assert [(move.row.uuid, move.before) for move in found.items] == [
        (uuid(2), 2),
        (uuid(1), 1),
        (uuid(4), None),
    ]
    assert [row.uuid for row in found.out] == [uuid(3)]


# ── ranges ────────────────────────────────────────────────────────────────────────────────────────


@clause("5-17", "X5-29")
def test_a_range_has_both_its_ends_and_ranks_among_everyone(db: Database, app: Rankings) -> None:
    walked = db.all(LevelRow.ranking(DAY))
    wanted = [(place + 1, row.uuid) for place, row in enumerate(walked) if 2 <= row.level <= 3]
    found, cursor = [], None
    while True:
        page = app.reading.range("level", 2, 3, DAY, 60, cursor)
        found += [(row.rank, row.uuid) for row in page.items]
        assert page.total == len(wanted)
        cursor = page.cursor
        if cursor is None:
            break
    assert found == wanted
    levels = [row.level for row in walked]
    assert all(row.shared_rank == levels.index(row.score) + 1 for row in page.items)


@clause("X5-29", "X5-14", "5-18")
def test_a_range_of_a_day_that_is_not_there_is_of_the_newest_and_says_so(app: Rankings) -> None:
    found = app.reading.range("power", 0, 10**37, YESTERDAY, 1)
    assert (found.day.day, found.is_other_day, found.total) == (DAY, True, COUNT)


@clause("X5-29")
def test_a_range_whose_ends_are_the_wrong_way_round_is_refused(app: Rankings) -> None:
    with pytest.raises(InvalidInput, match="lower end first"):
        app.reading.range("level", 5, 4, DAY)


def test_a_cursor_of_another_range_is_refused(app: Rankings) -> None:
    cursor = app.reading.range("level", 0, 4, DAY, 5).cursor
    with pytest.raises(InvalidCursor):
        app.reading.range("level", 0, 3, DAY, 5, cursor)


def test_a_day_that_is_exported_and_imported_is_the_same(db: Database, app: Rankings) -> None:
    rows = [each.model_dump(exclude={"day"}) for each in app.reading.each(DAY)]
    assert len(rows) == COUNT
    with opened(*TABLES) as other:
        import_day(other, rows)
        assert [each.model_dump() for each in rankings(other).reading.each(DAY)] == [
            each.model_dump() for each in app.reading.each(DAY)
        ]
