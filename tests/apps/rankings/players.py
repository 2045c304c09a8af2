"""Players and days for the tests of the rankings."""

from __future__ import annotations

from datetime import date

from hansang.apps.rankings.design import Profile, Snapshot

DAY = date(2026, 2, 21)


def uuid(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012d}"


def profile(number: int, name: str = "Hello") -> Profile:
    return Profile(uuid=uuid(number), name=name, current_level=50, current_power=100_000)


def snapshot(
    number: int,
    day: date = DAY,
    level: int = 70,
    power: int = 100_000,
    level_rank: int | None = None,
    power_rank: int | None = None,
) -> Snapshot:
    return Snapshot(
        uuid=uuid(number),
        day=day,
        name=f"한월{number % 1000:03d}",
        level=level,
        power=power,
        level_rank=level_rank,
        power_rank=power_rank,
    )
