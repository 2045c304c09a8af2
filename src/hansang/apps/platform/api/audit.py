"""The audit log as a route: a page of it, or all of it as a file."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from hansang.parts.audit import AuditEvent, AuditKind
from hansang.parts.permissions import PLATFORM, Principal
from hansang.surfaces.api.endpoints import RouteGroup
from hansang.surfaces.api.lists import list_answer
from hansang.surfaces.api.parameters import Listed
from hansang.surfaces.api.routes import ApiRoute
from hansang.surfaces.api.rules import Gate
from hansang.surfaces.api.unreadable import ListPage
from hansang.surfaces.naming import Naming
from hansang.surfaces.shell import Shell

PATH = "/api/platform/audit"


class AuditEventShown(BaseModel):
    """One line of the audit log."""

    at: datetime
    kind: AuditKind
    who: str | None
    origin: str | None
    detail: str
    agent: str | None
    count: int
    request_id: str | None


class AuditPage(ListPage):
    """A page of the audit log, the newest first."""

    items: list[AuditEventShown]


class AuditRoutes:
    """Reading the audit log; nobody writes it from outside."""

    def __init__(self, shell: Shell, gate: Gate) -> None:
        self._shell = shell
        self._group = RouteGroup(PATH, "platform.audit", gate.allow(PLATFORM, "admin"))

    def all(self) -> list[ApiRoute]:
        """Listing and exporting."""
        return [self._group.route("GET", "", self.list, AuditPage)]

    def list(self, request: Request, asked: Listed, principal: Principal) -> Response:
        """Sign-ins, refusals and administration, the newest first; jsonl and csv have all of them."""
        naming = Naming(self._shell, principal)
        return list_answer(request, asked, naming, AuditPage, self._shell.audit.page, shown, "audit")


def shown(event: AuditEvent) -> AuditEventShown:
    """A line as the API tells it."""
    same = {name: getattr(event, name) for name in AuditEventShown.model_fields if name != "at"}
    return AuditEventShown(at=event.moment, **same)
