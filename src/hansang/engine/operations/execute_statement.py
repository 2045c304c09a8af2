"""ExecuteStatement: one statement in PartiQL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hansang.engine.faults import invalid
from hansang.engine.operations.single import write_one
from hansang.engine.partiql.parser import parse
from hansang.engine.partiql.reading import select, selection
from hansang.engine.partiql.statements import BoundStatement
from hansang.engine.partiql.writing import answered, plan
from hansang.engine.shapes import (
    CONSUMED_CAPACITY,
    ON_CONDITION_FAILURE,
    Flag,
    Many,
    RequestShape,
    Text,
    Value,
    Whole,
    required,
)

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

STATEMENT = required(Text(shortest=1, longest=8192))
PARAMETERS = Many(Value(), fewest=1)
SHAPE = RequestShape(
    Statement=STATEMENT,
    Parameters=PARAMETERS,
    ConsistentRead=Flag(),
    NextToken=Text(shortest=1, longest=32768),
    ReturnConsumedCapacity=CONSUMED_CAPACITY,
    Limit=Whole(least=1),
    ReturnValuesOnConditionCheckFailure=ON_CONDITION_FAILURE,
)


def run(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    SHAPE.check(request)
    bound = parse(request["Statement"]).bound(request.get("Parameters") or ())
    if bound.statement.verb == "EXISTS":
        raise invalid("EXISTS is only supported in ExecuteTransaction")
    if bound.statement.reads:
        table = engine.catalog().table(bound.statement.table)
        chosen = selection(table, bound, consistent=bool(request.get("ConsistentRead")))
        return select(engine, chosen, request)
    if request.get("NextToken") is not None:
        raise invalid("NextToken is only valid on a SELECT statement")
    return write(engine, bound, request)


def write(engine: Engine, bound: BoundStatement, request: Mapping[str, Any]) -> dict[str, Any]:
    """Run a statement that changes an item; what it returns stands in Items."""
    asked = {**request, "TableName": bound.statement.table}
    table = engine.catalog().table(bound.statement.table)
    change, response = write_one(engine, asked, plan(table, bound, asked))
    item = answered(bound, change)
    return {"Items": [] if item is None else [item]} | response
