"""The page of one table or index: what is in it, page by page, searched by key and filtered by attribute."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starlette.responses import Response

from hansang.blueprint.explorer.browsing import SIGNS, Found, Search, Sign, Source, browse, source, sources
from hansang.blueprint.explorer.cells import HIDDEN, cell, columns, kinds, masked, shapes_in
from hansang.blueprint.explorer.filters import FILTER_SIGNS, AttributeFilter, FilterSign
from hansang.blueprint.table_status import table_status
from hansang.design.kinds import recognised
from hansang.design.shape import Item, Shape
from hansang.design.visibility import hidden_keys
from hansang.engine.capacity import read_units
from hansang.engine.values import item_size
from hansang.errors import InvalidInput, NotAllowed
from hansang.surfaces.console.data_paths import (
    TablePlace,
    copy_ways,
    guard_of,
    meaning,
    picked_key,
    place_of,
)
from hansang.surfaces.console.entity_rows import entity_rows
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, allowed
from hansang.surfaces.guards import Guard

LIMITS = (10, 25, 50, 100)
_LIMIT = 25


def table(visit: Visit) -> Response:
    """One page of a table or an index."""
    place = place_of(visit)
    application, found = place.application, place.table
    guard = guard_of(visit, application)
    wanted = source(found, visit.query("index"))
    _expect_open(guard, wanted)
    kept_by = _filter(visit)
    looked_at: list[Item] = []
    kind = visit.query("kind") if visit.query("kind") in (each.cls.__name__ for each in found.shapes) else ""
    search = _search(visit, wanted, _keep(guard, wanted, kept_by, kind, looked_at))
    page, fault = _found(place, search)
    items = [] if page is None else guard.shown(found, page.items)
    seen = [masked(found, item, guard.role) for item in items]
    is_partial = not guard.sees_all_of(found)
    as_entities = visit.query("as", "entities" if kind else "items") == "entities"
    total, is_about = (None, False) if page is None else _total(visit, place, search, kept_by, kind)
    rows = entity_rows(visit, place)
    return visit.page(
        "data/table.html",
        application=application,
        table=found,
        at=place,
        ways=copy_ways(visit, place, (each.shape.cls for each in rows if each.href)),
        about=meaning(visit, application, found.__name__, found),
        search=search,
        filter=kept_by,
        filter_signs=FILTER_SIGNS,
        attributes=_attributes(wanted, seen),
        kind_name=kind,
        sources=[each for each in sources(found) if not _hidden_keys(guard, each)],
        signs=search.source.signs,
        page=page,
        read_units=_seen_units(guard, wanted, looked_at or page.items) if page and is_partial else None,
        total=total,
        is_about=is_about,
        items=seen,
        hidden=HIDDEN,
        fault=fault,
        as_entities=as_entities,
        has_types=visit.query("types") == "on",
        columns=columns(search.source, seen),
        kinds=kinds(search.source, items, guard.role) if as_entities else [],
        cell=cell,
        limits=LIMITS,
        labels=visit.labels(application.name),
        forms=_key_forms(search.source),
        entities=rows,
        news=[each for each in rows if each.new],
        picked=f"{place.path}/selected",
        href=place.item_path,
        key=lambda item: picked_key(found, item),
    )


def _expect_open(guard: Guard, wanted: Source) -> None:
    """Refuse an index whose key holds what whoever looks does not see: the place of an item in it would tell."""
    names = _hidden_keys(guard, wanted)
    if names:
        raise NotAllowed(
            "You do not see {names}, and the index {index} is sorted by it. Use the table or another index.",
            code="surfaces.index-hidden",
            values={"names": ", ".join(names), "index": wanted.name},
        )


def _hidden_keys(guard: Guard, wanted: Source) -> list[str]:
    return [] if wanted.index is None else hidden_keys(wanted.index, wanted.table, guard.role)


def _seen_units(guard: Guard, wanted: Source, items: list[Item]) -> float:
    """What reading these items costs without what is hidden of them, whose size it would tell."""
    seen = (guard.seen(wanted.table, item) for item in items)
    return read_units(sum(item_size(each) for each in seen if each is not None), consistent=False)


def _search(visit: Visit, wanted: Source, keep: Callable[[Item], bool] | None) -> Search:
    given = visit.query("sign")
    sign: Sign = given if given in SIGNS else "begins_with"
    sign = sign if sign in wanted.signs or not wanted.signs else wanted.signs[0]
    limit = visit.query("limit")
    return Search(
        wanted,
        visit.query("partition").strip(),
        visit.query("sort").strip(),
        sign,
        is_forward=visit.query("order") != "descending",
        limit=int(limit) if limit in map(str, LIMITS) else _LIMIT,
        cursor=visit.query("cursor") or None,
        keep=keep,
        further={name: visit.query(f"key.{name}").strip() for name in further_keys(wanted)},
    )


def further_keys(wanted: Source) -> tuple[str, ...]:
    """The attributes of its key behind the first of each half."""
    return (*wanted.partition_keys[1:], *wanted.sort_keys[1:])


def _filter(visit: Visit) -> AttributeFilter:
    given = visit.query("test")
    sign: FilterSign = given if given in FILTER_SIGNS else FILTER_SIGNS[0]
    return AttributeFilter(visit.query("attribute").strip(), sign, visit.query("value").strip())


def _keep(
    guard: Guard, wanted: Source, kept_by: AttributeFilter, kind: str, looked_at: list[Item]
) -> Callable[[Item], bool] | None:
    """What is not left out; an item is looked at as whoever looks sees it, so that no filter tells what is hidden.

    Every item that is read for it goes to `looked_at`.
    """
    if not kept_by.is_whole and not kind:
        return None
    shapes = shapes_in(wanted)

    def keep(item: Item) -> bool:
        looked_at.append(item)
        if guard.hides(wanted.table, item):
            return False
        if kind and _kind_name(recognised(shapes, item)) != kind:
            return False
        return not kept_by.is_whole or kept_by.keeps(masked(wanted.table, item, guard.role))

    return keep


def _kind_name(shape: Shape | None) -> str:
    whole = shape if shape is None or shape.entity is None else shape.entity
    return "" if whole is None else whole.cls.__name__


def _found(place: TablePlace, search: Search) -> tuple[Found | None, str]:
    """The page, or the attribute whose value is missing or not of its type."""
    try:
        return browse(place.database, search), ""
    except InvalidInput as fault:
        return None, fault.field or "?"


def _total(
    visit: Visit, place: TablePlace, search: Search, kept_by: AttributeFilter, kind: str
) -> tuple[int | None, bool]:
    """How many items there are in all, if that is known without reading them, and whether it is an estimate."""
    if search.is_by_key or kept_by.is_whole:
        return None, False
    status, index = table_status(place.database, place.table), search.source.index
    is_about = visit.shell.settings.data.startswith(("aws:", "http"))  # AWS counts every six hours.
    if kind and index is None:
        counted = visit.console.counting.of(status)
        found = {_kind_name(shape): count for shape, count in counted.counts.items()}
        return found.get(kind, 0), is_about or counted.is_estimate
    if kind:
        return None, False
    return (status.items if index is None else status.indexes.get(index.name, (0, 0))[0]), is_about


def _attributes(wanted: Source, seen: list[Item]) -> list[str]:
    """The attributes that can be filtered by: those of the design, and what the page has beside them."""
    known = dict.fromkeys(wanted.keys)
    known |= dict.fromkeys(name for shape in shapes_in(wanted) for name in sorted(shape.attributes))
    return [*dict.fromkeys((*known, *columns(wanted, seen)))]


def _key_forms(source: Source) -> dict[str, list[str]]:
    """How the keys of a table or an index begin, offered while they are typed."""
    return {name: sorted(set(_beginnings(source, name))) for name in source.keys}


def _beginnings(source: Source, attribute: str) -> list[str]:
    table = source.table
    if attribute == table.type_attribute:
        return [shape.type_name for shape in table.shapes if shape.type_name]
    templates: list[Any] = [
        {table.pk: shape.pk, table.sk: shape.sk}.get(attribute, shape.composed.get(attribute))
        for shape in table.shapes
    ]
    return [each.prefix for each in templates if each is not None and each.prefix]


PAGES: tuple[PageRoute, ...] = (
    PageRoute("/data/{app}/tables/{table}", table, allowed("{app}", "read")),
    PageRoute("/data/{app}/copies/{copy}/tables/{table}", table, allowed("{app}", "read")),
)
