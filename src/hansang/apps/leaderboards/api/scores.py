"""Scores as routes: one play, many plays, and tokens for plays."""

from __future__ import annotations

from typing import Annotated

from fastapi import Body
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field
from starlette.responses import Response

from hansang.apps.leaderboards.api.access import (
    AREA,
    PATH,
    GivenId,
    LeaderboardRoutes,
    PlayerInPath,
    PublicOnBoard,
    RivalShown,
    ShownId,
    rival_shown,
)
from hansang.apps.leaderboards.design import wire_id
from hansang.apps.leaderboards.submitting import LARGEST_BATCH, GivenPlay, Submitted
from hansang.apps.leaderboards.tokens import LONGEST_TOKEN
from hansang.apps.leaderboards.work import LONGEST_NAME
from hansang.errors import Busy, Conflict, HansangError, InvalidInput
from hansang.parts.permissions import Principal
from hansang.surfaces.api.endpoints import RouteGroup, answered, route
from hansang.surfaces.api.repeats import Attempt, IdempotencyKey, once_by_steps
from hansang.surfaces.api.routes import ApiRoute
from hansang.surfaces.api.rules import Gate
from hansang.surfaces.shell import Shell


class PlayGiven(BaseModel):
    """A play: who played, and the score; with the token of the play where tokens are needed."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"example": {"id": 2, "name": "Maria", "score": 42710}}
    )

    id: GivenId
    name: Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
    score: int
    token: Annotated[str | None, Field(max_length=LONGEST_TOKEN)] = None
    played_at: AwareDatetime | None = None

    def play(self) -> GivenPlay:
        return GivenPlay(int(self.id), self.name, self.score, self.token, self.played_at)


class BatchPlayGiven(PlayGiven):
    """A play among many; a name that no player can have is the refusal of this play alone."""

    name: str


class PlaysGiven(BaseModel):
    """Plays of a game server."""

    model_config = ConfigDict(extra="forbid")

    plays: Annotated[list[BatchPlayGiven], Field(min_length=1, max_length=LARGEST_BATCH)]


class SubmittedShown(BaseModel):
    """The best of the week, whether it improved, and where it stands."""

    week: str
    best: int
    improved: bool
    rank: int | None
    of: int
    percentile: float | None
    next: RivalShown | None


class RefusalShown(BaseModel):
    """Why a play was refused."""

    code: str
    why: str


class PlayShown(BaseModel):
    """What became of one play of many."""

    id: ShownId
    result: SubmittedShown | None
    refused: RefusalShown | None


class PlaysShown(BaseModel):
    """What became of each play, in their order."""

    items: list[PlayShown]


class PlayTokenShown(BaseModel):
    """A token for one play of one player."""

    token: str


class ScoreRoutes(LeaderboardRoutes):
    """Submitting scores."""

    def __init__(self, shell: Shell, gate: Gate) -> None:
        super().__init__(shell, gate)
        self._writer, settings = self._allow("write"), self._every.settings
        self._is_open = settings.public and settings.token_secret != ""
        rule = PublicOnBoard(self._every) if self._is_open else self._writer
        self._group = RouteGroup(PATH, f"{AREA}.scores", rule)

    def all(self) -> list[ApiRoute]:
        """Every route of them."""
        return [
            route(
                "POST",
                f"{PATH}/scores",
                self.submit_openly if self._is_open else self.submit,
                name=f"{AREA}.scores.submit",
                tag=AREA,
                rule=self._group.rule,
                answers=SubmittedShown,
            ),
            self._group.route("POST", "/scores/batch", self.submit_batch, PlaysShown, rule=self._writer),
            self._group.route("POST", "/players/{id}/token", self.token, PlayTokenShown, rule=self._writer),
        ]

    def submit(
        self, given: Annotated[PlayGiven, Body()], key: IdempotencyKey, principal: Principal
    ) -> Response:
        """Keep a score if it is the best of the week, and say where its player stands."""

        def work(attempt: Attempt[Submitted] | None) -> Submitted:
            return self._boards.submitter.submit(given.play(), _sender(principal))

        asked = self._request(f"POST {PATH}/scores\n{given.model_dump_json()}")
        return once_by_steps(
            self._shell, principal, key, asked, work, lambda found: answered(submitted_shown(found))
        )

    def submit_openly(self, given: Annotated[PlayGiven, Body()]) -> Response:
        """The same for players' own devices; the token says who plays, and is good once."""
        return answered(submitted_shown(self._boards.submitter.submit(given.play())))

    def submit_batch(
        self, given: Annotated[PlaysGiven, Body()], key: IdempotencyKey, principal: Principal
    ) -> Response:
        """Keep the scores of many plays; one that is refused does not keep the others from being taken."""

        def work(attempt: Attempt[PlaysShown] | None) -> PlaysShown:
            items = []
            for each in given.plays:
                items.append(self._taken(each, principal))
                if attempt is not None:
                    attempt.renew()
            return PlaysShown(items=items)

        asked = self._request(f"POST {PATH}/scores/batch\n{given.model_dump_json()}")
        return once_by_steps(self._shell, principal, key, asked, work, answered)

    def token(self, id: PlayerInPath) -> Response:  # noqa: A002
        """A token for a play that begins now, to be given to the player's device."""
        return answered(PlayTokenShown(token=self._boards.tokens.new(id)))

    def _taken(self, given: PlayGiven, principal: Principal) -> PlayShown:
        play = given.play()
        try:
            found = self._boards.submitter.submit(play, _sender(principal))
        except (InvalidInput, Busy, Conflict) as refusal:
            return PlayShown(id=wire_id(play.id), result=None, refused=_refusal_shown(refusal))
        return PlayShown(id=wire_id(play.id), result=submitted_shown(found), refused=None)


def submitted_shown(found: Submitted) -> SubmittedShown:
    return SubmittedShown(
        week=str(found.week),
        best=found.best,
        improved=found.improved,
        rank=found.rank,
        of=found.of,
        percentile=None if found.percentile is None else float(found.percentile),
        next=rival_shown(found.next, found.best),
    )


def _refusal_shown(refusal: HansangError) -> RefusalShown:
    return RefusalShown(code=refusal.code, why=str(refusal))


def _sender(principal: Principal) -> str:
    return f"{principal.kind}:{principal.name}"
