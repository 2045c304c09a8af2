"""What the leaderboards keep beside the document's tables: players, friends, refusals, hidings, weeks and rewards."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from hansang.apps.leaderboards.design import REMEMBERED_PLAYS, AnyId, Play, PlayerId, Score
from hansang.design import Attr, Entity, Expiry, Key, Query, Table, Timestamp, attr, pattern

LONGEST_NAME = 60
SHARDS = 8
"""Over how many partitions the waiting fan-outs are spread."""
LISTED = 100
"""How many players one list of waiting fan-outs has, as many as are read at once."""
PlayerName = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
WeekState = Literal["closing", "final"]
SuspectState = Literal["open", "cleared", "hidden", "corrected"]
HideReason = Literal["cheating", "abuse", "test", "request", "other"]
REASONS: tuple[HideReason, ...] = ("cheating", "abuse", "test", "request", "other")


class LeaderboardWork(Table, name="LeaderboardWork", type_attribute="Kind"):
    """Whatever the document leaves open: who is whose friend, who is hidden, which weeks are final."""


# ── the calendar ──────────────────────────────────────────────────────────────────────────────────


class CalendarKey(Key["Calendar"], pk="CALENDAR", sk="CALENDAR"):
    """The key of the calendar."""


class Calendar(CalendarKey, Entity, table=LeaderboardWork, type="Calendar"):
    """On which day weeks begin and in which zone; fixed with the first score (X2-06)."""

    first_day: str
    zone: str
    boards: Annotated[list[str] | None, Field(max_length=200)] = None
    """What the boards that have scores are called, the first one first; kept with the first one alone."""


# ── players ───────────────────────────────────────────────────────────────────────────────────────


class BoardPlayerKey(Key["BoardPlayer"], pk="PLAYER#{id}", sk="CARD"):
    """The key of a player."""

    id: PlayerId


class BoardPlayer(BoardPlayerKey, Entity, table=LeaderboardWork, type="BoardPlayer"):
    """A player as of now, and whether the boards leave this one out."""

    name: PlayerName
    hide_reason: HideReason | None = None
    hide_note: Annotated[str | None, Field(max_length=500)] = None
    hidden_at: Timestamp | None = None
    hidden_until: Timestamp | None = None
    """None of a player who is hidden for good."""
    revision: int = 0
    """How often the player was hidden or restored."""

    @property
    def is_hidden(self) -> bool:
        return self.hide_reason is not None


class PlayerNameEntryKey(Key["PlayerNameEntry"], pk="NAME#{initial}", sk="{text}#{id:019d}"):
    """The key of a way to find a player: by the beginning of the name, or of its Hangul initials."""

    initial: str
    text: str
    id: PlayerId


class PlayerNameEntry(PlayerNameEntryKey, Entity, table=LeaderboardWork, type="PlayerNameEntry"):
    """A name, in lower case or as initials, and whose it is."""

    name: PlayerName

    @pattern
    def beginning(cls, initial: str, text: str) -> Query[PlayerNameEntry]:
        """Names that begin so."""
        return cls.query(PlayerNameEntry.initial == initial, attr(PlayerNameEntry.text).begins_with(text))


class HidingKey(Key["Hiding"], pk="HIDDEN", sk="PLAYER#{id:019d}"):
    """The key of a player in the list of the hidden."""

    id: PlayerId


class Hiding(HidingKey, Entity, table=LeaderboardWork, type="Hiding"):
    """A player whom the boards leave out, and until when."""

    name: PlayerName
    reason: HideReason
    note: Annotated[str | None, Field(max_length=500)] = None
    since: Timestamp
    until: Timestamp | None = None

    @pattern
    def everyone(cls) -> Query[Hiding]:
        """Whoever is hidden."""
        return cls.query()


class HeldBestKey(Key["HeldBest"], pk="HELD#{id}", sk="{start}"):
    """The key of a week of a hidden player."""

    id: PlayerId
    start: date


class HeldBest(HeldBestKey, Entity, table=LeaderboardWork, type="HeldBest"):
    """The best of a hidden player in a week: on no board, and back when the player is restored (X2-19)."""

    name: PlayerName
    score: Score
    at: Timestamp | None = None
    plays: Annotated[list[Play] | None, Field(max_length=REMEMBERED_PLAYS)] = None

    @pattern
    def of_player(cls, player_id: int) -> Query[HeldBest]:
        """The weeks of a hidden player."""
        return cls.query(HeldBest.id == player_id)


class PlayerErasureKey(Key["PlayerErasure"], pk="ERASING", sk="PLAYER#{id:019d}"):
    """The key of a player who is being erased."""

    id: PlayerId


class PlayerErasure(PlayerErasureKey, Entity, table=LeaderboardWork, type="PlayerErasure"):
    """A player who is being erased; it goes when all is done."""

    since: Timestamp

    @pattern
    def open(cls) -> Query[PlayerErasure]:
        """Whoever is being erased."""
        return cls.query()


# ── friends ───────────────────────────────────────────────────────────────────────────────────────


class FriendshipKey(Key["Friendship"], pk="FRIENDS#{id}", sk="FRIEND#{other:019d}"):
    """The key of a friendship, as one of the two has it."""

    id: PlayerId
    other: PlayerId


class Friendship(FriendshipKey, Entity, table=LeaderboardWork, type="Friendship"):
    """That one is the other's friend; there is another item the other way round (X2-15)."""

    since: Timestamp

    @pattern
    def of(cls, player_id: int) -> Query[Friendship]:
        """The friends of a player."""
        return cls.query(Friendship.id == player_id)


class FanOutKey(Key["FanOut"], pk="FANOUT#{shard}", sk="{id:019d}#{start}"):
    """The key of a week of a player whose friends are still to be told."""

    shard: int
    id: PlayerId
    start: date


class FanOut(FanOutKey, Entity, table=LeaderboardWork, type="FanOut"):
    """That the rows on friends' boards are perhaps not those of the player's week (X2-12, X2-18)."""

    mark: str
    """Another one each time that something has changed."""
    since: Timestamp

    @pattern
    def waiting(cls, shard: int) -> Query[FanOut]:
        """What waits in a part."""
        return cls.query(FanOut.shard == shard)


class FanOutListKey(Key["FanOutList"], pk="FANOUTS", sk="{mark}"):
    """The key of a list of players whose friends are still to be told."""

    mark: str
    """Of the changes that it was made for: whoever counts them once more writes the same list."""


class FanOutList(FanOutListKey, Entity, table=LeaderboardWork, type="FanOutList"):
    """Players whose scores were counted together: one item for up to a hundred, never changed, deleted when done.

    `FanOut` is for what an operator or a player does to one of them, in the transaction that does it.
    """

    start: date
    players: Annotated[list[PlayerId], Field(max_length=LISTED)]
    since: Timestamp

    @pattern
    def waiting(cls) -> Query[FanOutList]:
        """The lists that wait."""
        return cls.query()


# ── plays ─────────────────────────────────────────────────────────────────────────────────────────


class RefusedPlayKey(Key["RefusedPlay"], pk="REFUSED#{day}", sk="{at}#{mark}"):
    """The key of a play that was refused."""

    day: date
    at: Timestamp
    mark: str


class RefusedPlay(RefusedPlayKey, Entity, table=LeaderboardWork, type="RefusedPlay"):
    """A play that was refused, and why (X2-19)."""

    player: AnyId
    name: str
    score: int
    reason: str
    """A code; its words are those of the error."""
    values: dict[str, str]
    sender: str
    expires_at: Annotated[Expiry, Attr("ExpiresAt")]

    @pattern
    def of_day(cls, day: date) -> Query[RefusedPlay]:
        """What was refused on a day in UTC, the newest first."""
        return cls.query(RefusedPlay.day == day).descending()


class UsedTokenKey(Key["UsedToken"], pk="TOKEN#{nonce}", sk="TOKEN"):
    """The key of a play token that was used."""

    nonce: str


class UsedToken(UsedTokenKey, Entity, table=LeaderboardWork, type="UsedToken"):
    """A play token is good for one play."""

    player: AnyId
    score: int
    expires_at: Annotated[Expiry, Attr("ExpiresAt")]


class SuspectKey(Key["Suspect"], pk="SUSPECTS#{start}", sk="{id:019d}#{why}"):
    """The key of a week of a player that somebody should look at."""

    start: date
    id: PlayerId
    why: Literal["jump", "pace"]


class Suspect(SuspectKey, Entity, table=LeaderboardWork, type="Suspect"):
    """A score that is unlikely, with what makes it so."""

    name: PlayerName
    score: Score
    before: int | None = None
    """The best until then, in this week or an earlier one."""
    seconds: int | None = None
    """How long the play took, if its token tells."""
    at: Timestamp
    state: SuspectState = "open"
    note: Annotated[str | None, Field(max_length=500)] = None

    @pattern
    def of_week(cls, start: date) -> Query[Suspect]:
        """What is to be looked at in a week."""
        return cls.query(Suspect.start == start)


# ── weeks ─────────────────────────────────────────────────────────────────────────────────────────


class Tier(BaseModel):
    """A reward: for ranks up to one, or for the best so many hundredths of all players."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[str, Field(min_length=1, max_length=40)]
    rank: Annotated[int | None, Field(ge=1, le=10**9)] = None
    percent: Annotated[int | None, Field(ge=1, le=100)] = None


class PodiumRow(BaseModel):
    """One of the first of a final week."""

    model_config = ConfigDict(frozen=True)

    rank: int
    id: AnyId
    name: str
    score: int


class BoardWeekKey(Key["BoardWeek"], pk="WEEKS", sk="WEEK#{start}"):
    """The key of a week that is being closed, or is final."""

    start: date


class BoardWeek(BoardWeekKey, Entity, table=LeaderboardWork, type="BoardWeek"):
    """How a week ended; one that is open has no such item (X2-22)."""

    state: WeekState
    closed_at: Timestamp
    closed_by: str
    players: int = 0
    check: str = ""
    """A digest over the final ranks; the same exactly when they are."""
    tiers: Annotated[list[Tier], Field(max_length=20)]
    rewards: int = 0
    erased: int = 0
    """Players who were erased since; the check value is that of before."""
    podium: Annotated[list[PodiumRow], Field(max_length=10)]

    @pattern
    def newest(cls) -> Query[BoardWeek]:
        """The weeks that are closed, the newest first."""
        return cls.query().descending()


class RewardKey(Key["Reward"], pk="REWARDS#{start}", sk="{place:09d}"):
    """The key of a reward of a final week, by the place on its board."""

    start: date
    place: int


class Reward(RewardKey, Entity, table=LeaderboardWork, type="Reward"):
    """What a player gets for a week, and whether it was delivered."""

    id: PlayerId
    name: PlayerName
    rank: int
    score: Score
    tier: str
    delivered_at: Timestamp | None = None
    delivered_by: str | None = None
    receipt: Annotated[str | None, Field(max_length=200)] = None
    """What the game calls the delivery."""

    @pattern
    def of_week(cls, start: date) -> Query[Reward]:
        """The rewards of a week, the best first."""
        return cls.query(Reward.start == start)


ACCEPTED = {
    "BoardWeek H201": "One item a week.",
    "FanOutList H201": "One item for each count of the scores, ten in a second at most, or for a hundred players.",
    "Hiding H201": "An operator hides some players a day.",
    "PlayerNameEntry.beginning H103": "Names are searched for by how they begin.",
    "PlayerErasure H201": "A few writes in the life of a game.",
    "RefusedPlay H205": "A reason has at most three values.",
    "RefusedPlay H202": "Refusals are rare, and each worker limits how many of a player it takes.",
    "Reward H202": "Whoever closes a week writes its rewards once, at the pace of the table.",
    "Suspect H202": "Few scores are suspicious, and each is written once.",
}
"""What the review finds and the design accepts, with the reason."""
