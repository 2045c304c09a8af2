"""What an expression means, as a tree, free of any request's values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Ref:
    """A value of the request, `:v`."""

    name: str


@dataclass(frozen=True, slots=True)
class Attribute:
    """A document path into the item."""

    path: Path


@dataclass(frozen=True, slots=True)
class Call:
    """A function with its operands."""

    name: str
    operands: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Sum:
    """`left + right` or `left - right` in an update."""

    sign: str
    left: Operand
    right: Operand


Operand = Ref | Attribute | Call | Sum


@dataclass(frozen=True, slots=True)
class Compare:
    sign: str
    left: Operand
    right: Operand


@dataclass(frozen=True, slots=True)
class Between:
    subject: Operand
    low: Operand
    high: Operand


@dataclass(frozen=True, slots=True)
class In:
    subject: Operand
    choices: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Not:
    part: Condition


@dataclass(frozen=True, slots=True)
class Junction:
    """Conditions joined by AND or by OR."""

    word: str
    parts: tuple[Condition, ...]


Condition = Compare | Between | In | Not | Junction | Call


def shown(path: Path) -> str:
    """A path as DynamoDB writes it in messages: `[a, b, [0]]`."""
    return "[" + ", ".join(f"[{part}]" if isinstance(part, int) else part for part in path) + "]"


def operands(node: Condition | Operand) -> Iterator[Operand]:
    """Every operand below a node, in the order of the text."""
    if isinstance(node, Ref | Attribute):
        yield node
    elif isinstance(node, Sum | Compare):
        yield from operands(node.left)
        yield from operands(node.right)
    elif isinstance(node, Call):
        yield node
        for operand in node.operands:
            yield from operands(operand)
    elif isinstance(node, Between):
        for operand in (node.subject, node.low, node.high):
            yield from operands(operand)
    elif isinstance(node, In):
        for operand in (node.subject, *node.choices):
            yield from operands(operand)
    elif isinstance(node, Not):
        yield from operands(node.part)
    else:
        for part in node.parts:
            yield from operands(part)
