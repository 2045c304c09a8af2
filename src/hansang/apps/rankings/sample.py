"""A sample of the rankings: four hundred players on each of forty-five days, slowly changing places."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from random import Random
from typing import Any
from uuid import UUID

from hansang.apps.application import Progress
from hansang.apps.rankings.boards import DESIGNS, BoardDesign
from hansang.apps.rankings.design import DayOfficials, Profile, Snapshot, SnapshotDay
from hansang.design import Database, Entity
from hansang.parts.ranks.building import TreeBuilder
from hansang.parts.sampling import in_seoul, nicknames, repeatable, store

PLAYERS = 400
DAYS = 45
OFFICIAL = 100
NEWCOMERS = 12
"""How many players, the last ones, join after the first day."""
_TAKEN = time(5)
"""When the snapshot of a day is taken, in Seoul."""
_TAKES = timedelta(minutes=4)
_HIGHEST_LEVEL = 120
# Two who are called the same but for the case of it (X5-17).
_NAMES = {18: "Luna", 207: "LUNA", 3: "Starlight", 51: "moonwalker"}
# On which day who took another name; after the last day, the snapshots do not have it yet (X5-23).
_RENAMED = {5: (12, "달빛사냥꾼"), 44: (20, "돌아온번개"), 97: (27, "은하수여행자"), 150: (33, "Aurora"),
            260: (39, "조용한파도"), 12: (DAYS, "새로운시작")}  # fmt: skip


def fill(database: Database, now: datetime, progress: Progress) -> None:
    """Write the days of a game, up to this moment, with their trees."""
    store(database, rankings(now), progress)
    for day in database.all(SnapshotDay.finished()):
        for design in DESIGNS.values():
            _count(database, design, day)
            progress(2)


def _count(database: Database, design: BoardDesign, day: SnapshotDay) -> None:
    """The tree of a board, and where its official first hundred stand."""
    rows = list(design.each(database, day.day))
    TreeBuilder(database, design.tree(day)).build((row.score, f"USER#{row.uuid}") for row in rows)
    places = {row.uuid: place for place, row in enumerate(rows)}
    officials = design.official_rows(database, day.day)
    positions = sorted(places[row.uuid] for row in officials)
    database.put(DayOfficials(day=day.day, board=design.name, positions=positions))


def rankings(now: datetime) -> Iterator[Entity]:
    """Each day from the first on, then the players as they are now."""
    chance, moment = repeatable("rankings"), in_seoul(now)
    players = _players(chance)
    last = last_day(moment)
    for number in range(DAYS):
        day = last - timedelta(days=DAYS - 1 - number)
        present = [player for player in players if player.joined <= number]
        for player in present:
            player.live(chance, number, day)
        yield from _day(chance, day, present, moment)
    yield from (player.profile(chance) for player in players)


def last_day(now: datetime) -> date:
    """The last day whose snapshot is whole at a moment."""
    taken = datetime.combine(now.date(), _TAKEN, now.tzinfo) + _TAKES
    return now.date() if taken <= now else now.date() - timedelta(days=1)


# ── one player ────────────────────────────────────────────────────────────────────────────────────


@dataclass(slots=True)
class _Player:
    """A player between two days; the experience is hidden, and decides between equal levels (X5-07)."""

    number: int
    uuid: str
    name: str
    joined: int
    experience: int
    power: int
    zeal: float

    @property
    def level(self) -> int:
        return min(_HIGHEST_LEVEL, self.experience // 1000)

    def live(self, chance: Random, number: int, day: date) -> None:
        """A day passes: experience grows, power moves with the equipment, a name may change."""
        weekend = 1.7 if day.weekday() >= 5 else 1.0
        self.experience += int(chance.expovariate(1) * 160 * self.zeal * weekend)
        self.power += int(self.power * chance.gauss(0.0025, 0.002) * self.zeal)
        if chance.random() < 0.015:
            self.power += self.power * chance.randint(2, 7) // 100
        if self.number in _RENAMED and _RENAMED[self.number][0] == number:
            self.name = _RENAMED[self.number][1]

    def profile(self, chance: Random) -> Profile:
        """The player as of now, a little ahead of the last snapshot."""
        self.experience += chance.randint(0, 400)
        name = _RENAMED[self.number][1] if self.number in _RENAMED else self.name
        power = self.power + chance.randint(0, 300)
        return Profile(uuid=self.uuid, name=name, current_level=self.level, current_power=power)


def _players(chance: Random) -> list[_Player]:
    names = nicknames(chance, PLAYERS)
    return [_player(chance, number, _NAMES.get(number, name)) for number, name in enumerate(names, 1)]


def _player(chance: Random, number: int, name: str) -> _Player:
    newcomer = number > PLAYERS - NEWCOMERS
    talent = chance.betavariate(1.6, 2.4)
    experience = chance.randint(1_000, 4_000) if newcomer else int(9_000 + 108_000 * talent)
    return _Player(
        number=number,
        uuid=str(UUID(int=chance.getrandbits(128), version=4)),
        name=name,
        joined=chance.randint(3, DAYS - 8) if newcomer else 0,
        experience=experience,
        power=int(experience * chance.uniform(1.1, 2.4)),
        zeal=chance.uniform(0.2, 1.9),
    )


# ── one day ───────────────────────────────────────────────────────────────────────────────────────


def _day(chance: Random, day: date, players: list[_Player], now: datetime) -> Iterator[Entity]:
    """The snapshots of a day with the official first hundred, then that the day is whole."""
    by_level = _first(players, lambda player: (-player.level, -player.experience, player.uuid))
    by_power = _first(players, lambda player: (-player.power, player.uuid))
    for player in players:
        yield Snapshot(
            uuid=player.uuid,
            day=day,
            name=player.name,
            level=player.level,
            power=player.power,
            level_rank=by_level.get(player.number),
            power_rank=by_power.get(player.number),
        )
    started = datetime.combine(day, _TAKEN, now.tzinfo)
    yield SnapshotDay(
        day=day,
        status="finished",
        players=len(players),
        level_ranked=len(by_level),
        power_ranked=len(by_power),
        started_at=started,
        finished_at=started + timedelta(seconds=chance.randint(70, int(_TAKES.total_seconds()))),
    )


def _first(players: list[_Player], order: Callable[[_Player], tuple[Any, ...]]) -> dict[int, int]:
    ranked = sorted(players, key=order)[:OFFICIAL]
    return {player.number: rank for rank, player in enumerate(ranked, 1)}
