"""Days as routes: imports in parts, finishing, reopening, rolling back."""

from __future__ import annotations

from datetime import date as Date  # noqa: N812 - `date` is the name of a parameter
from typing import Annotated, Any

from fastapi import Body
from fastapi import Path as InPath
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response

from hansang.apps.rankings.api.access import AREA, PATH, rankings_of
from hansang.apps.rankings.design import DayRejectedKey, ImportPart, RejectedRow, SnapshotDay
from hansang.apps.rankings.finishing import Tell
from hansang.apps.rankings.importing import LARGEST_PART
from hansang.apps.rankings.rows import LONGEST_NAME, GivenScore
from hansang.apps.rankings.rules import OFFICIAL
from hansang.parts.history import Actor, with_line
from hansang.parts.permissions import Principal
from hansang.parts.receipts import Beside, alone
from hansang.surfaces.api.endpoints import RouteGroup, answered
from hansang.surfaces.api.lists import list_answer
from hansang.surfaces.api.parameters import Listed
from hansang.surfaces.api.repeats import Attempt, IdempotencyKey, once, once_by_steps
from hansang.surfaces.api.routes import ApiRoute
from hansang.surfaces.api.rules import Gate
from hansang.surfaces.api.unreadable import ListPage
from hansang.surfaces.http.request_ids import current
from hansang.surfaces.naming import Naming
from hansang.surfaces.shell import Shell

DayAddress = Annotated[Date, InPath(alias="date", examples=["2026-02-21"])]


class PlayerGiven(BaseModel):
    """A player of a day, as delivered; without a uuid it is found by the name, if that is one player's."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "example": {"uuid": "A101", "name": "Hello", "level": 70, "power": 118_900, "level_rank": 3}
        },
    )

    uuid: Annotated[str | None, Field(max_length=64, pattern=r"^[^#]*$")] = None
    name: Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
    level: GivenScore
    power: GivenScore
    level_rank: Annotated[int | None, Field(ge=1, le=OFFICIAL)] = None
    power_rank: Annotated[int | None, Field(ge=1, le=OFFICIAL)] = None


class PartGiven(BaseModel):
    """Some players of a day; the same ones again are the same part."""

    model_config = ConfigDict(extra="forbid")

    players: Annotated[list[PlayerGiven], Field(min_length=1, max_length=LARGEST_PART)]


class PartShown(BaseModel):
    """What became of a part."""

    date: Date
    part: str
    players: int
    rejected: int
    rejected_rows: list[RejectedRow]


class DaysPage(ListPage):
    """A page of days, the newest first."""

    items: list[SnapshotDay]


class SnapshotDayShown(BaseModel):
    """A day however it stands, with the first rows that its import refused."""

    day: SnapshotDay
    rejected_rows: list[RejectedRow]


class DayRemoved(BaseModel):
    """A day that was rolled back."""

    date: Date
    removed: bool


class DayRoutes:
    """Days and their imports."""

    def __init__(self, shell: Shell, gate: Gate) -> None:
        self._shell, self._rankings = shell, rankings_of(shell)
        self._writer, self._admin = gate.allow(AREA, "write"), gate.allow(AREA, "admin")
        self._group = RouteGroup(f"{PATH}/days", f"{AREA}.days", gate.allow(AREA, "read"))

    def all(self) -> list[ApiRoute]:
        """Every route of them."""
        return [
            self._group.route("GET", "", self.days, DaysPage),
            self._group.route("GET", "/{date}", self.day, SnapshotDayShown),
            self._group.route("POST", "/{date}/parts", self.add, PartShown, 201, rule=self._writer),
            self._group.route("POST", "/{date}/finish", self.finish, SnapshotDay, rule=self._writer),
            self._group.route("POST", "/{date}/reopen", self.reopen, SnapshotDay, rule=self._writer),
            self._group.route("POST", "/{date}/roll-back", self.roll_back, DayRemoved, rule=self._admin),
        ]

    def days(self, request: Request, asked: Listed, principal: Principal) -> Response:
        """The days that there are, finished or not, the newest first."""
        page = self._rankings.days.page
        naming = Naming(self._shell, principal)
        return list_answer(request, asked, naming, DaysPage, page, _itself, "rankings-days")

    def day(self, date: DayAddress, principal: Principal) -> Response:
        """A day however it stands, with the rows that its import refused."""
        found = self._rankings.days.get(date)
        kept = self._shell.database.find(DayRejectedKey(day=date))
        return answered(SnapshotDayShown(day=found, rejected_rows=[] if kept is None else kept.rows))

    def add(
        self,
        date: DayAddress,
        given: Annotated[PartGiven, Body()],
        key: IdempotencyKey,
        principal: Principal,
    ) -> Response:
        """Take some players of a day, which is begun if it is not there; a finished day is closed."""
        rows = [each.model_dump() for each in given.players]

        def work(beside: Beside[ImportPart]) -> ImportPart:
            return self._rankings.parts.add(date, rows, beside=beside)

        def told(part: ImportPart) -> Response:
            shown = PartShown(
                date=part.day,
                part=part.part,
                players=part.rows,
                rejected=part.rejected,
                rejected_rows=part.rejected_rows,
            )
            return answered(shown, 201)

        asked = f"POST {PATH}/days/{date}/parts\n{given.model_dump_json()}".encode()
        return once(self._shell, principal, key, asked, work, told)

    def finish(self, date: DayAddress, key: IdempotencyKey, principal: Principal) -> Response:
        """Finish a day: check that it is complete, settle the official ranks, build the trees, show it to readers."""

        def work(attempt: Attempt[SnapshotDay] | None) -> SnapshotDay:
            beside = self._noted(principal, date, "finish", attempt)
            return self._rankings.finisher.finish(date, tell=_renewing(attempt), beside=beside)

        asked = f"POST {PATH}/days/{date}/finish".encode()
        return once_by_steps(self._shell, principal, key, asked, work, answered)

    def reopen(self, date: DayAddress, key: IdempotencyKey, principal: Principal) -> Response:
        """Open a day for another import from its first row on; readers have the day before meanwhile."""

        def work(attempt: Attempt[SnapshotDay] | None) -> SnapshotDay:
            return self._rankings.finisher.reopen(date, self._noted(principal, date, "reopen", attempt))

        asked = f"POST {PATH}/days/{date}/reopen".encode()
        return once_by_steps(self._shell, principal, key, asked, work, answered)

    def roll_back(self, date: DayAddress, key: IdempotencyKey, principal: Principal) -> Response:
        """Remove a day whole: its rows, ranks and trees."""

        def work(attempt: Attempt[Date] | None) -> Date:
            beside = self._noted(principal, date, "roll-back", attempt)
            self._rankings.finisher.roll_back(date, tell=_renewing(attempt), beside=beside)
            return date

        def told(removed: Date) -> Response:
            return answered(DayRemoved(date=removed, removed=True))

        asked = f"POST {PATH}/days/{date}/roll-back".encode()
        return once_by_steps(self._shell, principal, key, asked, work, told)

    def _noted(self, principal: Principal, day: Date, verb: str, attempt: Attempt[Any] | None) -> Beside[Any]:
        """What is written beside the work: its line of history, and the receipt if there is a key."""
        line = self._shell.history.line(
            Actor.of(principal), AREA, "SnapshotDay", str(day), verb, request_id=current.get()
        )
        return with_line(line, alone if attempt is None else attempt.beside)


def _renewing(attempt: Attempt[Any] | None) -> Tell | None:
    """Says between two steps that the work goes on."""
    return None if attempt is None else lambda step, rows: attempt.renew()


def _itself(row: SnapshotDay) -> SnapshotDay:
    return row
