"""The types of a condition's values: what is refused whatever the items are."""

from __future__ import annotations

from collections.abc import Mapping

from hansang.engine.expressions.parser import needs_path, wrong_type
from hansang.engine.expressions.tree import (
    AttributePath,
    Between,
    Compare,
    FunctionCall,
    Leaf,
    Operand,
    Ref,
    parts,
)
from hansang.engine.faults import invalid
from hansang.engine.values import SCALARS, TYPES, Value, comparable, kind

Values = Mapping[str, Value]

_UNORDERED = ("=", "<>")
_SIZED = frozenset(TYPES) - {"N", "BOOL", "NULL"}
_BEGINNING = frozenset("SB")


def check_types(label: str, leaf: Leaf, values: Values) -> None:
    """Refuse a leaf whose operands are known to be of types that it does not take."""
    for operand in parts(leaf):
        if isinstance(operand, FunctionCall):
            _expect_all(label, "size", operand.operands, values, _SIZED)
    if isinstance(leaf, Compare) and leaf.sign not in _UNORDERED:
        _expect_all(label, leaf.sign, (leaf.left, leaf.right), values, SCALARS)
    elif isinstance(leaf, Between):
        _expect_all(label, "BETWEEN", (leaf.subject, leaf.low, leaf.high), values, SCALARS)
        if isinstance(leaf.low, Ref) and isinstance(leaf.high, Ref):
            _check_bounds(label, values[leaf.low.name], values[leaf.high.name])
    elif isinstance(leaf, FunctionCall):
        _check_call(label, leaf, values)


def _check_call(label: str, call: FunctionCall, values: Values) -> None:
    if call.name in ("attribute_exists", "attribute_not_exists"):
        if not isinstance(call.operands[0], AttributePath):
            raise invalid(f"Invalid {label}: {needs_path(call.name)}")
    elif call.name == "begins_with":
        _expect_all(label, call.name, call.operands, values, _BEGINNING)
    elif call.name == "attribute_type":
        _check_type_name(label, call, values)


def _check_type_name(label: str, call: FunctionCall, values: Values) -> None:
    wanted = call.operands[1]
    if isinstance(wanted, AttributePath):
        raise invalid(f"Invalid {label}: {wrong_type(call.name, '{' + ','.join(TYPES) + '}')}")
    _expect_all(label, call.name, (wanted,), values, frozenset("S"))
    assert isinstance(wanted, Ref)
    if values[wanted.name]["S"] not in TYPES:
        raise invalid(
            f"Invalid {label}: Invalid attribute type name found; "
            f"type: {values[wanted.name]['S']}, valid types: {{{','.join(TYPES)}}}"
        )


def _check_bounds(label: str, low: Value, high: Value) -> None:
    if kind(low) != kind(high):
        rule = "The BETWEEN operator requires same data type for lower and upper bounds"
    elif comparable(low) > comparable(high):
        rule = "The BETWEEN operator requires upper bound to be greater than or equal to lower bound"
    else:
        return
    raise invalid(
        f"Invalid {label}: {rule}; lower bound operand: AttributeValue: {_written(low)}, "
        f"upper bound operand: AttributeValue: {_written(high)}"
    )


def _written(value: Value) -> str:
    [(tag, content)] = value.items()
    return f"{{{tag}:{content}}}"


def _expect_all(
    label: str, name: str, nodes: tuple[Operand, ...], values: Values, allowed: frozenset[str]
) -> None:
    for operand in nodes:
        tag = _known_type(operand, values)
        if tag is not None and tag not in allowed:
            raise invalid(f"Invalid {label}: {wrong_type(name, tag)}")


def _known_type(operand: Operand, values: Values) -> str | None:
    """The type of an operand, as far as it is known without an item: `size` is a number."""
    if isinstance(operand, Ref):
        return kind(values[operand.name])
    return "N" if isinstance(operand, FunctionCall) else None
