"""The page of one item: its attributes, its entity, its size and cost, its indexes, its changes."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from starlette.responses import Response

from hansang.apps.application import Application
from hansang.blueprint.explorer import json_texts, request_texts
from hansang.blueprint.explorer.browsing import Source
from hansang.blueprint.explorer.cells import HIDDEN, cell, columns, field_texts, masked
from hansang.blueprint.explorer.details import Details, details
from hansang.blueprint.explorer.flaws import flaws, likeliest
from hansang.blueprint.explorer.key_texts import key_text
from hansang.design import Table, visibility
from hansang.design.codec import Value, to_python
from hansang.design.shape import Item
from hansang.engine.values import item_size
from hansang.errors import NotFound
from hansang.parts.etags import etag
from hansang.parts.history import subject_of
from hansang.parts.permissions import Role
from hansang.parts.write_rules import ANYONE
from hansang.surfaces.addresses import item_path, key_at
from hansang.surfaces.console.data_paths import TablePlace, copy_ways, guard_of, meaning, place_of
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, allowed
from hansang.surfaces.hand_items import tag_seen
from hansang.surfaces.labels import Labels

_CHANGES = 8
LONGEST = 4_000
"""Characters of one value that a page shows; the rest has an address of its own."""


def item(visit: Visit) -> Response:
    """One item, or NotFound; of a further copy it is only shown."""
    place = place_of(visit)
    application, table = place.application, place.table
    found = get_stored(visit, place)
    role = visit.role(application.name)
    known, seen = details(table, found, role), masked(table, found, role)
    rule = ANYONE if known.shape is None else application.write_rule(known.shape.cls)
    may_write = _may_write(visit, place) and (known.shape is None or not visibility.has_secret(known.shape))
    # The history names what was done to another board by the board, and not by an item of its tables.
    changes = None if place.copy else visit.shell.history.of_subject(subject_of(table, found), _CHANGES)
    like = None if known.entity is not None else likeliest(table, found)
    return visit.page(
        "data/item.html",
        application=application,
        table=table,
        at=place,
        ways=copy_ways(visit, place, [] if known.shape is None else [known.shape.cls]),
        item=seen,
        hidden=HIDDEN,
        etag=seen_tag(visit, application, table, found, etag(found)),
        details=known,
        about=_about(visit, application, known),
        attributes=_attributes(table, found, seen),
        fields=_fields(visit, application, known, role),
        has_types=visit.query("types") == "on",
        titles=titles_of(table, found),
        json=request_texts.as_json(seen),
        longest=LONGEST,
        raw=place.item_path(found, "raw"),
        json_path=_whole_path(visit, place, known, found, "edit-json"),
        duplicate=_duplicate_path(visit, place, known, found),
        changes=None if changes is None else changes.items,
        unreadable=[] if changes is None else visit.named(changes.unreadable),
        rule=rule,
        is_open=may_write and rule.changes,
        labels=visit.labels(application.name),
        may_repair=may_write and known.entity is None and seen == found,
        flaws=[] if like is None else flaws(like, found),
        paths={verb: place.item_path(found, verb) for verb in ("edit", "delete", "repair")},
        back=place.path,
    )


def raw(visit: Visit) -> Response:
    """One item as DynamoDB's JSON, or one attribute of it as text, whole, as whoever looks sees it."""
    place = place_of(visit)
    found = get_stored(visit, place)
    seen, name = masked(place.table, found, visit.role(place.application.name)), visit.query("name")
    if not name:
        return Response(request_texts.as_json(seen), media_type="application/json")
    if name not in seen:
        raise NotFound(
            "The item has no attribute {name}.", code="surfaces.no-attribute", values={"name": name}
        )
    return Response(_formatted(seen[name]), media_type="text/plain; charset=utf-8")


def _formatted(value: Value) -> str:
    """An attribute for people: a list or a map over several lines."""
    is_deep = next(iter(value)) in ("L", "M")
    return json_texts.written(to_python(value), 2) if is_deep else cell(value).text


def _fields(visit: Visit, application: Application, known: Details, role: Role | None) -> dict[str, str]:
    """The fields of the entity as whoever looks reads them, those that hold lists or maps over several lines."""
    if known.shape is None or known.entity is None:
        return {}
    texts = field_texts(known.shape, known.entity, role)
    kind, labels = known.shape.cls.__name__, visit.labels(application.name)
    return {
        name: text
        if text in ("", HIDDEN)
        else _read(visit, labels, kind, name, getattr(known.entity, name), text)
        for name, text in texts.items()
    }


def _read(visit: Visit, labels: Labels, kind: str, name: str, value: Any, text: str) -> str:
    """A value for people: a moment in their zone, a choice by its name; what they typed as it is."""
    if isinstance(value, bool):
        return visit.t("data.yes" if value else "data.no")
    if isinstance(value, datetime):
        return visit.formats.exact(value)
    if isinstance(value, list | dict | tuple) and value:
        return json_texts.written(value, 2)
    return labels.choice(kind, name, text) if isinstance(value, str) else text


def _may_write(visit: Visit, place: TablePlace) -> bool:
    """Whether whoever looks may write to the table by hand; nobody may to that of a further copy."""
    return not place.copy and visit.may(place.application.name, "write")


def _duplicate_path(visit: Visit, place: TablePlace, known: Details, found: Item) -> str:
    """Where a new item begins with the values of this one; empty if none is created by hand."""
    if known.shape is None or not place.application.write_rule(known.shape.cls).creates:
        return ""
    return _whole_path(visit, place, known, found, f"new/{known.shape.cls.__name__}")


def _whole_path(visit: Visit, place: TablePlace, known: Details, found: Item, verb: str) -> str:
    """The page of a verb that shows every value of an entity; empty for whoever may not see or write them all."""
    shape = known.shape
    if shape is None or known.entity is None or not _may_write(visit, place):
        return ""
    if visibility.has_secret(shape) or not visibility.sees_all(shape, visit.role(place.application.name)):
        return ""
    return item_path(place.application, shape.table, found, verb)


def get_item(visit: Visit, application: Application, table: type[Table]) -> tuple[Item, str]:
    """The item that the link names and its tag, or NotFound; NotAllowed if it is not shown to whoever looks."""
    found = get_stored(visit, TablePlace(application, table, visit.shell.database))
    return found, etag(found)


def get_stored(visit: Visit, place: TablePlace) -> Item:
    """The item of a table, or of a further copy of it, that the link names; NotFound and NotAllowed as above."""
    key = key_at(place.table, dict(visit.request.query_params))
    found = place.database.find_item(place.table, key)
    if found is None:
        raise NotFound(
            "Item {subject} not found. It may have been deleted.",
            code="surfaces.no-item",
            values={"subject": place.subject(key)},
        )
    guard_of(visit, place.application).expect_item_shown(place.table, found)
    return found


def seen_tag(visit: Visit, application: Application, table: type[Table], found: Item, tag: str) -> str:
    """The tag of what whoever looks sees."""
    return tag_seen(table, found, tag, visit.role(application.name))


def titles_of(table: type[Table], found: Item) -> list[str]:
    """The parts of an item's key, for its heading."""
    return [key_text(found[name]) for name in table.key_attributes()]


def _about(visit: Visit, application: Application, known: Details) -> str:
    if known.shape is None:
        return ""
    return meaning(visit, application, known.shape.cls.__name__, known.shape.cls)


def _attributes(table: type[Table], found: Item, seen: Item) -> list[dict[str, Any]]:
    names = columns(Source(table), [found])
    return [
        {
            "name": name,
            "cell": cell(seen[name]),
            "text": _formatted(seen[name]),
            "size": None if seen[name] == {"S": HIDDEN} else item_size({name: found[name]}),
        }
        for name in names
    ]


PAGES: tuple[PageRoute, ...] = (
    PageRoute("/data/{app}/tables/{table}/item", item, allowed("{app}", "read")),
    PageRoute("/data/{app}/tables/{table}/raw", raw, allowed("{app}", "read")),
    PageRoute("/data/{app}/copies/{copy}/tables/{table}/item", item, allowed("{app}", "read")),
    PageRoute("/data/{app}/copies/{copy}/tables/{table}/raw", raw, allowed("{app}", "read")),
)
