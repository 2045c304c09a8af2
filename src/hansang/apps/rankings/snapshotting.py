"""The snapshot of a day from the live profiles, at a fixed time in Seoul (5-06, X5-15)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any

from hansang.apps.rankings.days import Days
from hansang.apps.rankings.design import Hanwol, Profile, ProfileKey, SnapshotDay
from hansang.apps.rankings.finishing import Finisher, Tell
from hansang.apps.rankings.importing import Importer, Progress
from hansang.design import Database
from hansang.parts.receipts import Beside, alone

_AT_ONCE = 100


class Snapshotter:
    """Takes the players as they are now for a day."""

    def __init__(self, database: Database, days: Days, importer: Importer, finisher: Finisher) -> None:
        self._database, self._days, self._importer, self._finisher = database, days, importer, finisher

    def take(
        self,
        day: date | None = None,
        *,
        progress: Progress | None = None,
        tell: Tell | None = None,
        beside: Beside[SnapshotDay] = alone,
    ) -> SnapshotDay:
        """The finished snapshot of a day, today's in Seoul if none is named; one that is finished stays as it is.

        Profiles change meanwhile, so a snapshot that was broken off is taken again from its first player on.
        """
        wanted = day or self._days.today
        found = self._days.find(wanted)
        if found is not None and found.status == "finished":
            return found
        if found is not None and found.status != "finishing":
            self._finisher.reopen(wanted)
        if found is None or found.status != "finishing":
            self._importer.load(wanted, self._rows(), progress=progress)
        return self._finisher.finish(wanted, tell=tell, beside=beside)

    def _rows(self) -> Iterator[dict[str, Any]]:
        for profile in self.profiles():
            yield {
                "uuid": profile.uuid,
                "name": profile.name,
                "level": profile.current_level,
                "power": profile.current_power,
            }

    def profiles(self) -> Iterator[Profile]:
        """Every player as of now. The index by name holds profiles and nothing else, so it is what is walked."""
        request: dict[str, Any] = {"TableName": self._database.name(Hanwol), "IndexName": Hanwol.by_name.name}
        keys: list[ProfileKey] = []
        while True:
            response = self._database.call("Scan", dict(request), "Profile.each")
            keys += [ProfileKey(uuid=item["PK"]["S"][5:]) for item in response["Items"]]
            is_last = "LastEvaluatedKey" not in response
            while len(keys) >= _AT_ONCE or (is_last and keys):
                yield from self._database.batch_get(keys[:_AT_ONCE], consistent=True)
                keys = keys[_AT_ONCE:]
            if is_last:
                return
            request["ExclusiveStartKey"] = response["LastEvaluatedKey"]
