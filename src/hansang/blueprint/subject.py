"""What is reviewed, documented and priced: tables, with every access pattern asked once."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hansang.blueprint.samples import Samples
from hansang.design import Entity, Query, Table
from hansang.design.query import Pattern, patterns
from hansang.design.shape import Shape
from hansang.design.slots import Slot
from hansang.design.templates import Template
from hansang.errors import InvalidInput


@dataclass(frozen=True)
class AskedPattern:
    """A pattern, asked with sample values: the question that it made, or why it made none."""

    shape: Shape
    pattern: Pattern[Any, Any, Any]
    arguments: dict[str, Any]
    query: Query[Any] | None
    refusal: Exception | None

    @property
    def label(self) -> str:
        return f"{self.shape.cls.__name__}.{self.pattern.label}"

    @property
    def meaning(self) -> str:
        """The first line of the pattern's docstring."""
        return (inspect.getdoc(self.pattern.function) or "").partition("\n")[0]


class Design:
    """The tables of a design, with samples of what is in them."""

    def __init__(self, tables: Sequence[type[Table]], examples: Iterable[Entity] = ()) -> None:
        self.tables = tuple(tables)
        self.samples = Samples(examples)

    @cached_property
    def asked(self) -> tuple[AskedPattern, ...]:
        """Every pattern, in the order of the tables and of their text."""
        return tuple(
            self._ask(shape, pattern, arguments)
            for table in self.tables
            for shape in (*table.shapes, *table.views)
            for pattern in patterns(shape.cls)
            for arguments in self._variants(shape, pattern)
        )

    @property
    def questions(self) -> Iterator[tuple[AskedPattern, Query[Any]]]:
        """The patterns that made a question, each once, with all its arguments."""
        seen = set()
        for each in self.asked:
            if each.query is not None and each.label not in seen:
                seen.add(each.label)
                yield each, each.query

    def patterns_of(self, table: type[Table]) -> list[tuple[AskedPattern, Query[Any]]]:
        return [(each, query) for each, query in self.questions if each.shape.table is table]

    def _variants(self, shape: Shape, pattern: Pattern[Any, Any, Any]) -> list[dict[str, Any]]:
        """All arguments, and only those that have no default."""
        given = self.samples.arguments(shape, pattern)
        parameters = inspect.signature(pattern.function).parameters
        needed = {
            name: each for name, each in given.items() if parameters[name].default is inspect.Parameter.empty
        }
        return [given] if needed == given else [given, needed]

    def _ask(self, shape: Shape, pattern: Pattern[Any, Any, Any], arguments: dict[str, Any]) -> AskedPattern:
        try:
            query = getattr(shape.cls, pattern.label)(**arguments)
        except InvalidInput as refusal:
            better = self._better(shape, arguments, refusal)
            if better is None:
                return AskedPattern(shape, pattern, arguments, None, refusal)
            return self._ask(shape, pattern, better)
        except Exception as refusal:  # A pattern may refuse a sample in any way
            return AskedPattern(shape, pattern, arguments, None, refusal)
        return AskedPattern(shape, pattern, arguments, query, None)

    def _better(
        self, shape: Shape, arguments: dict[str, Any], refusal: InvalidInput
    ) -> dict[str, Any] | None:
        """The arguments with the example of a field in place of the value that the field has refused."""
        if refusal.field not in shape.slots:
            return None
        value = self.samples.field(shape, refusal.field)
        refused = [name for name, given in arguments.items() if given == refusal.value]
        return arguments | dict.fromkeys(refused, value) if refused and value != refusal.value else None


def spelling(shape: Shape, attribute: str) -> Template | None:
    """The template of a key attribute; None when it is a field or a derived attribute as it is."""
    if attribute == shape.table.pk:
        return shape.pk
    if attribute == shape.table.sk:
        return shape.sk
    return shape.composed.get(attribute)


def slot_of(shape: Shape, attribute: str) -> Slot | None:
    """The field that is stored as this attribute."""
    return next((slot for slot in shape.slots.values() if slot.attribute == attribute), None)


def has(shape: Shape, attribute: str) -> bool:
    return attribute == shape.table.type_attribute or shape.kind_of(attribute) is not None


def partition_fields(shape: Shape, attributes: Sequence[str]) -> tuple[str, ...] | None:
    """The fields that a partition key is made of, of all its attributes; None when one of these is derived."""
    found: dict[str, None] = {}
    for attribute in attributes:
        fields = _fields_of(shape, attribute)
        if fields is None:
            return None
        found |= dict.fromkeys(fields)
    return tuple(found)


def _fields_of(shape: Shape, attribute: str) -> tuple[str, ...] | None:
    if attribute == shape.table.type_attribute:
        return ()
    found = spelling(shape, attribute)
    if found is not None:
        return found.fields
    slot = slot_of(shape, attribute)
    return None if slot is None else (slot.name,)


def is_one_of_partition(shape: Shape, attributes: Sequence[str]) -> bool:
    """Whether the fields of a partition key are all that the items of this kind differ by."""
    fixed = partition_fields(shape, attributes)
    fields = (*shape.pk.fields, *(shape.sk.fields if shape.sk else ()))
    return fixed is not None and set(fixed).issuperset(fields)
