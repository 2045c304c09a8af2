"""The table of the daily rankings: players as they are, and as they were on each day."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from hansang.design import (
    GSI,
    KEYS_ONLY,
    Attr,
    Entity,
    Key,
    Query,
    Table,
    Timestamp,
    View,
    attr,
    derived,
    pattern,
)
from hansang.parts.hangul import lowered

PlayerId = Annotated[str, StringConstraints(min_length=1, max_length=64)]
Level = Annotated[int, Field(strict=True, ge=0)]
# DynamoDB keeps 38 digits of a number (X5-28).
Power = Annotated[int, Field(strict=True, ge=0, le=10**37)]
OfficialRank = Annotated[int, Field(strict=True, ge=1, le=100)]
DayStatus = Literal["running", "finishing", "finished", "failed", "removing", "removed"]
Board = Literal["level", "power"]
BOARDS: tuple[Board, ...] = ("level", "power")
Period = Literal["day", "week", "month"]


class Hanwol(Table, name="Hanwol_Bot_DEV_Single_Table"):
    """Players, their daily snapshots, and the state of each day."""

    official_level = GSI("GSI_Official_Level_Rank", pk="SK", sk="Level_Rank", project=["Name", "Level"])
    official_power = GSI("GSI_Official_Power_Rank", pk="SK", sk="Power_Rank", project=["Name", "Power"])
    internal_level = GSI("GSI_Internal_Level", pk="SK", sk="Level", project=["Name"])
    internal_power = GSI("GSI_Internal_Power", pk="SK", sk="Power", project=["Name"])
    by_name = GSI("GSI_Find_User_By_Name", pk="Name_Lower", sk="SK", project=KEYS_ONLY)


# ── players ───────────────────────────────────────────────────────────────────────────────────────


class ProfileKey(Key["Profile"], pk="USER#{uuid}", sk="METADATA"):
    """The key of a player."""

    uuid: PlayerId


class Profile(ProfileKey, Entity, table=Hanwol):
    """A player as of now."""

    name: Annotated[str, Attr("Name")]
    name_lower = derived("Name_Lower", of="name", by=lowered)
    current_level: Annotated[Level, Attr("CurrentLevel")]
    current_power: Annotated[Power, Attr("CurrentPower")]


class NamedPlayer(ProfileKey, View, index=Hanwol.by_name):
    """Who has a name: the keys alone, so the name as it is written takes a second read (X5-04)."""

    name_lower: Annotated[str, Attr("Name_Lower")]

    @pattern
    def called(cls, name: str) -> Query[NamedPlayer]:
        """The players of a name, in whatever case it is written."""
        return cls.query(NamedPlayer.name_lower == lowered(name))


# ── snapshots ─────────────────────────────────────────────────────────────────────────────────────


class SnapshotKey(Key["Snapshot"], pk="USER#{uuid}", sk="SNAP#{day}"):
    """The key of a player on one day."""

    uuid: PlayerId
    day: date


class Snapshot(SnapshotKey, Entity, table=Hanwol):
    """A player on one day; the official ranks are there for the first hundred only."""

    name: Annotated[str, Attr("Name")]
    level: Annotated[Level, Attr("Level")]
    power: Annotated[Power, Attr("Power")]
    level_rank: Annotated[OfficialRank | None, Attr("Level_Rank")] = None
    power_rank: Annotated[OfficialRank | None, Attr("Power_Rank")] = None

    @pattern
    def history(cls, uuid: str) -> Query[Snapshot]:
        """All days of a player, the newest first."""
        return cls.query(Snapshot.uuid == uuid).descending()

    @pattern
    def history_between(cls, uuid: str, since: date, until: date) -> Query[Snapshot]:
        """The days of a player in a period, both ends included, the newest first."""
        return cls.query(Snapshot.uuid == uuid, attr(Snapshot.day).between(since, until)).descending()


class OfficialLevelRow(SnapshotKey, View, index=Hanwol.official_level):
    """A line of the official ranking by level."""

    name: Annotated[str, Attr("Name")]
    level: Annotated[Level, Attr("Level")]
    level_rank: Annotated[OfficialRank, Attr("Level_Rank")]

    @pattern
    def top(cls, day: date) -> Query[OfficialLevelRow]:
        """The official first hundred of a day by level, from rank 1."""
        return cls.query(OfficialLevelRow.day == day)


class OfficialPowerRow(SnapshotKey, View, index=Hanwol.official_power):
    """A line of the official ranking by power."""

    name: Annotated[str, Attr("Name")]
    power: Annotated[Power, Attr("Power")]
    power_rank: Annotated[OfficialRank, Attr("Power_Rank")]

    @pattern
    def top(cls, day: date) -> Query[OfficialPowerRow]:
        """The official first hundred of a day by power, from rank 1."""
        return cls.query(OfficialPowerRow.day == day)


class LevelRow(SnapshotKey, View, index=Hanwol.internal_level):
    """A line of the ranking of everyone by level."""

    name: Annotated[str, Attr("Name")]
    level: Annotated[Level, Attr("Level")]

    @pattern
    def ranking(cls, day: date) -> Query[LevelRow]:
        """Everyone on a day, the highest level first."""
        return cls.query(LevelRow.day == day).descending()

    @pattern
    def between(cls, day: date, low: int, high: int) -> Query[LevelRow]:
        """Who had a level from low to high on a day, the highest first."""
        return cls.query(LevelRow.day == day, attr(LevelRow.level).between(low, high)).descending()


class PowerRow(SnapshotKey, View, index=Hanwol.internal_power):
    """A line of the ranking of everyone by power."""

    name: Annotated[str, Attr("Name")]
    power: Annotated[Power, Attr("Power")]

    @pattern
    def ranking(cls, day: date) -> Query[PowerRow]:
        """Everyone on a day, the greatest power first."""
        return cls.query(PowerRow.day == day).descending()

    @pattern
    def between(cls, day: date, low: int, high: int) -> Query[PowerRow]:
        """Who had a power from low to high on a day, the greatest first."""
        return cls.query(PowerRow.day == day, attr(PowerRow.power).between(low, high)).descending()


# ── days ──────────────────────────────────────────────────────────────────────────────────────────


class SnapshotDayKey(Key["SnapshotDay"], pk="SYSTEM#SNAPSHOT", sk="DAY#{day}"):
    """The key of the state of one day."""

    day: date


class SnapshotDay(SnapshotDayKey, Entity, table=Hanwol):
    """How far the snapshot of a day has come; in no index (X5-13)."""

    status: Annotated[DayStatus, Attr("Status")]
    players: Annotated[int, Attr("PlayerCount")] = 0
    level_ranked: Annotated[int, Attr("LevelRankCount")] = 0
    power_ranked: Annotated[int, Attr("PowerRankCount")] = 0
    started_at: Annotated[Timestamp, Attr("StartedAt")]
    finished_at: Annotated[Timestamp | None, Attr("FinishedAt")] = None
    generation: Annotated[int, Attr("Generation")] = 0
    """How often somebody has begun to finish it; its trees are those of the last time."""
    revision: Annotated[int, Attr("Revision")] = 0
    """How often what readers see of it has changed: finished, erased from, finished again; also over a roll-back."""
    level_mismatches: Annotated[int, Attr("LevelMismatchCount")] = 0
    """Official ranks that are not where the levels would put them (X5-07)."""
    power_mismatches: Annotated[int, Attr("PowerMismatchCount")] = 0
    rejected: Annotated[int, Attr("RejectedCount")] = 0
    """Rows of the import that were refused."""
    removed: Annotated[int, Attr("RemovedCount")] = 0
    """Players of an earlier import of the day who are not in the last one (X5-11)."""

    @pattern
    def newest(cls) -> Query[SnapshotDay]:
        """The days however they stand, the newest first."""
        return cls.query().descending()

    @pattern
    def kept(cls) -> Query[SnapshotDay]:
        """The days that were not rolled back, the newest first."""
        return cls.query().descending().where(SnapshotDay.status != "removed")

    @pattern
    def finished(cls) -> Query[SnapshotDay]:
        """The days whose snapshot is whole, the newest first."""
        return cls.query().descending().where(SnapshotDay.status == "finished")

    @pattern
    def before(cls, day: date) -> Query[SnapshotDay]:
        """The days before one, finished or not, the newest first."""
        return cls.query(SnapshotDay.day < day).descending()

    @pattern
    def between(cls, since: date, until: date) -> Query[SnapshotDay]:
        """The days of a span that have a snapshot, finished or not, both ends included."""
        return cls.query(attr(SnapshotDay.day).between(since, until))


# ── an import on its way ──────────────────────────────────────────────────────────────────────────


class RejectedRow(BaseModel):
    """A row of an import that was refused, and why."""

    model_config = ConfigDict(frozen=True)

    line: int
    name: str = ""
    code: str
    values: dict[str, str] = Field(default_factory=dict)
    why: str
    """The same in English."""


class ImportPartKey(Key["ImportPart"], pk="SYSTEM#IMPORT#{day}", sk="PART#{run:06d}#{part}"):
    """The key of a part of a day's import; `run` is the revision that the day had then."""

    day: date
    run: int
    part: str


class ImportPart(ImportPartKey, Entity, table=Hanwol):
    """Some rows of an import: begun before they are written, so that no day is finished without them; in no index."""

    state: Annotated[Literal["writing", "written"], Attr("State")]
    fingerprint: Annotated[str, Attr("Fingerprint")]
    """The same exactly when the rows are."""
    rows: Annotated[int, Attr("RowCount")]
    sums: Annotated[bytes, Attr("Sums")]
    """For each player a digest of eight bytes, and what the row adds to the sums of the two boards."""
    level_ranks: Annotated[dict[str, int], Attr("LevelRanks")]
    """The official ranks that were delivered, by player."""
    power_ranks: Annotated[dict[str, int], Attr("PowerRanks")]
    rejected: Annotated[int, Attr("RejectedCount")]
    rejected_rows: Annotated[list[RejectedRow], Attr("Rejected"), Field(max_length=200)]
    """The first of them."""

    @pattern
    def of_run(cls, day: date, run: int) -> Query[ImportPart]:
        """The parts of one import of a day."""
        return cls.query(ImportPart.day == day, ImportPart.run == run)

    @pattern
    def of_day(cls, day: date) -> Query[ImportPart]:
        """The parts of every import of a day."""
        return cls.query(ImportPart.day == day)


class DayRejectedKey(Key["DayRejected"], pk="SYSTEM#REJECTED#{day}", sk="ROWS"):
    """The key of the rows that the import of a day refused."""

    day: date


class DayRejected(DayRejectedKey, Entity, table=Hanwol):
    """The first rows that the last import of a day refused; in no index (X5-16)."""

    rows: Annotated[list[RejectedRow], Attr("Rows"), Field(max_length=1000)]


class DayOfficialsKey(Key["DayOfficials"], pk="SYSTEM#OFFICIALS#{day}", sk="BOARD#{board}"):
    """The key of where the official first hundred of a day stand among everyone."""

    day: date
    board: Board


class DayOfficials(DayOfficialsKey, Entity, table=Hanwol):
    """Where the official first hundred stand in the order of everyone, from 0; in no index (X5-06)."""

    positions: Annotated[list[int], Attr("Positions"), Field(max_length=10_000)]


class DayMoversKey(Key["DayMovers"], pk="SYSTEM#MOVERS#{day}", sk="MOVED#{board}#{period}"):
    """The key of who moved most until a day."""

    day: date
    board: Board
    period: Period


Moved = Annotated[list[PlayerId], Field(max_length=100)]


class DayMovers(DayMoversKey, Entity, table=Hanwol):
    """Who moved most among everyone, between two days as they were then; in no index (X5-25)."""

    revision: Annotated[int, Attr("Revision")]
    against: Annotated[date, Attr("Against")]
    against_revision: Annotated[int, Attr("AgainstRevision")]
    climbed: Annotated[Moved, Attr("Climbed")]
    fallen: Annotated[Moved, Attr("Fallen")]
    grown: Annotated[Moved, Attr("Grown")]
    new: Annotated[Moved, Attr("New")]


# ── privacy ───────────────────────────────────────────────────────────────────────────────────────


class HiddenPlayerKey(Key["HiddenPlayer"], pk="SYSTEM#HIDDEN", sk="USER#{uuid}"):
    """The key of a wish to be hidden."""

    uuid: PlayerId


class HiddenPlayer(HiddenPlayerKey, Entity, table=Hanwol):
    """A player who asked to be hidden: counted as before, and neither named nor found (X5-30)."""

    since: Annotated[Timestamp, Attr("Since")]

    @pattern
    def everyone(cls) -> Query[HiddenPlayer]:
        """Who asked to be hidden."""
        return cls.query()


class ErasedDay(BaseModel):
    """A day that a player is erased from, with the scores that its trees have to forget."""

    model_config = ConfigDict(frozen=True)

    day: date
    level: int
    power: int

    def score(self, board: Board) -> int:
        return self.level if board == "level" else self.power


class ErasureKey(Key["Erasure"], pk="SYSTEM#ERASING", sk="USER#{uuid}"):
    """The key of a player who is being erased."""

    uuid: PlayerId


class Erasure(ErasureKey, Entity, table=Hanwol):
    """A player who is being erased, and from which days; it goes when all is done (X5-30)."""

    days: Annotated[list[ErasedDay], Attr("Days"), Field(max_length=5_000)]

    @pattern
    def open(cls) -> Query[Erasure]:
        """Who is being erased."""
        return cls.query()


ACCEPTED = {
    "Erasure H201": "A few writes in the life of a game.",
    "ImportPart H202": "A part is 500 to 5,000 rows, so a day of a million has at most 2,000 of them.",
    "ImportPart H205": "Official ranks are those of the first hundred, and a part has at most 5,000 rows.",
    "HiddenPlayer H201": "A few writes in the life of a game.",
    "Snapshot H202": "Whoever writes a day paces it, and readers have the day before meanwhile (X5-12).",
    "SnapshotDay H201": "One item a day, written twice (X5-13).",
}
"""What the review finds and the design accepts, with the reason."""
