"""Whoever asks, and what everything has cost, as routes."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from operator import attrgetter

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from hansang.apps.platform.accounts import accounts_of
from hansang.parts.permissions import PLATFORM, Principal
from hansang.parts.timestamps import to_datetime
from hansang.parts.usage import PatternUsage
from hansang.surfaces.api.endpoints import RouteGroup, answered
from hansang.surfaces.api.lists import list_answer, page_of
from hansang.surfaces.api.parameters import Listed
from hansang.surfaces.api.routes import ApiRoute
from hansang.surfaces.api.rules import Gate
from hansang.surfaces.api.unreadable import ListPage
from hansang.surfaces.naming import Naming
from hansang.surfaces.shell import Shell


class MeShown(BaseModel):
    """Whoever asks."""

    kind: str
    name: str
    shown: str
    scopes: list[str]
    csrf: str | None


class UsageRow(BaseModel):
    """What one access pattern has cost at one table or index."""

    app: str
    pattern: str
    operation: str
    table: str
    index: str
    requests: int
    read_units: float
    write_units: float


class UsagePage(ListPage):
    """What access patterns have cost since the server was started, by their names."""

    since: datetime
    items: list[UsageRow]


class MeRoutes:
    """Who is asking, and what was used."""

    def __init__(self, shell: Shell, gate: Gate) -> None:
        self._shell, self._accounts = shell, accounts_of(shell.identity)
        self._known, self._reader = gate.known(), gate.allow(PLATFORM, "read")

    def all(self) -> list[ApiRoute]:
        """Both of them."""
        group = RouteGroup("/api/platform", PLATFORM, self._known)
        return [
            group.route("GET", "/me", self.me, MeShown),
            group.route("GET", "/usage", self.usage, UsagePage, rule=self._reader),
        ]

    def me(self, request: Request, principal: Principal) -> Response:
        """Who is asking, with which rights."""
        session = None if principal.session is None else request.state.session
        return answered(
            MeShown(
                kind=principal.kind,
                name=principal.name,
                shown=principal.shown,
                scopes=sorted(principal.scopes),
                csrf=None if session is None else self._accounts.sessions.csrf(session),
            )
        )

    def usage(self, request: Request, asked: Listed, principal: Principal) -> Response:
        """What every access pattern has cost in units since the server was started."""
        place = attrgetter("pattern", "operation", "table", "index")
        page = partial(page_of, "usage", self._shell.usage.snapshot(), place)
        since = to_datetime(self._shell.started_at)
        return list_answer(
            request, asked, Naming(self._shell, principal), UsagePage, page, _row, "usage", since=since
        )


def _row(used: PatternUsage) -> UsageRow:
    return UsageRow(**{name: getattr(used, name) for name in UsageRow.model_fields})
