"""Rules about keys: that they are unambiguous, and sort as promised."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations, pairwise
from typing import Any

from hansang.blueprint.codes import (
    COLLIDING_KEYS,
    KEY_INJECTION,
    NEIGHBOUR_PREFIX,
    STRANGERS,
    UNORDERED_ID,
    UNPADDED_NUMBER,
)
from hansang.blueprint.domains import is_free_text, is_number, is_time
from hansang.blueprint.findings import Finding, place_of
from hansang.blueprint.reach import may_share_key, reaches
from hansang.blueprint.subject import Design, spelling
from hansang.design import Query
from hansang.design.shape import Shape
from hansang.design.templates import Place, Template

_PROMISE = re.compile(
    r"newest|oldest|latest|recent|creation|chronolog|최신|최근|생성|시간\s?순", re.IGNORECASE
)


def templates(shape: Shape) -> list[Template]:
    """Every template of an entity: of its key, and of its index keys."""
    return [each for each in (shape.pk, shape.sk, *shape.composed.values()) if each is not None]


def injections(design: Design) -> Iterator[Finding]:
    """Keys in which one text can spell what stands behind it."""
    for table in design.tables:
        for shape in table.shapes:
            for template in templates(shape):
                for left, right in _unguarded(shape, template):
                    yield Finding(
                        KEY_INJECTION,
                        place_of(shape.cls),
                        f"In the key {template.text} no refused character keeps {left} and {right} apart.",
                    )


def _unguarded(shape: Shape, template: Template) -> Iterator[tuple[str, str]]:
    texts = [at for at, part in enumerate(template.parts) if _is_text(shape, part)]
    for first, second in pairwise(texts):
        between = "".join(each for each in template.parts[first:second] if isinstance(each, str))
        if template.separators.isdisjoint(between):
            left, right = template.parts[first], template.parts[second]
            assert isinstance(left, Place)
            assert isinstance(right, Place)
            yield left.name, right.name


def _is_text(shape: Shape, part: str | Place) -> bool:
    return isinstance(part, Place) and is_free_text(shape, part.name)


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
                f"{', '.join(others)} can be among the answers.",
            )


def unordered_ids(design: Design) -> Iterator[Finding]:
    """Promises of order that a text id does not keep."""
    for asked, query in design.questions:
        field = _last_text(query)
        if field is not None and (not query.forward or _PROMISE.search(asked.meaning)):
            yield Finding(
                UNORDERED_ID,
                place_of(asked.shape.cls, asked.pattern.label),
                f"The answers come in the order of {field}, a text: p1000 comes before p999.",
            )


def _last_text(query: Query[Any]) -> str | None:
    _, attribute = query.keys
    found = None if attribute is None else spelling(query.shapes[0], attribute)
    if found is None or len(query.shapes) > 1 or (query.sort is not None and query.sort.sign == "="):
        return None
    last = found.parts[-1]
    if isinstance(last, Place) and is_free_text(query.shapes[0], last.name) and not _is_dated(query, found):
        return last.name
    return None


def _is_dated(query: Query[Any], template: Template) -> bool:
    """Whether something that sorts by itself stands before the id."""
    return any(is_time(query.shapes[0], name) for name in template.fields)


def unpadded_numbers(design: Design) -> Iterator[Finding]:
    """Numbers inside sort keys that sort as text."""
    for table in design.tables:
        for shape in table.shapes:
            for template in _sorting(shape):
                for part in template.parts if template.bare is None else ():
                    if isinstance(part, Place) and not part.format and is_number(shape, part.name):
                        yield Finding(
                            UNPADDED_NUMBER,
                            place_of(shape.cls),
                            f"{part.name} in the key {template.text} sorts as text.",
                            f"Write {{{part.name}:010d}}, as wide as the largest number.",
                        )


def _sorting(shape: Shape) -> Iterator[Template]:
    """The templates of sort keys."""
    attributes = [shape.table.sk, *(index.sk for index in shape.table.indexes)]
    for attribute in dict.fromkeys(each for each in attributes if each is not None):
        found = spelling(shape, attribute)
        if found is not None:
            yield found


RULES = (injections, collisions, neighbours, strangers, unordered_ids, unpadded_numbers)
