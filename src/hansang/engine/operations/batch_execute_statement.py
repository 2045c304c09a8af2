"""BatchExecuteStatement: up to 25 statements in PartiQL, all reading or all writing, each on its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hansang.engine.faults import invalid
from hansang.engine.operations.execute_statement import PARAMETERS, STATEMENT
from hansang.engine.partiql.parser import parse
from hansang.engine.partiql.reading import summed
from hansang.engine.partiql.routes import route
from hansang.engine.partiql.statements import BoundStatement
from hansang.engine.partiql.writing import key_of
from hansang.engine.shapes import (
    CONSUMED_CAPACITY,
    ON_CONDITION_FAILURE,
    Flag,
    Many,
    RequestShape,
    Struct,
    required,
)
from hansang.engine.values import accept_item
from hansang.errors import StoreBusy, WireError

if TYPE_CHECKING:
    from hansang.engine.catalog import Catalog
    from hansang.engine.engine import Engine

SHAPE = RequestShape(
    Statements=required(
        Many(
            Struct(
                "BatchStatementRequest",
                Statement=STATEMENT,
                Parameters=PARAMETERS,
                ConsistentRead=Flag(),
                ReturnValuesOnConditionCheckFailure=ON_CONDITION_FAILURE,
            ),
            fewest=1,
            most=25,
        )
    ),
    ReturnConsumedCapacity=CONSUMED_CAPACITY,
)
_CODES = {"ValidationException": "ValidationError"}
Member = BoundStatement | WireError


def run(engine: Engine, request: Mapping[str, Any]) -> dict[str, Any]:
    SHAPE.check(request)
    members = [_member(each) for each in request["Statements"]]
    statements = [member for member in members if isinstance(member, BoundStatement)]
    if len({member.statement.reads for member in statements}) > 1:
        raise invalid("Read and write requests together in the same batch is not supported.")
    catalog = engine.catalog()
    targets = [found for member in statements if (found := target(catalog, member)) is not None]
    if len(set(targets)) < len(targets):
        raise invalid("Provided list of item keys contains duplicates")
    mode = request.get("ReturnConsumedCapacity", "NONE")
    costs: dict[str, Any] = {}
    responses = [
        _response(engine, member, {**each, "ReturnConsumedCapacity": mode}, costs)
        for member, each in zip(members, request["Statements"], strict=True)
    ]
    return {"Responses": responses} | ({"ConsumedCapacity": list(costs.values())} if mode != "NONE" else {})


def target(catalog: Catalog, member: BoundStatement) -> tuple[str, bytes] | None:
    """The item that a statement means; None where it does not say, or says it wrongly."""
    try:
        table = catalog.table(member.statement.table)
        if member.item is not None:
            item = accept_item(member.item["M"])[0]
            return table.name, table.key_of({name: item[name] for name in table.key.names if name in item})
        return table.name, table.key_of(key_of(table, member, route(member.statement, table.key)))
    except WireError:
        return None


def _member(request: Mapping[str, Any]) -> Member:
    try:
        bound = parse(request["Statement"]).bound(request.get("Parameters") or ())
        if bound.statement.verb == "EXISTS":
            raise invalid("EXISTS is only supported in ExecuteTransaction")
    except WireError as fault:
        if fault.code != "ValidationException":
            raise
        return fault
    return bound


def _response(
    engine: Engine, member: Member, request: Mapping[str, Any], costs: dict[str, Any]
) -> dict[str, Any]:
    if isinstance(member, WireError):
        return _failed(member, None)
    table = member.statement.table
    try:
        if member.statement.reads:
            _expect_key(engine, member)
        # Each is a request of its own: another catalog must not have those before it done again.
        answer = engine.call("ExecuteStatement", request)
    except WireError as fault:
        return _failed(fault, table)
    except StoreBusy as fault:
        return _failed(WireError("ThrottlingError", str(fault)), table)
    if "ConsumedCapacity" in answer:
        cost = answer["ConsumedCapacity"]
        costs[table] = summed(costs[table], cost) if table in costs else cost
    return {"TableName": table} | ({"Item": answer["Items"][0]} if answer["Items"] else {})


def _expect_key(engine: Engine, member: BoundStatement) -> None:
    table = engine.catalog().table(member.statement.table)
    if member.statement.index is not None or not route(member.statement, table.key).is_whole(table.key):
        raise invalid(
            "Select statements within BatchExecuteStatement must specify the primary key in the where clause."
        )


def _failed(fault: WireError, table: str | None) -> dict[str, Any]:
    """A statement that failed; one that was refused before it ran does not name its table."""
    code = _CODES.get(fault.code, fault.code.removesuffix("Exception"))
    error: dict[str, Any] = {"Code": code, "Message": fault.message, **fault.fields}
    named = {"TableName": table} if table is not None and code != "ValidationError" else {}
    return {"Error": error} | named
