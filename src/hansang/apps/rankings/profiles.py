"""Profiles: players as they are now, found by their names."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import date
from functools import partial

from hansang.apps.rankings.days import DAYS_AT_ONCE, Days
from hansang.apps.rankings.design import NamedPlayer, Profile, ProfileKey, Snapshot
from hansang.apps.rankings.revisions import settled
from hansang.design import Database, attr
from hansang.errors import NotFound
from hansang.parts.hangul import lowered
from hansang.parts.receipts import Beside, alone
from hansang.parts.retry import Sleep, retry


@dataclass(frozen=True, slots=True)
class Candidate:
    """A player who has a name, and the last finished day with a snapshot (X5-12, X5-17)."""

    profile: Profile
    last_day: date | None


class Profiles:
    """The live part of the table."""

    def __init__(self, database: Database, days: Days, sleep: Sleep = time.sleep) -> None:
        self._database, self._days, self._sleep = database, days, sleep

    def get(self, uuid: str) -> Profile:
        """A player as of now, or NotFound."""
        found = self._database.find(ProfileKey(uuid=uuid), consistent=True)
        if found is None:
            raise NotFound("Player {uuid} not found.", code="rankings.no-player", values={"uuid": uuid})
        return found

    def find(self, uuid: str) -> Profile | None:
        return self._database.find(ProfileKey(uuid=uuid))

    def put(
        self, uuid: str, name: str, level: int, power: int, *, beside: Beside[Profile] = alone
    ) -> Profile:
        """Store a player as of now; the name that is searched for follows (5-03)."""
        profile = Profile(uuid=uuid, name=name, current_level=level, current_power=power)
        if beside is alone:
            return retry(partial(self._database.put, profile), self._sleep)
        with self._database.transaction(name="Profile.put") as transaction:
            beside(transaction, profile)
            transaction.put(profile)
        return profile

    def rename(self, uuid: str, name: str) -> Profile:
        """Give a player another name; nothing but the profile is touched (5-04)."""
        try:
            return retry(
                partial(self._database.update, ProfileKey(uuid=uuid), attr(Profile.name).set(name)),
                self._sleep,
            )
        except NotFound:
            raise NotFound(
                "Player {uuid} not found.", code="rankings.no-player", values={"uuid": uuid}
            ) from None

    @settled
    def lookup(self, name: str) -> list[Candidate]:
        """Every player of a name, in whatever case, with the present name; those who write it so come first.

        The index may still have a name that was given up, so the profile decides (X5-04).
        """
        rows = self._database.all(NamedPlayer.called(name))
        found = self._database.batch_get((ProfileKey(uuid=row.uuid) for row in rows), consistent=True)
        present = [each for each in found if lowered(each.name) == lowered(name)]
        present.sort(key=lambda each: (each.name != name, -each.current_level, each.uuid))
        return [Candidate(each, self._last_day(each.uuid)) for each in present]

    def _last_day(self, uuid: str) -> date | None:
        cursor = None
        while True:
            page = self._database.page(Snapshot.history(uuid), DAYS_AT_ONCE, cursor)
            unfinished = self._days.unfinished_of(each.day for each in page)
            newest = next((each.day for each in page if each.day not in unfinished), None)
            if newest is not None or page.cursor is None:
                return newest
            cursor = page.cursor
