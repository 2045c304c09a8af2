"""The history as routes: who changed what, from what to what, and its undoing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial
from itertools import islice
from typing import Annotated, Any

from fastapi import Path as InPath
from fastapi import Query as InAddress
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response

from hansang.errors import InvalidInput, NotFound
from hansang.parts.history import Actor, Change
from hansang.parts.permissions import EVERYWHERE, PLATFORM, Principal
from hansang.parts.receipts import Beside
from hansang.surfaces.api.endpoints import RouteGroup, answered
from hansang.surfaces.api.exports import attached, chosen, model_lines
from hansang.surfaces.api.lists import most
from hansang.surfaces.api.parameters import PAGE, Exported
from hansang.surfaces.api.repeats import IdempotencyKey, once
from hansang.surfaces.api.routes import ApiRoute
from hansang.surfaces.api.rules import Gate, expect
from hansang.surfaces.api.schemas import WireItem
from hansang.surfaces.api.unreadable import ListPage, unreadable_shown, walked_with
from hansang.surfaces.change_images import seen_sides
from hansang.surfaces.http.request_ids import current
from hansang.surfaces.naming import Naming
from hansang.surfaces.shell import Shell

PATH = "/api/platform/changes"
MOST = 100

ChangeId = Annotated[str, InPath(max_length=100)]


class ActorShown(BaseModel):
    """Who made a change."""

    kind: str
    name: str
    shown: str


class ChangeSummary(BaseModel):
    """One change of one thing."""

    id: str
    at: datetime
    actor: ActorShown
    area: str
    table: str
    kind: str
    subject: str
    verb: str
    is_undoable: bool
    undoes: str | None
    undone_by: str | None
    request_id: str | None


class ChangeShown(ChangeSummary):
    """One change, with the item before and after, in DynamoDB's JSON."""

    before: WireItem | None
    after: WireItem | None
    is_too_large: bool


class ChangesPage(ListPage):
    """A page of changes, the newest first."""

    items: list[ChangeSummary]


class ChangesAsked(Exported):
    """Which changes are asked for."""

    area: str | None = Field(None, max_length=40)
    limit: Annotated[int, Field(ge=1, le=MOST)] = 20


class ChangeRoutes:
    """Everything about changes that can be done from outside."""

    def __init__(self, shell: Shell, gate: Gate) -> None:
        self._shell = shell
        self._group = RouteGroup(PATH, "platform.changes", gate.known())
        self._guarded = {(each.name, kind.__name__) for each in shell.applications for kind in each.guarded}

    def all(self) -> list[ApiRoute]:
        """Listing, reading, undoing; which area it is decides who may."""
        return [
            self._group.route("GET", "", self.page, ChangesPage),
            self._group.route("GET", "/{id}", self.read, ChangeShown),
            self._group.route("POST", "/{id}/undo", self.undo, ChangeShown, 201),
        ]

    def page(
        self, request: Request, asked: Annotated[ChangesAsked, InAddress()], principal: Principal
    ) -> Response:
        """Changes of one area or of all, the newest first; jsonl and csv have all of them, with before and after."""
        self._expect_area(asked.area)
        expect(principal, asked.area or EVERYWHERE, "read")
        wanted = chosen(asked.format, request.headers.get("accept", ""))
        if wanted != PAGE:
            return self._file(asked, wanted, principal)
        page = self._shell.history.page(asked.area, asked.limit, asked.cursor)
        bad = unreadable_shown(Naming(self._shell, principal), page.unreadable)
        items = [ChangeSummary(**_facts(each)) for each in page if self._shell.tells_of(each.area)]
        return answered(ChangesPage(items=items, unreadable=bad, cursor=page.cursor))

    def _file(self, asked: ChangesAsked, wanted: str, principal: Principal) -> Response:
        history, naming, limit = self._shell.history, Naming(self._shell, principal), most(asked)

        def told(tell: Callable[[Any], object]) -> Iterator[Change]:
            every = history.each(asked.area, unreadable=tell)
            return islice((each for each in every if self._shell.tells_of(each.area)), limit)

        answers = walked_with(told)
        show = partial(self._shown, principal=principal)
        lines = model_lines(answers, show, ChangeShown, wanted, naming)
        return attached(lines, wanted, f"changes-{asked.area or 'all'}", naming)

    def read(self, id: ChangeId, principal: Principal) -> Response:  # noqa: A002 - the path's own name
        """One change, with the item before and after."""
        return answered(self._shown(self._get(id, principal), principal))

    def undo(self, id: ChangeId, key: IdempotencyKey, principal: Principal) -> Response:  # noqa: A002
        """Put the item back as it was before a change, unless it was changed again since."""
        change = self._get(id, principal)
        expect(principal, change.area, "admin" if self._is_guarded(change) else "write")

        def work(beside: Beside[Change]) -> Change:
            return self._shell.editing.undo(change.id, Actor.of(principal), current.get(), beside)

        def told(made: Change) -> Response:
            return answered(self._shown(made, principal), 201, Location=f"{PATH}/{made.id}")

        return once(self._shell, principal, key, f"POST {PATH}/{change.id}/undo".encode(), work, told)

    # ── their steps ───────────────────────────────────────────────────────────────────────────────

    def _get(self, change_id: str, principal: Principal) -> Change:
        """The change; whoever may not read its area is not told that it is there."""
        change = self._shell.history.get(change_id)
        if not self._shell.tells_of(change.area) or not principal.may(change.area, "read"):
            raise NotFound("Change {id} not found.", code="platform.no-change", values={"id": change_id})
        return change

    def _expect_area(self, area: str | None) -> None:
        known = (PLATFORM, *self._shell.names)
        if area is not None and area not in known:
            raise InvalidInput(
                "Area {area} not found. There are {known}.",
                "area",
                code="platform.no-area",
                values={"area": area, "known": ", ".join(known)},
            )

    def _is_guarded(self, change: Change) -> bool:
        return (change.area, change.kind) in self._guarded

    def _shown(self, change: Change, principal: Principal) -> ChangeShown:
        """A change with its items; those of guarded entities only for who may administer the application."""
        hidden = self._is_guarded(change) and not principal.may(change.area, "admin")
        seen = seen_sides(self._shell, change, principal.role(change.area))
        before, after = (None, None) if hidden else seen
        return ChangeShown(**_facts(change), before=before, after=after, is_too_large=change.is_too_large)


def _facts(change: Change) -> dict[str, Any]:
    actor = ActorShown(kind=change.actor_kind, name=change.actor_name, shown=change.actor_shown)
    same = (
        "id",
        "area",
        "table",
        "kind",
        "subject",
        "verb",
        "is_undoable",
        "undoes",
        "undone_by",
        "request_id",
    )
    return {"at": change.moment, "actor": actor, **{name: getattr(change, name) for name in same}}
