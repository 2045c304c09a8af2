"""Rules about order: that answers come as promised, where they come in the order of a key."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from hansang.blueprint.codes import UNORDERED_ID, UNPADDED_NUMBER, UNSORTED_TIME
from hansang.blueprint.domains import is_free_text, is_moment, is_number, is_time, sorts_by_time
from hansang.blueprint.findings import Finding, place_of
from hansang.blueprint.ordering import open_places, sort_template
from hansang.blueprint.sizes import entity_of
from hansang.blueprint.subject import Design
from hansang.design import Query
from hansang.design.shape import Shape
from hansang.design.templates import Placeholder

_PROMISE = re.compile(
    r"newest|oldest|latest|recent|creation|chronolog|최신|최근|생성|시간\s?순", re.IGNORECASE
)


def unordered_ids(design: Design) -> Iterator[Finding]:
    """Promises of order that a text id does not keep."""
    for asked, query in design.questions:
        field = _ordering_text(query)
        if field is not None and (not query.forward or _PROMISE.search(asked.meaning)):
            yield Finding(
                UNORDERED_ID,
                place_of(asked.shape.cls, asked.pattern.label),
                f"The answers come in the order of {field}, a text: p1000 comes before p999.",
            )


def _ordering_text(query: Query[Any]) -> str | None:
    """The text at the end of the sort key that the answers are ordered by, if nothing there sorts by itself."""
    shape = query.shapes[0]
    template, places = sort_template(query, shape), open_places(query, shape)
    if template is None or len(query.shapes) > 1 or not places or template.parts[-1] is not places[-1]:
        return None
    last = places[-1].name
    return last if is_free_text(shape, last) and not any(_sorts(shape, each) for each in places) else None


def _sorts(shape: Shape, place: Placeholder) -> bool:
    """Whether something stands here that sorts by itself: a time, or a number of fixed width."""
    if is_number(shape, place.name):
        return place.width is not None
    return is_time(shape, place.name) or is_moment(shape, place.name)


def unpadded_numbers(design: Design) -> Iterator[Finding]:
    """Numbers that sort as text, where a question answers in their order."""
    for (shape, key, place), labels in _ordering(design).items():
        if is_number(shape, place.name) and place.width is None:
            yield Finding(
                UNPADDED_NUMBER,
                place_of(shape.cls),
                f"{place.name} in the key {key} sorts as text, and {', '.join(labels)} answers in its order.",
                f"Write {{{place.name}:010d}}, as wide as the largest number.",
            )


def unsorted_times(design: Design) -> Iterator[Finding]:
    """Days and moments in a form that does not sort by time, where a question answers in their order."""
    for (shape, key, place), labels in _ordering(design).items():
        if place.format and not sorts_by_time(shape, place):
            yield Finding(
                UNSORTED_TIME,
                place_of(shape.cls),
                f"{place.name} in the key {key} does not sort by time, and {', '.join(labels)} answers in its order.",
            )


def _ordering(design: Design) -> dict[tuple[Shape, str, Placeholder], list[str]]:
    """Every place of a sort key that orders answers, with the patterns that do so."""
    found: dict[tuple[Shape, str, Placeholder], list[str]] = {}
    for asked, query in design.questions:
        for shape in query.shapes:
            template = sort_template(query, shape)
            key = template.text if template else ""
            for place in open_places(query, shape):
                found.setdefault((entity_of(shape), key, place), []).append(asked.label)
    return found


RULES = (unordered_ids, unpadded_numbers, unsorted_times)
