"""What whoever runs the leaderboards has chosen."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from hansang.apps.leaderboards.rules import HIGHEST_SCORE
from hansang.errors import SettingsError
from hansang.parts.schedules import WEEKDAYS

UNNAMED = "main"
"""What the only board is called as long as nobody names it."""
MOST_BOARDS = 20
_BOARD = re.compile(r"[a-z][a-z0-9-]{0,19}")
WeekIndex = Literal["document", "both", "sharded"]


@dataclass(frozen=True, slots=True)
class LeaderboardsSettings:
    """When weeks begin, which plays are taken, and who may read."""

    boards: tuple[str, ...] = (UNNAMED,)
    """The boards of the game, such as its modes. The first has the document's tables; keep it the first."""
    first_day: str = "FRI"
    """The day of the week on which weeks begin; fixed with the first score (X2-06)."""
    zone: str = "Asia/Seoul"
    """Where midnight is; fixed with the first score."""
    grace: int = 0
    """For how many minutes after its end a week still takes plays that were played in it (X2-22)."""
    highest_score: int = HIGHEST_SCORE
    plays_a_minute: int = 30
    """How many plays of one player a worker takes in a minute; 0 for any number."""
    token_secret: str = ""
    """What play tokens are signed with; with one, every play needs a token."""
    public: bool = False
    """Whether everyone may read boards without signing in, and submit scores with a play token."""
    remember_plays: bool = False
    """Whether the last 20 plays of a week are kept, which writes every play and not improvements alone (X2-05)."""
    friend_weeks: int = 0
    """After how many weeks rows of friends' boards expire; 0 for never (X2-20)."""
    many_friends: int = 300
    """From how many friends on a friends' board is read from the weeks themselves (X2-12)."""
    shards: int = 1
    """Over how many partitions changes of scores are spread until they are counted."""
    week_index: WeekIndex = "document"
    """Which index boards are read from: the document's; the same, while rows get their shards; or the sharded one."""
    index_shards: int = 8
    """Over how many partitions the sharded index spreads a week; it may grow and never shrink."""
    points_a_second: int = 0
    """How many points a second a play can bring; more is suspicious. 0 for no such limit."""
    webhook: str = ""
    """Where alarms are sent to, signed; none without it."""
    webhook_secret: str = ""

    @property
    def write_shards(self) -> int:
        """Over how many parts of its week a row that is written is spread; 0 for none."""
        return 0 if self.week_index == "document" else self.index_shards

    @property
    def read_shards(self) -> int:
        """From how many parts a board is put together; 0 for the document's index."""
        return self.index_shards if self.week_index == "sharded" else 0

    def __post_init__(self) -> None:
        expect_board_names(self.boards)
        if self.first_day not in WEEKDAYS:
            raise SettingsError(f"{self.first_day} is not a day of the week. Use {', '.join(WEEKDAYS)}.")
        try:
            ZoneInfo(self.zone)
        except (ZoneInfoNotFoundError, ValueError):
            raise SettingsError(f"{self.zone} is not a time zone. One is Asia/Seoul.") from None
        if not 1 <= self.highest_score < 10**15:
            raise SettingsError(f"The highest score cannot be {self.highest_score}. Use 1 to 10^15 - 1.")
        if not (1 <= self.shards <= 64 and 1 <= self.index_shards <= 64):
            raise SettingsError(f"There are 1 to 64 shards, and not {self.shards} and {self.index_shards}.")
        if min(self.grace, self.plays_a_minute, self.friend_weeks, self.many_friends) < 0:
            raise SettingsError("The grace, the plays a minute, the weeks and the friends cannot be below 0.")
        if self.webhook and not self.webhook.startswith(("https://", "http://")):
            raise SettingsError(f"{self.webhook} is not an address to send alarms to. Write https://….")
        if self.webhook and not self.webhook_secret:
            raise SettingsError("Alarms are signed. Give HANSANG_LEADERBOARDS_WEBHOOK_SECRET too.")


def expect_board_names(boards: tuple[str, ...]) -> None:
    """Refuse what cannot stand in front of names of tables, and two boards of one name."""
    if len(set(boards)) < max(1, len(boards)) or not all(map(_BOARD.fullmatch, boards)):
        raise SettingsError(
            f"{', '.join(boards)!r} are not names of boards. Each is another one: a small letter, then "
            "small letters, digits and hyphens, 20 in all at most."
        )
    if len(boards) > MOST_BOARDS:
        raise SettingsError(
            f"A game has at most {MOST_BOARDS} boards, and HANSANG_LEADERBOARDS_BOARDS names {len(boards)}. "
            "Each has four tables and two jobs of its own."
        )
