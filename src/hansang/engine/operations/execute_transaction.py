"""ExecuteTransaction: up to 100 statements in PartiQL, all reading or all writing, all or nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hansang.engine.faults import invalid
from hansang.engine.operations.execute_statement import PARAMETERS, STATEMENT
from hansang.engine.operations.transact_get_items import ItemRead, read_items
from hansang.engine.operations.transact_write_items import write_items
from hansang.engine.partiql.parser import parse
from hansang.engine.partiql.reading import selection
from hansang.engine.partiql.statements import BoundStatement
from hansang.engine.partiql.writing import key_of, plan
from hansang.engine.shapes import (
    CONSUMED_CAPACITY,
    ON_CONDITION_FAILURE,
    Many,
    RequestShape,
    Struct,
    Text,
    required,
)

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

SHAPE = RequestShape(
    TransactStatements=required(
        Many(
            Struct(
                "ParameterizedStatement",
                Statement=STATEMENT,
                Parameters=PARAMETERS,
                ReturnValuesOnConditionCheckFailure=ON_CONDITION_FAILURE,
            ),
            fewest=1,
            most=100,
        )
    ),
    ClientRequestToken=Text(shortest=1, longest=36),
    ReturnConsumedCapacity=CONSUMED_CAPACITY,
)


def run(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    SHAPE.check(request)
    asked = request["TransactStatements"]
    members = [parse(each["Statement"]).bound(each.get("Parameters") or ()) for each in asked]
    for number, member in enumerate(members):
        _check(number, member)
    if len({member.statement.reads for member in members}) > 1:
        raise invalid(
            "ExecuteTransaction API does not support both read and write operations in the same request."
        )
    if members[0].statement.reads:
        return read_items(engine, request, [_read(engine, member) for member in members])
    catalog = engine.catalog()
    plans = [
        plan(catalog.table(member.statement.table), member, {**each, "TableName": member.statement.table})
        for member, each in zip(members, asked, strict=True)
    ]
    token = request.get("ClientRequestToken")
    # A token of a transaction of statements is none of a transaction of items.
    own = request if token is None else {**request, "ClientRequestToken": f"statements {token}"}
    return {"Responses": [{} for _ in members]} | write_items(engine, own, plans, "TransactStatements")


def _check(number: int, member: BoundStatement) -> None:
    fault = None
    if member.statement.returning is not None:
        fault = "RETURNING clause is not supported in ExecuteTransaction."
    elif member.statement.reads and member.statement.index is not None:
        fault = "Reads on indices are not supported within transactions."
    if fault is not None:
        raise invalid(f"Validation failed in TransactStatements[{number}]: {fault}")


def _read(engine: Engine, member: BoundStatement) -> ItemRead:
    table = engine.catalog().table(member.statement.table)
    chosen = selection(table, member, consistent=False)
    if not chosen.way.is_whole(table.key):
        raise invalid(
            "Select statements within ExecuteTransaction must specify the primary key in the where clause."
        )
    return ItemRead(member.statement.table, key_of(table, member, chosen.way), chosen.expressions)
