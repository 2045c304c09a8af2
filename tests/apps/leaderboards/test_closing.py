"""Closing weeks: dry run, final and immutable, rewards once, archive; erasing, undoing, alarms."""

from __future__ import annotations

import hmac
import json
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

import pytest

from hansang.apps.leaderboards.alarms import SIGNATURE, Alarms
from hansang.apps.leaderboards.design import FriendScore, WeeklyBest
from hansang.apps.leaderboards.recorded import RecordedBoards
from hansang.apps.leaderboards.rules import Week
from hansang.apps.leaderboards.settings import LeaderboardsSettings
from hansang.apps.leaderboards.submitting import GivenPlay
from hansang.apps.leaderboards.undoing import undo
from hansang.apps.leaderboards.work import BoardPlayer, LeaderboardWork, SuspectState, Tier
from hansang.errors import Conflict, InvalidInput, NotFound
from hansang.parts.history import Actor, History, with_line
from hansang.parts.platform import Platform
from hansang.parts.receipts import Beside, alone
from tests.apps.leaderboards.games import DAY, FRIDAY, WEEK, Game, a_game
from tests.clauses import clause

TIERS = [Tier(name="gold", rank=2), Tier(name="silver", percent=50)]
OPERATOR = Actor("operator", "ops", "Ops")


@pytest.fixture
def game() -> Iterator[Game]:
    """Ten players, two of them equal at rank 2, whose week is over."""
    with a_game() as game:
        game.database.create_tables(Platform)
        for player in range(1, 11):
            game.play(player, 1000 if player == 9 else player * 125)
        game.boards.settle()
        game.now = FRIDAY + 7 * DAY + 5
        yield game


@clause("X2-22")
def test_a_week_that_is_not_over_cannot_be_closed(game: Game) -> None:
    with pytest.raises(Conflict, match="not over yet"):
        game.boards.closing.close(game.boards.weeks.current)


@clause("X2-22")
def test_a_week_without_a_score_cannot_be_closed(game: Game) -> None:
    before = Week(WEEK.start - timedelta(days=7), WEEK.end - timedelta(days=7))
    with pytest.raises(Conflict, match="nothing to close") as told:
        game.boards.closing.close(before, TIERS)
    assert told.value.code == "leaderboards.week-empty"
    assert game.boards.weeks.find(before) is None
    for player in range(1, 11):
        game.boards.operating.hide(player, "test")
    with pytest.raises(Conflict, match="nothing to close"):
        game.boards.closing.close(WEEK, TIERS)
    game.boards.operating.restore(3)
    assert game.boards.closing.close(WEEK, TIERS).players == 1


def test_closing_that_was_broken_off_goes_on_when_its_only_player_is_erased() -> None:
    def die(done: int) -> None:
        raise KeyboardInterrupt

    with a_game() as game:
        game.play(1, 50)
        game.now = FRIDAY + 7 * DAY + 5
        with pytest.raises(KeyboardInterrupt):
            game.boards.closing.close(WEEK, TIERS, tell=die)
        game.boards.erasing.erase(1)
        assert game.boards.closing.close(WEEK, TIERS).state == "final"


@clause("X2-22")
def test_a_dry_run_says_what_would_come_of_it_and_changes_nothing(game: Game) -> None:
    found = game.boards.closing.rehearse(WEEK, TIERS)
    assert (found.players, found.counted, found.is_over) == (10, 10, True)
    assert [(tier.name, tier.players, tier.rank) for tier in found.tiers] == [
        ("gold", 3, 2),
        ("silver", 2, 5),
    ]
    assert game.boards.weeks.find(WEEK) is None


@clause("X2-22")
def test_a_closed_week_is_final_and_stays(game: Game) -> None:
    rehearsed = game.boards.closing.rehearse(WEEK, TIERS)
    done = game.boards.closing.close(WEEK, TIERS, "ops")
    assert (done.state, done.players, done.rewards, done.check) == ("final", 10, 5, rehearsed.check)
    assert [row.id for row in done.podium][:3] == [10, 8, 9]
    with pytest.raises(Conflict, match="is final"):
        game.boards.closing.close(WEEK)
    with pytest.raises(Conflict, match="is final"):
        game.boards.operating.correct(1, WEEK, 5, "n")
    game.boards.operating.hide(10, "cheating")
    assert game.boards.reading.rank(WEEK, 10).rank == 1
    assert [row.rank for _, row in game.boards.closing.archive([WEEK])][:4] == [1, 2, 2, 4]


@clause("X2-22")
def test_a_late_play_meets_a_week_that_is_being_closed() -> None:
    with a_game(grace=10) as game:
        game.play(1, 50)
        game.now = FRIDAY + 7 * DAY + 700
        game.boards.closing.close(WEEK)
        other = game.another(grace=100, plays_a_minute=0)
        late = game.boards.weeks.ends_at(WEEK)
        with pytest.raises(Conflict, match="is final"):
            other.submitter.submit(GivenPlay(1, "P1", 90, played_at=late - timedelta(minutes=1)))


def test_closing_that_was_broken_off_goes_on_with_the_same_tiers(game: Game) -> None:
    def die(done: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        game.boards.closing.close(WEEK, TIERS, tell=die)
    assert game.boards.closing.close(WEEK, []).rewards == 5


def test_a_reward_is_delivered_once(game: Game) -> None:
    with pytest.raises(NotFound, match="not final"):
        game.boards.closing.deliver(WEEK, 1, "mail-1", "game")
    game.boards.closing.close(WEEK, TIERS)
    first = game.boards.closing.deliver(WEEK, 1, "mail-1", "game")
    assert game.boards.closing.deliver(WEEK, 1, "mail-1", "game") == first
    with pytest.raises(Conflict, match="delivered already"):
        game.boards.closing.deliver(WEEK, 1, "mail-2", "game")
    assert [(each.tier, each.id) for each in game.boards.closing.each_reward(WEEK)] == [
        ("gold", 10),
        ("gold", 8),
        ("gold", 9),
        ("silver", 7),
        ("silver", 6),
    ]


@pytest.mark.parametrize("tiers", [[Tier(name="a")], [Tier(name="a", rank=1, percent=1)], [TIERS[0]] * 2])
def test_a_tier_is_by_rank_or_by_share(game: Game, tiers: list[Tier]) -> None:
    with pytest.raises(InvalidInput, match="either a rank or a percent"):
        game.boards.closing.rehearse(WEEK, tiers)


# ── erasing ───────────────────────────────────────────────────────────────────────────────────────


def test_an_erased_player_is_nowhere_final_weeks_included(game: Game) -> None:
    game.boards.friends.befriend(10, 1)
    game.boards.closing.close(WEEK, TIERS)
    game.play(10, 5)
    game.boards.settle()
    assert game.boards.erasing.erase(10) == 2
    game.boards.fold(WEEK)
    assert game.boards.reading.page(WEEK).items[0].id == 8
    assert (game.board(), game.boards.players.find(10), game.boards.friends.friends(1)) == ([], None, [])
    assert game.database.all(WeeklyBest.recent(10)) == []
    assert game.database.all(FriendScore.board(1, *game.boards.weeks.current.days)) == []
    assert 10 not in [each.id for each in game.boards.closing.each_reward(WEEK)]
    assert len(list(game.boards.closing.archive([WEEK]))) == 9
    with pytest.raises(NotFound):
        game.boards.erasing.erase(10)


def test_nothing_of_an_erased_player_comes_back_when_the_player_does(game: Game) -> None:
    """Former friends have past weeks of one another; whoever is erased is no former friend."""
    week = game.boards.weeks.current
    for other in (1, 2):
        game.boards.friends.befriend(10, other)
    for player in (1, 2, 10):
        game.play(player, 90_000)
    game.boards.settle()
    game.now += 7 * DAY
    game.boards.friends.unfriend(10, 2)

    def traces() -> tuple[bool, bool]:
        rows = game.database.all(FriendScore.board(2, *week.days))
        suspects = game.boards.operating.suspects(week).items
        return 10 in [each.id for each in rows], 10 in [each.id for each in suspects]

    assert traces() == (True, True)
    game.play(1, 60)
    game.boards.erasing.erase(10)
    game.boards.settle()
    assert traces() == (False, False)
    game.play(10, 70)
    game.boards.settle()
    assert game.friends_of(10) == [(10, 70)]


def test_refused_plays_of_an_erased_player_are_gone_with_their_names(game: Game) -> None:
    def refuse(player: int, name: str) -> None:
        with pytest.raises(InvalidInput):
            game.play(player, -1, name)

    refuse(10, "Secret")
    game.now += 29 * DAY
    refuse(10, "Secret too")
    refuse(1, "Somebody")
    assert len(_refused(game)) == 3
    game.boards.erasing.erase(10)
    assert _refused(game) == ["Somebody"]


def test_who_was_refused_and_nothing_else_is_erased_as_well(game: Game) -> None:
    with pytest.raises(InvalidInput):
        game.play(77, -1, "Secret")
    assert game.boards.erasing.erase(77) == 0
    assert _refused(game) == []
    with pytest.raises(NotFound):
        game.boards.erasing.erase(77)


def _refused(game: Game) -> list[str]:
    items = game.database.call("Scan", {"TableName": game.database.name(LeaderboardWork)}, "all")["Items"]
    return sorted(each["name"]["S"] for each in items if each["Kind"]["S"] == "RefusedPlay")


# ── undoing ───────────────────────────────────────────────────────────────────────────────────────


def test_what_an_operator_did_is_undone_once(game: Game) -> None:
    game.now = FRIDAY + DAY
    boards, history = game.boards, History(game.database, lambda: game.now)

    def line(subject: str, verb: str, kind: str = "BoardPlayer", **images: Any) -> str:
        game.now += 1
        drafted = history.line(OPERATOR, "leaderboards", kind, subject, verb, **images)
        beside = with_line(drafted, alone)
        if verb == "hide":
            boards.operating.hide(int(subject), "cheating", "n", beside=beside)
        elif verb == "correct":
            boards.operating.correct(int(subject), WEEK, 1, "n", beside=beside)
        elif verb == "rename":
            boards.players.rename(int(subject), "Other", beside=beside)
        else:
            boards.friends.befriend(1, 2, beside=beside)
        return drafted.id

    board = game.board()
    hidden = line("10", "hide", after={"reason": "cheating"})
    was = {"week": str(WEEK.start), "score": 875}
    corrected = line("7", "correct", before=was, after={"week": str(WEEK.start), "score": 1, "note": "n"})
    renamed = line("3", "rename", before={"name": "P3"}, after={"name": "Other"})
    friends = line("1/2", "befriend", "Friendship", after={"id": 1, "other": 2})
    assert game.board() != board
    for change in (hidden, corrected, renamed, friends):
        game.now += 1
        done = undo(boards, history, change, OPERATOR)
        assert (done.undoes, history.get(change).undone_by) == (change, done.id)
        with pytest.raises(Conflict, match="undone already"):
            undo(boards, history, change, OPERATOR)
    assert game.board() == board
    assert (boards.players.get(3).name, boards.friends.friends(1)) == ("P3", [])


def newest(history: History) -> str:
    return history.page().items[0].id


def test_what_is_undone_is_as_it_was_before(game: Game) -> None:
    game.now = FRIDAY + DAY
    history = History(game.database, lambda: game.now)
    verbs, players = RecordedBoards(game.boards, history, OPERATOR), game.boards.players
    end = datetime.fromtimestamp(game.now + DAY, UTC)

    def undone() -> BoardPlayer:
        game.now += 1
        undo(game.boards, history, newest(history), OPERATOR)
        game.now += 1
        return players.get(10)

    verbs.hide(10, "cheating", "n", end)
    game.now += 1
    verbs.hide(10, "abuse")
    assert (undone().hide_reason, players.get(10).hidden_until) == ("cheating", end)
    verbs.restore(10)
    found = undone()
    assert (found.hide_reason, found.hide_note, found.hidden_until) == ("cheating", "n", end)
    verbs.restore(10)
    game.now += 1
    last = newest(history)
    verbs.restore(10)
    assert newest(history) == last, "who is not hidden is not restored once more"


def test_a_hiding_whose_end_has_passed_does_not_come_back_and_the_refusal_says_why(game: Game) -> None:
    game.now = FRIDAY + DAY
    history = History(game.database, lambda: game.now)
    verbs = RecordedBoards(game.boards, history, OPERATOR)
    verbs.hide(10, "cheating", "n", datetime.fromtimestamp(game.now + 60, UTC))
    game.now += 1
    verbs.restore(10)
    game.now += 60
    with pytest.raises(Conflict, match="There is nothing to bring back"):
        undo(game.boards, history, newest(history), OPERATOR)
    assert (game.boards.players.get(10).hide_reason, history.page().items[0].undone_by) == (None, None)


def test_a_second_hiding_is_undone_when_the_first_would_be_over(game: Game) -> None:
    game.now = FRIDAY + DAY
    history = History(game.database, lambda: game.now)
    verbs = RecordedBoards(game.boards, history, OPERATOR)
    verbs.hide(10, "cheating", "n", datetime.fromtimestamp(game.now + 60, UTC))
    game.now += 1
    verbs.hide(10, "abuse")
    game.now += 60
    done = undo(game.boards, history, newest(history), OPERATOR)
    assert (game.boards.players.get(10).hide_reason, done.after) == (None, None)


def _noted(game: Game, history: History, verb: Callable[[], object]) -> str:
    """Do something, and find its line."""
    verb()
    game.now += 1
    return newest(history)


def test_of_hidings_and_restorings_the_latest_is_undone_first(game: Game) -> None:
    game.now = FRIDAY + DAY
    history = History(game.database, lambda: game.now)
    verbs = RecordedBoards(game.boards, history, OPERATOR)
    first = _noted(game, history, lambda: verbs.hide(10, "abuse"))
    hidden = _noted(game, history, lambda: verbs.hide(10, "cheating"))
    restored = _noted(game, history, lambda: verbs.restore(10))
    again = _noted(game, history, lambda: verbs.hide(10, "abuse"))
    for older in (first, hidden, restored):
        with pytest.raises(Conflict, match="Undo the newer step first"):
            undo(game.boards, history, older, OPERATOR)
    reasons = []
    for latest in (again, restored, hidden, first):
        undo(game.boards, history, latest, OPERATOR)
        game.now += 1
        reasons.append(game.boards.players.get(10).hide_reason)
    assert reasons == [None, "cheating", "abuse", None]


class Broken:
    """A request for two players that was broken off when one of them was done."""

    def __init__(self, done: str) -> None:
        self.done, self.noted = {done: "1"}, list[str]()

    def beside(self, step: str, made: Callable[[Any], str]) -> Beside[Any]:
        return lambda transaction, card: self.noted.append(f"{step} at {made(card)}")


def test_hiding_many_that_was_broken_off_goes_on_with_the_others(game: Game) -> None:
    game.now = FRIDAY + DAY
    history = History(game.database, lambda: game.now)
    verbs, steps = RecordedBoards(game.boards, history, OPERATOR), Broken("9")
    verbs.hide(9, "abuse", "the first time")
    game.now += 1
    cards = verbs.hide_many([9, 10, 9], "abuse", "again", None, steps)
    assert [(each.id, each.hide_note) for each in cards] == [(9, "the first time"), (10, "again")]
    assert steps.noted == [f"10 at {cards[1].revision}"]
    assert [each.subject for each in history.page().items] == ["10", "9"]


def test_what_came_of_looking_at_a_score_is_undone(game: Game) -> None:
    game.now = FRIDAY + DAY
    history = History(game.database, lambda: game.now)
    verbs = RecordedBoards(game.boards, history, OPERATOR)
    game.play(77, 1)
    game.play(77, 99_999)
    said: tuple[SuspectState, ...] = ("cleared", "hidden")
    for each in said:
        game.now += 1
        verbs.judge(WEEK, 77, each, f"a {each} one")
    for state, note in (("cleared", "a cleared one"), ("open", None)):
        change = next(each for each in history.page().items if each.verb == "judge" and not each.undone_by)
        game.now += 1
        undo(game.boards, history, change.id, OPERATOR)
        [found] = game.boards.operating.suspects_of(WEEK, 77)
        assert (found.state, found.note) == (state, note)


# ── alarms ────────────────────────────────────────────────────────────────────────────────────────


def test_an_alarm_is_signed() -> None:
    sent: list[tuple[str, bytes, Mapping[str, str]]] = []

    def send(address: str, body: bytes, headers: Mapping[str, str]) -> int:
        sent.append((address, body, headers))
        return 200

    settings = LeaderboardsSettings(webhook="https://ops.example/hook", webhook_secret="secret")
    assert Alarms(settings, lambda: 1000.0, send).tell("week-closed", {"players": 3})
    [(address, body, headers)] = sent
    wanted = hmac.new(b"secret", b"1000." + body, sha256).hexdigest()
    assert (address, headers[SIGNATURE]) == ("https://ops.example/hook", f"t=1000,v1={wanted}")
    assert json.loads(body)["values"] == {"players": 3}
    assert not Alarms(LeaderboardsSettings(), lambda: 0.0, send).tell("week-closed", {})


def test_an_alarm_that_cannot_be_sent_does_no_harm() -> None:
    def send(address: str, body: bytes, headers: Mapping[str, str]) -> int:
        raise OSError("unreachable")

    settings = LeaderboardsSettings(webhook="https://ops.example/hook", webhook_secret="secret")
    assert not Alarms(settings, lambda: 1000.0, send).tell("week-closed", {})
