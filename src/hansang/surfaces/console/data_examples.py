"""Statements to begin with: of the tables and indexes of an application, with values of items that are there."""

from __future__ import annotations

from dataclasses import dataclass

from hansang.apps.application import Application
from hansang.blueprint.explorer.browsing import Search, Source, browse
from hansang.blueprint.explorer.statement_texts import key_text_of, select, select_item, update
from hansang.design import Index, Table
from hansang.design.kinds import recognised
from hansang.design.marks import Role
from hansang.design.shape import Item, Shape
from hansang.design.visibility import has_secret, is_hidden_anywhere
from hansang.surfaces.console.data_paths import guard_of
from hansang.surfaces.console.pages import Visit

_LOOKED_AT = 20
_MOST = 12
_SHORT = 60


@dataclass(frozen=True, slots=True)
class StatementExample:
    """One statement, and the key of the words for what it does."""

    text: str
    about: str
    table: str


def examples(visit: Visit, application: Application) -> list[StatementExample]:
    """A few statements for each table; what is hidden from whoever looks stands in none of them."""
    found: list[StatementExample] = []
    for table in application.tables:
        found += _of_table(visit, application, table)
    return found[:_MOST]


def _of_table(visit: Visit, application: Application, table: type[Table]) -> list[StatementExample]:
    name, role = visit.shell.database.name(table), visit.role(application.name)
    page = browse(visit.shell.database, Search(Source(table), limit=_LOOKED_AT))
    items = guard_of(visit, application).shown(table, page.items)
    if not items:
        return [StatementExample(select(name), "scan", name)]
    first = items[0]
    made = [(select_item(name, table, first), "get")]
    if table.sk is not None:
        made.append((select(name, where=key_text_of(first, [table.pk])), "query"))
    for index in table.indexes:
        entry = next((each for each in items if _is_open(table, index, each, role)), None)
        if entry is not None:
            where = key_text_of(entry, index.partition_keys)
            made.append((select(name, index.name, where), "index"))
    typed = next((each for each in items if table.type_attribute in each), None)
    if table.type_attribute is not None and typed is not None:
        made.append((select(name, where=key_text_of(typed, [table.type_attribute])), "scan"))
    made += _writing(visit, application, table, items)
    return [StatementExample(text, about, name) for text, about in made]


def _is_open(table: type[Table], index: Index, item: Item, role: Role | None) -> bool:
    return all(name in item and not is_hidden_anywhere(table, name, role) for name in index.keys)


def _writing(
    visit: Visit, application: Application, table: type[Table], items: list[Item]
) -> list[tuple[str, str]]:
    """An update of what may be changed by hand, to the value that it has; it is looked at before it is run."""
    name, role = visit.shell.database.name(table), visit.role(application.name)
    for item in items if visit.may(application.name, "write") else ():
        shape = recognised(table.shapes, item)
        if shape is None or has_secret(shape) or not application.write_rule(shape.cls).changes:
            continue
        attribute = _changeable(shape, item, role)
        if attribute is not None:
            where = key_text_of(item, table.key_attributes())
            return [(update(name, attribute, item[attribute], where), "update")]
    return []


def _changeable(shape: Shape, item: Item, role: Role | None) -> str | None:
    """A short text of an item that stands in no key."""
    keys = {*shape.table.key_attributes(), *(name for index in shape.table.indexes for name in index.keys)}
    for slot in shape.slots.values():
        name = slot.attribute or ""
        text = item.get(name, {}).get("S")
        is_own = name not in keys and slot.name not in shape.key_fields and slot not in shape.touched
        if text and len(text) <= _SHORT and is_own and not is_hidden_anywhere(shape.table, name, role):
            return name
    return None
