"""The expressions of one request, bound to its names and values."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from hansang.engine.expressions import conditions, projections, updates
from hansang.engine.faults import invalid
from hansang.engine.values import TOO_DEEP, Item, Value, accept, readable
from hansang.errors import WireError

_NAME = re.compile(r"#[A-Za-z0-9_]+").fullmatch
_REF = re.compile(r":[A-Za-z0-9_]+").fullmatch
_LARGEST_NAME = 65535

# The older form of each expression, which a request may not use beside any expression.
_LEGACY = {
    "AttributesToGet": "ProjectionExpression",
    "AttributeUpdates": "UpdateExpression",
    "Expected": "ConditionExpression",
    "ConditionalOperator": "ConditionExpression",
    "KeyConditions": "KeyConditionExpression",
    "QueryFilter": "FilterExpression",
    "ScanFilter": "FilterExpression",
}


@dataclass(slots=True)
class BoundExpressions:
    """What a request's expressions mean, with the request's values in normal form."""

    values: Mapping[str, Value]
    condition: conditions.ParsedCondition | None = None
    filter: conditions.ParsedCondition | None = None
    key_condition: conditions.ParsedCondition | None = None
    update: updates.ParsedUpdate | None = None
    projection: projections.ParsedProjection | None = None
    nested: frozenset[str] = frozenset()
    """The attributes that the expressions look into."""

    def holds(self, item: Item | None) -> bool:
        """Whether the condition, if there is one, is true of the stored item."""
        return self.condition is None or self.condition.test(item or {}, self.values)


_PARSERS: dict[str, tuple[str, Callable[..., Any]]] = {
    "UpdateExpression": ("update", updates.parse),
    "FilterExpression": ("filter", conditions.parse),
    "ConditionExpression": ("condition", conditions.parse),
    "KeyConditionExpression": ("key_condition", conditions.parse),
    "ProjectionExpression": ("projection", projections.parse),
}
_NOTHING: Mapping[str, Any] = {}
_SPEAKING = frozenset({*_PARSERS, *_LEGACY, "ExpressionAttributeNames", "ExpressionAttributeValues"})


def bind(request: Mapping[str, Any], *labels: str) -> BoundExpressions:
    """Parse the expressions that the request has under these labels."""
    if _SPEAKING.isdisjoint(request):
        return BoundExpressions(_NOTHING)
    present = expressions(request, *labels)
    if not present:
        return BoundExpressions(_NOTHING)
    names = request.get("ExpressionAttributeNames")
    given = request.get("ExpressionAttributeValues")
    if names is not None:
        _check_names(names)
    bound = BoundExpressions(_NOTHING if given is None else _accepted(given))
    parsed = [_parse(bound, label, request[label], names) for label in present]
    _refuse_unused(parsed, names or _NOTHING, given or _NOTHING)
    return bound


def expressions(request: Mapping[str, Any], *labels: str) -> list[str]:
    """Under which of these labels the request has expressions; refused with what does not go with them."""
    present = [label for label in labels if request.get(label) is not None]
    _refuse_legacy(request, present)
    if not present:
        _refuse_alone(request, labels)
    return present


def _parse(bound: BoundExpressions, label: str, text: str, names: Mapping[str, str] | None) -> Any:
    slot, parse = _PARSERS[label]
    parsed = parse(label, text, tuple(names.items()) if names else ())
    parsed.check(bound.values)
    bound.nested |= parsed.nested
    setattr(bound, slot, parsed)
    return parsed


def _refuse_legacy(request: Mapping[str, Any], present: list[str]) -> None:
    legacy = [name for name in _LEGACY if request.get(name) is not None]
    if legacy:
        refuse_mixed(legacy, present)
        raise invalid(
            f"The legacy parameter {legacy[0]} is not served by this engine; use {_LEGACY[legacy[0]]} instead"
        )


def refuse_mixed(legacy: list[str], present: list[str]) -> None:
    """Refuse parameters of the older form beside expressions; only KeyConditions goes with a filter."""
    if "KeyConditionExpression" not in present:
        legacy = [name for name in legacy if name != "KeyConditions"]
    if legacy and present:
        raise invalid(
            "Can not use both expression and non-expression parameters in the same request: "
            f"Non-expression parameters: {{{', '.join(legacy)}}} "
            f"Expression parameters: {{{', '.join(present)}}}"
        )


def _refuse_alone(request: Mapping[str, Any], labels: tuple[str, ...]) -> None:
    if request.get("ExpressionAttributeNames") is not None:
        raise invalid("ExpressionAttributeNames can only be specified when using expressions")
    if request.get("ExpressionAttributeValues") is not None:
        speaking = sorted(
            (label for label in labels if label != "ProjectionExpression"), key=list(_PARSERS).index
        )
        verb = "is" if len(speaking) == 1 else "are"
        raise invalid(
            "ExpressionAttributeValues can only be specified when using expressions: "
            f"{' and '.join(speaking)} {verb} null"
        )


def _check_names(names: Mapping[str, str]) -> None:
    if not names:
        raise invalid("ExpressionAttributeNames must not be empty")
    for alias, name in names.items():
        if not _NAME(alias):
            raise invalid(f'ExpressionAttributeNames contains invalid key: Syntax error; key: "{alias}"')
        if not 0 < len(name) <= _LARGEST_NAME:
            raise invalid(
                f"ExpressionAttributeNames contains invalid value: Empty attribute name for key {alias}"
            )


def _accepted(given: Mapping[str, Any]) -> Mapping[str, Value]:
    if not given:
        raise invalid("ExpressionAttributeValues must not be empty")
    for ref in given:
        if not _REF(ref):
            raise invalid(f'ExpressionAttributeValues contains invalid key: Syntax error; key: "{ref}"')
    accepted = {}
    for ref, value in given.items():
        try:
            accepted[ref] = accept(value)[0]
        except WireError as fault:
            readable(value)
            if fault.message == TOO_DEEP:
                raise
            raise invalid(
                f"ExpressionAttributeValues contains invalid value: {fault.message} for key {ref}"
            ) from fault
    return accepted


def _refuse_unused(parsed: list[Any], names: Mapping[str, str], given: Mapping[str, Any]) -> None:
    if len(parsed) == 1:
        used_names, used_refs = parsed[0].names, parsed[0].refs
    else:
        used_names = frozenset().union(*(each.names for each in parsed))
        used_refs = {ref for each in parsed for ref in each.refs}
    if len(used_names) < len(names):
        _refuse("Names", names, used_names)
    if len(used_refs) < len(given):
        _refuse("Values", given, used_refs)


def _refuse(what: str, given: Mapping[str, Any], used: Any) -> None:
    unused = ", ".join(key for key in given if key not in used)
    raise invalid(f"Value provided in ExpressionAttribute{what} unused in expressions: keys: {{{unused}}}")
