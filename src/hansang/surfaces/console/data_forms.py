"""Creating, editing and deleting items by hand, through the one way that leaves a trace."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from starlette.responses import Response

from hansang.apps.application import Application
from hansang.blueprint.explorer.cells import field_texts
from hansang.blueprint.explorer.drafts import Draft, blank, draft, open_fields, texts_of
from hansang.blueprint.explorer.forms import Fault, FormField, error_fault, rows_in
from hansang.blueprint.explorer.row_edits import edited_rows
from hansang.design import Entity, Table
from hansang.design.kinds import recognised
from hansang.design.shape import Item, Shape
from hansang.design.visibility import hidden_fields
from hansang.errors import (
    AlreadyExists,
    Conflict,
    HansangError,
    InvalidInput,
    NotFound,
    TooLarge,
)
from hansang.parts.history import Change, subject_of
from hansang.parts.timestamps import to_datetime
from hansang.surfaces.addresses import address, item_path, key_at, table_path
from hansang.surfaces.console.changes import may_undo, undo_of
from hansang.surfaces.console.data_items import get_item, seen_tag, titles_of
from hansang.surfaces.console.data_paths import guard_of, meaning, table_of
from hansang.surfaces.console.data_references import offered_references
from hansang.surfaces.console.form_texts import FormTexts
from hansang.surfaces.console.meanwhile import who_changed
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, allowed
from hansang.surfaces.hand_items import editable, expect_no_secret

PREFIX = "value-"
"""What the names of an entity's fields begin with in a form, where they meet no other field."""
ROWS = "rows"
"""The name of the buttons that add, remove and move rows where no script does it."""
_SINCE = 5


@dataclass(frozen=True, slots=True)
class Meanwhile:
    """What somebody else has made of an item while it was edited here."""

    rows: list[tuple[str, str, str]]
    """Field by field where they differ: what is stored now, and what was written here."""
    etag: str
    changes: list[Change]
    title: str


@dataclass(frozen=True, slots=True)
class EntitySheet:
    """A form with what is in it and what is wrong with it."""

    shape: Shape
    texts: dict[str, str]
    faults: dict[str, Fault] = field(default_factory=dict)
    etag: str = ""
    """The tag of the item that is edited; empty when one is created."""
    titles: list[str] = field(default_factory=list)
    meanwhile: Meanwhile | None = None
    status: int = 200


# ── creating ──────────────────────────────────────────────────────────────────────────────────────


def new(visit: Visit) -> Response:
    """An empty form for one kind of item."""
    application, table = table_of(visit)
    shape = _shape(visit, application, table)
    present = blank(shape) | _copied(visit, application, shape) | _given(visit, shape)
    return _shown(visit, EntitySheet(shape, present))


def _copied(visit: Visit, application: Application, shape: Shape) -> dict[str, str]:
    """The values of the item that is to be duplicated, if a link names one: its key is there to be changed."""
    if not visit.query("pk"):
        return {}
    item, _ = get_item(visit, application, shape.table)
    guard_of(visit, application).expect_seen_whole(shape)
    return (
        texts_of(shape, shape.decode(item), visit.formats.zone)
        if recognised(shape.table.shapes, item) is shape
        else {}
    )


def _given(visit: Visit, shape: Shape) -> dict[str, str]:
    """Values that a link has brought along."""
    return {name: visit.query(name) for name in shape.slots if visit.query(name)}


def create(visit: Visit) -> Response:
    """Store what was filled in, if there is no such item yet."""
    application, table = table_of(visit)
    shape = _shape(visit, application, table)
    texts = _texts(visit)
    if visit.given(ROWS):
        return _shown(visit, EntitySheet(shape, edited_rows(texts, visit.given(ROWS))))
    made = draft(shape, texts, _now(visit), zone=visit.formats.zone)
    if made.entity is None:
        return _shown(visit, EntitySheet(shape, texts, made.faults, status=422))
    try:
        edit = visit.shell.editing.create(made.entity, visit.actor, visit.request_id)
    except AlreadyExists:
        return _shown(visit, EntitySheet(shape, texts, {"": Fault("exists")}, status=409))
    except (InvalidInput, TooLarge) as refusal:
        return _shown(visit, EntitySheet(shape, texts, _refusal(shape, refusal), status=422))
    item = shape.encode(made.entity)
    return finished(visit, item_path(application, table, item), "data.created", edit.change)


# ── editing ───────────────────────────────────────────────────────────────────────────────────────


def edit(visit: Visit) -> Response:
    """A form with the fields of an item."""
    application, table = table_of(visit)
    item, etag = get_item(visit, application, table)
    shape, entity = editable(application, table, item)
    texts = texts_of(shape, entity, visit.formats.zone)
    tag = seen_tag(visit, application, table, item, etag)
    return _shown(visit, EntitySheet(shape, texts, {}, tag, titles_of(table, item)))


def replace(visit: Visit) -> Response:
    """Store what was filled in, if the item is still as it was seen."""
    application, table = table_of(visit)
    item, etag = get_item(visit, application, table)
    shape, entity = editable(application, table, item)
    texts = _stored_key(visit, shape, entity) | _texts(visit)
    sheet = EntitySheet(shape, texts, {}, visit.given("etag"), titles_of(table, item))
    if visit.given(ROWS):
        return _shown(visit, dataclasses.replace(sheet, texts=edited_rows(texts, visit.given(ROWS))))
    hidden = _hidden(visit, shape)
    made = draft(shape, texts, _now(visit), zone=visit.formats.zone, before=entity, hidden=hidden)
    if made.entity is None:
        return _shown(visit, dataclasses.replace(sheet, faults=made.faults, status=422))
    is_as_seen = sheet.etag == seen_tag(visit, application, table, item, etag)
    try:
        seen = etag if is_as_seen else ""
        changed = visit.shell.editing.replace(made.entity, seen, visit.actor, visit.request_id).change
    except Conflict as conflict:
        found = _meanwhile(visit, shape, item, conflict.item, made)
        return _shown(visit, dataclasses.replace(sheet, meanwhile=found, status=409))
    except (InvalidInput, TooLarge) as refusal:
        return _shown(visit, dataclasses.replace(sheet, faults=_refusal(shape, refusal), status=422))
    said = "data.replaced" if changed is not None else "data.unchanged"
    return finished(visit, item_path(application, table, item), said, changed)


def _stored_key(visit: Visit, shape: Shape, entity: Entity) -> dict[str, str]:
    """The key as it is stored, for the form to show: it cannot change."""
    stored = texts_of(shape, entity, visit.formats.zone)
    return {each.name: stored[each.name] for each in open_fields(shape) if each.in_key}


def _hidden(visit: Visit, shape: Shape) -> frozenset[str]:
    """The fields that whoever edits does not see; they stay as they are."""
    return hidden_fields(shape, visit.role(visit.param("app")))


def _meanwhile(visit: Visit, shape: Shape, item: Item, stored: Any, made: Draft) -> Meanwhile:
    role = visit.role(visit.param("app"))
    now, mine = field_texts(shape, stored, role), field_texts(shape, made.entity, role)
    rows = [(name, now[name], mine[name]) for name in shape.slots if now[name] != mine[name]]
    subject = subject_of(shape.table, shape.encode(stored))
    changes = visit.shell.history.of_subject(subject, _SINCE).items
    title = who_changed(visit, shape.table, item)
    application, table = table_of(visit)
    tag = seen_tag(visit, application, table, shape.encode(stored), visit.shell.editing.etag(stored))
    return Meanwhile(rows, tag, changes, title)


# ── deleting ──────────────────────────────────────────────────────────────────────────────────────


def delete(visit: Visit) -> Response:
    """Delete an item that is still as it was seen."""
    application, table = table_of(visit)
    key = key_at(table, dict(visit.request.query_params))
    item, tag = get_item(visit, application, table)
    expect_no_secret(recognised(table.shapes, item))
    is_as_seen = visit.given("etag") == seen_tag(visit, application, table, item, tag)
    try:
        seen = tag if is_as_seen else ""
        done = visit.shell.editing.delete_item(table, key, seen, visit.actor, visit.request_id)
    except Conflict:
        return visit.go(item_path(application, table, key), "data.changed_meanwhile")
    return finished(visit, table_path(application, table), "data.deleted", done.change)


# ── what these share ──────────────────────────────────────────────────────────────────────────────


def _shape(visit: Visit, application: Application, table: type[Table]) -> Shape:
    """The kind of item that the path names, if it is created by hand."""
    name = visit.param("kind")
    found = next((shape for shape in table.shapes if shape.cls.__name__ == name), None)
    if found is None:
        known = ", ".join(shape.cls.__name__ for shape in table.shapes)
        raise NotFound(
            "{table} has no {name}. There are {known}.",
            code="surfaces.no-kind",
            values={"table": table.name, "name": name, "known": known},
        )
    guard_of(visit, application).expect_shown([found])
    expect_no_secret(found)
    application.write_rule(found.cls).expect_new(found.cls)
    return found


def _texts(visit: Visit) -> dict[str, str]:
    """The fields of the form as they were sent; the space around a text belongs to it."""
    found = {name: value for name, value in visit.form.items() if isinstance(value, str)}
    return {name.removeprefix(PREFIX): value for name, value in found.items() if name.startswith(PREFIX)}


def refusal_fault(refusal: HansangError) -> Fault:
    return error_fault("large" if isinstance(refusal, TooLarge) else "refused", refusal)


def _refusal(shape: Shape, refusal: HansangError) -> dict[str, Fault]:
    """What a check has refused, at the field that it names."""
    field = getattr(refusal, "field", "")
    return {field if field in shape.slots else "": refusal_fault(refusal)}


def _now(visit: Visit) -> datetime:
    return to_datetime(visit.shell.clock())


def finished(visit: Visit, to: str, said: str, change: Change | None) -> Response:
    undo = undo_of(change) if change is not None and may_undo(visit, change) else None
    return visit.go(to, said, undo=undo)


def _shown(visit: Visit, sheet: EntitySheet) -> Response:
    application, table = table_of(visit)
    shape: Shape = sheet.shape
    kind: type[Entity] = shape.cls
    hidden = _hidden(visit, shape) if sheet.etag else frozenset()
    fields = open_fields(shape, hidden)
    words = FormTexts(visit.labels(application.name), kind.__name__, kind)
    return visit.page(
        "data/form.html",
        sheet.status,
        application=application,
        table=table,
        sheet=sheet,
        fields=fields,
        words=words,
        wrong=words.summary(fields, sheet.faults, sheet.texts),
        rows_in=rows_in,
        offered=offered_references(visit, application, _references(fields)),
        kind=kind.__name__,
        kind_name=_inside_a_sentence(words.labels.kind(kind.__name__)),
        prefix=PREFIX,
        rows_name=ROWS,
        about=meaning(visit, application, kind.__name__, kind),
        is_kept=application.write_rule(kind).by == "once",
        has_hidden=bool(hidden),
        back=_back(visit, application, table, sheet),
    )


def _inside_a_sentence(name: str) -> str:
    """A name as it stands behind other words: "Fixed expense" as in "New fixed expense", and "ID" as it is."""
    return name if name[1:2].isupper() else name[:1].lower() + name[1:]


def _references(fields: list[FormField]) -> list[FormField]:
    return [each for each in fields if each.references is not None]


def _back(visit: Visit, application: Application, table: type[Table], sheet: EntitySheet) -> str:
    """Where cancelling leads: to the item, or to the table."""
    if not sheet.etag:
        return table_path(application, table)
    key = key_at(table, dict(visit.request.query_params))
    return item_path(application, table, key) if address(table, key) else table_path(application, table)


PAGES: tuple[PageRoute, ...] = (
    PageRoute("/data/{app}/tables/{table}/new/{kind}", new, allowed("{app}", "write")),
    PageRoute("/data/{app}/tables/{table}/new/{kind}", create, allowed("{app}", "write"), "POST"),
    PageRoute("/data/{app}/tables/{table}/edit", edit, allowed("{app}", "write")),
    PageRoute("/data/{app}/tables/{table}/edit", replace, allowed("{app}", "write"), "POST"),
    PageRoute("/data/{app}/tables/{table}/delete", delete, allowed("{app}", "write"), "POST"),
)
