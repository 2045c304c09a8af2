"""Editing an item as JSON: the fields of its entity in one text, with the checks of the form."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from json import JSONDecodeError
from typing import Any

from starlette.responses import Response

from hansang.blueprint.explorer import json_texts
from hansang.blueprint.explorer.drafts import draft, fields_of, open_fields
from hansang.blueprint.explorer.forms import Fault
from hansang.design import Entity
from hansang.design.shape import Item, Shape
from hansang.errors import Conflict, InvalidInput, TooLarge
from hansang.parts.timestamps import to_datetime
from hansang.surfaces.addresses import item_path
from hansang.surfaces.console.data_forms import finished, refusal_fault
from hansang.surfaces.console.data_items import get_item, titles_of
from hansang.surfaces.console.data_paths import guard_of, table_of
from hansang.surfaces.console.form_texts import FormTexts
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, allowed
from hansang.surfaces.hand_items import editable


@dataclass(frozen=True, slots=True)
class JsonSheet:
    """The fields of an item as text, and what is wrong with it, by field; a fault of the whole is under ""."""

    text: str
    etag: str
    faults: dict[str, Fault] = field(default_factory=dict)
    stored: str = ""
    """The fields as they are stored by now, if somebody has changed them since they were seen."""
    status: int = 200


def show(visit: Visit) -> Response:
    """The fields of an item, to be edited as one text."""
    application, table = table_of(visit)
    item, etag = get_item(visit, application, table)
    shape, entity = _editable(visit, item)
    return _shown(visit, shape, item, JsonSheet(_text(shape, entity), etag))


def replace(visit: Visit) -> Response:
    """Store what was written, if the form would take it and the item is still as it was seen."""
    application, table = table_of(visit)
    item, etag = get_item(visit, application, table)
    shape, entity = _editable(visit, item)
    sheet = JsonSheet(str(visit.form.get("fields", "")), visit.given("etag"))
    try:
        texts, faults = _read(shape, entity, sheet.text)
    except (ValueError, InvalidInput) as fault:
        return _shown(visit, shape, item, _faulty(sheet, {"": _unreadable(fault)}))
    made = draft(shape, texts, to_datetime(visit.shell.clock()), before=entity)
    if faults or made.entity is None:
        return _shown(visit, shape, item, _faulty(sheet, made.faults | faults))
    try:
        changed = visit.shell.editing.replace(made.entity, sheet.etag, visit.actor, visit.request_id).change
    except Conflict:
        late = dataclasses.replace(sheet, etag=etag, stored=_text(shape, entity), status=409)
        return _shown(visit, shape, item, late)
    except (InvalidInput, TooLarge) as refusal:
        return _shown(visit, shape, item, _faulty(sheet, {"": refusal_fault(refusal)}))
    said = "data.replaced" if changed is not None else "data.unchanged"
    return finished(visit, item_path(application, table, item), said, changed)


def _editable(visit: Visit, item: Item) -> tuple[Shape, Entity]:
    """As for the form; but whoever does not see every field keeps to the form, which leaves the others as they are."""
    application, table = table_of(visit)
    shape, entity = editable(application, table, item)
    guard_of(visit, application).expect_seen_whole(shape)
    return shape, entity


def _unreadable(fault: Exception) -> Fault:
    if isinstance(fault, JSONDecodeError):
        return Fault("json", key="data.fault.json_at", values={"line": fault.lineno, "column": fault.colno})
    return Fault("json_object" if isinstance(fault, InvalidInput) else "json")


def _faulty(sheet: JsonSheet, faults: dict[str, Fault]) -> JsonSheet:
    return dataclasses.replace(sheet, faults=faults, status=422)


def _text(shape: Shape, entity: Entity) -> str:
    """The fields that have a value, those of the key first; what writes itself is left out."""
    values = {each.name: getattr(entity, each.name) for each in open_fields(shape)}
    return json_texts.written({name: each for name, each in values.items() if each is not None}, 2)


def _read(shape: Shape, entity: Entity, text: str) -> tuple[dict[str, str], dict[str, Fault]]:
    """What the form would hold; ValueError or InvalidInput if the text is no JSON object."""
    found = json_texts.read(text)
    if not isinstance(found, dict):
        raise InvalidInput("An item is written as an object of JSON.")
    fields, known = {each.name: each for each in open_fields(shape)}, {each.name for each in fields_of(shape)}
    faults = {
        name: Fault("writes_itself" if name in known else "unknown_field")
        for name in found.keys() - fields.keys()
    }
    texts: dict[str, str] = {}
    for name, each in fields.items():
        value = getattr(entity, name) if each.in_key and name not in found else found.get(name)
        texts[name] = _plain(value, is_json=each.kind == "json")
        if each.kind == "either":
            texts[each.form_name] = "text" if isinstance(value, str) else "json"
        if each.in_key and texts[name] != _plain(getattr(entity, name), is_json=each.kind == "json"):
            faults[name] = Fault("fixed_key")
    return texts, faults


def _plain(value: Any, *, is_json: bool) -> str:
    """A value as it would be typed into its field."""
    if value is None:
        return ""
    if isinstance(value, str) and not is_json:
        return value
    written = json_texts.written(value)
    return written if is_json else written.strip('"')


def _shown(visit: Visit, shape: Shape, item: Item, sheet: JsonSheet) -> Response:
    application, table = table_of(visit)
    return visit.page(
        "data/json.html",
        sheet.status,
        application=application,
        table=table,
        sheet=sheet,
        kind=shape.cls.__name__,
        words=FormTexts(visit.labels(application.name), shape.cls.__name__, shape.cls),
        titles=titles_of(table, item),
        paths={verb: item_path(application, table, item, verb) for verb in ("edit", "item")},
    )


PAGES: tuple[PageRoute, ...] = (
    PageRoute("/data/{app}/tables/{table}/edit-json", show, allowed("{app}", "write")),
    PageRoute("/data/{app}/tables/{table}/edit-json", replace, allowed("{app}", "write"), "POST"),
)
