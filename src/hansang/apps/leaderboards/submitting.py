"""Submitting scores: the weekly best is kept by a conditional write, so retries and late arrivals do no harm."""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction
from functools import partial
from secrets import token_hex
from threading import Lock
from typing import Any, NamedTuple

from hansang.apps.leaderboards.best_requests import improve_request, read_request
from hansang.apps.leaderboards.board_rows import BoardRows, ScoreRow, week_shard
from hansang.apps.leaderboards.design import (
    LARGEST_ID,
    REMEMBERED_PLAYS,
    Play,
    UsersLeaderboard,
    WeeklyBest,
    WeeklyBestKey,
)
from hansang.apps.leaderboards.players import Players, check_score, checked_name, entries_of
from hansang.apps.leaderboards.rules import Week, is_jump
from hansang.apps.leaderboards.settings import LeaderboardsSettings
from hansang.apps.leaderboards.tokens import PlayToken, PlayTokens
from hansang.apps.leaderboards.topics import UNHEARD, BoardTopics
from hansang.apps.leaderboards.trees import WeekTrees
from hansang.apps.leaderboards.weeks import Weeks, closed, is_open
from hansang.apps.leaderboards.work import (
    BoardPlayer,
    BoardPlayerKey,
    BoardWeek,
    BoardWeekKey,
    HeldBest,
    HeldBestKey,
    RefusedPlay,
    Suspect,
    UsedToken,
    UsedTokenKey,
)
from hansang.clock import Clock
from hansang.design import Database, Update, attr
from hansang.design.transaction import Transaction
from hansang.errors import AlreadyExists, Busy, Conflict, HansangError, InvalidInput, NotFound
from hansang.parts.rates import Rates
from hansang.parts.retry import Sleep, retry
from hansang.parts.timestamps import to_whole_second

LARGEST_BATCH = 100
REFUSALS_KEPT = timedelta(days=30)
TOKENS_KEPT = timedelta(hours=2)
_TRIES = 20
_REMEMBERED = 100_000
_MOST_RECORDED = 2**53
"""A refused score further from zero is recorded as this: a table takes 38 digits, and whoever sends it any number."""


@dataclass(frozen=True, slots=True)
class GivenPlay:
    """A play as a game sends it."""

    id: int
    name: str
    score: int
    token: str | None = None
    played_at: datetime | None = None
    """When it was played, of a play that comes late; without it, now."""


@dataclass(frozen=True, slots=True)
class Submitted:
    """What became of a play: the best of the week, and where it stands; a hidden player stands nowhere."""

    week: Week
    id: int
    best: int
    improved: bool
    rank: int | None
    of: int
    percentile: Fraction | None
    next: ScoreRow | None


@dataclass(frozen=True, slots=True)
class KeptBest:
    """The best of a player in a week after a play."""

    best: int
    improved: bool
    before: int | None
    is_on_board: bool = True
    week: Week | None = None
    """The week that it was kept in, if that is another one than it was sent in."""


class Submitter:
    """Takes plays."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        settings: LeaderboardsSettings,
        weeks: Weeks,
        trees: WeekTrees,
        rows: BoardRows,
        players: Players,
        *,
        tokens: PlayTokens,
        topics: BoardTopics = UNHEARD,
        sleep: Sleep = time.sleep,
    ) -> None:
        self._database, self._clock, self._settings, self._tokens = database, clock, settings, tokens
        self._weeks, self._trees, self._rows, self._players = weeks, trees, rows, players
        self._rates = Rates(settings.plays_a_minute, _REMEMBERED) if settings.plays_a_minute else None
        self._known, self._lock, self._sleep = _KnownBests(), Lock(), sleep
        self._topics = topics

    def submit(self, play: GivenPlay, sender: str = "") -> Submitted:
        """Keep a play if it is the best of its week, and say where its player stands; what is refused is recorded."""
        week, kept = self.keep(play, sender)
        return self.standing(week, play.id, kept.best, improved=kept.improved, is_on_board=kept.is_on_board)

    def keep(self, play: GivenPlay, sender: str = "") -> tuple[Week, KeptBest]:
        """The same for whoever does not ask where the player stands."""
        self._weeks.fix()
        try:
            week, token = self._checked(play)
        except (InvalidInput, Busy) as refusal:
            self._record(play, refusal, sender)
            raise
        try:
            kept = retry(partial(self._keep, play, week, token), self._sleep)
        except InvalidInput as refusal:
            self._record(play, refusal, sender)
            raise
        if kept.improved and kept.is_on_board:
            self._suspect(play, week, token, kept.before)
            self._topics.player(week, play.id)
        return kept.week or week, kept

    def standing(
        self, week: Week, player: int, best: int, *, improved: bool, is_on_board: bool = True
    ) -> Submitted:
        """Where a score stands now."""
        tree = self._trees.live(week)
        if not is_on_board:
            return Submitted(week, player, best, improved, None, tree.total, None, None)
        found = tree.standing(best)
        above = self._rows.next_above(week, best) if found.above else None
        return Submitted(week, player, best, improved, found.rank, found.total, found.percentile, above)

    # ── what is refused ───────────────────────────────────────────────────────────────────────────

    def _checked(self, play: GivenPlay) -> tuple[Week, PlayToken | None]:
        checked_name(play.name)
        if not 0 <= play.id <= LARGEST_ID:
            raise InvalidInput(
                "The id of a player is a whole number from 0 to {most}.",
                "id",
                code="leaderboards.id",
                values={"most": LARGEST_ID},
            )
        check_score(play.score, self._settings.highest_score)
        token = self._tokens.read(play.id, play.token)
        week = self._weeks.of_play(play.played_at)
        if self._rates is not None:
            with self._lock:
                wait = self._rates.take(str(play.id), self._clock())
            if wait:
                raise Busy(
                    "Player {id} plays faster than a game takes. Send the next score in {seconds} seconds.",
                    wait,
                    code="leaderboards.too-fast",
                    values={"id": play.id, "seconds": max(1, round(wait))},
                )
        return week, token

    def _record(self, play: GivenPlay, refusal: HansangError, sender: str) -> None:
        at = to_whole_second(self._clock())
        refused = RefusedPlay(
            day=at.date(),
            at=at,
            mark=token_hex(6),
            player=play.id,
            name=play.name[:100],
            score=max(-_MOST_RECORDED, min(play.score, _MOST_RECORDED)),
            reason=refusal.code,
            values={name: str(value)[:100] for name, value in refusal.values.items()},
            sender=sender,
            expires_at=at + REFUSALS_KEPT,
        )
        self._database.put(refused)

    def _suspect(self, play: GivenPlay, week: Week, token: PlayToken | None, before: int | None) -> None:
        """Note what is unlikely about a new best, for an operator to look at."""
        at = to_whole_second(self._clock())
        seconds = None if token is None else max(1, int(at.timestamp()) - token.began_at)
        pace = self._settings.points_a_second
        unlikely = {
            "jump": is_jump(before, play.score, self._settings.highest_score),
            "pace": bool(pace and seconds is not None and play.score > pace * seconds),
        }
        for why, is_so in unlikely.items():
            if is_so:
                self._database.put(
                    Suspect(
                        start=week.start,
                        id=play.id,
                        why="jump" if why == "jump" else "pace",
                        name=checked_name(play.name),
                        score=play.score,
                        before=before,
                        seconds=seconds,
                        at=at,
                    )
                )

    # ── the weekly best ───────────────────────────────────────────────────────────────────────────

    def _keep(self, play: GivenPlay, week: Week, token: PlayToken | None) -> KeptBest:
        """Write the play if it is better than what is there, on the condition that this is still there (X2-04)."""
        name, remembers = checked_name(play.name), self._settings.remember_plays
        for _ in range(_TRIES):
            known = self._known.get(week, play.id)
            try:
                if known is not None and play.score > known[0] and known[1] == name and not remembers:
                    return self._improved(play, week, name, known[0], None, token)
                return self._kept(play, week, name, token)
            except (Conflict, NotFound, AlreadyExists) as moved:
                self._known.forget(week, play.id)
                if isinstance(getattr(moved, "item", None), BoardWeek):
                    raise closed(week) from moved
                if isinstance(getattr(moved, "item", None), UsedToken):
                    self._expect_same(play, token)
                    return self._kept_before(play, week)
        raise Busy("The best of player {id} changes too fast. Try again in a moment.",
                   code="leaderboards.busy-player", values={"id": play.id})  # fmt: skip

    def _kept(self, play: GivenPlay, week: Week, name: str, token: PlayToken | None) -> KeptBest:
        row = self._row(week, play.id)
        if row is None:
            return self._first(play, week, name, token)
        if row.name != name and week == self._weeks.current:
            self._players.follow(play.id, name)
        if play.score > row.top_score:
            return self._improved(play, week, name, row.top_score, row.recent_plays, token)
        if self._settings.remember_plays or token is not None:
            with self._database.transaction(name="WeeklyBest.play") as transaction:
                self._use(transaction, play, token)
                if self._settings.remember_plays:
                    plays = self._plays(play, row.recent_plays)
                    same = WeeklyBest.top_score == row.top_score
                    key = WeeklyBestKey(id=play.id, start=week.start, end=week.end)
                    transaction.update(key, attr(WeeklyBest.recent_plays).set(plays), when=same)
        self._known.put(week, play.id, row.top_score, row.name)
        return KeptBest(row.top_score, False, row.top_score)

    def _kept_before(self, play: GivenPlay, week: Week) -> KeptBest:
        """What there is of a play whose answer was lost; it is not written again, whatever was corrected meanwhile."""
        for each in (
            week,
            Week.starting(week.start - timedelta(weeks=1)),
        ):  # A token may be as old as an hour.
            row = self._row(each, play.id)
            if row is not None:
                return KeptBest(row.top_score, False, row.top_score, week=each)
        return KeptBest(play.score, False, play.score, False)

    def _row(self, week: Week, player: int) -> _Row | None:
        """What is there of a player's week; the plays only where they are remembered."""
        if self._settings.remember_plays:
            return self._designed_row(week, player)
        request = read_request(self._database.name(UsersLeaderboard), player, week)
        item = self._database.call("GetItem", request, "WeeklyBest.get").get("Item")
        try:
            return None if item is None else _Row(int(item["TopScore"]["N"]), item["Name"]["S"])
        except (KeyError, ValueError):
            return self._designed_row(week, player)  # It says what is wrong with the item.

    def _designed_row(self, week: Week, player: int) -> _Row | None:
        key = WeeklyBestKey(id=player, start=week.start, end=week.end)
        best = self._database.find(key, consistent=True)
        return None if best is None else _Row(best.top_score, best.name, best.recent_plays)

    def _improved(
        self,
        play: GivenPlay,
        week: Week,
        name: str,
        before: int,
        plays: list[Play] | None,
        token: PlayToken | None,
    ) -> KeptBest:
        with self._database.transaction(name="WeeklyBest.improve") as transaction:
            self._improve(transaction, play, week, before, plays)
            self._trees.note(transaction, week, play.id, before, play.score)
            self._use(transaction, play, token)
            self._fence(transaction, week)
        self._known.put(week, play.id, play.score, name)
        return KeptBest(play.score, True, before)

    def _improve(
        self, transaction: Transaction, play: GivenPlay, week: Week, before: int, plays: list[Play] | None
    ) -> None:
        at, shard = to_whole_second(self._clock()), week_shard(week, play.id, self._settings.write_shards)
        if not self._settings.remember_plays:
            table = self._database.name(UsersLeaderboard)
            request = improve_request(table, play.id, week, before, play.score, at, shard)
            transaction.update_request(UsersLeaderboard, request)
            return
        updates: list[Update[Any]] = [
            attr(WeeklyBest.top_score).set(play.score),
            attr(WeeklyBest.top_score_at).set(at),
            attr(WeeklyBest.recent_plays).set(self._plays(play, plays)),
        ]
        if shard is not None:
            updates.append(attr(WeeklyBest.week_shard).set(shard))
        key = WeeklyBestKey(id=play.id, start=week.start, end=week.end)
        transaction.update(key, *updates, when=WeeklyBest.top_score == before)

    def _first(self, play: GivenPlay, week: Week, name: str, token: PlayToken | None) -> KeptBest:
        """The first score of a week; whether the player is hidden is asked once more with the write."""
        card = self._players.find(play.id)
        if card is not None and card.name != name:
            self._players.follow(play.id, name)
        if card is not None and card.is_hidden:
            return self._held(play, week, name)
        at = to_whole_second(self._clock())
        best = WeeklyBest(
            id=play.id,
            start=week.start,
            end=week.end,
            name=name,
            top_score=play.score,
            top_score_at=at,
            recent_plays=self._plays(play, None) if self._settings.remember_plays else None,
            week_shard=week_shard(week, play.id, self._settings.write_shards),
        )
        with self._database.transaction(name="WeeklyBest.first") as transaction:
            transaction.create(best)
            transaction.create(self._trees.change(week, play.id, None, play.score))
            self._use(transaction, play, token)
            self._fence(transaction, week)
            if card is None:
                transaction.create(BoardPlayer(id=play.id, name=name))
                for entry in entries_of(play.id, name):
                    transaction.put(entry)
            else:
                transaction.check(BoardPlayerKey(id=play.id), attr(BoardPlayer.hide_reason).missing())
        self._known.put(week, play.id, play.score, name)
        return KeptBest(play.score, True, None if card is None else self._best_before(play.id, week))

    def _best_before(self, player: int, week: Week) -> int | None:
        """The best of a player in other weeks, by which a sudden jump is told."""
        found = self._database.all(WeeklyBest.best(player), 2)
        return next((each.top_score for each in found if each.start != week.start), None)

    def _held(self, play: GivenPlay, week: Week, name: str) -> KeptBest:
        """Keep the best of a hidden player where no board sees it."""
        key, at = HeldBestKey(id=play.id, start=week.start), to_whole_second(self._clock())
        held = self._database.find(key, consistent=True)
        before = None if held is None else held.score
        if before is not None and play.score <= before:
            return KeptBest(before, False, before, False)
        with self._database.transaction(name="HeldBest.keep") as transaction:
            # Whoever is restored meanwhile plays on the board again.
            transaction.check(BoardPlayerKey(id=play.id), attr(BoardPlayer.hide_reason).exists())
            self._fence(transaction, week)
            if before is None:
                transaction.create(HeldBest(id=play.id, start=week.start, name=name, score=play.score, at=at))
            else:
                updates = (attr(HeldBest.score).set(play.score), attr(HeldBest.at).set(at))
                transaction.update(key, *updates, when=HeldBest.score == before)
        return KeptBest(play.score, True, before, False)

    # ── what is written with it ───────────────────────────────────────────────────────────────────

    def _plays(self, play: GivenPlay, plays: list[Play] | None) -> list[Play]:
        fresh = Play(at=to_whole_second(self._clock()), score=play.score)
        return [*(plays or []), fresh][-REMEMBERED_PLAYS:]

    def _fence(self, transaction: Transaction, week: Week) -> None:
        if self._weeks.needs_fence(week):
            transaction.check(BoardWeekKey(start=week.start), is_open)

    def _use(self, transaction: Transaction, play: GivenPlay, token: PlayToken | None) -> None:
        if token is not None:
            end = to_whole_second(self._clock()) + TOKENS_KEPT
            transaction.create(UsedToken(nonce=token.nonce, player=play.id, score=play.score, expires_at=end))

    def _expect_same(self, play: GivenPlay, token: PlayToken | None) -> None:
        """A token that was used is refused, unless it was for this very play."""
        assert token is not None
        used = self._database.find(UsedTokenKey(nonce=token.nonce), consistent=True)
        if used is not None and (used.player, used.score) != (play.id, play.score):
            raise InvalidInput(
                "The play token was used already. Get one for each play.",
                "token",
                code="leaderboards.token-used",
            )


class _Row(NamedTuple):
    """What a play has to know of its player's week."""

    top_score: int
    name: str
    recent_plays: list[Play] | None = None


class _KnownBests:
    """Bests that this process has seen last; what is wrong by now fails its condition, and is read again."""

    def __init__(self, most: int = _REMEMBERED) -> None:
        self._most, self._lock = most, Lock()
        self._bests: OrderedDict[tuple[Week, int], tuple[int, str]] = OrderedDict()

    def get(self, week: Week, player: int) -> tuple[int, str] | None:
        return self._bests.get((week, player))

    def put(self, week: Week, player: int, score: int, name: str) -> None:
        with self._lock:
            self._bests[week, player] = score, name
            self._bests.move_to_end((week, player))
            if len(self._bests) > self._most:
                self._bests.popitem(last=False)

    def forget(self, week: Week, player: int) -> None:
        with self._lock:
            self._bests.pop((week, player), None)
