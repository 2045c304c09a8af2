"""Friends as routes: the friends' board, befriending and unfriending."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query as InAddress
from pydantic import BaseModel
from starlette.responses import Response

from hansang.apps.leaderboards.api.access import (
    AREA,
    PATH,
    LeaderboardRoutes,
    OtherInPath,
    PlacedRowShown,
    PlayerInPath,
    ShownId,
    row_shown,
)
from hansang.apps.leaderboards.api.boards import WeekAsked
from hansang.apps.leaderboards.api.recording import recorded
from hansang.apps.leaderboards.design import wire_id
from hansang.parts.permissions import Principal
from hansang.parts.receipts import Beside
from hansang.surfaces.api.endpoints import RouteGroup, answered
from hansang.surfaces.api.repeats import IdempotencyKey, once
from hansang.surfaces.api.routes import ApiRoute
from hansang.surfaces.api.rules import Gate
from hansang.surfaces.shell import Shell


class FriendsBoardShown(BaseModel):
    """A player and the friends in a week; `waiting` are friends without a score."""

    week: str
    id: ShownId
    items: list[PlacedRowShown]
    waiting: list[ShownId]
    direct: bool


class FriendshipShown(BaseModel):
    """Whether two players are friends now."""

    id: ShownId
    other: ShownId
    friends: bool


class FriendRoutes(LeaderboardRoutes):
    """Friends and their boards."""

    def __init__(self, shell: Shell, gate: Gate) -> None:
        super().__init__(shell, gate)
        self._group = RouteGroup(PATH, f"{AREA}.friends", self._readable())
        self._writer = self._allow("write")

    def all(self) -> list[ApiRoute]:
        """Every route of them."""
        one = "/players/{id}/friends/{other}"
        return [
            self._group.route("GET", "/players/{id}/friends", self.board, FriendsBoardShown),
            self._group.route("PUT", one, self.befriend, FriendshipShown, rule=self._writer),
            self._group.route("DELETE", one, self.unfriend, FriendshipShown, rule=self._writer),
        ]

    def board(self, id: PlayerInPath, asked: Annotated[WeekAsked, InAddress()]) -> Response:  # noqa: A002
        """A player and the friends in a week, and which friends have no score yet."""
        week = self._boards.weeks.named(asked.week)
        found = self._boards.reading.friends_board(week, id, asked.ties)
        shown = FriendsBoardShown(
            week=str(found.week),
            id=wire_id(id),
            items=[row_shown(each) for each in found.items],
            waiting=[wire_id(each) for each in found.waiting],
            direct=found.is_direct,
        )
        return answered(shown)

    def befriend(
        self,
        id: PlayerInPath,  # noqa: A002
        other: OtherInPath,
        key: IdempotencyKey,
        principal: Principal,
    ) -> Response:
        """Make two players friends; each is on the other's board at once."""

        def work(beside: Beside[Any]) -> bool:
            recorded(self._shell, self._boards, principal).befriend(id, other, beside=beside)
            return True

        return self._done(id, other, "PUT", key, principal, work)

    def unfriend(
        self,
        id: PlayerInPath,  # noqa: A002
        other: OtherInPath,
        key: IdempotencyKey,
        principal: Principal,
    ) -> Response:
        """End a friendship; past weeks stay as they are."""

        def work(beside: Beside[Any]) -> bool:
            recorded(self._shell, self._boards, principal).unfriend(id, other, beside=beside)
            return False

        return self._done(id, other, "DELETE", key, principal, work)

    def _done(
        self, player: int, other: int, method: str, key: str | None, principal: Principal, work: Any
    ) -> Response:
        asked = self._request(f"{method} {PATH}/players/{player}/friends/{other}")
        shown = FriendshipShown(id=wire_id(player), other=wire_id(other), friends=method == "PUT")
        return once(self._shell, principal, key, asked, work, lambda _: answered(shown))
