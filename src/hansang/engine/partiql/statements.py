"""What a statement says, before its table and its parameters are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hansang.engine.expressions.projections import ParsedProjection
from hansang.engine.expressions.tree import Condition
from hansang.engine.expressions.updates import ParsedUpdate
from hansang.engine.partiql.literals import Template, accepted, filled
from hansang.engine.values import Value, accept


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """One statement."""

    verb: str
    table: str
    index: str | None = None
    where: Condition | None = None
    projection: ParsedProjection | None = None
    order: tuple[tuple[str, bool], ...] = ()
    """The attributes to sort by, and whether backward."""
    item: Template | None = None
    update: ParsedUpdate | None = None
    returning: str | None = None
    """`ALL OLD`, `MODIFIED NEW` and so on."""
    values: Mapping[str, Template] = field(default_factory=dict)
    slots: int = 0
    routes: dict[Any, Any] = field(default_factory=dict, repr=False)
    """The ways to the items by the keys of tables and indexes, kept for as long as the statement is."""

    @property
    def reads(self) -> bool:
        return self.verb == "SELECT"

    def bound(self, parameters: Sequence[object]) -> BoundStatement:
        """The statement with the parameters of a request."""
        given = accepted(parameters, self.slots)
        values = {ref: accept(filled(template, given))[0] for ref, template in self.values.items()}
        item = None if self.item is None else filled(self.item, given)
        return BoundStatement(self, values, item)


@dataclass(slots=True)
class BoundStatement:
    """A statement, the values that it refers to, and the item that it inserts."""

    statement: Statement
    values: Mapping[str, Value]
    item: Value | None
