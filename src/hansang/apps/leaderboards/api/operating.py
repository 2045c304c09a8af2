"""Operating as routes: find, rename, hide and restore players, and correct scores; each with its line of history."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any

from fastapi import Body
from fastapi import Query as InAddress
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response

from hansang.apps.leaderboards.api.access import (
    AREA,
    PATH,
    PlayerInPath,
    ShownId,
    leaderboards_of,
    wire_id,
)
from hansang.apps.leaderboards.operating import Correction
from hansang.apps.leaderboards.weeks import CURRENT
from hansang.apps.leaderboards.work import LONGEST_NAME, HideReason, Hiding, PlayerCard
from hansang.parts.history import Actor, with_line
from hansang.parts.permissions import Principal
from hansang.parts.receipts import Beside
from hansang.surfaces.api.endpoints import RouteGroup, answered
from hansang.surfaces.api.lists import list_answer
from hansang.surfaces.api.parameters import Listed, Spoken
from hansang.surfaces.api.repeats import IdempotencyKey, once
from hansang.surfaces.api.routes import ApiRoute
from hansang.surfaces.api.rules import Gate
from hansang.surfaces.api.unreadable import ListPage
from hansang.surfaces.http.request_ids import current
from hansang.surfaces.naming import Naming
from hansang.surfaces.shell import Shell


class PlayerNameAsked(Spoken):
    """How a name begins, and how many players are wanted."""

    q: Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
    limit: Annotated[int, Field(ge=1, le=100)] = 20


class RenameGiven(BaseModel):
    """What a player is called from now on."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"example": {"name": "Maria"}})

    name: Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]


class HideGiven(BaseModel):
    """Why a player is hidden, and until when; without an end for good."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"example": {"reason": "cheating", "note": "speed hack"}}
    )

    reason: HideReason
    note: Annotated[str, Field(max_length=500)] = ""
    until: datetime | None = None


class CorrectGiven(BaseModel):
    """Another best score of a week, and why."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"example": {"score": 31000, "note": "counted twice"}}
    )

    score: int
    note: Annotated[str, Field(min_length=1, max_length=500)]
    week: Annotated[str, Field(max_length=40)] = CURRENT


class PlayerCardShown(BaseModel):
    """A player as of now."""

    id: ShownId
    name: str
    hidden: bool
    reason: str | None
    note: str | None
    until: datetime | None


class PlayerCardsShown(BaseModel):
    """Players whose names begin so."""

    items: list[PlayerCardShown]


class CorrectionShown(BaseModel):
    """A score that was corrected."""

    id: ShownId
    week: str
    before: int
    after: int


class HidingsPage(ListPage):
    """A page of hidden players."""

    items: list[Hiding]


class OperatorRoutes:
    """What operators do."""

    def __init__(self, shell: Shell, gate: Gate) -> None:
        self._shell, self._boards = shell, leaderboards_of(shell)
        self._group = RouteGroup(PATH, f"{AREA}.players", gate.allow(AREA, "admin"))

    def all(self) -> list[ApiRoute]:
        """Every route of them."""
        one = "/players/{id}"
        return [
            self._group.route("GET", "/players", self.search, PlayerCardsShown),
            self._group.route("GET", "/hidden", self.hidden, HidingsPage),
            self._group.route("POST", f"{one}/rename", self.rename, PlayerCardShown),
            self._group.route("POST", f"{one}/hide", self.hide, PlayerCardShown),
            self._group.route("POST", f"{one}/restore", self.restore, PlayerCardShown),
            self._group.route("POST", f"{one}/correct", self.correct, CorrectionShown),
        ]

    def search(self, asked: Annotated[PlayerNameAsked, InAddress()]) -> Response:
        """Players by how their names begin, in any case, or by Hangul initials."""
        found = self._boards.players.search(asked.q, asked.limit)
        return answered(PlayerCardsShown(items=[card_shown(each) for each in found]))

    def hidden(self, request: Request, asked: Listed, principal: Principal) -> Response:
        """Whoever is hidden."""
        naming = Naming(self._shell, principal)
        return list_answer(
            request, asked, naming, HidingsPage, self._boards.operating.hidden, _itself, "hidden-players"
        )

    def rename(
        self,
        id: PlayerInPath,  # noqa: A002
        given: Annotated[RenameGiven, Body()],
        key: IdempotencyKey,
        principal: Principal,
    ) -> Response:
        """Call a player otherwise: in this week and on friends' boards; past weeks stay."""
        before = self._boards.players.get(id).name

        def work(beside: Beside[PlayerCard]) -> PlayerCard:
            noted = self._noted(principal, id, "rename", {"name": before}, {"name": given.name}, beside)
            return self._boards.players.rename(id, given.name, beside=noted)

        return self._done(id, "rename", given, key, principal, work)

    def hide(
        self,
        id: PlayerInPath,  # noqa: A002
        given: Annotated[HideGiven, Body()],
        key: IdempotencyKey,
        principal: Principal,
    ) -> Response:
        """Take a player off the boards; ranks close up."""

        def work(beside: Beside[PlayerCard]) -> PlayerCard:
            told = {"reason": given.reason, "note": given.note, "until": given.until and str(given.until)}
            noted = self._noted(principal, id, "hide", None, told, beside)
            return self._boards.operating.hide(id, given.reason, given.note, given.until, beside=noted)

        return self._done(id, "hide", given, key, principal, work)

    def restore(self, id: PlayerInPath, key: IdempotencyKey, principal: Principal) -> Response:  # noqa: A002
        """Put a hidden player back on the boards."""
        card = self._boards.players.get(id)

        def work(beside: Beside[PlayerCard]) -> PlayerCard:
            told = {"reason": card.hide_reason, "note": card.hide_note}
            return self._boards.operating.restore(
                id, beside=self._noted(principal, id, "restore", told, None, beside)
            )

        return self._done(id, "restore", None, key, principal, work)

    def correct(
        self,
        id: PlayerInPath,  # noqa: A002
        given: Annotated[CorrectGiven, Body()],
        key: IdempotencyKey,
        principal: Principal,
    ) -> Response:
        """Give a player another best in a week that is not final."""
        week = self._boards.weeks.named(given.week)

        def work(beside: Beside[Correction]) -> Correction:
            def both(transaction: Any, done: Correction) -> None:
                was = {"week": str(week.start), "score": done.before}
                now = {"week": str(week.start), "score": done.after, "note": given.note}
                self._noted(principal, id, "correct", was, now, beside)(transaction, done)

            return self._boards.operating.correct(id, week, given.score, given.note, beside=both)

        def told(done: Correction) -> Response:
            return answered(
                CorrectionShown(id=wire_id(id), week=str(done.week), before=done.before, after=done.after)
            )

        asked = f"POST {PATH}/players/{id}/correct\n{given.model_dump_json()}".encode()
        return once(self._shell, principal, key, asked, work, told)

    def _done(
        self,
        player: int,
        verb: str,
        given: BaseModel | None,
        key: str | None,
        principal: Principal,
        work: Any,
    ) -> Response:
        body = "" if given is None else given.model_dump_json()
        asked = f"POST {PATH}/players/{player}/{verb}\n{body}".encode()
        return once(self._shell, principal, key, asked, work, lambda card: answered(card_shown(card)))

    def _noted(
        self,
        principal: Principal,
        player: int,
        verb: str,
        before: Mapping[str, object] | None,
        after: Mapping[str, object] | None,
        beside: Beside[Any],
    ) -> Beside[Any]:
        line = self._shell.history.line(
            Actor.of(principal),
            AREA,
            "PlayerCard",
            str(player),
            verb,
            before=before,
            after=after,
            request_id=current.get(),
        )
        return with_line(line, beside)


def card_shown(card: PlayerCard) -> PlayerCardShown:
    return PlayerCardShown(
        id=wire_id(card.id),
        name=card.name,
        hidden=card.is_hidden,
        reason=card.hide_reason,
        note=card.hide_note,
        until=card.hidden_until,
    )


def _itself(row: Hiding) -> Hiding:
    return row
