"""The values that come out the same for ever are those of the page."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from hansang.apps.assets.design import Balances, Investment, Savings
from hansang.apps.assets.rules import surplus
from hansang.apps.assets.totals import Effect, balances_after
from hansang.apps.codex.design import Banner, Category, ContactInquiry, CorpInfo, FMWebApp, Post, User
from hansang.apps.leaderboards.design import FriendScore, FriendsLeaderboard, UsersLeaderboard, WeeklyBest
from hansang.apps.leaderboards.rules import Week
from hansang.apps.news.rules import pk_of, upload_times
from hansang.apps.rankings.design import Hanwol, LevelRow, OfficialLevelRow
from hansang.apps.rankings.rules import rank_at
from hansang.design import Database, Entity
from tests.apps.codex.site import category, post
from tests.apps.rankings.players import DAY, snapshot, uuid
from tests.clauses import clause
from tests.storing import example_rows, examples, item, load, opened, shape, stored

WEEK = Week.parse("2014-05-09, 2014-05-15")
NEWS = examples("news")
SITE = examples("codex")
KINDS: list[type[Entity]] = [User, Category, Post, Banner, CorpInfo, ContactInquiry]


# ── household asset manager ───────────────────────────────────────────────────────────────────────


@clause("G1")
def test_the_surplus_of_january() -> None:
    spent = {"expense": 2_300_000, "savings": 1_500_000, "investment": 1_000_000, "short_savings": 200_000}
    assert surplus(income=7_000_000, **spent) == 2_000_000


@clause("G2")
def test_the_opening_balances_and_a_month_make_the_balances_of_the_document() -> None:
    printed = examples("assets")
    opening = printed["ACCUMULATED_ASSETS"] | {
        "PK": "ACCUMULATED_ASSETS#2024.12",
        "yearMonth": "2024.12",
        "cashAccumulated": 13_500_000,
        "investmentAccumulated": 7_000_000,
    }
    entries = [
        *(
            shape(Savings).decode(item(printed["SAVINGS"] | {"SK": name, "accountName": name}))
            for name in ("적금1", "적금2", "적금3")
        ),
        shape(Investment).decode(item(printed["INVESTMENT"])),
    ]
    before = shape(Balances).decode(item(opening))
    after = balances_after(before, "2025.01", Effect.of(entries), before.updated_at)
    assert (after.cash_accumulated, after.investment_accumulated) == (15_000_000, 8_000_000)


# ── weekly leaderboards ───────────────────────────────────────────────────────────────────────────


@pytest.fixture
def boards() -> Iterator[Database]:
    """The sample of the source."""
    rows = example_rows("leaderboards")
    with opened(UsersLeaderboard, FriendsLeaderboard) as db:
        load(db, UsersLeaderboard, *rows["UsersLeaderboard"])
        load(db, FriendsLeaderboard, *rows["FriendsLeaderboard"])
        yield db


def board(db: Database, player: int) -> list[str]:
    return [row.name for row in db.all(FriendScore.board(player, *WEEK.days))]


@clause("G3")
def test_the_overall_ranking(boards: Database) -> None:
    found = [(row.name, row.top_score) for row in boards.all(WeeklyBest.overall(*WEEK.days))]
    assert found == [("Maria", 42710), ("John", 32847), ("Andrew", 19202)]


@clause("G4")
def test_the_board_of_player_3(boards: Database) -> None:
    assert board(boards, 3) == ["Maria", "Andrew"]


@clause("G5")
def test_the_board_of_player_2(boards: Database) -> None:
    assert board(boards, 2) == ["Maria", "John", "Andrew"]


@clause("G6")
def test_the_board_of_player_1(boards: Database) -> None:
    assert board(boards, 1) == ["Maria", "John"]


@clause("G7")
def test_the_recent_scores_of_john(boards: Database) -> None:
    assert [row.top_score for row in boards.all(WeeklyBest.recent(1))] == [32847, 24209]


@clause("G8")
def test_the_best_of_john(boards: Database) -> None:
    best = boards.first(WeeklyBest.best(1))
    assert best is not None
    assert best.top_score == 32847


@clause("G9")
def test_99999_is_on_all_three_lists(boards: Database) -> None:
    start, end = WEEK.days
    boards.put(WeeklyBest(id=9, start=start, end=end, name="Top", top_score=99999))
    boards.put(FriendScore(id=9, friend_id=2, start=start, end=end, name="Top", score=99999))
    assert [row.top_score for row in boards.all(WeeklyBest.best(9))] == [99999]
    assert boards.all(WeeklyBest.overall(*WEEK.days))[0].top_score == 99999
    assert boards.all(FriendScore.board(2, *WEEK.days))[0].score == 99999


# ── news list loader ──────────────────────────────────────────────────────────────────────────────


@clause("G10")
def test_the_key_of_example_a() -> None:
    url = "https://finance.yahoo.com/news/trump-supreme-court-tariff-defeat-060559667.html"
    assert pk_of(url) == NEWS["A"]["pk"] == "id#74f4974f830a32a5"


@clause("G11")
def test_the_key_of_example_b() -> None:
    url = "https://finance.yahoo.com/news/some-article?src=latest&guccounter=1"
    assert pk_of(url) == NEWS["B"]["pk"] == "h#91fb04bfce56b655"


@clause("G12")
def test_the_milliseconds_of_the_examples() -> None:
    assert upload_times(datetime(2025, 11, 6, 0, 35, 12, tzinfo=UTC)).uploaded_at_utc_ms == 1762389312000


def new_york(moment: str) -> tuple[str, str, bool]:
    found = upload_times(datetime.fromisoformat(moment))
    return found.uploaded_at_est_iso, found.tz_est_abbr, found.tz_est_is_dst


@clause("G13")
def test_the_first_half_past_one_of_the_night_that_the_clocks_go_back() -> None:
    assert new_york("2025-11-02T05:30:00Z") == ("2025-11-02T01:30:00-04:00", "EDT", True)


@clause("G14")
def test_the_second_half_past_one_of_that_night() -> None:
    assert new_york("2025-11-02T06:30:00Z") == ("2025-11-02T01:30:00-05:00", "EST", False)


@clause("G15")
def test_three_o_clock_of_the_night_that_the_clocks_go_forward() -> None:
    assert new_york("2025-03-09T07:00:00Z") == ("2025-03-09T03:00:00-04:00", "EDT", True)


@clause("G16")
def test_the_new_year_of_seoul_is_the_last_day_of_new_york() -> None:
    found = upload_times(datetime(2025, 12, 31, 15, tzinfo=UTC))
    assert (str(found.dt_kst), str(found.dt_est)) == ("2026-01-01", "2025-12-31")


# ── codex unified data layer ──────────────────────────────────────────────────────────────────────


@pytest.fixture
def site() -> Iterator[Database]:
    with opened(FMWebApp) as db:
        yield db


@clause("G17")
def test_a_category_sorts_before_its_posts(site: Database) -> None:
    site.batch_write([post(1), category(1)])
    keys = [each["SK"]["S"] for each in stored(site, FMWebApp)]
    assert keys == ["METADATA", "POST#p001"]


@clause("G18")
def test_a_thousandth_post_is_the_newest_whatever_its_id_sorts_as(site: Database) -> None:
    site.batch_write([post(1000), post(999), post(1001)])
    assert [each.id for each in site.all(Post.in_category("c001"))] == ["p1000", "p1001", "p999"]
    assert [each.id for each in site.all(Post.latest())] == ["p1001", "p1000", "p999"]


@clause("G19")
@pytest.mark.parametrize("kind", KINDS)
def test_an_item_of_section_2_is_read_back_unchanged(site: Database, kind: type[Entity]) -> None:
    printed = item(SITE[kind.__name__])
    site.put(shape(kind).decode(printed))
    assert stored(site, FMWebApp) == [printed]


# ── daily game rankings ───────────────────────────────────────────────────────────────────────────


@clause("G20")
def test_the_first_row_of_page_1_has_rank_101() -> None:
    assert rank_at(1 * 100, 0) == 101


@clause("G21")
def test_the_last_official_player_and_the_next_appear_once_each() -> None:
    with opened(Hanwol) as db:
        db.put(snapshot(100, level=50, level_rank=100))
        db.put(snapshot(101, level=50))
        assert [row.uuid for row in db.all(OfficialLevelRow.top(DAY))] == [uuid(100)]
        first = db.page(LevelRow.ranking(DAY), limit=1)
        second = db.page(LevelRow.ranking(DAY), limit=1, cursor=first.cursor)
        assert {row.uuid for page in (first, second) for row in page} == {uuid(100), uuid(101)}
