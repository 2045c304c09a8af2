"""Weeks as routes: closing them, their rewards and deliveries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from functools import partial
from typing import Annotated, Any

from fastapi import Body
from fastapi import Path as InPath
from fastapi import Query as InAddress
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response

from hansang.apps.leaderboards.api.access import (
    AREA,
    PATH,
    BoardListed,
    BoardListQuestion,
    LeaderboardRoutes,
    ShownId,
    WeekInPath,
    itself,
)
from hansang.apps.leaderboards.api.recording import recorded
from hansang.apps.leaderboards.design import wire_id
from hansang.apps.leaderboards.rules import Week
from hansang.apps.leaderboards.work import BoardWeek, Reward, Tier
from hansang.parts.permissions import Principal
from hansang.parts.receipts import Beside, alone
from hansang.surfaces.api.endpoints import RouteGroup, answered, route
from hansang.surfaces.api.exports import attached, chosen, model_lines
from hansang.surfaces.api.lists import everything, list_answer, page_of
from hansang.surfaces.api.parameters import PAGE
from hansang.surfaces.api.repeats import Attempt, IdempotencyKey, once, once_by_steps
from hansang.surfaces.api.routes import ApiRoute
from hansang.surfaces.api.rules import Gate
from hansang.surfaces.api.unreadable import ListPage
from hansang.surfaces.naming import Naming
from hansang.surfaces.shell import Shell

PlaceInPath = Annotated[int, InPath(alias="place", ge=1, le=10**9, examples=[1])]
_EXAMPLE: dict[str, Any] = {"tiers": [{"name": "gold", "rank": 3}, {"name": "silver", "percent": 10}]}


class CloseGiven(BaseModel):
    """Reward tiers; each player gets the first that fits."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"example": _EXAMPLE})

    tiers: Annotated[list[Tier], Field(max_length=20)] = []


class TierCountShown(BaseModel):
    """How many players a tier has, and the last rank and score in it."""

    name: str
    players: int
    rank: int
    score: int


class DryRunShown(BaseModel):
    """What closing a week would come to."""

    week: str
    players: int
    counted: int
    over: bool
    suspects: int
    check: str
    tiers: list[TierCountShown]


class DeliverGiven(BaseModel):
    """What the game calls the delivery."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"example": {"receipt": "mail-1001"}})

    receipt: Annotated[str, Field(min_length=1, max_length=200)]


class BoardWeeksPage(ListPage):
    """A page of closed weeks."""

    items: list[BoardWeek]


class RewardsPage(ListPage):
    """A page of rewards."""

    items: list[Reward]


class ArchiveAsked(BoardListQuestion):
    """From which final week to which, by their first days; by default all of them."""

    since: date = date.min
    until: date = date.max


class ArchivedRowShown(BaseModel):
    """A row of a final week."""

    week: date
    place: int
    rank: int
    id: ShownId
    name: str
    score: int


class ArchivePage(ListPage):
    """A page of the rows of final weeks."""

    items: list[ArchivedRowShown]


class CloseRoutes(LeaderboardRoutes):
    """Closing weeks."""

    def __init__(self, shell: Shell, gate: Gate) -> None:
        super().__init__(shell, gate)
        self._group = RouteGroup(f"{PATH}/weeks", f"{AREA}.weeks", self._allow("admin"))
        self._reader = self._allow("read")

    def all(self) -> list[ApiRoute]:
        """Every route of them."""
        deliver = "/{week}/rewards/{place}/deliver"
        return [
            self._group.route("GET", "", self.weeks, BoardWeeksPage, rule=self._reader),
            self._group.route("POST", "/{week}/close/dry-run", self.rehearse, DryRunShown),
            self._group.route("POST", "/{week}/close", self.close, BoardWeek),
            self._group.route("GET", "/{week}/rewards", self.rewards, RewardsPage),
            self._group.route("POST", deliver, self.deliver, Reward),
            route(
                "GET",
                f"{PATH}/archive",
                self.archive,
                name=f"{AREA}.weeks.archive",
                tag=AREA,
                rule=self._reader,
                answers=ArchivePage,
            ),
        ]

    def weeks(self, request: Request, asked: BoardListed, principal: Principal) -> Response:
        """The weeks that are closed, the newest first."""
        naming = Naming(self._shell, principal)
        page = self._boards.weeks.page
        return list_answer(request, asked, naming, BoardWeeksPage, page, itself, self._file("closed-weeks"))

    def rehearse(self, week: WeekInPath, given: Annotated[CloseGiven, Body()]) -> Response:
        """What closing a week would come to; nothing is changed."""
        found = self._boards.closing.rehearse(self._boards.weeks.named(week), given.tiers)
        shown = DryRunShown(
            week=str(found.week),
            players=found.players,
            counted=found.counted,
            over=found.is_over,
            suspects=found.suspects,
            check=found.check,
            tiers=[
                TierCountShown(name=each.name, players=each.players, rank=each.rank, score=each.score)
                for each in found.tiers
            ],
        )
        return answered(shown)

    def close(
        self,
        week: WeekInPath,
        given: Annotated[CloseGiven, Body()],
        key: IdempotencyKey,
        principal: Principal,
    ) -> Response:
        """Make a week final, with its rewards; no score of it changes from then on."""
        named = self._boards.weeks.named(week)

        def work(attempt: Attempt[BoardWeek] | None) -> BoardWeek:
            beside = alone if attempt is None else attempt.beside
            return recorded(self._shell, self._boards, principal).close(
                named,
                given.tiers,
                tell=None if attempt is None else lambda _: attempt.renew(),
                beside=beside,
            )

        asked = self._request(f"POST {PATH}/weeks/{named.start}/close\n{given.model_dump_json()}")
        return once_by_steps(self._shell, principal, key, asked, work, answered)

    def rewards(
        self, week: WeekInPath, request: Request, asked: BoardListed, principal: Principal
    ) -> Response:
        """The rewards of a final week, the best first, as a page or as a file."""
        named, naming = self._boards.weeks.named(week), Naming(self._shell, principal)

        page, name = partial(self._boards.closing.rewards, named), self._file(f"rewards-{named.start}")
        return list_answer(request, asked, naming, RewardsPage, page, itself, name)

    def deliver(
        self,
        week: WeekInPath,
        place: PlaceInPath,
        given: Annotated[DeliverGiven, Body()],
        key: IdempotencyKey,
        principal: Principal,
    ) -> Response:
        """Mark a reward as delivered, once."""
        named = self._boards.weeks.named(week)

        def work(beside: Beside[Reward]) -> Reward:
            verbs = recorded(self._shell, self._boards, principal)
            return verbs.deliver(named, place, given.receipt, beside=beside)

        asked = self._request(f"POST {PATH}/weeks/{named.start}/rewards/{place}/deliver\n{given.receipt}")
        return once(self._shell, principal, key, asked, work, answered)

    def archive(
        self, request: Request, asked: Annotated[ArchiveAsked, InAddress()], principal: Principal
    ) -> Response:
        """Every row of the final weeks of a season, as they became final; a week that was changed since is refused."""
        naming, weeks = Naming(self._shell, principal), self._boards.closing.season(asked.since, asked.until)
        name, rows = self._file("season"), self._archived(weeks)
        wanted = chosen(asked.format, request.headers.get("accept", ""))
        if wanted != PAGE:
            lines = model_lines(everything(asked, rows), itself, ArchivedRowShown, wanted, naming)
            return attached(lines, wanted, name, naming)
        page = page_of(name, rows, lambda row: (str(row.week), f"{row.place:09d}"), asked.limit, asked.cursor)
        return answered(ArchivePage(items=page.items, unreadable=[], cursor=page.cursor))

    def _archived(self, weeks: Sequence[Week]) -> Iterator[ArchivedRowShown]:
        for week in weeks:
            for place, (final, row) in enumerate(self._boards.closing.archive([week]), 1):
                yield ArchivedRowShown(
                    week=final.start,
                    place=place,
                    rank=row.rank,
                    id=wire_id(row.id),
                    name=row.name,
                    score=row.score,
                )
