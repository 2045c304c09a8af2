"""Whether a written design holds: it loads, it can be asked, and it gives every item back as it was."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from types import ModuleType

from hansang.blueprint.fingerprints import canonical
from hansang.blueprint.inference.drafts import TableDraft
from hansang.blueprint.lint import lint
from hansang.blueprint.subject import Design
from hansang.design import Table
from hansang.design.kinds import recognised
from hansang.design.shape import Item, Shape
from hansang.errors import DesignError, HansangError

_numbers = count()


@dataclass(frozen=True)
class Differing:
    """An item that a design does not give back as it was."""

    entity: str
    attribute: str
    reason: str
    item: Item


@dataclass
class TableCheck:
    """What became of the sampled items of a table."""

    table: str
    placed: int = 0
    unplaced: int = 0
    differing: list[Differing] = field(default_factory=list)


@contextmanager
def loaded(text: str) -> Iterator[ModuleType]:
    """The module of a source, which is known to Python as long as it is looked at."""
    module = ModuleType(f"hansang_inferred_{next(_numbers)}")
    sys.modules[module.__name__] = module
    try:
        # The source was written here, from names that are quoted or made of letters alone.
        exec(compile(text, f"{module.__name__}.py", "exec"), module.__dict__)  # noqa: S102
        yield module
    finally:
        del sys.modules[module.__name__]


def tables_in(module: ModuleType) -> list[type[Table]]:
    return [
        each
        for each in vars(module).values()
        if isinstance(each, type) and issubclass(each, Table) and each.__module__ == module.__name__
    ]


def checked(module: ModuleType, drafts: Sequence[TableDraft]) -> list[TableCheck]:
    """Read every sampled item with a module's design, and write it again."""
    tables = {each.name: each for each in tables_in(module)}
    return [_checked(tables[each.facts.name], each) for each in drafts]


def _checked(table: type[Table], draft: TableDraft) -> TableCheck:
    table.definition()
    table.time_to_live()
    found = TableCheck(draft.facts.name)
    unplaced = {str(each.key) for each in draft.unplaced}
    for item in draft.facts.items:
        is_placed = not unplaced or str(draft.key_of(item)) not in unplaced
        shape = _shape(table, item) if is_placed else None
        different = None if shape is None else _different(shape, item)
        if shape is None:
            found.unplaced += 1
        elif different is None:
            found.placed += 1
        else:
            found.differing.append(different)
    return found


def _shape(table: type[Table], item: Item) -> Shape | None:
    if not all(key in item for key in table.key_attributes()):
        return None
    return recognised(table.shapes, item)


def _different(shape: Shape, item: Item) -> Differing | None:
    name = shape.cls.__name__
    try:
        again = shape.encode(shape.decode(item))
    except HansangError as fault:
        attribute = getattr(fault, "attribute", "") or getattr(fault, "field", "") or ""
        return Differing(name, _stored(shape, attribute), str(fault), item)
    for attribute in {**item, **again}:
        if attribute not in item or attribute not in again or not _same(item[attribute], again[attribute]):
            return Differing(name, attribute, "it would be written otherwise", item)
    return None


def _stored(shape: Shape, name: str) -> str:
    """The attribute of a field, or the name as it is."""
    slot = shape.slots.get(name)
    return name if slot is None else slot.attribute or name


def _same(one: dict[str, object], other: dict[str, object]) -> bool:
    return canonical(one) == canonical(other)


def refused_patterns(module: ModuleType) -> set[tuple[str, str]]:
    """The patterns that the language refuses, by their classes and names."""
    design = Design(tables_in(module))
    return {
        (each.shape.cls.__name__, each.pattern.label)
        for each in design.asked
        if isinstance(each.refusal, DesignError)
    }


def lint_counts(module: ModuleType) -> dict[str, int]:
    """How many errors, warnings and remarks the review of a module's design has."""
    found = {"error": 0, "warning": 0, "info": 0}
    for each in lint(Design(tables_in(module))):
        found[each.severity] += 1
    return found
