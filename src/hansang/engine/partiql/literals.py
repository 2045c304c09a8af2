"""Values in a statement: written out, or left open for parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hansang.engine.faults import invalid
from hansang.engine.values import Value, accept


@dataclass(frozen=True, slots=True)
class ParameterSlot:
    """The place of a parameter, `?`."""

    number: int


Template = dict[str, Any] | ParameterSlot
"""A value in wire form, with slots in it or in the place of it."""


def filled(template: Template, parameters: Sequence[Value]) -> Value:
    """The value, with the parameters in their places."""
    if isinstance(template, ParameterSlot):
        return parameters[template.number]
    [(tag, content)] = template.items()
    if tag == "L":
        return {"L": [filled(member, parameters) for member in content]}
    if tag == "M":
        return {"M": {name: filled(member, parameters) for name, member in content.items()}}
    if tag == "set":
        return _set([filled(member, parameters) for member in content])
    return template


def accepted(parameters: Sequence[Any], wanted: int) -> list[Value]:
    """The parameters of a request in normal form; refused unless the statement has so many places."""
    values = [accept(value)[0] for value in parameters]
    if len(values) != wanted:
        raise invalid("Number of parameters in request and statement don't match.")
    return values


def _set(members: list[Value]) -> Value:
    kinds = {next(iter(member)) for member in members}
    if len(kinds) != 1 or not kinds <= {"S", "N", "B"}:
        raise invalid("A set has members of one type: string, number or binary")
    [kind] = kinds
    return {f"{kind}S": [member[kind] for member in members]}
