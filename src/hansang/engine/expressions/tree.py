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
class AttributePath:
    """A document path into the item."""

    path: Path


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """A function with its operands."""

    name: str
    operands: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Sum:
    """`left + right` or `left - right` in an update."""

    sign: str
    left: Operand
    right: Operand


Operand = Ref | AttributePath | FunctionCall | Sum


@dataclass(frozen=True, slots=True)
class UpdateAction:
    """One change of an update: what to do, where, and with what."""

    clause: str
    path: Path
    operand: Operand | None


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


Leaf = Compare | Between | In | FunctionCall
"""A condition that is not made of others."""


@dataclass(frozen=True, slots=True)
class Not:
    part: Condition


@dataclass(frozen=True, slots=True)
class AndOr:
    """Two conditions joined by AND or by OR."""

    word: str
    left: Condition
    right: Condition


Condition = Leaf | Not | AndOr


def shown(path: Path) -> str:
    """A path as DynamoDB writes it in messages: `[a, b, [0]]`."""
    return "[" + ", ".join(f"[{part}]" if isinstance(part, int) else part for part in path) + "]"


def parts(leaf: Leaf | Operand) -> tuple[Operand, ...]:
    """The operands of a leaf or of an operand, in the order of the text."""
    if isinstance(leaf, Sum | Compare):
        return (leaf.left, leaf.right)
    if isinstance(leaf, FunctionCall):
        return leaf.operands
    if isinstance(leaf, Between):
        return (leaf.subject, leaf.low, leaf.high)
    return (leaf.subject, *leaf.choices) if isinstance(leaf, In) else ()


def operands(leaf: Leaf | Operand) -> Iterator[Ref | AttributePath]:
    """Every value and every path below a leaf or an operand, in the order of the text."""
    waiting = [leaf]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Ref | AttributePath):
            yield node
        else:
            waiting.extend(reversed(parts(node)))
