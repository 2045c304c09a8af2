"""The parameters of the time before expressions, translated into what expressions mean.

A translated request is run by the same tests, updates and projections; nothing here looks at an item.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache, reduce
from typing import Any

from hansang.engine.expressions.condition_tests import compiled
from hansang.engine.expressions.conditions import ParsedCondition
from hansang.engine.expressions.key_parts import Part
from hansang.engine.expressions.projections import ParsedProjection
from hansang.engine.expressions.tree import (
    AndOr,
    AttributePath,
    Between,
    Compare,
    Condition,
    FunctionCall,
    In,
    Not,
    Operand,
    Ref,
    UpdateAction,
)
from hansang.engine.expressions.updates import OVERHEADS, ParsedUpdate
from hansang.engine.faults import invalid, invalid_parameter
from hansang.engine.values import SCALARS, SETS, Item, Value, accept, check_name, comparable, kind
from hansang.errors import WireError

Request = Mapping[str, Any]

_EXPRESSIONS = {
    "AttributesToGet": "ProjectionExpression",
    "QueryFilter": "KeyConditionExpression",
    "ScanFilter": "FilterExpression",
    "AttributeUpdates": "UpdateExpression",
    "Expected": "ConditionExpression",
    "KeyConditions": "KeyConditionExpression",
}
LEGACY = frozenset({*_EXPRESSIONS, "ConditionalOperator"})
_ORDER = (
    "AttributesToGet",
    "QueryFilter",
    "ScanFilter",
    "AttributeUpdates",
    "Expected",
    "ConditionalOperator",
    "KeyConditions",
)
_CONDITIONS = ("QueryFilter", "ScanFilter", "Expected")


@lru_cache(maxsize=64)
def served(labels: tuple[str, ...]) -> tuple[str, ...]:
    """The older parameters of an operation that has these expressions, in the order that messages have."""
    found = {name for name, label in _EXPRESSIONS.items() if label in labels}
    if "QueryFilter" in found:
        found.discard("ScanFilter")
    if found.intersection(_CONDITIONS):
        found.add("ConditionalOperator")
    return tuple(name for name in _ORDER if name in found)


def check_operator(request: Request, given: Iterable[str]) -> None:
    """ConditionalOperator joins conditions: there must be some."""
    if "ConditionalOperator" not in given:
        return
    count = sum(len(request[name]) for name in given if name in _CONDITIONS)
    if count == 0:
        raise invalid("ConditionalOperator cannot be used without Filter or Expected")
    if count == 1:
        raise invalid("ConditionalOperator can only be used when Filter or Expected has two or more elements")


def ignored(request: Request) -> Request:
    """The same request without the older parameters, where an operation never had them."""
    if LEGACY.isdisjoint(request):
        return request
    return {name: value for name, value in request.items() if name not in LEGACY}


# ── projections ───────────────────────────────────────────────────────────────────────────────────


def projection(names: list[str]) -> ParsedProjection:
    for name in names:
        if names.count(name) > 1:
            raise invalid_parameter(f"Duplicate value in attribute name: {name}")
    return ParsedProjection(tuple((name,) for name in names), tuple(names), True, frozenset(), frozenset())


# ── conditions ────────────────────────────────────────────────────────────────────────────────────

_SIGNS = {"EQ": "=", "NE": "<>", "LE": "<=", "LT": "<", "GE": ">=", "GT": ">"}
_FUNCTIONS = {
    "NULL": "attribute_not_exists",
    "NOT_NULL": "attribute_exists",
    "CONTAINS": "contains",
    "NOT_CONTAINS": "contains",
    "BEGINS_WITH": "begins_with",
}
_COUNTS = {"NULL": (0, 0), "NOT_NULL": (0, 0), "BETWEEN": (2, 2), "IN": (1, None)}
_TYPES = {
    **dict.fromkeys(("LE", "LT", "GE", "GT", "CONTAINS", "NOT_CONTAINS", "IN", "BETWEEN"), SCALARS),
    "BEGINS_WITH": frozenset("SB"),
}
_KEY_SIGNS = {**_SIGNS, "BETWEEN": "BETWEEN", "BEGINS_WITH": "begins_with"}


@dataclass(frozen=True, slots=True)
class LegacyComparison:
    """An operator and the values that an attribute is compared with, in normal form."""

    operator: str
    values: tuple[Value, ...]


def condition(label: str, request: Request, values: dict[str, Value]) -> ParsedCondition:
    """The conditions on several attributes as one; what it refers to is put with the values."""
    word = request.get("ConditionalOperator") or "AND"
    read = expected if label == "Expected" else filtered
    parts = [_leaf(name, read(name, each), values) for name, each in request[label].items()]
    tree = reduce(lambda left, right: AndOr(word, left, right), parts)
    paths = tuple((name,) for name in request[label])
    return ParsedCondition(label, tree, compiled(tree), (), frozenset(), (), paths, frozenset())


def _leaf(name: str, comparison: LegacyComparison, values: dict[str, Value]) -> Condition:
    path = AttributePath((name,))
    refs = [_kept(value, values) for value in comparison.values]
    operator = comparison.operator
    if operator in _SIGNS:
        return Compare(_SIGNS[operator], path, refs[0])
    if operator == "BETWEEN":
        return Between(path, *refs)
    if operator == "IN":
        return In(path, tuple(refs))
    call = FunctionCall(_FUNCTIONS[operator], (path, *refs))
    return Not(call) if operator == "NOT_CONTAINS" else call


def _kept(value: Value, values: dict[str, Value]) -> Operand:
    ref = Ref(f":{len(values)}")
    values[ref.name] = value
    return ref


def filtered(name: str, given: Request) -> LegacyComparison:
    """A condition of KeyConditions, QueryFilter or ScanFilter."""
    return _compared(given["ComparisonOperator"], given.get("AttributeValueList") or ())


def expected(name: str, given: Request) -> LegacyComparison:
    """A condition of Expected: a comparison, or in the oldest form whether the attribute has a value."""
    operator, exists = given.get("ComparisonOperator"), given.get("Exists")
    many, one = given.get("AttributeValueList"), given.get("Value")
    if many is not None and one is not None:
        raise invalid_parameter(f"Value and AttributeValueList cannot be used together for Attribute: {name}")
    if operator is None:
        return _existing(name, exists, many, one)
    if exists is not None:
        raise invalid_parameter(
            f"Exists and ComparisonOperator cannot be used together for Attribute: {name}"
        )
    if many is None and one is None and operator not in ("NULL", "NOT_NULL"):
        raise invalid_parameter(
            f"Value or AttributeValueList must be used with ComparisonOperator: {operator} for Attribute: {name}"
        )
    return _compared(operator, [one] if one is not None else many or ())


def _existing(name: str, exists: bool | None, many: Any, one: Any) -> LegacyComparison:
    if many is not None:
        raise invalid_parameter(
            f"AttributeValueList can only be used with a ComparisonOperator for Attribute: {name}"
        )
    if exists is False:
        if one is not None:
            raise invalid_parameter(f"Value cannot be used when Exists is false for Attribute: {name}")
        return LegacyComparison("NULL", ())
    if one is None:
        said = "null" if exists is None else "true"
        raise invalid_parameter(f"Value must be provided when Exists is {said} for Attribute: {name}")
    return LegacyComparison("EQ", (accept(one)[0],))


def _compared(operator: str, given: Iterable[Any]) -> LegacyComparison:
    values = tuple(accept(value)[0] for value in given)
    fewest, most = _COUNTS.get(operator, (1, 1))
    if len(values) < fewest or (most is not None and len(values) > most):
        raise invalid_parameter(f"Invalid number of argument(s) for the {operator} ComparisonOperator")
    if len({kind(value) for value in values}) > 1:
        raise invalid_parameter("AttributeValues inside AttributeValueList must be of same type")
    for value in values:
        if operator in _TYPES and kind(value) not in _TYPES[operator]:
            raise invalid_parameter(
                f"ComparisonOperator {operator} is not valid for {kind(value)} AttributeValue type"
            )
    if operator == "BETWEEN" and comparable(values[0]) > comparable(values[1]):
        raise invalid(
            "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound"
        )
    return LegacyComparison(operator, values)


def key_parts(given: Request) -> dict[str, Part]:
    """KeyConditions; an operator that is none for keys keeps its name, and is refused when the key is known."""
    if not given:
        raise invalid("Conditions can be of length 1 or 2 only")
    parts = {}
    for name, each in given.items():
        found = filtered(name, each)
        parts[name] = Part(name, _KEY_SIGNS.get(found.operator, found.operator), found.values)
    return parts


# ── updates ───────────────────────────────────────────────────────────────────────────────────────


class LegacyUpdate(ParsedUpdate):
    """An update by AttributeUpdates, which speaks in other words of a value of the wrong type."""

    __slots__ = ()

    def apply(self, item: Item, values: Mapping[str, Value]) -> Item:
        try:
            return super().apply(item, values)
        except WireError as fault:
            if fault.message != "An operand in the update expression has an incorrect data type":
                raise
            raise invalid("Type mismatch for attribute to update") from fault


def update(given: Request, values: dict[str, Value]) -> LegacyUpdate:
    """The actions of AttributeUpdates; what they refer to is put with the values."""
    actions = tuple(_action(name, each, values) for name, each in given.items())
    overhead = 3 + sum(OVERHEADS[action.clause] for action in actions)
    return LegacyUpdate(actions, frozenset(), (), tuple(given), frozenset(), None, overhead)


def _action(name: str, given: Request, values: dict[str, Value]) -> UpdateAction:
    check_name(name)
    action, value = given.get("Action") or "PUT", given.get("Value")
    if value is None:
        if action != "DELETE":
            raise invalid_parameter("Only DELETE action is allowed when no attribute value is specified")
        return UpdateAction("REMOVE", (name,), None)
    normal = accept(value)[0]
    tag = kind(normal)
    if action == "DELETE" and tag not in SETS:
        raise invalid_parameter(f"DELETE action with value is not supported for the type {tag}")
    if action == "ADD" and tag not in SETS | {"N", "L"}:
        raise invalid_parameter(f"ADD action is not supported for the type {tag}")
    ref = _kept(normal, values)
    if action == "ADD" and tag == "L":
        return UpdateAction("SET", (name,), _appended(name, ref, values))
    return UpdateAction("SET" if action == "PUT" else action, (name,), ref)


def _appended(name: str, ref: Operand, values: dict[str, Value]) -> Operand:
    """ADD of a list puts its elements behind those that are there."""
    there = FunctionCall("if_not_exists", (AttributePath((name,)), _kept({"L": []}, values)))
    return FunctionCall("list_append", (there, ref))
