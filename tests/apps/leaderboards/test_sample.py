"""The sample of the leaderboards: bests are bests, and boards hold what friends reached."""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import UTC, date, datetime, time, timedelta
from functools import cache

import pytest

from hansang.apps.leaderboards.application import APPLICATION
from hansang.apps.leaderboards.design import REMEMBERED_PLAYS, FriendScore, WeeklyBest, WeeklyBestKey
from hansang.apps.leaderboards.ranks_table import LeaderboardRanks
from hansang.apps.leaderboards.rules import HIGHEST_SCORE, week_of
from hansang.apps.leaderboards.sample import POPULAR, friendships, leaderboards
from hansang.apps.leaderboards.service import Leaderboards
from hansang.apps.leaderboards.settings import LeaderboardsSettings
from hansang.apps.leaderboards.submitting import GivenPlay
from hansang.apps.leaderboards.work import BoardPlayer, Friendship, PlayerNameEntry
from hansang.apps.samples import fill
from hansang.design import Database, Entity
from hansang.parts.sampling import in_seoul, repeatable
from tests.apps.sampled import NOW, items, pattern_names, stored, unanswered
from tests.clauses import clause
from tests.storing import opened

WEEK = week_of(in_seoul(NOW).date())
WEEKS = [week_of(WEEK.start - timedelta(weeks=back)) for back in range(8)]


@cache
def made() -> list[Entity]:
    return list(leaderboards(NOW))


@cache
def bests() -> list[WeeklyBest]:
    return [each for each in made() if isinstance(each, WeeklyBest)]


@cache
def rows() -> list[FriendScore]:
    return [each for each in made() if isinstance(each, FriendScore)]


@pytest.fixture(scope="module")
def db(sample: tuple[Database, list[int]]) -> Database:
    return sample[0]


# ── the whole ─────────────────────────────────────────────────────────────────────────────────────


def test_two_samples_are_the_same() -> None:
    assert list(leaderboards(NOW)) == made()


def test_a_further_board_has_the_same_players_and_other_scores() -> None:
    speed = list(leaderboards(NOW, "speed-"))
    names, others = (
        {(each.id, each.name) for each in found if isinstance(each, BoardPlayer)} for found in (speed, made())
    )
    scores = {(each.id, each.top_score) for each in speed if isinstance(each, WeeklyBest)}
    assert names == others
    assert len(scores & {(each.id, each.top_score) for each in bests()}) < len(scores) / 20


def test_what_is_made_is_stored(db: Database) -> None:
    for week in WEEKS:
        assert db.count(WeeklyBest.overall(*week.days)) == sum(each.start == week.start for each in bests())
    assert db.all(FriendScore.board(1, *WEEK.days)) == sorted(
        (row for row in rows() if (row.friend_id, row.start) == (1, WEEK.start)),
        key=lambda row: row.score,
        reverse=True,
    )


def test_every_item_is_told_of_and_none_is_written_twice(sample: tuple[Database, list[int]]) -> None:
    db, said = sample
    counted = sum(1 for _ in items(db, LeaderboardRanks))
    assert sum(said) == len(made()) == stored(db, APPLICATION) - counted - 1  # The calendar is one more.


def test_this_week_has_two_thousand_players_and_those_before_three_hundred() -> None:
    counted = Counter(each.start for each in bests())
    assert counted == {WEEK.start: 2000, **{week.start: 300 for week in WEEKS[1:]}}


def test_every_access_pattern_has_an_answer(db: Database) -> None:
    questions = [
        WeeklyBest.recent(1),
        WeeklyBest.best(1),
        WeeklyBest.overall(*WEEK.days),
        FriendScore.board(1, *WEEK.days),
        Friendship.of(1),
        PlayerNameEntry.beginning("ㅈ", "ㅈ"),
    ]
    operated = {
        "Hiding",
        "HeldBest",
        "PlayerErasure",
        "FanOut",
        "FanOutList",
        "RefusedPlay",
        "Suspect",
        "BoardWeek",
        "Reward",
    }
    asked = {name for name in pattern_names(APPLICATION) if name.partition(".")[0] not in operated}
    assert {question.name for question in questions} >= asked
    assert unanswered(db, questions) == set()


def test_the_weeks_are_counted(db: Database) -> None:
    boards = Leaderboards(db, lambda: NOW.timestamp())
    for week in WEEKS:
        assert boards.trees.live(week).total == sum(each.start == week.start for each in bests())
    first = boards.reading.page(WEEK, 0, 1).items[0]
    assert (first.rank, first.score) == (1, HIGHEST_SCORE)


# ── scores ────────────────────────────────────────────────────────────────────────────────────────


@clause("2-03", "X2-04", "X2-05")
def test_a_best_is_the_greatest_of_the_plays_that_are_remembered_or_came_before_them() -> None:
    for best in bests():
        plays = best.recent_plays or []
        greatest = max(play.score for play in plays)
        assert 1 <= len(plays) <= REMEMBERED_PLAYS
        assert best.top_score == greatest or (
            len(plays) == REMEMBERED_PLAYS and best.top_score > greatest and best.top_score_at is not None
        )


@clause("X2-10")
def test_the_time_of_a_best_is_that_of_the_first_play_that_reached_it() -> None:
    for best in bests():
        reached = [play.at for play in best.recent_plays or [] if play.score == best.top_score]
        assert best.top_score_at is not None
        assert not reached or best.top_score_at <= reached[0]
        assert len(best.recent_plays or []) == REMEMBERED_PLAYS or best.top_score_at == reached[0]


@clause("X2-01", "2-10")
def test_the_highest_score_there_is_was_reached_and_is_listed_first(db: Database) -> None:
    first = db.first(WeeklyBest.overall(*WEEK.days))
    assert first is not None
    assert first.top_score == HIGHEST_SCORE == max(each.top_score for each in bests())


@clause("X2-10")
def test_equal_scores_are_common() -> None:
    scores = Counter(each.top_score for each in bests() if each.start == WEEK.start)
    assert sum(count for count in scores.values() if count > 1) > 200


@clause("X2-06")
@pytest.mark.parametrize(
    "now", [NOW, datetime(2026, 10, 22, 15, tzinfo=UTC), datetime(2026, 10, 22, 14, 59, 59, tzinfo=UTC)]
)
def test_plays_are_in_their_week_in_seoul_and_not_ahead_of_the_moment(now: datetime) -> None:
    for best in leaderboards(now):
        if isinstance(best, WeeklyBest):
            times = [play.at for play in best.recent_plays or []]
            assert times == sorted(times)
            assert midnight(best.start) <= times[0]
            assert times[-1] <= min(now, midnight(best.end) + timedelta(days=1, seconds=-1))


@clause("X2-06")
def test_weeks_begin_on_the_day_and_in_the_zone_of_the_settings() -> None:
    settings = LeaderboardsSettings(first_day="MON", zone="America/New_York", week_index="both")
    # A Monday in Seoul, and still Sunday in New York.
    now = datetime(2026, 10, 18, 20, tzinfo=UTC)
    with opened(*APPLICATION.tables) as database:
        fill(database, APPLICATION, now, lambda _: None, settings)
        boards = Leaderboards(database, lambda: now.timestamp(), settings)
        week = boards.weeks.current
        assert (week.start, week.end) == (date(2026, 10, 12), date(2026, 10, 18))
        assert boards.reading.page(week, 0, 1).total == 2000
        boards.submitter.submit(GivenPlay(1, "A", 5))
        best = database.get(WeeklyBestKey(id=1, start=week.start, end=week.end))
        assert best.week_shard is not None


def midnight(day: date) -> datetime:
    return datetime.combine(day, time(), in_seoul(NOW).tzinfo)


# ── friends ───────────────────────────────────────────────────────────────────────────────────────


def test_friendships_are_mutual_and_the_popular_have_twenty_to_sixty() -> None:
    friends = friendships(repeatable("any"))
    assert all(player in friends[other] for player, others in friends.items() for other in others)
    assert all(player not in others for player, others in friends.items())
    assert all(20 <= len(friends[player]) <= 60 for player in range(1, POPULAR + 1))


@clause("2-12", "2-14")
def test_whoever_played_is_on_his_own_board_and_on_those_of_his_friends() -> None:
    boards = defaultdict(set)
    for row in rows():
        boards[row.id, row.start].add(row.friend_id)
    assert boards.keys() == {(best.id, best.start) for best in bests()}
    friends = {player: boards[player, WEEK.start] for player in range(1, 2001)}
    assert all(player in others for player, others in friends.items())
    assert all(boards[best.id, best.start] == friends[best.id] for best in bests())
    assert all(player in friends[other] for player, others in friends.items() for other in others)


@clause("2-11", "X2-16")
def test_a_row_has_the_score_and_the_name_of_the_week() -> None:
    reached = {(each.id, each.start): (each.top_score, each.name) for each in bests()}
    assert all(reached[row.id, row.start] == (row.score, row.name) for row in rows())


@clause("X2-16")
def test_who_was_renamed_keeps_the_old_name_in_past_weeks() -> None:
    names = defaultdict(list)
    for best in bests():
        names[best.id].append(best.name)
    renamed = {player: given for player, given in names.items() if len(set(given)) > 1}
    assert 1 <= len(renamed) <= 3
    assert all(given[0] != given[-1] and len(set(given)) == 2 for given in renamed.values())


def test_names_are_told_apart() -> None:
    assert len({each.name for each in bests() if each.start == WEEK.start}) == 2000
