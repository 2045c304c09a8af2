"""What operators look at, as routes: refused plays, suspicious records, and what came of looking at one."""

from __future__ import annotations

from datetime import date
from functools import partial
from typing import Annotated

from fastapi import Body
from fastapi import Query as InAddress
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response

from hansang.apps.leaderboards.api.access import (
    AREA,
    PATH,
    BoardListQuestion,
    LeaderboardRoutes,
    PlayerInPath,
    itself,
)
from hansang.apps.leaderboards.api.recording import recorded
from hansang.apps.leaderboards.weeks import CURRENT
from hansang.apps.leaderboards.work import RefusedPlay, Suspect, SuspectState
from hansang.parts.permissions import Principal
from hansang.parts.receipts import Beside
from hansang.parts.timestamps import to_whole_second
from hansang.surfaces.api.endpoints import RouteGroup, answered
from hansang.surfaces.api.lists import list_answer
from hansang.surfaces.api.repeats import IdempotencyKey, once
from hansang.surfaces.api.routes import ApiRoute
from hansang.surfaces.api.rules import Gate
from hansang.surfaces.api.unreadable import ListPage
from hansang.surfaces.naming import Naming
from hansang.surfaces.shell import Shell


class RefusedAsked(BoardListQuestion):
    """On which day in UTC; by default today."""

    day: date | None = None


class SuspectsAsked(BoardListQuestion):
    """Of which week."""

    week: Annotated[str, Field(max_length=40)] = CURRENT


class JudgeGiven(BaseModel):
    """What came of looking at a suspicious record."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"example": {"state": "cleared", "note": "a tournament"}}
    )

    state: SuspectState
    note: Annotated[str, Field(max_length=500)] = ""
    week: Annotated[str, Field(max_length=40)] = CURRENT


class JudgedShown(BaseModel):
    """Suspicious records, with what came of them."""

    records: list[Suspect]


class RefusedPlaysPage(ListPage):
    """A page of refused plays."""

    items: list[RefusedPlay]


class SuspectsPage(ListPage):
    """A page of suspicious records."""

    items: list[Suspect]


class WatchRoutes(LeaderboardRoutes):
    """What somebody should look at."""

    def __init__(self, shell: Shell, gate: Gate) -> None:
        super().__init__(shell, gate)
        self._group = RouteGroup(PATH, f"{AREA}.players", self._allow("admin"))

    def all(self) -> list[ApiRoute]:
        """Every route of them."""
        return [
            self._group.route("GET", "/refused", self.refused, RefusedPlaysPage),
            self._group.route("GET", "/suspects", self.suspects, SuspectsPage),
            self._group.route("POST", "/players/{id}/judge", self.judge, JudgedShown),
        ]

    def refused(
        self, request: Request, asked: Annotated[RefusedAsked, InAddress()], principal: Principal
    ) -> Response:
        """Plays that were refused on a day in UTC, the newest first."""
        day, naming = asked.day or to_whole_second(self._shell.clock()).date(), Naming(self._shell, principal)
        page = partial(self._boards.operating.refused, day)
        return list_answer(
            request, asked, naming, RefusedPlaysPage, page, itself, self._file(f"refused-{day}")
        )

    def suspects(
        self, request: Request, asked: Annotated[SuspectsAsked, InAddress()], principal: Principal
    ) -> Response:
        """The suspicious records of a week, with the evidence."""
        week, naming = self._boards.weeks.named(asked.week), Naming(self._shell, principal)
        page = partial(self._boards.operating.suspects, week)
        name = self._file(f"suspects-{week.start}")
        return list_answer(request, asked, naming, SuspectsPage, page, itself, name)

    def judge(
        self,
        id: PlayerInPath,  # noqa: A002
        given: Annotated[JudgeGiven, Body()],
        key: IdempotencyKey,
        principal: Principal,
    ) -> Response:
        """Say what came of looking at a player's suspicious week."""
        week = self._boards.weeks.named(given.week)

        def work(beside: Beside[list[Suspect]]) -> list[Suspect]:
            verbs = recorded(self._shell, self._boards, principal)
            return verbs.judge(week, id, given.state, given.note, beside=beside)

        asked = self._request(f"POST {PATH}/players/{id}/judge\n{given.model_dump_json()}")
        return once(
            self._shell, principal, key, asked, work, lambda found: answered(JudgedShown(records=found))
        )
