"""Exports as routes: those that go on, and stopping one."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import Annotated

from fastapi import Path as InPath
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from hansang.parts.exports import RunningExport
from hansang.parts.history import Actor, with_line
from hansang.parts.permissions import PLATFORM, Principal
from hansang.parts.receipts import Beside
from hansang.surfaces.api.endpoints import RouteGroup, answered
from hansang.surfaces.api.lists import list_answer, page_of
from hansang.surfaces.api.parameters import Listed
from hansang.surfaces.api.repeats import IdempotencyKey, once
from hansang.surfaces.api.routes import ApiRoute
from hansang.surfaces.api.rules import Gate
from hansang.surfaces.api.unreadable import ListPage
from hansang.surfaces.http.request_ids import current
from hansang.surfaces.naming import Naming
from hansang.surfaces.shell import Shell

PATH = "/api/platform/exports"

ExportId = Annotated[str, InPath(max_length=100)]


class ExportShown(BaseModel):
    """An export that goes on."""

    id: str
    what: str
    who: str
    begun_at: datetime
    told_at: datetime
    rows: int
    stop_asked_at: datetime | None


class ExportsPage(ListPage):
    """A page of exports, the oldest first."""

    items: list[ExportShown]


class ExportRoutes:
    """Which exports go on, and an end to one."""

    def __init__(self, shell: Shell, gate: Gate) -> None:
        self._shell, self._writer = shell, gate.allow(PLATFORM, "write")
        self._group = RouteGroup(PATH, "platform.exports", gate.allow(PLATFORM, "read"))

    def all(self) -> list[ApiRoute]:
        """Listing, and stopping one."""
        return [
            self._group.route("GET", "", self.list, ExportsPage),
            self._group.route("POST", "/{id}/stop", self.stop, ExportShown, 202, rule=self._writer),
        ]

    def list(self, request: Request, asked: Listed, principal: Principal) -> Response:
        """The exports that go on, in any process."""
        page = partial(page_of, "exports", self._shell.exports.running(), lambda each: (each.id,))
        return list_answer(
            request, asked, Naming(self._shell, principal), ExportsPage, page, _shown, "exports"
        )

    def stop(self, id: ExportId, key: IdempotencyKey, principal: Principal) -> Response:  # noqa: A002 - the path's own name
        """Have an export end; its file is cut off."""

        def work(beside: Beside[RunningExport]) -> RunningExport:
            line = self._shell.history.line(
                Actor.of(principal), PLATFORM, "Export", id, "stop", request_id=current.get()
            )
            return self._shell.exports.stop(id, with_line(line, beside))

        asked = f"POST {PATH}/{id}/stop".encode()
        return once(self._shell, principal, key, asked, work, lambda marked: answered(_shown(marked), 202))


def _shown(found: RunningExport) -> ExportShown:
    return ExportShown(**{name: getattr(found, name) for name in ExportShown.model_fields})
