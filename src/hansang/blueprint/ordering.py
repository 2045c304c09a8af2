"""What a question leaves open of a sort key: the parts that its answers are ordered by."""

from __future__ import annotations

import re
from typing import Any

from hansang.blueprint.domains import form_of
from hansang.blueprint.sizes import entity_of
from hansang.blueprint.subject import spelling
from hansang.design import Query
from hansang.design.query import SortCondition
from hansang.design.shape import Shape
from hansang.design.templates import Placeholder, Template


def sort_template(query: Query[Any], shape: Shape) -> Template | None:
    """The template of the sort key that is asked; None where that is an attribute as it is, which sorts by itself."""
    _, attribute = query.keys
    found = None if attribute is None else spelling(entity_of(shape), attribute)
    return None if found is None or found.bare is not None else found


def open_places(query: Query[Any], shape: Shape) -> tuple[Placeholder, ...]:
    """The places of the sort key that a question does not fix by one value, in their order."""
    template = sort_template(query, shape)
    if template is None or (query.sort is not None and query.sort.sign == "="):
        return ()
    places = tuple(part for part in template.parts if isinstance(part, Placeholder))
    return places[_fixed(entity_of(shape), template, _beginning(query.sort)) :]


def _beginning(sort: SortCondition | None) -> str:
    """The text that every sort key of the answer begins with, and where a range begins, that too."""
    if sort is None or sort.sign not in ("begins_with", "BETWEEN"):
        return ""
    return str(sort.values[0].get("S", ""))


def _fixed(shape: Shape, template: Template, beginning: str) -> int:
    """How many places are in the beginning together with what stands behind them."""
    fixed, count, pattern = 0, 0, ""
    for part in template.parts:
        if isinstance(part, Placeholder):
            count += 1
            pattern += form_of(shape, template, part)
        else:
            pattern += re.escape(part)
            fixed = count if re.match(pattern, beginning, re.DOTALL) else fixed
    return fixed
