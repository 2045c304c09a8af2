"""Rules about keys: that they are unambiguous."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise
from typing import Any

from hansang.blueprint.codes import (
    COLLIDING_KEYS,
    COMMON_SEPARATOR,
    NEIGHBOUR_PREFIX,
    STRANGERS,
)
from hansang.blueprint.domains import is_free_text
from hansang.blueprint.findings import Finding, place_of
from hansang.blueprint.reach import may_share_key, reaches
from hansang.blueprint.subject import Design, spelling
from hansang.design import Query
from hansang.design.shape import Shape
from hansang.design.templates import Placeholder, Template


def templates(shape: Shape) -> list[Template]:
    """Every template of an entity: of its key, and of its index keys."""
    return [each for each in (shape.pk, shape.sk, *shape.composed.values()) if each is not None]


def common_separators(design: Design) -> Iterator[Finding]:
    """Keys in which one text may not have a character that texts often have."""
    for table in design.tables:
        for shape in table.shapes:
            for template in templates(shape):
                for left, right in _hardly_apart(shape, template):
                    refused = " or ".join(map(repr, sorted(template.refused[left])))
                    yield Finding(
                        COMMON_SEPARATOR,
                        place_of(shape.cls),
                        f"In the key {template.text} {left} may not have {refused}, which keeps it apart from {right}.",
                    )


def _hardly_apart(shape: Shape, template: Template) -> Iterator[tuple[str, str]]:
    texts = [
        at
        for at, part in enumerate(template.parts)
        if isinstance(part, Placeholder) and is_free_text(shape, part.name)
    ]
    for first, second in pairwise(texts):
        between = "".join(each for each in template.parts[first:second] if isinstance(each, str))
        if template.separators.isdisjoint(between):
            left, right = template.parts[first], template.parts[second]
            assert isinstance(left, Placeholder)
            assert isinstance(right, Placeholder)
            yield left.name, right.name


def collisions(design: Design) -> Iterator[Finding]:
    """Kinds of items whose keys can be the same."""
    for table in design.tables:
        for one, other in combinations(table.shapes, 2):
            if may_share_key(design, one, other):
                yield Finding(
                    COLLIDING_KEYS,
                    place_of(one.cls),
                    f"{one.cls.__name__} ({_shown(one)}) and {other.cls.__name__} ({_shown(other)}) can have the same key.",
                )


def _shown(shape: Shape) -> str:
    return shape.pk.text if shape.sk is None else f"{shape.pk.text} / {shape.sk.text}"


def neighbours(design: Design) -> Iterator[Finding]:
    """Prefixes that end in a value."""
    for asked, query in design.questions:
        prefix = _prefix(query)
        if prefix is not None and _ends_in_value(query, prefix):
            yield Finding(
                NEIGHBOUR_PREFIX,
                place_of(asked.shape.cls, asked.pattern.label),
                f"begins_with {prefix!r} ends in a value and also finds {prefix + '0'!r}.",
            )


def _prefix(query: Query[Any]) -> str | None:
    if query.sort is None or query.sort.sign != "begins_with":
        return None
    return str(next(iter(query.sort.values[0].values())))


def _ends_in_value(query: Query[Any], prefix: str) -> bool:
    """Whether the prefix goes on behind the fixed text of the key."""
    _, attribute = query.keys
    found = spelling(query.shapes[0], attribute or "")
    separators = frozenset() if found is None else found.separators
    fixed = "" if found is None else found.prefix
    return prefix != fixed and prefix[-1:] not in separators


def strangers(design: Design) -> Iterator[Finding]:
    """Questions that find items of other kinds."""
    for asked, query in design.questions:
        others = [
            each.cls.__name__ for each in asked.shape.table.shapes if reaches(design.samples, query, each)
        ]
        if others:
            yield Finding(
                STRANGERS,
                place_of(asked.shape.cls, asked.pattern.label),
                f"{', '.join(others)} can lie among the answers, and are read with them.",
            )


RULES = (common_separators, collisions, neighbours, strangers)
