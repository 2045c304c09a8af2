"""What the API tells of itself: where everything is, and what each problem means."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path as InPath
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from hansang import __version__
from hansang.errors import NotFound
from hansang.parts.words import Language
from hansang.surfaces.api.endpoints import RouteGroup, answered
from hansang.surfaces.api.pages import ReferencePages
from hansang.surfaces.api.problems import kinds
from hansang.surfaces.api.routes import ApiRoute
from hansang.surfaces.api.rules import Public
from hansang.surfaces.http.languages import language
from hansang.surfaces.http.problems import HttpProblem
from hansang.surfaces.shell import Shell

GENERAL = "general"

ProblemCode = Annotated[str, InPath(max_length=100)]


class ApplicationPlace(BaseModel):
    """An application, and where it is."""

    name: str
    title: str
    address: str


class ApiShown(BaseModel):
    """Where everything is."""

    version: str
    docs: str
    openapi: str
    problems: str
    applications: list[ApplicationPlace]


class ProblemShown(BaseModel):
    """One kind of problem."""

    code: str
    status: int
    title: str
    detail: str
    remedy: str


class ProblemsShown(BaseModel):
    """Every kind of problem that the API answers with."""

    items: list[ProblemShown]


class CatalogueRoutes:
    """The routes that are everyone's."""

    def __init__(self, shell: Shell, pages: ReferencePages) -> None:
        self._shell, self._pages = shell, pages

    def all(self) -> list[ApiRoute]:
        """The beginning, and the problems."""
        group = RouteGroup("/api", GENERAL, Public())
        return [
            group.route("GET", "", self.start, ApiShown),
            group.route("GET", "/problems", self.problems, ProblemsShown),
            group.route("GET", "/problems/{code}", self.problem, ProblemShown),
        ]

    def start(self, request: Request) -> Response:
        """Where everything is."""
        spoken = language(request)
        places = [
            ApplicationPlace(name=each.name, title=each.title.text(spoken), address=f"/api/{each.name}")
            for each in self._shell.applications
        ]
        return answered(
            ApiShown(
                version=__version__,
                docs="/api/docs",
                openapi="/api/openapi.json",
                problems="/api/problems",
                applications=places,
            )
        )

    def problems(self, request: Request) -> Response:
        """Every kind of problem, with what to do about it."""
        spoken = language(request)
        found = [
            _shown(each, spoken)
            for each in sorted(kinds().values(), key=lambda each: (each.status, each.code))
        ]
        if wants_page(request):
            return self._pages.page(request, "problems.html", here="problems", problems=found)
        return answered(ProblemsShown(items=found))

    def problem(self, request: Request, code: ProblemCode) -> Response:
        """One kind of problem, with what to do about it."""
        found = kinds().get(code)
        if found is None:
            raise NotFound("Problem {code} not found.", code="surfaces.no-problem", values={"code": code})
        shown = _shown(found, language(request))
        if wants_page(request):
            return self._pages.page(request, "problem.html", here="problems", problem=shown)
        return answered(shown)


def wants_page(request: Request) -> bool:
    """Whether a browser asks; programs get JSON."""
    return "text/html" in request.headers.get("accept", "")


def _shown(kind: HttpProblem, spoken: Language) -> ProblemShown:
    return ProblemShown(
        code=kind.code,
        status=kind.status,
        title=kind.title.text(spoken),
        detail=kind.detail.text(spoken),
        remedy=kind.remedy.text(spoken),
    )
