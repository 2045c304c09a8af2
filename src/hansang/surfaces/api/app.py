"""The API, put together: one FastAPI application with a route for everything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from fastapi import FastAPI
from starlette.exceptions import HTTPException

from hansang import __version__
from hansang.apps.application import Application
from hansang.design.entity import Model
from hansang.errors import DesignError
from hansang.surfaces.api.catalogue import CatalogueRoutes
from hansang.surfaces.api.designs import DesignRoutes
from hansang.surfaces.api.docs import DocsRoutes
from hansang.surfaces.api.meanings import Meanings
from hansang.surfaces.api.openapi import About, OpenApi
from hansang.surfaces.api.pages import ReferencePages
from hansang.surfaces.api.parameter_fields import keep_all
from hansang.surfaces.api.routes import ApiRoute, Routes, http_problem
from hansang.surfaces.api.rules import Gate
from hansang.surfaces.shell import Shell
from hansang.surfaces.wording import Wording


def create_api(shell: Shell) -> FastAPI:
    """The application; other routes may be added to it."""
    keep_all()
    app = FastAPI(
        title="Hansang",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,
        telemetry={"tracing": False, "metrics": False, "logs": False, "operation_spans": False},
        exception_handlers={HTTPException: http_problem},
    )
    app.state.wording = Wording.load(shell.plugged)
    app.router.routes.append(Routes(api_routes(shell, app.state.wording)))
    return app


def api_routes(shell: Shell, wording: Wording) -> list[ApiRoute]:
    """Every route of the API, and those that tell of them."""
    gate, meanings, pages = Gate(shell), Meanings(wording), ReferencePages(shell)
    routes = [
        *CatalogueRoutes(shell, pages).all(),
        *_verbs(shell.platform, shell, gate),
        *(route for each in shell.applications for route in _of(each, shell, gate, meanings)),
    ]
    pages.counts = Counter(str(route.tags[0]) for route in routes)
    document = OpenApi(routes, _entities(shell, meanings), wording)
    return [*routes, *DocsRoutes(shell, document, pages).all()]


def _of(application: Application, shell: Shell, gate: Gate, meanings: Meanings) -> Iterator[ApiRoute]:
    yield from _verbs(application, shell, gate)
    yield from DesignRoutes(shell, application, gate, meanings).all()


def _verbs(application: Application, shell: Shell, gate: Gate) -> Iterator[ApiRoute]:
    """What an application can do beyond its design."""
    for verbs in application.load("api") or ():
        for route in verbs(shell, gate).all():
            if not f"{route.path}/".startswith(f"/api/{application.name}/"):
                raise DesignError(
                    f"The application {application.name} has a route {route.path}. "
                    f"Its routes have to begin with /api/{application.name}/."
                )
            yield route


def _entities(shell: Shell, meanings: Meanings) -> dict[str, About]:
    """What the reference says of every entity and view, by its name."""
    return {
        name: About(meanings.words(each.name, name, kind), _attributes(kind))
        for each in shell.applications
        for name, kind in (each.entities | each.views).items()
    }


def _attributes(kind: type[Model]) -> dict[str, str | None]:
    assert kind.__shape__ is not None
    return {name: slot.attribute for name, slot in kind.__shape__.slots.items()}
