"""The example items that stand beside a design, as a document prints them."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

from hansang.blueprint.subject import Design
from hansang.design import Entity, Table
from hansang.design.codec import to_value
from hansang.design.kinds import recognised
from hansang.errors import DesignError, UnexpectedItem

FILE = "examples.json"
"""Beside the module of a design: under each title an item as plain JSON, or a list of them."""


def read_examples(module: ModuleType) -> dict[str, dict[str, Any]]:
    """The items beside a module, by their titles; none is no error."""
    path = Path(module.__file__ or "").with_name(FILE)
    if not path.is_file():
        return {}
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return {title: item for name, given in found.items() for title, item in _titled(name, given)}


def with_examples(tables: Sequence[type[Table]]) -> Design:
    """A design of these tables, with the examples that stand beside their modules."""
    return _designed(tuple(tables), sum(len(table.shapes) + len(table.views) for table in tables))


@lru_cache(maxsize=64)
def _designed(tables: tuple[type[Table], ...], kinds: int) -> Design:
    """Made once, since every surface asks for it; a table that has got one more kind is asked again."""
    modules = dict.fromkeys(sys.modules[table.__module__] for table in tables)
    return Design(tables, [entity for module in modules for entity in examples_of(module, tables)])


def examples_of(module: ModuleType, tables: Iterable[type[Table]]) -> Sequence[Entity]:
    """The entities of its `EXAMPLES`, or else those of the file beside it."""
    return getattr(module, "EXAMPLES", ()) or entities(read_examples(module), tables)


def _titled(name: str, given: Any) -> list[tuple[str, dict[str, Any]]]:
    """One item under its title, or the rows of a list, numbered."""
    if isinstance(given, list):
        return [(f"{name} {number}", item) for number, item in enumerate(given, 1)]
    return [(name, given)]


def entities(items: Mapping[str, Mapping[str, Any]], tables: Iterable[type[Table]]) -> list[Entity]:
    """The entities that the items are; items of other tables are left out."""
    known = list(tables)
    found = (_entity(title, item, known) for title, item in items.items())
    return [entity for entity in found if entity is not None]


def _entity(title: str, plain: Mapping[str, Any], tables: list[type[Table]]) -> Entity | None:
    item = {name: to_value(value) for name, value in plain.items()}
    for table in tables:
        if not all(name in item for name in table.key_attributes()):
            continue
        shape = recognised(table.shapes, item)
        if shape is not None:
            try:
                entity: Entity = shape.decode(item)
            except UnexpectedItem as fault:
                raise DesignError(f"The example {title!r} does not fit: {fault}") from fault
            return entity
    return None
