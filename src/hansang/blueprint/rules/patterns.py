"""Rules about access patterns: each must be one Query that DynamoDB would answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hansang.backends.embedded import Embedded
from hansang.blueprint.codes import BY_CODE, INVALID_TABLE, UNPROJECTED, UNSERVED, UNTRIED, UNUSED_INDEX
from hansang.blueprint.findings import Finding, Location, place_of
from hansang.blueprint.subject import AskedPattern, Design
from hansang.design import Query, Table
from hansang.errors import DesignError, WireError


def refused_patterns(design: Design) -> Iterator[Finding]:
    """Patterns that no key and no index serves."""
    for asked in design.asked:
        if isinstance(asked.refusal, DesignError):
            rule = BY_CODE.get(asked.refusal.rule, UNSERVED)
            yield Finding(rule, _place(asked), str(asked.refusal))
        elif asked.refusal is not None:
            shown = ", ".join(f"{name}={value!r}" for name, value in asked.arguments.items())
            yield Finding(UNTRIED, _place(asked), f"With {shown} it answers: {asked.refusal}")


def unprojected_attributes(design: Design) -> Iterator[Finding]:
    """Patterns that answer with more than their index holds."""
    for asked, query in design.questions:
        missing = sorted(_missing(query))
        if missing and query.index is not None:
            yield Finding(
                UNPROJECTED,
                _place(asked),
                f"The index {query.index.name} does not project {', '.join(missing)}, "
                f"which {asked.shape.cls.__name__} has.",
            )


def _missing(query: Query[Any]) -> set[str]:
    index = query.index
    if index is None:
        return set()
    return {name for shape in query.shapes for name in shape.attributes if not index.projects(name)} - {
        shape.table.type_attribute or "" for shape in query.shapes
    }


def refused_requests(design: Design) -> Iterator[Finding]:
    """Tables that DynamoDB would not create, and requests that it would not answer."""
    for table in design.tables:
        with Embedded.open(":memory:", durability="normal") as backend:
            try:
                backend.call("CreateTable", table.definition())
            except (DesignError, WireError) as fault:
                yield Finding(INVALID_TABLE, place_of(table), str(fault))
                continue
            yield from _refused(design, table, backend)


def _refused(design: Design, table: type[Table], backend: Embedded) -> Iterator[Finding]:
    for asked in design.asked:
        if asked.query is None or asked.shape.table is not table:
            continue
        try:
            backend.call("Query", asked.query.request(table.name))
        except WireError as fault:
            yield Finding(UNSERVED, _place(asked), fault.message or fault.code)


def unused_indexes(design: Design) -> Iterator[Finding]:
    """Indexes that are paid for and not read."""
    read = {query.index for _, query in design.questions}
    for table in design.tables:
        for index in table.indexes:
            if index not in read and not any(view.cls.__index__ is index for view in table.views):
                yield Finding(UNUSED_INDEX, place_of(table), f"No pattern reads the index {index.name}.")


def _place(asked: AskedPattern) -> Location:
    return place_of(asked.shape.cls, asked.pattern.label)


RULES = (refused_patterns, unprojected_attributes, refused_requests, unused_indexes)
