"""The tools for agents as one route, which speaks the Model Context Protocol."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from hansang.apps.codex.agents import AgentTools
from hansang.apps.codex.api.documents import PATH, settings_of
from hansang.apps.codex.entities import AREA
from hansang.apps.codex.service import Codex
from hansang.design import Database
from hansang.errors import NotAllowed
from hansang.parts.permissions import Principal
from hansang.surfaces.api.endpoints import RouteGroup
from hansang.surfaces.api.routes import ApiRoute
from hansang.surfaces.api.rules import Gate
from hansang.surfaces.shell import Shell


class AgentRoutes:
    """The way in for agents, with a key as for every other program."""

    def __init__(self, shell: Shell, gate: Gate) -> None:
        self._shell = shell
        self._group = RouteGroup(PATH, AREA, gate.allow(AREA, "read"), is_listed=False)

    def all(self) -> list[ApiRoute]:
        """The one route."""
        return [self._group.route("POST", "/mcp", self.mcp)]

    async def mcp(self, request: Request, principal: Principal) -> Response:
        """A message of the Model Context Protocol."""
        try:
            from hansang.apps.codex.mcp_server import answer
        except ModuleNotFoundError as missing:
            raise NotAllowed(
                "Agents need the package mcp. Install hansang[mcp].", code="codex.no-mcp"
            ) from missing
        found = await answer(self._tools(principal), request.scope, request.receive)
        response = Response(found.body, found.status)
        response.raw_headers = found.headers
        return response

    def _tools(self, principal: Principal) -> AgentTools:
        settings = settings_of(self._shell)

        def make(database: Database) -> Codex:
            return Codex(database, self._shell.clock, settings, rights=self._shell.identity.rights)

        return AgentTools(self._shell.database, make, principal)
