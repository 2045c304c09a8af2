"""Rules about requests as a document writes them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from hansang.blueprint.codes import (
    BARE_RESERVED,
    OR_IN_KEY,
    RANGE_OF_PARTITIONS,
    SYNTAX,
    UNPROJECTED,
    WRONG_KEY,
)
from hansang.blueprint.findings import Finding, Location, in_order
from hansang.blueprint.requests import DocumentRequest
from hansang.engine.expressions.conditions import parse
from hansang.engine.expressions.lexer import tokens
from hansang.engine.expressions.reserved import is_reserved
from hansang.engine.expressions.tree import AndOr, AttributePath, Compare, Condition, In, Leaf, Not, operands
from hansang.errors import WireError

_LITERAL = re.compile(r"\"[^\"]*\"|'[^']*'|(?<![\w:#])-?\d+(?:\.\d+)?\b")
_GRAMMAR = {"AND", "OR", "NOT", "BETWEEN", "IN"}


def review(requests: Iterable[DocumentRequest]) -> list[Finding]:
    """What DynamoDB would refuse of these requests, the worst first."""
    return in_order(finding for request in requests for finding in _faults(request))


def _faults(request: DocumentRequest) -> Iterator[Finding]:
    place = Location(request.title)
    text, bare = _aliased(_valued(request.condition))
    for word in bare:
        yield Finding(
            BARE_RESERVED, place, f"{word} is a reserved word without an alias in: {request.condition}"
        )
    try:
        tree = parse(
            "KeyConditionExpression", text, (*request.names, *((f"#{word}", word) for word in bare))
        ).tree
    except WireError as fault:
        yield Finding(SYNTAX, place, f"{fault.message} (as written: {request.condition})")
    else:
        yield from _of_tree(request, place, tree)
    for name in request.source.lacks(request.wants):
        yield Finding(UNPROJECTED, place, f"{request.source.name} does not hold {name}, which is wanted.")


def _valued(condition: str) -> str:
    """The condition with a placeholder for each value that is written out."""
    numbers = iter(range(1_000_000))
    return _LITERAL.sub(lambda _: f":v{next(numbers)}", condition)


def _aliased(condition: str) -> tuple[str, list[str]]:
    """The condition with an alias for each bare reserved word, so that what else is wrong is found too."""
    pieces, bare, at = [], [], 0
    for token in tokens(condition):
        called = condition[token.end :].lstrip().startswith("(")
        if (
            token.kind == "word"
            and is_reserved(token.text)
            and token.text.upper() not in _GRAMMAR
            and not called
        ):
            pieces += [condition[at : token.start], f"#{token.text}"]
            at = token.end
            bare.append(token.text)
    return "".join([*pieces, condition[at:]]), list(dict.fromkeys(bare))


def _of_tree(request: DocumentRequest, place: Location, tree: Condition) -> Iterator[Finding]:
    words = sorted(set(_words(tree)))
    if words:
        message = f"{words[0]} is not part of a key condition: {request.condition}"
        yield Finding(OR_IN_KEY, place, message)
    else:
        yield from _of_leaves(request, place, {_name(leaf): leaf for leaf in _leaves(tree)})


def _of_leaves(request: DocumentRequest, place: Location, asked: Mapping[str, Leaf]) -> Iterator[Finding]:
    source = request.source
    if source.pk not in asked:
        message = f"{source.name} is keyed by {source.pk}, and the condition is on {' and '.join(asked)}."
        yield Finding(WRONG_KEY, place, message)
        return
    partition = asked[source.pk]
    if not isinstance(partition, Compare) or partition.sign != "=":
        message = f"{source.pk} is the partition key of {source.name}: {request.condition}"
        yield Finding(RANGE_OF_PARTITIONS, place, message)
    for name in asked:
        if name not in source.key:
            yield Finding(WRONG_KEY, place, f"{name} is not part of the key of {source.name}.")


def _words(tree: Condition) -> Iterator[str]:
    if isinstance(tree, AndOr):
        yield from (*([tree.word] if tree.word == "OR" else ()), *_words(tree.left), *_words(tree.right))
    elif isinstance(tree, Not):
        yield "NOT"
    elif isinstance(tree, In):
        yield "IN"


def _leaves(tree: Condition) -> Iterator[Leaf]:
    if isinstance(tree, AndOr):
        yield from (*_leaves(tree.left), *_leaves(tree.right))
    elif not isinstance(tree, Not):
        yield tree


def _name(leaf: Leaf) -> str:
    return next((str(each.path[0]) for each in operands(leaf) if isinstance(each, AttributePath)), "")
