"""SELECT: a query where the condition gives the partition key, otherwise a scan."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import orjson

from hansang.engine import key_order
from hansang.engine.expressions.binding import BoundExpressions
from hansang.engine.expressions.key_conditions import part_of
from hansang.engine.expressions.key_parts import Part
from hansang.engine.expressions.tree import In, Ref
from hansang.engine.faults import invalid
from hansang.engine.key_spans import is_single, wanted_rows
from hansang.engine.paging import LARGEST_PAGE, RowSpan, index_of, page, refuse_unprojected_filter, source
from hansang.engine.partiql.routes import Route, checked, route
from hansang.engine.partiql.statements import BoundStatement
from hansang.engine.schema import IndexSchema, KeySchema, TableSchema
from hansang.engine.start_keys import place
from hansang.engine.values import Item, accept_item
from hansang.errors import WireError

if TYPE_CHECKING:
    from hansang.engine.engine import Engine

_MOST_PARTITIONS = 50


@dataclass(frozen=True, slots=True)
class Selection:
    """A SELECT with the table, or the index of it, that it reads."""

    table: TableSchema
    index: IndexSchema | None
    bound: BoundStatement
    way: Route
    expressions: BoundExpressions

    @property
    def key(self) -> KeySchema:
        return self.table.key if self.index is None else self.index.key

    @property
    def is_keyed(self) -> bool:
        return self.way.is_keyed(self.key)

    @property
    def order(self) -> tuple[tuple[str, bool], ...]:
        """What to sort by, without attributes that have one value only."""
        return tuple(term for term in self.bound.statement.order if not self.way.fixes(term[0]))

    @property
    def backward(self) -> bool:
        order = self.order or self.bound.statement.order
        return bool(order) and order[-1][1]


def selection(table: TableSchema, bound: BoundStatement, *, consistent: bool) -> Selection:
    """What is read; refused where it cannot be."""
    index = _index(table, bound.statement.index, consistent=consistent)
    key = table.key if index is None else index.key
    way = route(bound.statement, key)
    expressions = checked(bound, way)
    expressions.filter = way.rest
    found = Selection(table, index, bound, way, expressions)
    _check_order(found)
    if index is not None and way.rest is not None and found.is_keyed:
        refuse_unprojected_filter(index, way.rest)
    table.refuse_nested(expressions.nested)
    return found


def select(engine: Engine, chosen: Selection, request: Mapping[str, Any]) -> dict[str, Any]:
    """One page of what the statement asks for."""
    asked = {"TableName": chosen.bound.statement.table, **request}
    first, start = _opened(request)
    if not chosen.is_keyed:
        return _closed(request, first, _scan(engine, chosen, start, asked))
    answer: dict[str, Any] = {}
    partitions, room = _partitions(chosen), LARGEST_PAGE
    if first >= len(partitions):
        raise invalid("Invalid NextToken")
    for number, parts in enumerate(partitions[first:], first):
        span = _span(chosen, parts, start, asked, room)
        _add(answer, page(engine, _source(chosen, asked), span, asked))
        if "LastEvaluatedKey" in answer:
            return _closed(request, number, answer)
        start, room, is_full = None, span.room, span.room <= 0
        if request.get("Limit") is not None:
            asked["Limit"] = request["Limit"] - answer["ScannedCount"]
            is_full |= asked["Limit"] <= 0
        if is_full and number + 1 < len(partitions):
            return _closed(request, number + 1, answer, at_start=True)
    return _closed(request, 0, answer)


def _index(table: TableSchema, name: str | None, *, consistent: bool) -> IndexSchema | None:
    if name is None:
        return None
    if all(index.name != name for index in table.indexes):
        raise invalid("The table does not have the specified index")
    if consistent and table.index(name).is_global:
        raise invalid("Strongly consistent read is not supported on Global Secondary Indexes")
    return index_of(table, {"IndexName": name})


def _check_order(chosen: Selection) -> None:
    order = chosen.bound.statement.order
    if not order:
        return
    if not chosen.is_keyed:
        raise invalid(
            "Must have at least one non-optional hash key condition in WHERE clause when using ORDER BY clause."
        )
    for name, _ in order:
        if name not in chosen.key.names:
            raise invalid(f"Variable reference {name} in ORDER BY clause must be part of the primary key")
    if not _is_order_of_rows(chosen):
        raise invalid("ORDER BY clause must follow the primary key, and its sort key in one direction")


def _is_order_of_rows(chosen: Selection) -> bool:
    """Whether rows can be read as the clause wants them: by partitions, and then as they lie, or backward."""
    hashed = [attribute.name for attribute in chosen.key.hash]
    ranged = [attribute.name for attribute in chosen.key.range if not chosen.way.fixes(attribute.name)]
    inner = [term for term in chosen.order if term[0] not in hashed]
    names = [name for name, _ in inner]
    in_turn = tuple(inner) == chosen.order[len(chosen.order) - len(inner) :]
    return in_turn and names == ranged[: len(names)] and len({backward for _, backward in inner}) < 2


def _partitions(chosen: Selection) -> list[dict[str, Part]]:
    """The conditions on the key; with IN on the partition key, those of each partition in turn."""
    values = chosen.bound.values
    found: list[dict[str, Part]] = [{}]
    for name, leaf in chosen.way.keys.items():
        if isinstance(leaf, In):
            refs = [choice.name for choice in leaf.choices if isinstance(choice, Ref)]
            given = {orjson.dumps(values[ref]): values[ref] for ref in refs}
            if len(given) * len(found) > _MOST_PARTITIONS:
                raise invalid(
                    f"At most {_MOST_PARTITIONS} values of a partition key can be asked for at once"
                )
            found = [each | {name: Part(name, "=", (value,))} for each in found for value in given.values()]
        else:
            found = [each | {name: part_of(leaf, values)} for each in found]
    return _sorted(chosen, found)


def _sorted(chosen: Selection, partitions: list[dict[str, Part]]) -> list[dict[str, Part]]:
    """The partitions as ORDER BY wants them, otherwise as they were given."""
    hashed = {attribute.name: attribute for attribute in chosen.key.hash}
    for name, backward in reversed(chosen.order):
        attribute = hashed.get(name)
        if attribute is not None and all(attribute.fits(each[name].values[0]) for each in partitions):
            partitions.sort(key=partial(_place_of, name), reverse=backward)
    return partitions


def _place_of(name: str, parts: Mapping[str, Part]) -> bytes:
    return key_order.ordered(*key_order.content_of(parts[name].values[0]))


def _span(
    chosen: Selection, parts: Mapping[str, Part], start: Item | None, asked: Mapping[str, Any], room: int
) -> RowSpan:
    """The rows of one partition, as many as still fit into the page."""
    backward = chosen.backward
    wanted = wanted_rows(chosen.table, chosen.index, parts, start, backward=backward)
    limit = None if is_single(chosen.table, chosen.index, wanted) else asked.get("Limit")
    return RowSpan(wanted.low, wanted.high, limit, backward, room)


def _scan(engine: Engine, chosen: Selection, start: Item | None, asked: Mapping[str, Any]) -> dict[str, Any]:
    low, high = key_order.EVERYTHING
    if start is not None:
        low = place(start, chosen.table, chosen.index) + b"\0"
    return page(engine, _source(chosen, asked), RowSpan(low, high, asked.get("Limit")), asked)


def _source(chosen: Selection, asked: Mapping[str, Any]) -> Any:
    return source(chosen.table, chosen.index, asked, chosen.expressions, by_key=False)


def _add(answer: dict[str, Any], more: dict[str, Any]) -> None:
    """One page behind another: their items, counts and costs together."""
    answer["Items"] = answer.get("Items", []) + more["Items"]
    answer["ScannedCount"] = answer.get("ScannedCount", 0) + more["ScannedCount"]
    if "LastEvaluatedKey" in more:
        answer["LastEvaluatedKey"] = more["LastEvaluatedKey"]
    if "ConsumedCapacity" in more:
        before = answer.get("ConsumedCapacity")
        cost = more["ConsumedCapacity"]
        answer["ConsumedCapacity"] = cost if before is None else summed(before, cost)


def summed(left: Any, right: Any) -> Any:
    """Two costs of one table as one; an index may be in either of them."""
    if isinstance(left, dict):
        both = {name: summed(left[name], right[name]) for name in left if name in right}
        return {**left, **right, **both}
    return left if isinstance(left, str) else left + right


# ── where to go on ────────────────────────────────────────────────────────────────────────────────


def _closed(
    request: Mapping[str, Any], number: int, answer: Mapping[str, Any], *, at_start: bool = False
) -> dict[str, Any]:
    """The answer, with a token for what is left: in the partition of this number, or all of it."""
    found: dict[str, Any] = {"Items": answer["Items"]}
    last = answer.get("LastEvaluatedKey")
    if last is not None or at_start:
        token = orjson.dumps([_digest(request), number, last])
        found["NextToken"] = base64.urlsafe_b64encode(token).decode()
    if last is not None:
        found["LastEvaluatedKey"] = last
    if "ConsumedCapacity" in answer:
        found["ConsumedCapacity"] = answer["ConsumedCapacity"]
    return found


def _opened(request: Mapping[str, Any]) -> tuple[int, Item | None]:
    """The partition and the place in it that a token names; it is good for the same statement only."""
    token = request.get("NextToken")
    if token is None:
        return 0, None
    try:
        digest, number, last = orjson.loads(base64.urlsafe_b64decode(token.encode()))
        start = None if last is None else accept_item(last)[0]
    except (ValueError, TypeError, AttributeError, binascii.Error, WireError):
        raise invalid("Invalid NextToken") from None
    if digest != _digest(request):
        raise invalid("NextToken does not match request")
    if type(number) is not int or number < 0:
        raise invalid("Invalid NextToken")
    return number, start


def _digest(request: Mapping[str, Any]) -> str:
    parameters: Sequence[Any] = request.get("Parameters") or ()
    text = orjson.dumps([request["Statement"], parameters], option=orjson.OPT_SORT_KEYS)
    return sha256(text).hexdigest()[:16]
