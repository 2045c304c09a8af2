"""Which items a question can find: whether the keys of two kinds overlap."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import islice, product
from typing import Any

from hansang.blueprint.domains import choices, form_of
from hansang.blueprint.samples import Samples
from hansang.blueprint.subject import Design, has, slot_of, spelling
from hansang.design import Query
from hansang.design.query import SortCondition
from hansang.design.shape import Shape
from hansang.design.templates import Template
from hansang.errors import HansangError

_MOST_KEYS = 256


def may_share_key(design: Design, one: Shape, other: Shape) -> bool:
    """Whether an item of one kind can have the key of an item of the other kind."""
    if not _overlap(design.samples, one, one.pk, other, other.pk):
        return False
    if one.sk is None or other.sk is None:
        return True
    return _overlap(design.samples, one, one.sk, other, other.sk)


def _overlap(samples: Samples, one: Shape, ours: Template, other: Shape, theirs: Template) -> bool:
    our_keys, their_keys = _keys(samples, one, ours), _keys(samples, other, theirs)
    if not our_keys and not their_keys:
        return ours.text == theirs.text
    return any(_spells(one, ours, key) for key in their_keys) or any(
        _spells(other, theirs, key) for key in our_keys
    )


def _spells(shape: Shape, template: Template, key: str) -> bool:
    """Whether values that the fields can have make this key."""
    forms = (
        re.escape(part) if isinstance(part, str) else form_of(shape, template, part)
        for part in template.parts
    )
    return re.fullmatch("".join(forms), key, re.DOTALL) is not None


def _keys(samples: Samples, shape: Shape, template: Template) -> list[str]:
    """Texts of a key: with every value of the fields whose type names them, and a sample of the others."""
    values = [choices(shape, name) or (samples.field(shape, name),) for name in template.fields]
    found = islice(product(*values), _MOST_KEYS)
    return [key for each in found if (key := _filled(template, each)) is not None]


def _filled(template: Template, values: Iterable[Any]) -> str | None:
    try:
        return template.fill(dict(zip(template.fields, values, strict=True)))
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
    if text is None:
        return True
    if found is None:
        slot = slot_of(shape, attribute)
        named = choices(shape, slot.name) if slot is not None else ()
        return not named or text in named
    return _spells(shape, found, text)


def _in_range(samples: Samples, sort: SortCondition | None, shape: Shape, attribute: str) -> bool:
    found = spelling(shape, attribute)
    if sort is None or found is None:
        return True
    keys = _keys(samples, shape, found)
    values = [each.get("S") for each in sort.values]
    if not keys or None in values:
        return True
    bounds = [str(value) for value in values]
    return any(_TESTS[sort.sign](key, bounds) for key in keys)


_TESTS: dict[str, Callable[[str, list[str]], bool]] = {
    "=": lambda text, bounds: text == bounds[0],
    "<": lambda text, bounds: text < bounds[0],
    "<=": lambda text, bounds: text <= bounds[0],
    ">": lambda text, bounds: text > bounds[0],
    ">=": lambda text, bounds: text >= bounds[0],
    "BETWEEN": lambda text, bounds: bounds[0] <= text <= bounds[1],
    "begins_with": lambda text, bounds: text.startswith(bounds[0]),
}
