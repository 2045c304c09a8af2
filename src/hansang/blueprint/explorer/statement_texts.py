"""Parts of PartiQL statements as text: names, values, conditions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from hansang.blueprint.explorer.json_texts import written
from hansang.design import Table
from hansang.design.codec import Value, to_python
from hansang.design.shape import Item
from hansang.engine.expressions.tree import (
    AndOr,
    AttributePath,
    Between,
    Compare,
    Condition,
    FunctionCall,
    In,
    Leaf,
    Not,
    Operand,
    Path,
    Ref,
    Sum,
)

_STATES = {"attribute_exists": "IS NOT MISSING", "attribute_not_exists": "IS MISSING"}


def quoted(name: str) -> str:
    """A name of a table, an index or an attribute."""
    return '"' + name.replace('"', '""') + '"'


def literal(value: Value) -> str:
    """A value as a statement has it; of types that have no literal, as JSON."""
    [(kind, content)] = value.items()
    if kind == "S":
        return "'" + str(content).replace("'", "''") + "'"
    return str(content) if kind == "N" else written(to_python(value))


def key_text_of(item: Mapping[str, Value], names: Iterable[str]) -> str:
    """The condition that an item has this key."""
    return " AND ".join(f"{quoted(name)} = {literal(item[name])}" for name in names)


def select_item(name: str, table: type[Table], item: Item) -> str:
    """The statement that answers one item; `name` is what the table is called here."""
    return select(name, where=key_text_of(item, table.key_attributes()))


def select(name: str, index: str = "", where: str = "") -> str:
    """The statement for all attributes of what a condition leads to."""
    source = ".".join(map(quoted, filter(None, (name, index))))
    return " ".join(["SELECT", "*", "FROM", source, *(["WHERE", where] if where else [])])


def update(name: str, attribute: str, value: Value, where: str) -> str:
    """The statement that gives an attribute another value."""
    return " ".join(["UPDATE", quoted(name), "SET", quoted(attribute), "=", literal(value), "WHERE", where])


Saying = Callable[[Value], str]
"""How a value is written."""


def condition_text(tree: Condition, values: Mapping[str, Value], say: Saying = literal) -> str:
    """A condition, with its values in it, said from left to right."""
    if isinstance(tree, Not):
        return f"NOT ({condition_text(tree.part, values, say)})"
    if not isinstance(tree, AndOr):
        return _leaf(tree, values, say)
    joined = [condition_text(part, values, say) for part in _beside(tree)]
    inner = [_bracketed(part, text, tree.word) for part, text in zip(_beside(tree), joined, strict=True)]
    return f" {tree.word} ".join(inner)


def _beside(tree: AndOr) -> list[Condition]:
    """The conditions that one word joins, from left to right; a long row of them is no deep tree."""
    found: list[Condition] = []
    node: Condition = tree
    while isinstance(node, AndOr) and node.word == tree.word:
        found.append(node.right)
        node = node.left
    return [node, *reversed(found)]


def _bracketed(part: Condition, text: str, word: str) -> str:
    return f"({text})" if isinstance(part, AndOr) and part.word != word else text


def _leaf(leaf: Leaf, values: Mapping[str, Value], say: Saying) -> str:
    if isinstance(leaf, Compare):
        return f"{_operand(leaf.left, values, say)} {leaf.sign} {_operand(leaf.right, values, say)}"
    if isinstance(leaf, Between):
        subject, low, high = (_operand(each, values, say) for each in (leaf.subject, leaf.low, leaf.high))
        return f"{subject} BETWEEN {low} AND {high}"
    if isinstance(leaf, In):
        subject, *choices = (_operand(each, values, say) for each in (leaf.subject, *leaf.choices))
        return f"{subject} IN ({', '.join(choices)})"
    if leaf.name in _STATES:
        return f"{_operand(leaf.operands[0], values, say)} {_STATES[leaf.name]}"
    return _operand(leaf, values, say)


def _operand(node: Operand, values: Mapping[str, Value], say: Saying) -> str:
    if isinstance(node, Ref):
        return say(values[node.name])
    if isinstance(node, AttributePath):
        return _path(node.path)
    if isinstance(node, Sum):
        return f"{_operand(node.left, values, say)} {node.sign} {_operand(node.right, values, say)}"
    assert isinstance(node, FunctionCall)
    return f"{node.name}({', '.join(_operand(each, values, say) for each in node.operands)})"


def _path(path: Path) -> str:
    first, *rest = path
    return quoted(str(first)) + "".join(
        f"[{part}]" if isinstance(part, int) else f".{quoted(part)}" for part in rest
    )
