"""Closing a week: a dry run says what would come of it; then it is final, and its rewards are made (X2-22)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from hashlib import sha256
from itertools import islice

from hansang.apps.leaderboards.board_rows import BoardRows
from hansang.apps.leaderboards.fan_out import FanOuts
from hansang.apps.leaderboards.reading import PlacedRow, placed
from hansang.apps.leaderboards.rules import Week
from hansang.apps.leaderboards.settings import LeaderboardsSettings
from hansang.apps.leaderboards.topics import UNHEARD, BoardTopics
from hansang.apps.leaderboards.trees import WeekTrees
from hansang.apps.leaderboards.weeks import Weeks, closed
from hansang.apps.leaderboards.work import (
    BoardWeek,
    BoardWeekKey,
    PodiumRow,
    Reward,
    RewardKey,
    Suspect,
    Tier,
)
from hansang.clock import Clock
from hansang.design import Database, Page, attr
from hansang.errors import AlreadyExists, Busy, Conflict, InvalidInput, NotFound
from hansang.parts.receipts import Beside, alone
from hansang.parts.retry import Sleep
from hansang.parts.timestamps import to_whole_second

_PODIUM = 10
_AT_ONCE = 25
_WAITS = (0.05, 0.2, 0.8, 3.0)


@dataclass(frozen=True, slots=True)
class TierCount:
    """How many players a tier has, and the last rank and score in it."""

    name: str
    players: int
    rank: int
    score: int


@dataclass(frozen=True, slots=True)
class ClosingRehearsal:
    """What closing a week would come to; nothing is written."""

    week: Week
    players: int
    counted: int
    is_over: bool
    suspects: int
    check: str
    tiers: list[TierCount]


Tell = Callable[[int], object]
"""Told how many players were dealt with."""


class Closing:
    """Closes weeks and keeps their rewards."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        settings: LeaderboardsSettings,
        weeks: Weeks,
        trees: WeekTrees,
        rows: BoardRows,
        fan_outs: FanOuts,
        *,
        topics: BoardTopics = UNHEARD,
        sleep: Sleep = time.sleep,
    ) -> None:
        self._database, self._clock, self._settings = database, clock, settings
        self._weeks, self._trees, self._rows, self._fan_outs = weeks, trees, rows, fan_outs
        self._topics, self._sleep = topics, sleep

    def rehearse(self, week: Week, tiers: Sequence[Tier] = ()) -> ClosingRehearsal:
        """Say what closing a week would come to, and change nothing."""
        _expect_tiers(tiers)
        ranked = list(placed(self._rows.each(week), 0, 0, 0, "competition"))
        counts = {tier.name: TierCount(tier.name, 0, 0, 0) for tier in tiers}
        for row, tier in rewarded(ranked, tiers):
            before = counts[tier.name]
            counts[tier.name] = TierCount(tier.name, before.players + 1, row.rank, row.score)
        return ClosingRehearsal(
            week,
            len(ranked),
            self._trees.live(week).total,
            self._is_over(week),
            sum(each.state == "open" for each in self._database.each(Suspect.of_week(week.start))),
            digest_of(ranked),
            list(counts.values()),
        )

    def close(
        self,
        week: Week,
        tiers: Sequence[Tier] = (),
        by: str = "",
        *,
        tell: Tell | None = None,
        beside: Beside[BoardWeek] = alone,
    ) -> BoardWeek:
        """Make a week final: no score of it changes from then on. Broken off, it goes on when it is done again."""
        _expect_tiers(tiers)
        if not self._is_over(week):
            raise Conflict(
                "The week from {start} is not over yet. It can be closed when it has ended and its grace is over.",
                code="leaderboards.week-running",
                values={"start": week.start},
            )
        self._expect_scores(week)
        begun = self._begin(week, tiers, by)
        if begun.state == "final":
            raise closed(week)
        self._trees.folder(week, partial(self._fan_outs.hear, week)).drain()
        ranked = self._ranked(week)
        self._write_rewards(week, ranked, begun.tiers, tell)
        final = begun.model_copy(
            update={
                "state": "final",
                "players": len(ranked),
                "check": digest_of(ranked),
                "rewards": sum(1 for _ in rewarded(ranked, begun.tiers)),
                "podium": [
                    PodiumRow(rank=row.rank, id=row.id, name=row.name, score=row.score)
                    for row in ranked[:_PODIUM]
                ],
            }
        )
        with self._database.transaction(name="BoardWeek.close") as transaction:
            beside(transaction, final)
            transaction.put(final, when=BoardWeek.state == "closing")
        self._topics.board(week, at_once=True)
        return final

    def _is_over(self, week: Week) -> bool:
        return self._weeks.now >= self._weeks.grace_ends_at(week)

    def _expect_scores(self, week: Week) -> None:
        """Refuse to begin with a week that nobody has a score in."""
        if not self._trees.live(week).total and self._weeks.find(week) is None:
            raise Conflict(
                "Nobody has a score on the board of the week from {start}. There is nothing to close.",
                code="leaderboards.week-empty",
                values={"start": week.start},
            )

    def _begin(self, week: Week, tiers: Sequence[Tier], by: str) -> BoardWeek:
        """From now on no score of the week is written; who closes it again goes on with the same tiers."""
        drafted = BoardWeek(
            start=week.start,
            state="closing",
            closed_at=to_whole_second(self._clock()),
            closed_by=by,
            tiers=list(tiers),
            podium=[],
        )
        try:
            return self._database.create(drafted)
        except AlreadyExists as there:
            found: BoardWeek = there.item
            return found

    def _ranked(self, week: Week) -> list[PlacedRow]:
        """Everyone in order, when the index shows as many as were counted."""
        for wait in (*_WAITS, None):
            ranked = list(placed(self._rows.each(week), 0, 0, 0, "competition"))
            if len(ranked) == self._trees.live(week).total:
                return ranked
            if wait is not None:
                self._sleep(wait)
        raise Busy(
            "The index of the week from {start} does not show yet what was written. Close it again in a moment.",
            10.0,
            code="leaderboards.index-lags",
            values={"start": week.start},
        )

    # ── rewards ───────────────────────────────────────────────────────────────────────────────────

    def _write_rewards(
        self, week: Week, ranked: Sequence[PlacedRow], tiers: Sequence[Tier], tell: Tell | None
    ) -> None:
        rewards = (
            Reward(
                start=week.start,
                place=place,
                id=row.id,
                name=row.name,
                rank=row.rank,
                score=row.score,
                tier=tier.name,
            )
            for place, (row, tier) in enumerate(rewarded(ranked, tiers), 1)
        )
        done = 0
        while part := list(islice(rewards, _AT_ONCE)):
            done += self._database.batch_write(part)
            if tell is not None:
                tell(done)

    def rewards(self, week: Week, limit: int = 100, cursor: str | None = None) -> Page[Reward]:
        """The rewards of a final week, the best first."""
        self.final(week)
        return self._database.page(Reward.of_week(week.start), limit, cursor)

    def each_reward(self, week: Week) -> Iterator[Reward]:
        """All rewards of a final week, to be exported."""
        self.final(week)
        return self._database.each(Reward.of_week(week.start))

    def deliver(
        self, week: Week, place: int, receipt: str, by: str, *, beside: Beside[Reward] = alone
    ) -> Reward:
        """Mark a reward as delivered, once; the same receipt again changes nothing, another one is refused."""
        self.final(week)
        key = RewardKey(start=week.start, place=place)
        found = self._database.find(key, consistent=True)
        if found is None:
            raise NotFound(
                "There is no reward {place} in the week from {start}.",
                code="leaderboards.no-reward",
                values={"place": place, "start": week.start},
            )
        if found.delivered_at is not None:
            if found.receipt == receipt:
                return found
            raise _delivered(found)
        now = to_whole_second(self._clock())
        done = found.model_copy(update={"delivered_at": now, "delivered_by": by, "receipt": receipt})
        try:
            with self._database.transaction(name="Reward.deliver") as transaction:
                beside(transaction, done)
                transaction.put(done, when=attr(Reward.delivered_at).missing())
        except Conflict as other:
            if isinstance(other.item, Reward) and other.item.receipt == receipt:
                return other.item
            raise _delivered(found) from other
        return done

    def final(self, week: Week) -> BoardWeek:
        """A final week, or NotFound."""
        found = self._database.find(BoardWeekKey(start=week.start), consistent=True)
        if found is None or found.state != "final":
            raise NotFound(
                "The week from {start} is not final yet. Close it first.",
                code="leaderboards.not-final",
                values={"start": week.start},
            )
        return found

    def season(self, since: date, until: date) -> list[Week]:
        """The final weeks that begin from a day to another, the earliest first."""
        closed = self._database.each(BoardWeek.newest())
        found = (each for each in closed if each.state == "final" and since <= each.start <= until)
        return sorted(Week.starting(each.start) for each in found)

    def archive(self, weeks: Iterable[Week]) -> Iterator[tuple[BoardWeek, PlacedRow]]:
        """Every row of these final weeks, for a season to be kept elsewhere; a week that has changed is refused."""
        for week in weeks:
            final = self.final(week)
            ranked = list(placed(self._rows.each(week), 0, 0, 0, "competition"))
            if len(ranked) != final.players or (not final.erased and digest_of(ranked) != final.check):
                raise Conflict(
                    "The week from {start} is not as it was when it became final.",
                    final,
                    code="leaderboards.week-changed",
                    values={"start": week.start},
                )
            yield from ((final, row) for row in ranked)


def rewarded(ranked: Sequence[PlacedRow], tiers: Sequence[Tier]) -> Iterator[tuple[PlacedRow, Tier]]:
    """Who gets what: each the first tier that fits; equals of the last rank in it are in it too."""
    for row in ranked:
        for tier in tiers:
            if _fits(row, tier, len(ranked)):
                yield row, tier
                break


def _fits(row: PlacedRow, tier: Tier, players: int) -> bool:
    if tier.rank is not None:
        return row.rank <= tier.rank
    return row.rank * 100 <= (tier.percent or 0) * players


def digest_of(ranked: Iterable[PlacedRow]) -> str:
    """A check value over ranks, ids and scores."""
    found = sha256()
    for row in ranked:
        found.update(f"{row.rank},{row.id},{row.score}\n".encode())
    return found.hexdigest()[:16]


def _expect_tiers(tiers: Sequence[Tier]) -> None:
    names = [tier.name for tier in tiers]
    for tier in tiers:
        if (tier.rank is None) == (tier.percent is None) or names.count(tier.name) > 1:
            raise InvalidInput(
                "The tier {name} needs a name of its own, and either a rank or a percent.",
                "tiers",
                code="leaderboards.tier",
                values={"name": tier.name},
            )


def _delivered(reward: Reward) -> Conflict:
    return Conflict(
        "The reward {place} was delivered already. It is not delivered twice.",
        reward,
        code="leaderboards.delivered",
        values={"place": reward.place},
    )
