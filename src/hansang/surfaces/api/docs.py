"""The reference as routes: the OpenAPI document, and pages made from it."""

from __future__ import annotations

from typing import Annotated

import orjson
from fastapi import Path as InPath
from starlette.requests import Request
from starlette.responses import Response

from hansang.errors import NotFound
from hansang.surfaces.api.endpoints import JSON, RouteGroup
from hansang.surfaces.api.openapi import OpenApi
from hansang.surfaces.api.pages import ReferencePages
from hansang.surfaces.api.reference import Reference
from hansang.surfaces.api.routes import ApiRoute
from hansang.surfaces.api.rules import Public
from hansang.surfaces.http.languages import language
from hansang.surfaces.http.origins import base_of
from hansang.surfaces.shell import Shell

InDocs = Annotated[str, InPath(max_length=100)]
TOPICS = ("keys", "names", "pages", "tags", "repeats", "problems")


class DocsRoutes:
    """The reference, for programs and for people."""

    def __init__(self, shell: Shell, document: OpenApi, pages: ReferencePages) -> None:
        self._shell, self._document, self._pages = shell, document, pages

    def all(self) -> list[ApiRoute]:
        """The document, the beginning, a page for each section, and the files that they load."""
        group = RouteGroup("/api", "docs", Public(), is_listed=False)
        return [
            group.route("GET", "/openapi.json", self.openapi),
            group.route("GET", "/docs", self.start),
            group.route("GET", "/docs/{section}", self.section),
            group.route("GET", "/docs/files/{name}", self.file),
        ]

    def openapi(self, request: Request) -> Response:
        """The OpenAPI document in the caller's language."""
        return Response(orjson.dumps(self._document.document(language(request))), media_type=JSON)

    def start(self, request: Request) -> Response:
        """How to begin."""
        words = request.query_params.get("q", "").strip()[:100]
        spoken = language(request)
        found = Reference(self._document.document(spoken), self._base(request)).search(words) if words else []
        first = f"curl '{self._base(request)}/api/platform/me' \\\n  -H 'Authorization: Bearer hsk_…'"
        return self._pages.page(
            request, "start.html", here="start", topics=TOPICS, first=first, words=words, found=found
        )

    def section(self, request: Request, section: InDocs) -> Response:
        """The operations of one section."""
        spoken = language(request)
        found = next((each for each in self._pages.sections(spoken) if each.name == section), None)
        if found is None:
            raise NotFound(
                "Section {section} not found in the reference.",
                code="surfaces.no-section",
                values={"section": section},
            )
        shown = Reference(self._document.document(spoken), self._base(request)).section(section)
        return self._pages.page(request, "section.html", here=section, section=found, operations=shown)

    def file(self, name: InDocs) -> Response:
        """A style sheet, a script or a picture of the reference."""
        found = self._pages.file(name)
        if found is None:
            raise NotFound(
                "File {name} not found in the reference.", code="surfaces.no-file", values={"name": name}
            )
        return found

    def _base(self, request: Request) -> str:
        return base_of(request, self._shell.settings)
