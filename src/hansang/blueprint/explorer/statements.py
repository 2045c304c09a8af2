"""PartiQL statements by hand: how one gets to its items, what it names, and what it would make of an item."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from hansang.blueprint.explorer.json_texts import read
from hansang.blueprint.explorer.statement_texts import condition_text, key_text_of
from hansang.design import Database, Index, Table
from hansang.design.codec import Value, to_value
from hansang.design.marks import Role
from hansang.design.shape import Item
from hansang.design.visibility import hidden_in, hidden_keys, is_hidden_anywhere, is_hidden_everywhere
from hansang.engine.capacity import write_units
from hansang.engine.expressions.tree import AndOr, AttributePath, In, Not, operands
from hansang.engine.partiql import reading, writing
from hansang.engine.partiql.parser import parse
from hansang.engine.partiql.routes import Route, route
from hansang.engine.partiql.statements import BoundStatement, Statement
from hansang.engine.schema import KeySchema, TableSchema, compiled
from hansang.engine.values import item_size
from hansang.engine.writes import Stored, alike, index_row
from hansang.errors import InvalidInput, NotAllowed, NotFound

LONGEST = 8_192
"""Characters of a statement, as on AWS."""
_WRITES = {"INSERT": "PutItem", "UPDATE": "UpdateItem", "DELETE": "DeleteItem"}
_TYPES = frozenset({"S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS"})


@dataclass(frozen=True, slots=True)
class StatementPlan:
    """A statement with its parameters, and how it gets to its items."""

    text: str
    parameters: list[Value]
    bound: BoundStatement
    table: type[Table]
    name: str
    """What the table is called here."""
    schema: TableSchema
    index: Index | None
    operation: str
    """The operation with expressions that the statement stands for."""
    key_condition: str
    filter: str
    partitions: int
    """How many partitions are queried, one after the other."""
    way: Route
    """What of the condition leads to items, and what is left to be tested."""

    @property
    def statement(self) -> Statement:
        return self.bound.statement

    @property
    def reads(self) -> bool:
        return self.statement.reads


def parameters_in(text: str) -> list[Value]:
    """Parameters as people write them, one a line."""
    return parameters_of(text.splitlines())


def parameters_of(texts: Iterable[str]) -> list[Value]:
    """Parameters as people write them, each by itself: JSON, or an attribute value with its type."""
    found = []
    for number, line in enumerate(texts, 1):
        if not line.strip():
            continue
        try:
            value = read(line)
            is_typed = isinstance(value, dict) and len(value) == 1 and value.keys() <= _TYPES
            found.append(value if is_typed else to_value(value))
            orjson.dumps(found[-1])  # Half of a surrogate pair is JSON, and no Unicode.
        except (ValueError, TypeError, ArithmeticError, RecursionError) as fault:
            raise InvalidInput(
                'Line {number} of the parameters is no JSON. Write "text", 12, true or {{"S": "text"}}.',
                code="surfaces.statement-parameter",
                values={"number": number},
            ) from fault
    return found


def planned(
    database: Database, application: str, tables: Sequence[type[Table]], text: str, parameters: list[Value]
) -> StatementPlan:
    """The plan of a statement on one of these tables; what DynamoDB would refuse is a WireError."""
    if len(text) > LONGEST:
        raise InvalidInput(
            "A statement has at most {most} characters. Give long values as parameters.",
            code="surfaces.statement-long",
            values={"most": LONGEST},
        )
    statement = parse(text)
    names = {database.name(table): table for table in tables}
    table = names.get(statement.table)
    if table is None:
        known = {"application": application, "table": statement.table, "known": ", ".join(names)}
        raise NotFound(
            "{application} has no table {table}. There are {known}.", code="surfaces.no-table", values=known
        )
    if statement.verb == "EXISTS":
        raise InvalidInput(
            "EXISTS stands in transactions alone. Use SELECT.", code="surfaces.statement-exists"
        )
    bound, schema = statement.bound(parameters), _schema(table)
    if not statement.reads:
        return _written(text, parameters, bound, table, schema)
    index = next((each for each in table.indexes if each.name == statement.index), None)
    chosen = reading.selection(schema, bound, consistent=False)
    key = schema.key if chosen.index is None else chosen.index.key
    return StatementPlan(
        text,
        parameters,
        bound,
        table,
        statement.table,
        schema,
        index,
        _operation(chosen.way, key, is_keyed=chosen.is_keyed, is_index=index is not None),
        _keys(chosen.way, bound),
        _rest(chosen.way, bound),
        _partitions(chosen.way),
        chosen.way,
    )


def _operation(way: Route, key: KeySchema, *, is_keyed: bool, is_index: bool) -> str:
    if way.is_whole(key) and not is_index:
        return "GetItem"
    return "Query" if is_keyed else "Scan"


def _written(
    text: str, parameters: list[Value], bound: BoundStatement, table: type[Table], schema: TableSchema
) -> StatementPlan:
    statement = bound.statement
    action = writing.plan(schema, bound, {"TableName": schema.name}).locate(schema)
    way = route(statement, schema.key)
    return StatementPlan(
        text,
        parameters,
        bound,
        table,
        statement.table,
        schema,
        None,
        _WRITES[statement.verb],
        key_text_of(action.key_item, schema.key.names),
        "" if statement.verb == "INSERT" else _rest(way, bound),
        1,
        way,
    )


def _keys(way: Route, bound: BoundStatement) -> str:
    return " AND ".join(condition_text(leaf, bound.values) for leaf in way.keys.values())


def _rest(way: Route, bound: BoundStatement) -> str:
    return "" if way.rest is None else condition_text(way.rest.tree, bound.values)


def _partitions(way: Route) -> int:
    count = 1
    for leaf in way.keys.values():
        count *= len(leaf.choices) if isinstance(leaf, In) else 1
    return count


def _schema(table: type[Table]) -> TableSchema:
    """A table of a design as the engine works with it; nothing is read or written through it."""
    definition = table.definition()
    indexes = {
        title: [{**each, "rows": 0} for each in definition.get(title, ())]
        for title in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes")
    }
    return compiled({**definition, **indexes, "rows": 0})


# ── what it names ─────────────────────────────────────────────────────────────────────────────────


def attributes_named(statement: Statement) -> set[str]:
    """The attributes that decide what a statement answers or does: not its columns, nor those of an item it brings."""
    found = {str(path[0]) for path in _paths(statement)}
    return found | {name for name, _ in statement.order}


def _paths(statement: Statement) -> Iterator[tuple[str | int, ...]]:
    waiting: list[Any] = [] if statement.where is None else [statement.where]
    while waiting:
        node = waiting.pop()
        if isinstance(node, AndOr):
            waiting += [node.left, node.right]
        elif isinstance(node, Not):
            waiting.append(node.part)
        else:
            yield from (each.path for each in operands(node) if isinstance(each, AttributePath))
    for action in () if statement.update is None else statement.update.actions:
        yield action.path
        if action.operand is not None:
            yield from (each.path for each in operands(action.operand) if isinstance(each, AttributePath))


def expect_open(plan: StatementPlan, role: Role | None, item: Item | None = None) -> None:
    """Refuse a statement that names what somebody with this role does not see: its answer would tell.

    `item` is the one that it writes. One that reads may meet items of every kind of its table: what only some of them
    hide may be named, as the condition is then tried on items as they are seen (`names_hidden`). The place of an item
    in an index whose key holds a hidden value tells it. Columns may be named: what is hidden of an item is hidden
    before they are picked.
    """
    closed = sorted(_closed(plan, role, item))
    if closed:
        raise NotAllowed(
            "A statement cannot name {names}: you do not see it in {table}, and the answer would tell it.",
            code="surfaces.statement-hidden",
            values={"names": ", ".join(closed), "table": plan.table.name},
        )


def _closed(plan: StatementPlan, role: Role | None, item: Item | None) -> set[str]:
    named = attributes_named(plan.statement)
    if item is not None:
        absent: Item = {name: {"NULL": True} for name in named - item.keys()}
        return named & hidden_in(plan.table, {**item, **absent}, role)
    keys = () if plan.index is None else hidden_keys(plan.index, plan.table, role)
    return {*keys, *(name for name in named if is_hidden_everywhere(plan.table, name, role))}


def names_hidden(plan: StatementPlan, role: Role | None) -> bool:
    """Whether the condition is on what some kinds of the table hide from somebody with this role."""
    return any(is_hidden_anywhere(plan.table, name, role) for name in attributes_named(plan.statement))


# ── writing ───────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class StatementChange:
    """What a statement would make of an item: None is no item."""

    key: Item
    before: Item | None
    after: Item | None
    matches: bool
    """Whether the condition holds, so that anything is done at all."""


def key_written(plan: StatementPlan) -> Item:
    """The key of the item that a statement writes."""
    action = writing.plan(plan.schema, plan.bound, {"TableName": plan.name}).locate(plan.schema)
    return plan.schema.key.pick(action.key_item)


def change_of(plan: StatementPlan, before: Item | None) -> StatementChange:
    """What the statement makes of the item as it is; a WireError where DynamoDB would refuse."""
    action = writing.plan(plan.schema, plan.bound, {"TableName": plan.name}).locate(plan.schema)
    key = plan.schema.key.pick(action.key_item)
    if not action.bound.holds(before) or (before is None and plan.statement.verb == "DELETE"):
        return StatementChange(key, before, before, matches=False)
    stored = None if before is None else Stored((orjson.dumps(before), item_size(before)))
    return StatementChange(key, before, action.decide(stored).new, matches=True)


def write_cost(table: type[Table], before: Item | None, after: Item | None) -> float:
    """The write units of a change of one item and of its entries in the indexes."""
    schema = _schema(table)
    sizes = [item_size(each) for each in (before, after) if each is not None]
    units = write_units(max(sizes, default=0))
    for index in schema.indexes:
        old, new = (_entry(schema, index, each) for each in (before, after))
        if old == new or (old and new and alike(old, new)):
            continue
        if old and new and old[0] == new[0]:
            units += write_units(max(old[2], new[2]))
        else:
            units += sum(write_units(each[2]) for each in (old, new) if each)
    return units


def _entry(schema: TableSchema, index: Any, item: Item | None) -> tuple[bytes, bytes, int] | None:
    if item is None:
        return None
    return index_row(index, schema.key.encode(item), item, orjson.dumps(item), item_size(item))
