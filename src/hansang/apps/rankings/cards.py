"""What a card says of a player: one rank, a few facts, and the ranks of thirty days."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction

from hansang.apps.rankings.boards import DESIGNS
from hansang.apps.rankings.days import Days
from hansang.apps.rankings.design import Board, SnapshotDay
from hansang.apps.rankings.histories import Histories, HistoryDay
from hansang.apps.rankings.privacy import Privacy
from hansang.apps.rankings.revisions import settled
from hansang.errors import NotFound

CARD_DAYS = 30


@dataclass(frozen=True, slots=True)
class CardDay:
    """The rank of one day, the official one where there is one; None for a day without a snapshot."""

    day: date
    rank: int | None = None
    is_official: bool = False


@dataclass(frozen=True, slots=True)
class SharedCard:
    """A player on the newest finished day."""

    uuid: str
    name: str
    former: tuple[str, ...]
    """Other names in these days, the newest first."""
    board: Board
    day: SnapshotDay
    level: int
    power: int
    of: int
    climbed: int | None
    """By how many ranks since the finished day before; None for whoever was not there."""
    grown: int | None
    """By how much since the first of these days; None if there is only one."""
    days: tuple[CardDay, ...]
    """Every day to the newest, the oldest first."""

    @property
    def now(self) -> CardDay:
        return self.days[-1]

    @property
    def rank(self) -> int:
        assert self.now.rank is not None
        return self.now.rank

    @property
    def top(self) -> Fraction:
        """Which part of the players stand here or above, of 100."""
        return Fraction(100 * self.rank, max(self.of, self.rank))

    @property
    def ranked(self) -> list[CardDay]:
        """The days with a rank."""
        return [each for each in self.days if each.rank is not None]

    @property
    def best(self) -> int:
        return min(each.rank for each in self.days if each.rank is not None)


class Cards:
    """Makes cards of the newest finished day; a hidden player has none (X5-30)."""

    def __init__(self, days: Days, histories: Histories, privacy: Privacy) -> None:
        self._days, self._histories, self._privacy = days, histories, privacy

    def newest(self) -> SnapshotDay:
        """The day that cards are of now."""
        return self._days.finished()

    def expect_shown(self, uuid: str) -> None:
        """Refuse a hidden player as if there were none."""
        if self._privacy.is_hidden(uuid):
            raise NotFound("Player {uuid} not found.", code="rankings.no-player", values={"uuid": uuid})

    @settled
    def get(self, uuid: str, board: Board, day: SnapshotDay | None = None) -> SharedCard:
        """The card of a player on the newest finished day, which may be known already."""
        self.expect_shown(uuid)
        found = day or self.newest()
        first = found.day - timedelta(days=CARD_DAYS - 1)
        history = self._histories.history(uuid, first, found.day, (board,)).days
        if not history or history[0].snapshot.day != found.day:
            raise NotFound(
                "The player {uuid} has no snapshot of {day}.",
                code="rankings.no-snapshot",
                values={"uuid": uuid, "day": found.day},
            )
        newest, names = history[0].snapshot, dict.fromkeys(each.snapshot.name for each in history)
        by_day = {each.snapshot.day: _card_day(each, board) for each in history}
        dates = (first + timedelta(days=number) for number in range(CARD_DAYS))
        scores = [DESIGNS[board].score(each.snapshot) for each in history]
        return SharedCard(
            uuid=uuid,
            name=newest.name,
            former=tuple(name for name in names if name != newest.name),
            board=board,
            day=found,
            level=newest.level,
            power=newest.power,
            of=history[0].ranks[board].of,
            climbed=self._climbed(found, by_day),
            grown=scores[0] - scores[-1] if len(scores) > 1 else None,
            days=tuple(by_day.get(each, CardDay(each)) for each in dates),
        )

    def _climbed(self, day: SnapshotDay, by_day: dict[date, CardDay]) -> int | None:
        before = self._days.before(day)
        then = None if before is None else by_day.get(before.day)
        now = by_day[day.day].rank
        return None if then is None or then.rank is None or now is None else then.rank - now


def _card_day(day: HistoryDay, board: Board) -> CardDay:
    official = DESIGNS[board].rank(day.snapshot)
    rank = day.ranks[board].rank if official is None else official
    return CardDay(day.snapshot.day, rank, official is not None)
