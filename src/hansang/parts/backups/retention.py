"""Retention: which backups are kept, and which may go."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Self
from zoneinfo import ZoneInfo

from hansang.errors import SettingsError
from hansang.parts.backups.names import StoredBackup

_RULE = re.compile(r"([0-9]{1,4}) (daily|weekly|monthly)").fullmatch

_PERIODS: dict[str, Callable[[datetime], Hashable]] = {
    "daily": lambda moment: moment.date(),
    "weekly": lambda moment: moment.isocalendar()[:2],
    "monthly": lambda moment: (moment.year, moment.month),
}


@dataclass(frozen=True, slots=True)
class Retention:
    """The newest backup of each of so many days, weeks and months that have one; and always the newest of all."""

    daily: int = 0
    weekly: int = 0
    monthly: int = 0

    @classmethod
    def parse(cls, text: str) -> Self:
        """The retention that a text names: `7 daily, 4 weekly, 12 monthly`."""
        found = [_RULE(each.strip()) for each in text.split(",")]
        counts = {each[2]: int(each[1]) for each in found if each is not None}
        if len(counts) != len(found) or not any(counts.values()):
            raise SettingsError(
                f"{text!r} does not say how many backups to keep. Write for example 7 daily, 4 weekly, 12 monthly."
            )
        return cls(**counts)

    def __str__(self) -> str:
        """The text that `parse` reads."""
        counts = {name: getattr(self, name) for name in _PERIODS}
        return ", ".join(f"{count} {name}" for name, count in counts.items() if count)

    def kept(self, backups: Iterable[StoredBackup], zone: ZoneInfo) -> set[str]:
        """The names of those that stay; days, weeks and months are those of the zone."""
        newest_first = sorted(backups, key=lambda each: (each.taken_at, each.name), reverse=True)
        names = {each.name for each in newest_first[:1]}
        for rule, period in _PERIODS.items():
            first: dict[Hashable, str] = {}
            for each in newest_first:
                first.setdefault(period(each.taken_at.astimezone(zone)), each.name)
            names |= set(list(first.values())[: getattr(self, rule)])
        return names
