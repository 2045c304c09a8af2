"""Operating: players are hidden and restored, and scores are corrected; ranks close up at once (X2-19)."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from hansang.apps.leaderboards.board_rows import week_shard
from hansang.apps.leaderboards.design import WeeklyBest, WeeklyBestKey
from hansang.apps.leaderboards.fan_out import fan_out_of
from hansang.apps.leaderboards.players import Players, check_score
from hansang.apps.leaderboards.rules import Week
from hansang.apps.leaderboards.settings import LeaderboardsSettings
from hansang.apps.leaderboards.topics import UNHEARD, BoardTopics
from hansang.apps.leaderboards.trees import WeekTrees
from hansang.apps.leaderboards.weeks import Weeks, is_open
from hansang.apps.leaderboards.work import (
    BoardPlayer,
    BoardPlayerKey,
    BoardWeekKey,
    HeldBest,
    HeldBestKey,
    HideReason,
    Hiding,
    HidingKey,
    RefusedPlay,
    Suspect,
    SuspectState,
)
from hansang.clock import Clock
from hansang.design import Condition, Database, Page, all_of, attr
from hansang.design.transaction import Transaction
from hansang.errors import AlreadyExists, Busy, Conflict, InvalidInput, NotFound
from hansang.parts.receipts import Beside, alone
from hansang.parts.retry import PATIENT, Sleep, retry
from hansang.parts.timestamps import to_datetime, to_whole_second

_TRIES = 20


@dataclass(frozen=True, slots=True)
class Correction:
    """A score that was corrected."""

    week: Week
    id: int
    before: int
    after: int
    note: str


class Operating:
    """What operators do to players and scores."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        settings: LeaderboardsSettings,
        weeks: Weeks,
        trees: WeekTrees,
        players: Players,
        *,
        topics: BoardTopics = UNHEARD,
        sleep: Sleep = time.sleep,
    ) -> None:
        self._database, self._clock, self._settings = database, clock, settings
        self._weeks, self._trees, self._players, self._sleep = weeks, trees, players, sleep
        self._topics = topics

    # ── hiding ────────────────────────────────────────────────────────────────────────────────────

    def hide(
        self,
        player: int,
        reason: HideReason,
        note: str = "",
        until: datetime | None = None,
        *,
        beside: Beside[BoardPlayer] = alone,
    ) -> BoardPlayer:
        """Take a player off every board of a week that is not final; scores that come are kept aside meanwhile."""
        now = to_whole_second(self._clock())
        end = None if until is None else until.replace(microsecond=0)
        if self.is_over(end):
            raise InvalidInput(
                "The hiding would have ended already. Give a time in the future.",
                "until",
                code="leaderboards.hide-end",
            )
        fields = {"hide_reason": reason, "hide_note": note or None, "hidden_at": now, "hidden_until": end}
        for _ in range(_TRIES):
            seen = self._players.get(player)
            card = seen.model_copy(update={**fields, "revision": seen.revision + 1})
            with suppress(Conflict, NotFound, AlreadyExists):
                with self._database.transaction(name="BoardPlayer.hide") as transaction:
                    beside(transaction, card)
                    transaction.put(card, when=BoardPlayer.revision == seen.revision)
                    transaction.put(
                        Hiding(
                            id=player, name=card.name, reason=reason, note=note or None, since=now, until=end
                        )
                    )
                    self._hold(transaction, self._row(player, self._weeks.current))
                self._topics.player(self._weeks.current, player)
                self._hold_others(player)
                return card
        raise _busy(player)

    def is_over(self, until: datetime | None) -> bool:
        """Whether a hiding with this end would have ended by now."""
        return until is not None and until.replace(microsecond=0) <= to_whole_second(self._clock())

    def restore(self, player: int, *, beside: Beside[BoardPlayer] = alone) -> BoardPlayer:
        """Put a hidden player back on the boards, with the best that was reached meanwhile."""
        for _ in range(_TRIES):
            seen = self._players.get(player)
            fields = dict.fromkeys(("hide_reason", "hide_note", "hidden_at", "hidden_until"))
            card = seen.model_copy(update={**fields, "revision": seen.revision + 1})
            with suppress(Conflict, NotFound, AlreadyExists):
                with self._database.transaction(name="BoardPlayer.restore") as transaction:
                    beside(transaction, card)
                    transaction.put(card, when=BoardPlayer.revision == seen.revision)
                    transaction.delete(HidingKey(id=player))
                    held = self._database.find(
                        HeldBestKey(id=player, start=self._weeks.current.start), consistent=True
                    )
                    self._release(transaction, held)
                self._topics.player(self._weeks.current, player)
                self._release_others(player)
                return card
        raise _busy(player)

    def hidden(self, limit: int = 50, cursor: str | None = None) -> Page[Hiding]:
        """Whoever is hidden, by id."""
        return self._database.page(Hiding.everyone(), limit, cursor)

    def ended(self) -> Iterator[int]:
        """Players whose hiding has ended by now."""
        now = to_datetime(self._clock())
        for each in self._database.all(Hiding.everyone()):
            if each.until is not None and each.until <= now:
                yield each.id

    def go_on(self) -> int:
        """Go on with hidings and restorings that were broken off; how many players were looked at."""
        players = [each.id for each in self._database.all(Hiding.everyone())]
        for player in players:
            self._hold_others(player)
        return len(players)

    def go_on_with(self, player: int) -> BoardPlayer:
        """Do the same for one player, hidden or restored; the player's card."""
        card = self._players.get(player)
        if card.is_hidden:
            self._hold_others(player)
        else:
            self._release_others(player)
        return card

    # ── the weeks of a player ─────────────────────────────────────────────────────────────────────

    def _row(self, player: int, week: Week) -> WeeklyBest | None:
        return self._database.find(WeeklyBestKey(id=player, start=week.start, end=week.end), consistent=True)

    def _hold_others(self, player: int) -> None:
        for row in self._database.all(WeeklyBest.recent(player).consistent()):
            week = Week(row.start, row.end)
            if self._weeks.find(week) is None:
                self._retried(player, week, held=True)

    def _release_others(self, player: int) -> None:
        for held in self._database.all(HeldBest.of_player(player).consistent()):
            week = Week.starting(held.start)
            if self._weeks.find(week) is None:
                self._retried(player, week, held=False)

    def _retried(self, player: int, week: Week, *, held: bool) -> None:
        for _ in range(_TRIES):
            with suppress(Conflict, NotFound, AlreadyExists):
                retry(lambda: self._moved(player, week, held=held), self._sleep, PATIENT)
                self._topics.board(week)
                return
        raise _busy(player)

    def _moved(self, player: int, week: Week, *, held: bool) -> None:
        card = self._players.get(player)
        if card.is_hidden != held:
            return  # Somebody has thought otherwise meanwhile.
        same: Condition = all_of(BoardPlayer.revision == card.revision)
        with self._database.transaction(name="HeldBest.move") as transaction:
            transaction.check(BoardPlayerKey(id=player), same)
            if held:
                self._hold(transaction, self._row(player, week))
            else:
                key = HeldBestKey(id=player, start=week.start)
                self._release(transaction, self._database.find(key, consistent=True))

    def _hold(self, transaction: Transaction, row: WeeklyBest | None) -> None:
        """Move a week off the board, in one transaction with what the tree has to count."""
        if row is None:
            return
        week = Week(row.start, row.end)
        transaction.delete(
            WeeklyBestKey(id=row.id, start=row.start, end=row.end), when=WeeklyBest.top_score == row.top_score
        )
        transaction.put(
            HeldBest(
                id=row.id,
                start=row.start,
                name=row.name,
                score=row.top_score,
                at=row.top_score_at,
                plays=row.recent_plays,
            )
        )
        transaction.create(self._trees.change(week, row.id, row.top_score, None))
        self._noted(transaction, row.id, week)

    def _release(self, transaction: Transaction, held: HeldBest | None) -> None:
        """Move a week back on the board."""
        if held is None:
            return
        week = Week.starting(held.start)
        transaction.delete(HeldBestKey(id=held.id, start=held.start), when=HeldBest.score == held.score)
        transaction.create(
            WeeklyBest(
                id=held.id,
                start=week.start,
                end=week.end,
                name=held.name,
                top_score=held.score,
                top_score_at=held.at,
                recent_plays=held.plays,
                week_shard=week_shard(week, held.id, self._settings.write_shards),
            )
        )
        transaction.create(self._trees.change(week, held.id, None, held.score))
        self._noted(transaction, held.id, week)

    def _noted(self, transaction: Transaction, player: int, week: Week) -> None:
        transaction.put(fan_out_of(player, week, self._weeks.now))
        transaction.check(BoardWeekKey(start=week.start), is_open)

    # ── what is to be looked at ───────────────────────────────────────────────────────────────────

    def refused(self, day: date, limit: int = 50, cursor: str | None = None) -> Page[RefusedPlay]:
        """What was refused on a day in UTC, the newest first."""
        return self._database.page(RefusedPlay.of_day(day), limit, cursor)

    def suspects(self, week: Week, limit: int = 50, cursor: str | None = None) -> Page[Suspect]:
        """What is unlikely in a week, with the evidence."""
        return self._database.page(Suspect.of_week(week.start), limit, cursor)

    def judge(
        self,
        week: Week,
        player: int,
        state: SuspectState,
        note: str = "",
        *,
        beside: Beside[list[Suspect]] = alone,
    ) -> list[Suspect]:
        """Say what came of looking at a player's week."""
        found = self.suspects_of(week, player)
        judged = [each.model_copy(update={"state": state, "note": note or None}) for each in found]
        return self._judged(judged, beside)

    def judge_as_before(
        self,
        week: Week,
        player: int,
        was: Mapping[str, Mapping[str, Any]],
        *,
        beside: Beside[list[Suspect]] = alone,
    ) -> list[Suspect]:
        """Take back what was said of a player's week: the state and the note of each record by its why."""
        found = [each for each in self.suspects_of(week, player) if each.why in was]
        judged = [each.model_copy(update=dict(was[each.why])) for each in found]
        return self._judged(judged, beside)

    def suspects_of(self, week: Week, player: int) -> list[Suspect]:
        """What is suspicious of a player's week, or NotFound."""
        found = [each for each in self._database.each(Suspect.of_week(week.start)) if each.id == player]
        if not found:
            raise NotFound(
                "Nothing suspicious is noted of player {id} in the week from {start}.",
                code="leaderboards.no-suspect",
                values={"id": player, "start": week.start},
            )
        return found

    def _judged(self, judged: list[Suspect], beside: Beside[list[Suspect]]) -> list[Suspect]:
        with self._database.transaction(name="Suspect.judge") as transaction:
            beside(transaction, judged)
            for each in judged:
                transaction.put(each)
        return judged

    def _no_score(self, player: int, week: Week) -> Conflict | NotFound:
        card = self._players.find(player)
        if card is not None and card.is_hidden:
            return Conflict(
                "Player {id} is hidden, and the score with the player. Restore the player first.",
                code="leaderboards.correct-hidden",
                values={"id": player},
            )
        return NotFound(
            "Player {id} has no score in the week from {start}.",
            code="leaderboards.no-score",
            values={"id": player, "start": week.start},
        )

    # ── correcting ────────────────────────────────────────────────────────────────────────────────

    def correct(
        self, player: int, week: Week, score: int, note: str, *, beside: Beside[Correction] = alone
    ) -> Correction:
        """Give a player another best in a week that is not final; the note says why."""
        check_score(score, self._settings.highest_score)
        self._weeks.expect_open(week)
        for _ in range(_TRIES):
            row = self._row(player, week)
            if row is None:
                raise self._no_score(player, week)
            done = Correction(week, player, row.top_score, score, note)
            with suppress(Conflict, NotFound):
                with self._database.transaction(name="WeeklyBest.correct") as transaction:
                    beside(transaction, done)
                    transaction.update(
                        WeeklyBestKey(id=player, start=week.start, end=week.end),
                        attr(WeeklyBest.top_score).set(score),
                        when=WeeklyBest.top_score == row.top_score,
                    )
                    if score != row.top_score:
                        transaction.create(self._trees.change(week, player, row.top_score, score))
                    self._noted(transaction, player, week)
                self._topics.player(week, player)
                return done
        raise _busy(player)


def _busy(player: int) -> Busy:
    return Busy(
        "The best of player {id} changes too fast. Try again in a moment.",
        code="leaderboards.busy-player",
        values={"id": player},
    )
