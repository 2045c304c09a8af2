"""References between items: the search by which the other item is found, with the rights of whoever looks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from starlette.responses import JSONResponse, Response

from hansang.apps.application import Application
from hansang.blueprint.explorer.cells import HIDDEN, field_texts
from hansang.blueprint.explorer.forms import FormField
from hansang.blueprint.explorer.questions import questions
from hansang.design.shape import Shape
from hansang.errors import NotFound
from hansang.surfaces.console.data_paths import application_of, guard_of
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, allowed

_SHOWN, _READ = 20, 1_000
"""How many are offered, and how many are read to find them."""


@dataclass(frozen=True, slots=True)
class OfferedReference:
    """An item that can be chosen: its id, and what people call it."""

    value: str
    label: str


def search(visit: Visit) -> Response:
    """The items of a kind whose id or label has the text in it, as JSON."""
    application = application_of(visit)
    shape = _shape(application, visit.param("kind"))
    guard_of(visit, application).expect_shown([shape])
    wanted = visit.query("q").strip().casefold()
    every = offered(visit, application, shape, visit.query("label"))
    found = (each for each in every if wanted in f"{each.value} {each.label}".casefold())
    shown = [{"value": each.value, "label": each.label} for each in islice(found, _SHOWN)]
    return JSONResponse(shown, headers={"Cache-Control": "no-store"})


def offered(visit: Visit, application: Application, shape: Shape, label: str) -> Iterator[OfferedReference]:
    """The items of a kind, as its list without arguments has them; a label that is hidden is not told."""
    listed = [each for each in questions(application.tables) if each.shape is shape and not each.fields]
    if not listed:
        return
    role = visit.role(application.name)
    key = shape.pk.fields[-1] if shape.pk.fields else ""
    for each in visit.shell.database.each(listed[0].make({}), _READ, unreadable=lambda _: None):
        texts = field_texts(shape, each, role)
        name = texts.get(label, "")
        yield OfferedReference(texts.get(key, ""), "" if name == HIDDEN else name)


def offered_references(
    visit: Visit, application: Application, fields: Iterable[FormField]
) -> dict[str, list[OfferedReference]]:
    """The first items for every field that refers to others, for forms without a script."""
    found: dict[str, list[OfferedReference]] = {}
    guard = guard_of(visit, application)
    for each in fields:
        mark: Any = each.references
        shape = _shape(application, mark.kind)
        if shape.cls not in guard.hidden:
            found[each.name] = list(islice(offered(visit, application, shape, mark.label), _SHOWN))
    return found


def _shape(application: Application, kind: str) -> Shape:
    found = application.entities.get(kind)
    if found is None or found.__shape__ is None:
        raise NotFound(
            "{table} has no {name}. There are {known}.",
            code="surfaces.no-kind",
            values={"table": application.name, "name": kind, "known": ", ".join(application.entities)},
        )
    return found.__shape__


PAGES: tuple[PageRoute, ...] = (PageRoute("/data/{app}/references/{kind}", search, allowed("{app}", "read")),)
