"""Players as routes: profile, rank, history, comparison, look-up; and hiding and erasing them."""

from __future__ import annotations

from datetime import date as Date  # noqa: N812 - `date` is the name of a field
from datetime import timedelta
from typing import Annotated, Any

from fastapi import Body
from fastapi import Path as InPath
from fastapi import Query as InAddress
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from hansang.apps.rankings.api.access import AREA, PATH, SAME, rankings_of, tagged
from hansang.apps.rankings.design import Board, Profile
from hansang.apps.rankings.histories import HistoryDay, PlayerHistory, milestones_of
from hansang.apps.rankings.reading import Mode, PlayerRank
from hansang.apps.rankings.revisions import settled
from hansang.apps.rankings.rows import LONGEST_NAME, GivenScore
from hansang.errors import NotFound
from hansang.parts.history import Actor, with_line
from hansang.parts.permissions import Principal
from hansang.parts.receipts import Beside, alone
from hansang.surfaces.api.endpoints import RouteGroup, answered
from hansang.surfaces.api.parameters import Spoken
from hansang.surfaces.api.repeats import Attempt, IdempotencyKey, once, once_by_steps
from hansang.surfaces.api.routes import ApiRoute
from hansang.surfaces.api.rules import Gate
from hansang.surfaces.api.tags import IfNoneMatch
from hansang.surfaces.http.request_ids import current
from hansang.surfaces.shell import Shell

PlayerAddress = Annotated[str, InPath(min_length=1, max_length=64, pattern=r"^[^#]*$")]
_DAYS_SHOWN = 30


class RankAsked(Spoken):
    """On which board and on which finished day; by default by level, on the newest."""

    board: Board = "level"
    date: Date | None = None
    size: Annotated[int, Field(ge=1, le=1000)] = 100
    mode: Mode = "all"


class SpanAsked(Spoken):
    """Which days are asked for; by default the last thirty."""

    since: Annotated[Date | None, Field(alias="from")] = None
    until: Annotated[Date | None, Field(alias="to")] = None


class CompareAsked(SpanAsked):
    """Whom to compare, with commas between."""

    uuids: Annotated[str, Field(min_length=1, max_length=400, examples=["A101,A102"])]


class NameAsked(Spoken):
    """Which name is looked up, in any case."""

    name: Annotated[str, Field(min_length=1, max_length=LONGEST_NAME, examples=["Hello"])]


class ProfileGiven(BaseModel):
    """A player as of now."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"example": {"name": "Hello", "level": 71, "power": 120_345}}
    )

    name: Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
    level: GivenScore
    power: GivenScore


class ProfileShown(BaseModel):
    """A player as of now."""

    uuid: str
    name: str
    level: int
    power: int


class NameSpanShown(BaseModel):
    """A name, and the first and the last snapshot that has it."""

    name: str
    since: Date
    until: Date


class MilestoneShown(BaseModel):
    """Something that happened for the first time."""

    date: Date
    kind: str
    board: str
    value: int


class RankShown(BaseModel):
    """How a player stands on one day; equals share a rank."""

    date: Date
    score: int
    rank: int
    of: int
    percentile: float
    equal: int
    official: int | None


class RankPageShown(RankShown):
    """The same, with the page of everyone on which the player stands."""

    page: int


class PlayerShown(BaseModel):
    """A player as of now, as of the last finished day, and by every name."""

    uuid: str
    live: ProfileShown | None
    level: RankShown | None
    power: RankShown | None
    names: list[NameSpanShown]


class HistoryDayShown(BaseModel):
    """A player on one day."""

    date: Date
    name: str
    level: int
    power: int
    level_rank: int
    power_rank: int
    level_of: int
    official_level_rank: int | None
    official_power_rank: int | None


class HistoryShown(BaseModel):
    """A player's days, the newest first, the finished days without one, and what happened for the first time."""

    uuid: str
    items: list[HistoryDayShown]
    missing: list[Date]
    milestones: list[MilestoneShown]


class CompareShown(BaseModel):
    """Players side by side."""

    items: list[HistoryShown]


class CandidateShown(ProfileShown):
    """A player of a name, and the last day with a snapshot."""

    last_day: Date | None


class CandidatesShown(BaseModel):
    """Every player of a name; those who write it so come first."""

    items: list[CandidateShown]


class PlayerDone(BaseModel):
    """What was done to a player, and on how many days."""

    uuid: str
    done: str
    days: int = 0


class PlayerRoutes:
    """Players on finished days, and as of now."""

    def __init__(self, shell: Shell, gate: Gate) -> None:
        self._shell, self._rankings = shell, rankings_of(shell)
        self._days = self._rankings.days
        self._group = RouteGroup(PATH, f"{AREA}.players", gate.readable(AREA))
        self._writer, self._admin = gate.allow(AREA, "write"), gate.allow(AREA, "admin")

    def all(self) -> list[ApiRoute]:
        """Every route of them."""
        one = "/players/{uuid}"
        return [
            self._group.route("GET", one, self.player, PlayerShown),
            self._group.route("POST", one, self.store, ProfileShown, rule=self._writer),
            self._group.route("GET", f"{one}/rank", self.rank, RankPageShown, extra=SAME),
            self._group.route("GET", f"{one}/history", self.history, HistoryShown),
            self._group.route("POST", f"{one}/hide", self.hide, PlayerDone, rule=self._admin),
            self._group.route("POST", f"{one}/show", self.show, PlayerDone, rule=self._admin),
            self._group.route("POST", f"{one}/erase", self.erase, PlayerDone, rule=self._admin),
            self._group.route("GET", "/lookup", self.lookup, CandidatesShown),
            self._group.route("GET", "/compare", self.compare, CompareShown),
        ]

    # ── reading ───────────────────────────────────────────────────────────────────────────────────

    @settled
    def player(self, uuid: PlayerAddress) -> Response:
        """A player as of now, on the last finished day, and by every name."""
        self._expect_shown(uuid)
        live, names = self._rankings.profiles.find(uuid), self._rankings.histories.names(uuid)
        if live is None and not names:
            raise NotFound("Player {uuid} not found.", code="rankings.no-player", values={"uuid": uuid})
        shown = PlayerShown(
            uuid=uuid,
            live=None if live is None else ProfileShown(**_profile(live)),
            level=self._rank(uuid, "level"),
            power=self._rank(uuid, "power"),
            names=[NameSpanShown(name=each.name, since=each.since, until=each.until) for each in names],
        )
        return answered(shown)

    @settled
    def rank(
        self, uuid: PlayerAddress, asked: Annotated[RankAsked, InAddress()], seen: IfNoneMatch
    ) -> Response:
        """A player's exact rank on any finished day, and on which page of everyone that is."""
        self._expect_shown(uuid)
        day = self._rankings.days.finished(asked.date)
        found = self._rankings.reading.rank(uuid, asked.board, day.day)
        page = self._rankings.reading.page_of(uuid, asked.board, day.day, asked.size, asked.mode)
        return tagged(RankPageShown(**_rank(found), page=page), seen, self._rankings, day)

    @settled
    def history(self, uuid: PlayerAddress, asked: Annotated[SpanAsked, InAddress()]) -> Response:
        """A player's days in a span, each with the exact ranks, the newest first."""
        self._expect_shown(uuid)
        since, until = self._span(asked)
        found = self._rankings.histories.history(uuid, since, until)
        return answered(_history(uuid, found))

    @settled
    def compare(self, asked: Annotated[CompareAsked, InAddress()]) -> Response:
        """Up to five players over the same days."""
        uuids = [each.strip() for each in asked.uuids.split(",") if each.strip()]
        for uuid in uuids:
            self._expect_shown(uuid)
        since, until = self._span(asked)
        found = self._rankings.histories.compare(uuids, since, until)
        items = [_history(uuid, history) for uuid, history in found.items()]
        return answered(CompareShown(items=items))

    @settled
    def lookup(self, asked: Annotated[NameAsked, InAddress()]) -> Response:
        """Every player of a name, with the present name and the last day with a snapshot."""
        hidden = self._rankings.privacy.hidden()
        found = [
            each for each in self._rankings.profiles.lookup(asked.name) if each.profile.uuid not in hidden
        ]
        items = [CandidateShown(**_profile(each.profile), last_day=each.last_day) for each in found]
        return answered(CandidatesShown(items=items))

    def _expect_shown(self, uuid: str) -> None:
        """A hidden player is not found by anyone (X5-30)."""
        if self._rankings.privacy.is_hidden(uuid):
            raise NotFound("Player {uuid} not found.", code="rankings.no-player", values={"uuid": uuid})

    def _rank(self, uuid: str, board: Board) -> RankShown | None:
        try:
            return RankShown(**_rank(self._rankings.reading.rank(uuid, board)))
        except NotFound:
            return None

    def _span(self, asked: SpanAsked) -> tuple[Date, Date]:
        until = asked.until or self._rankings.days.finished().day
        return asked.since or until - min(timedelta(days=_DAYS_SHOWN - 1), until - Date.min), until

    # ── writing ───────────────────────────────────────────────────────────────────────────────────

    def store(
        self,
        uuid: PlayerAddress,
        given: Annotated[ProfileGiven, Body()],
        key: IdempotencyKey,
        principal: Principal,
    ) -> Response:
        """Store a player as of now; a rename touches nothing else."""

        def work(beside: Beside[Profile]) -> Profile:
            return self._rankings.profiles.put(uuid, given.name, given.level, given.power, beside=beside)

        asked = f"POST {PATH}/players/{uuid}\n{given.model_dump_json()}".encode()
        return once(
            self._shell, principal, key, asked, work, lambda found: answered(ProfileShown(**_profile(found)))
        )

    def hide(self, uuid: PlayerAddress, key: IdempotencyKey, principal: Principal) -> Response:
        """Neither name nor find a player from now on; the rows are still counted."""

        def work(beside: Beside[str]) -> str:
            self._rankings.privacy.hide(uuid, beside=self._noted(principal, uuid, "hide", beside))
            return uuid

        return self._done(uuid, "hide", key, principal, work)

    def show(self, uuid: PlayerAddress, key: IdempotencyKey, principal: Principal) -> Response:
        """Show a hidden player again."""

        def work(beside: Beside[str]) -> str:
            self._rankings.privacy.show(uuid, beside=self._noted(principal, uuid, "show", beside))
            return uuid

        return self._done(uuid, "show", key, principal, work)

    def _done(self, uuid: str, verb: str, key: str | None, principal: Principal, work: Any) -> Response:
        asked = f"POST {PATH}/players/{uuid}/{verb}".encode()
        return once(
            self._shell,
            principal,
            key,
            asked,
            work,
            lambda found: answered(PlayerDone(uuid=found, done=verb)),
        )

    def erase(self, uuid: PlayerAddress, key: IdempotencyKey, principal: Principal) -> Response:
        """Delete a player from every day and from the ranks of each."""

        def work(attempt: Attempt[int] | None) -> int:
            beside = self._noted(principal, uuid, "erase", alone if attempt is None else attempt.beside)
            return self._rankings.privacy.erase(uuid, beside=beside)

        def told(days: int) -> Response:
            return answered(PlayerDone(uuid=uuid, done="erase", days=days))

        asked = f"POST {PATH}/players/{uuid}/erase".encode()
        return once_by_steps(self._shell, principal, key, asked, work, told)

    def _noted(self, principal: Principal, uuid: str, verb: str, beside: Beside[Any]) -> Beside[Any]:
        line = self._shell.history.line(
            Actor.of(principal), AREA, "Profile", uuid, verb, request_id=current.get()
        )
        return with_line(line, beside)


def _profile(profile: Profile) -> dict[str, Any]:
    return {
        "uuid": profile.uuid,
        "name": profile.name,
        "level": profile.current_level,
        "power": profile.current_power,
    }


def _rank(found: PlayerRank) -> dict[str, Any]:
    return {
        "date": found.day,
        "score": found.score,
        "rank": found.rank,
        "of": found.of,
        "percentile": float(found.percentile),
        "equal": found.equal,
        "official": found.official,
    }


def _day(found: HistoryDay) -> HistoryDayShown:
    return HistoryDayShown(
        date=found.snapshot.day,
        name=found.snapshot.name,
        level=found.snapshot.level,
        power=found.snapshot.power,
        level_rank=found.ranks["level"].rank,
        power_rank=found.ranks["power"].rank,
        level_of=found.ranks["level"].of,
        official_level_rank=found.snapshot.level_rank,
        official_power_rank=found.snapshot.power_rank,
    )


def _history(uuid: str, found: PlayerHistory) -> HistoryShown:
    return HistoryShown(
        uuid=uuid,
        items=[_day(each) for each in found.days],
        missing=found.missing,
        milestones=[
            MilestoneShown(date=each.day, kind=each.kind, board=each.board, value=each.value)
            for each in milestones_of(found.days)
        ],
    )
