"""Which items a question can find: whether the keys of two kinds overlap."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hansang.blueprint.samples import Samples
from hansang.blueprint.subject import Design, has, spelling
from hansang.design import Query
from hansang.design.query import SortCondition
from hansang.design.shape import Shape
from hansang.design.templates import Template
from hansang.errors import HansangError


def may_share_key(design: Design, one: Shape, other: Shape) -> bool:
    """Whether an item of one kind can have the key of an item of the other kind."""
    if not _overlap(design.samples, one, one.pk, other, other.pk):
        return False
    if one.sk is None or other.sk is None:
        return True
    return _overlap(design.samples, one, one.sk, other, other.sk)


def _overlap(samples: Samples, one: Shape, ours: Template, other: Shape, theirs: Template) -> bool:
    if ours.text == theirs.text:
        return True
    return _spells(ours, _filled(samples, other, theirs)) or _spells(theirs, _filled(samples, one, ours))


def _spells(template: Template, key: str | None) -> bool:
    """Whether values that the template allows make this key."""
    if key is None or not template.matches(key):
        return False
    return all(template.separators.isdisjoint(value) for value in template.read(key).values())


def _filled(samples: Samples, shape: Shape, template: Template) -> str | None:
    try:
        return template.fill({name: samples.field(shape, name) for name in template.fields})
    except HansangError:
        return None


def reaches(samples: Samples, query: Query[Any], shape: Shape) -> bool:
    """Whether a question for other kinds also finds items of this kind."""
    if any((own.pk, own.sk) == (shape.pk, shape.sk) for own in query.shapes):
        return False
    pk, sk = query.keys
    if not has(shape, pk) or not (sk is None or has(shape, sk)):
        return False
    return _in_partition(query, shape, pk) and (sk is None or _in_range(samples, query.sort, shape, sk))


def _in_partition(query: Query[Any], shape: Shape, attribute: str) -> bool:
    text = query.partition.get("S")
    if attribute == shape.table.type_attribute:
        return shape.type_name == text
    found = spelling(shape, attribute)
    return found is None or text is None or _spells(found, text)


def _in_range(samples: Samples, sort: SortCondition | None, shape: Shape, attribute: str) -> bool:
    found = spelling(shape, attribute)
    if sort is None or found is None:
        return True
    text = _filled(samples, shape, found)
    values = [each.get("S") for each in sort.values]
    if text is None or None in values:
        return True
    bounds = [str(value) for value in values]
    return _TESTS[sort.sign](text, bounds)


_TESTS: dict[str, Callable[[str, list[str]], bool]] = {
    "=": lambda text, bounds: text == bounds[0],
    "<": lambda text, bounds: text < bounds[0],
    "<=": lambda text, bounds: text <= bounds[0],
    ">": lambda text, bounds: text > bounds[0],
    ">=": lambda text, bounds: text >= bounds[0],
    "BETWEEN": lambda text, bounds: bounds[0] <= text <= bounds[1],
    "begins_with": lambda text, bounds: text.startswith(bounds[0]),
}
