"""Repairing an item that no entity can read: its attributes as they are stored, through the way that leaves a trace."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field

from starlette.responses import Response

from hansang.apps.application import Application
from hansang.blueprint.explorer import json_texts
from hansang.blueprint.explorer.cells import masked
from hansang.blueprint.explorer.details import details
from hansang.blueprint.explorer.flaws import Flaw, flaws, likeliest
from hansang.blueprint.explorer.forms import Fault, error_fault
from hansang.design import Table
from hansang.design.shape import Item
from hansang.design.visibility import has_secret
from hansang.errors import AlreadyExists, Conflict, HansangError, InvalidInput, NotAllowed, TooLarge
from hansang.parts import drafts
from hansang.surfaces.addresses import item_path
from hansang.surfaces.console.changes import undo_of
from hansang.surfaces.console.data_items import get_item, titles_of
from hansang.surfaces.console.data_paths import guard_of, table_of
from hansang.surfaces.console.form_texts import FormTexts
from hansang.surfaces.console.meanwhile import who_changed
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, allowed

_TEXT = "the text"
"""The field that a refusal is about when the text is no JSON."""


@dataclass(frozen=True, slots=True)
class RepairSheet:
    """The item as text, as it was stored when it was seen or as somebody wrote it, and what is wrong with that."""

    text: str
    etag: str
    fault: Fault | None = None
    flaws: list[Flaw] = field(default_factory=list)
    """What still cannot be read of it; tells more than the fault."""
    is_late: bool = False
    """Whether somebody else has changed the item meanwhile."""
    status: int = 200


def show(visit: Visit) -> Response:
    """The attributes of an item, to be corrected."""
    application, table = table_of(visit)
    item, etag = get_item(visit, application, table)
    if details(table, item, visit.role(application.name)).entity is not None:
        return visit.go(item_path(application, table, item), "data.readable_now")
    return _shown(visit, application, table, item, RepairSheet(_text(item), etag))


def _text(item: Item) -> str:
    """An item as DynamoDB's JSON, one attribute a line."""
    lines = [f"  {json_texts.written(name)}: {json_texts.written(value)}" for name, value in item.items()]
    return "{\n" + ",\n".join(lines) + "\n}"


def repair(visit: Visit) -> Response:
    """Store what was written, if an entity can read it and the item is still as it was seen."""
    application, table = table_of(visit)
    item, etag = get_item(visit, application, table)
    _expect_seen(visit, application, table, item)
    sheet = RepairSheet(str(visit.form.get("item", "")), visit.given("etag"))
    try:
        written = _read(table, sheet.text)
        _expect_seen(visit, application, table, written)
        guard_of(visit, application).expect_item_shown(table, written)
        done = visit.shell.editing.repair_item(
            table, item, written, sheet.etag, visit.actor, visit.request_id
        )
    except (AlreadyExists, Conflict, InvalidInput, TooLarge) as refusal:
        return _shown(visit, application, table, item, _refused(sheet, table, etag, refusal))
    assert done.change is not None
    to = item_path(application, table, done.subject)
    return visit.go(to, "data.repaired", undo=undo_of(done.change))


def _refused(sheet: RepairSheet, table: type[Table], etag: str, refusal: HansangError) -> RepairSheet:
    """The sheet with why it was not stored; `etag` is that of the item as it is now."""
    if isinstance(refusal, Conflict):
        return dataclasses.replace(sheet, etag=etag, is_late=True, status=409)
    if isinstance(refusal, AlreadyExists):
        return dataclasses.replace(sheet, fault=Fault("exists"), status=409)
    return dataclasses.replace(sheet, fault=_fault(refusal), flaws=_left(table, sheet.text), status=422)


def _read(table: type[Table], text: str) -> Item:
    """The item that somebody wrote."""
    try:
        found = json_texts.read(text)
    except ValueError as fault:
        raise InvalidInput(str(fault), _TEXT) from fault
    if not isinstance(found, dict):
        raise InvalidInput('An item is written as {"PK": {"S": "…"}, …}.', code="surfaces.item-form")
    return drafts.expect_item(table, found)


def _left(table: type[Table], text: str) -> list[Flaw]:
    """What still cannot be read of what somebody wrote, if it has the form of an item."""
    try:
        written = _read(table, text)
    except InvalidInput:
        return []
    shape = likeliest(table, written)
    return [] if shape is None else flaws(shape, written)


def _fault(refusal: HansangError) -> Fault:
    if isinstance(refusal, TooLarge):
        return error_fault("large", refusal)
    is_no_json = isinstance(refusal, InvalidInput) and refusal.field == _TEXT
    return Fault("json") if is_no_json else error_fault("refused", refusal)


def _expect_seen(visit: Visit, application: Application, table: type[Table], item: Item) -> None:
    """Refuse an item of which whoever looks does not see everything."""
    shape = likeliest(table, item)
    if masked(table, item, "owner") != item or (shape is not None and has_secret(shape)):
        raise NotAllowed(
            "This item keeps a secret and is not written by hand. Use hansang tables repair.",
            code="surfaces.secret-item",
        )
    if masked(table, item, visit.role(application.name)) != item:
        raise NotAllowed(
            "This item has personal data that you do not see. Ask an owner to repair it.",
            code="surfaces.personal-item",
        )


def _shown(
    visit: Visit, application: Application, table: type[Table], item: Item, sheet: RepairSheet
) -> Response:
    _expect_seen(visit, application, table, item)
    shape = likeliest(table, item)
    return visit.page(
        "data/repair.html",
        sheet.status,
        application=application,
        table=table,
        sheet=sheet,
        shape=shape,
        words=FormTexts(visit.labels(application.name), "" if shape is None else shape.cls.__name__, None),
        flaws=[] if shape is None else flaws(shape, item),
        stored=_text(item),
        meanwhile=who_changed(visit, table, item) if sheet.is_late else "",
        titles=titles_of(table, item),
        back=item_path(application, table, item),
    )


PAGES: tuple[PageRoute, ...] = (
    PageRoute("/data/{app}/tables/{table}/repair", show, allowed("{app}", "write")),
    PageRoute("/data/{app}/tables/{table}/repair", repair, allowed("{app}", "write"), "POST"),
)
