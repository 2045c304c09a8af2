"""Scans: every item of one kind in a table or an index, in no order, whole or in segments."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

from hansang.design.expressions import ExpressionWriter
from hansang.design.fields import Field
from hansang.design.query import Query
from hansang.design.shape import Shape
from hansang.errors import DesignError

R = TypeVar("R", covariant=True)

MOST_SEGMENTS = 1_000_000
"""As many as DynamoDB takes."""


@dataclass(frozen=True)
class Scan(Query[R]):
    """A question that reads a whole table or index and leaves what is of its kind. All of it is paid for."""

    segment: tuple[int, int] | None = None
    """Which part of how many is read."""

    @classmethod
    def of(cls, shape: Shape) -> Scan[Any]:
        """Every item that a kind, or a view of one, has."""
        return Scan(shape.table, shape.index, (shape,), {}, None, name=f"{shape.cls.__name__}.scan")

    def segments(self, count: int) -> list[Scan[R]]:
        """The same in so many parts, to be read at once: each item is in one of them."""
        if self.segment is not None:
            raise DesignError("This is a segment of a scan already. Divide the whole scan.")
        if type(count) is not int or not 1 <= count <= MOST_SEGMENTS:
            raise DesignError(f"A scan has 1 to {MOST_SEGMENTS:,} segments, and not {count!r}.")
        return [replace(self, segment=(number, count)) for number in range(count)]

    def descending(self) -> Scan[R]:
        raise DesignError("A scan has no order. Sort what comes back, or ask an index by its key.")

    @property
    def operation(self) -> str:
        return "Scan"

    @property
    def is_filtered(self) -> bool:
        return True

    @property
    def is_alone(self) -> bool:
        return self._is_by_type

    def _expect_no_key(self, each: Field) -> None:
        """DynamoDB filters a scan by its keys as well."""

    @cached_property
    def _request(self) -> dict[str, Any]:
        writer = ExpressionWriter()
        parts = self._of_kind(writer)
        if self.filter is not None:
            parts.append(self.filter.write(writer))
        request: dict[str, Any] = {}
        if parts:
            request["FilterExpression"] = " AND ".join(f"({part})" for part in parts)
        if self.index is not None:
            request["IndexName"] = self.index.name
        if self.strong:
            request["ConsistentRead"] = True
        if self.columns:
            request["ProjectionExpression"] = ", ".join(map(writer.name, self.columns))
        if self.segment is not None:
            request["Segment"], request["TotalSegments"] = self.segment
        return request | writer.parameters()

    def _of_kind(self, writer: ExpressionWriter) -> list[str]:
        """What DynamoDB can leave out of other kinds: by their type, or by how their keys begin."""
        [shape] = self.shapes
        if self._is_by_type:
            assert self.table.type_attribute is not None
            kind = (shape.entity or shape).type_name
            return [f"{writer.name(self.table.type_attribute)} = {writer.value({'S': kind})}"]
        return [
            f"begins_with({writer.name(name)}, {writer.value({'S': template.prefix})})"
            for name in self.table.key_attributes()
            if (template := (shape.entity or shape).template(name)) is not None and template.prefix
        ]

    @property
    def _is_by_type(self) -> bool:
        kind = self.table.type_attribute
        return kind is not None and (self.index is None or self.index.projects(kind))
