"""Operating as routes: find, rename, hide and restore players, and correct scores; each with its line of history."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any

from fastapi import Body
from fastapi import Path as InPath
from fastapi import Query as InAddress
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response

from hansang.apps.leaderboards.api.access import (
    AREA,
    PATH,
    BoardListed,
    BoardQuestion,
    GivenId,
    LeaderboardRoutes,
    PlayerInPath,
    ShownId,
    itself,
)
from hansang.apps.leaderboards.api.recording import recorded
from hansang.apps.leaderboards.design import wire_id
from hansang.apps.leaderboards.operating import Correction
from hansang.apps.leaderboards.recorded import RecordedBoards
from hansang.apps.leaderboards.weeks import CURRENT
from hansang.apps.leaderboards.work import (
    LONGEST_NAME,
    BoardPlayer,
    HideReason,
    Hiding,
)
from hansang.parts.history import Change
from hansang.parts.permissions import Principal
from hansang.parts.receipts import Beside, alone
from hansang.surfaces.api.endpoints import RouteGroup, answered
from hansang.surfaces.api.lists import list_answer
from hansang.surfaces.api.repeats import Attempt, IdempotencyKey, once, once_by_steps
from hansang.surfaces.api.routes import ApiRoute
from hansang.surfaces.api.rules import Gate
from hansang.surfaces.api.unreadable import ListPage
from hansang.surfaces.naming import Naming
from hansang.surfaces.shell import Shell

MOST_AT_ONCE = 100
"""How many players one request hides or restores."""
ChangeInPath = Annotated[str, InPath(alias="change", max_length=40, examples=["0"])]


class PlayerNameAsked(BoardQuestion):
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
    until: AwareDatetime | None = None


class PlayersGiven(BaseModel):
    """Players to whom the same is done."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"example": {"ids": [7, 8]}})

    ids: Annotated[list[GivenId], Field(min_length=1, max_length=MOST_AT_ONCE)]


class HideManyGiven(HideGiven):
    """Who is hidden, why, and until when; without an end for good."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"example": {"ids": [7, 8], "reason": "test"}}
    )

    ids: Annotated[list[GivenId], Field(min_length=1, max_length=MOST_AT_ONCE)]


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


class PlayersShown(BaseModel):
    """Players as of now, in the order of the request."""

    items: list[PlayerCardShown]


class CorrectionShown(BaseModel):
    """A score that was corrected."""

    id: ShownId
    week: str
    before: int
    after: int


class ErasedShown(BaseModel):
    """A player who was erased, and from how many weeks."""

    id: ShownId
    weeks: int


class UndoneShown(BaseModel):
    """What was undone, and the change that did it."""

    change: str
    by: str
    verb: str


class HidingsPage(ListPage):
    """A page of hidden players."""

    items: list[Hiding]


class OperatorRoutes(LeaderboardRoutes):
    """What operators do."""

    def __init__(self, shell: Shell, gate: Gate) -> None:
        super().__init__(shell, gate)
        self._group = RouteGroup(PATH, f"{AREA}.players", self._allow("admin"))

    def all(self) -> list[ApiRoute]:
        """Every route of them."""
        one = "/players/{id}"
        return [
            self._group.route("GET", "/players", self.search, PlayerCardsShown),
            self._group.route("GET", "/hidden", self.hidden, HidingsPage),
            self._group.route("POST", f"{one}/rename", self.rename, PlayerCardShown),
            self._group.route("POST", f"{one}/hide", self.hide, PlayerCardShown),
            self._group.route("POST", f"{one}/restore", self.restore, PlayerCardShown),
            self._group.route("POST", "/players/hide", self.hide_many, PlayersShown),
            self._group.route("POST", "/players/restore", self.restore_many, PlayersShown),
            self._group.route("POST", f"{one}/correct", self.correct, CorrectionShown),
            self._group.route("POST", f"{one}/erase", self.erase, ErasedShown),
            self._group.route("POST", "/changes/{change}/undo", self.undo, UndoneShown),
        ]

    def search(self, asked: Annotated[PlayerNameAsked, InAddress()]) -> Response:
        """Players by how their names begin, in any case, or by Hangul initials."""
        found = self._boards.players.search(asked.q, asked.limit)
        return answered(PlayerCardsShown(items=[card_shown(each) for each in found]))

    def hidden(self, request: Request, asked: BoardListed, principal: Principal) -> Response:
        """Whoever is hidden."""
        naming = Naming(self._shell, principal)
        page, name = self._boards.operating.hidden, self._file("hidden-players")
        return list_answer(request, asked, naming, HidingsPage, page, itself, name)

    def rename(
        self,
        id: PlayerInPath,  # noqa: A002
        given: Annotated[RenameGiven, Body()],
        key: IdempotencyKey,
        principal: Principal,
    ) -> Response:
        """Call a player otherwise: in this week and on friends' boards; past weeks stay."""

        def work(beside: Beside[BoardPlayer]) -> BoardPlayer:
            return self._recorded(principal).rename(id, given.name, beside=beside)

        return self._done(id, "rename", given, key, principal, work)

    def hide(
        self,
        id: PlayerInPath,  # noqa: A002
        given: Annotated[HideGiven, Body()],
        key: IdempotencyKey,
        principal: Principal,
    ) -> Response:
        """Take a player off the boards; ranks close up."""

        def work(beside: Beside[BoardPlayer]) -> BoardPlayer:
            recorded = self._recorded(principal)
            return recorded.hide(id, given.reason, given.note, given.until, beside=beside)

        return self._done(id, "hide", given, key, principal, work)

    def restore(self, id: PlayerInPath, key: IdempotencyKey, principal: Principal) -> Response:  # noqa: A002
        """Put a hidden player back on the boards."""

        def work(beside: Beside[BoardPlayer]) -> BoardPlayer:
            return self._recorded(principal).restore(id, beside=beside)

        return self._done(id, "restore", None, key, principal, work)

    def hide_many(
        self, given: Annotated[HideManyGiven, Body()], key: IdempotencyKey, principal: Principal
    ) -> Response:
        """Take many players off the boards; nobody, if there is one whom nobody knows."""

        def work(attempt: Attempt[list[BoardPlayer]] | None) -> list[BoardPlayer]:
            players, steps = map(int, given.ids), None if attempt is None else attempt.steps
            recorded = self._recorded(principal)
            return recorded.hide_many(players, given.reason, given.note, given.until, steps)

        return self._done_to_many("hide", given, key, principal, work)

    def restore_many(
        self, given: Annotated[PlayersGiven, Body()], key: IdempotencyKey, principal: Principal
    ) -> Response:
        """Put many hidden players back on the boards; nobody, if there is one whom nobody knows."""

        def work(attempt: Attempt[list[BoardPlayer]] | None) -> list[BoardPlayer]:
            steps = None if attempt is None else attempt.steps
            return self._recorded(principal).restore_many(map(int, given.ids), steps)

        return self._done_to_many("restore", given, key, principal, work)

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
            return self._recorded(principal).correct(id, week, given.score, given.note, beside=beside)

        def told(done: Correction) -> Response:
            return answered(
                CorrectionShown(id=wire_id(id), week=str(done.week), before=done.before, after=done.after)
            )

        asked = self._request(f"POST {PATH}/players/{id}/correct\n{given.model_dump_json()}")
        return once(self._shell, principal, key, asked, work, told)

    def erase(self, id: PlayerInPath, key: IdempotencyKey, principal: Principal) -> Response:  # noqa: A002
        """Delete a player on every board with every week, final ones too, and take each out of its ranks."""

        def work(attempt: Attempt[int] | None) -> int:
            beside = alone if attempt is None else attempt.beside
            return self._recorded(principal).erase(self._every, id, beside=beside)

        asked = self._request(f"POST {PATH}/players/{id}/erase")
        return once_by_steps(
            self._shell,
            principal,
            key,
            asked,
            work,
            lambda weeks: answered(ErasedShown(id=wire_id(id), weeks=weeks)),
        )

    def undo(self, change: ChangeInPath, key: IdempotencyKey, principal: Principal) -> Response:
        """Undo what an operator did to a player or a friendship, once."""

        def work(beside: Beside[Any]) -> Change:
            return self._recorded(principal).undo(change, beside=beside)

        asked = self._request(f"POST {PATH}/changes/{change}/undo")
        return once(
            self._shell,
            principal,
            key,
            asked,
            work,
            lambda line: answered(UndoneShown(change=change, by=line.id, verb=line.verb)),
        )

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
        asked = self._request(f"POST {PATH}/players/{player}/{verb}\n{body}")
        return once(self._shell, principal, key, asked, work, lambda card: answered(card_shown(card)))

    def _done_to_many(
        self,
        verb: str,
        given: BaseModel,
        key: str | None,
        principal: Principal,
        work: Callable[[Attempt[list[BoardPlayer]] | None], list[BoardPlayer]],
    ) -> Response:
        def told(cards: list[BoardPlayer]) -> Response:
            return answered(PlayersShown(items=[card_shown(each) for each in cards]))

        asked = self._request(f"POST {PATH}/players/{verb}\n{given.model_dump_json()}")
        return once_by_steps(self._shell, principal, key, asked, work, told)

    def _recorded(self, principal: Principal) -> RecordedBoards:
        return recorded(self._shell, self._boards, principal)


def card_shown(card: BoardPlayer) -> PlayerCardShown:
    return PlayerCardShown(
        id=wire_id(card.id),
        name=card.name,
        hidden=card.is_hidden,
        reason=card.hide_reason,
        note=card.hide_note,
        until=card.hidden_until,
    )
