"""The company as routes: one item, read and stored."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Body
from pydantic import BaseModel
from starlette.responses import Response

from hansang.apps.codex.api.documents import (
    PATH,
    SAME,
    WRITTEN,
    both_versions,
    change_header,
    codex_of,
    edited_by,
    with_example,
    written,
)
from hansang.apps.codex.design import CorpInfo
from hansang.apps.codex.entities import AREA
from hansang.apps.codex.registry import given_model, shown_model
from hansang.parts.editing import Edit
from hansang.parts.permissions import Principal
from hansang.parts.receipts import Beside
from hansang.surfaces.api.endpoints import RouteGroup, route
from hansang.surfaces.api.repeats import IdempotencyKey, once
from hansang.surfaces.api.routes import ApiRoute
from hansang.surfaces.api.rules import Gate
from hansang.surfaces.api.tags import IfMatch, IfNoneMatch, is_known, quoted
from hansang.surfaces.shell import Shell

_PATH = f"{PATH}/corp-info"


class CompanyRoutes:
    """What the site says of its company."""

    def __init__(self, shell: Shell, gate: Gate) -> None:
        self._shell, self._codex = shell, codex_of(shell)
        self._type = self._codex.registry.of(CorpInfo)
        self._reads = RouteGroup(_PATH, "codex.corp-info", gate.allow(AREA, "read"))
        self._writer = gate.allow(AREA, "write")

    def all(self) -> list[ApiRoute]:
        """Reading and storing."""
        return [
            self._reads.route(
                "GET", "", self.read, shown_model(self._type), extra=SAME | {"x-problems": [404]}
            ),
            route(
                "PUT",
                _PATH,
                self.store,
                name="codex.corp-info.store",
                tag=AREA,
                rule=self._writer,
                answers=shown_model(self._type),
                takes=lambda: {"given": Annotated[given_model(self._type), Body()]},
                extra=WRITTEN | with_example(self._type),
            ),
        ]

    def read(self, seen: IfNoneMatch, principal: Principal) -> Response:
        """The company, with its tag."""
        company, tag = self._codex.company.get("corp-info")
        if seen is not None and is_known(seen, tag):
            return Response(status_code=304, headers={"ETag": quoted(tag)})
        return written(self._type.document(company), tag)

    def store(self, given: BaseModel, seen: IfMatch, key: IdempotencyKey, principal: Principal) -> Response:
        """Store the company in place of the one that was read; the first time, without If-Match."""
        tag = None if seen is None else seen.strip().strip('"')

        def work(beside: Beside[Edit[Any]]) -> Edit[Any]:
            with both_versions(self._codex, given):
                return self._codex.company.store(given, tag, edited_by(principal, beside))

        def told(edit: Edit[Any]) -> Response:
            return written(self._type.document(edit.subject), edit.etag, change_header(edit))

        asked = f"PUT {_PATH} {tag}\n{given.model_dump_json()}".encode()
        return once(self._shell, principal, key, asked, work, told)
