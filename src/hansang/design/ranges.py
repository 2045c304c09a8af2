"""Exact ranges of sort keys: what a comparison of one field means for the text of the whole key."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from hansang.design.comparing import Comparison, Function, Range
from hansang.design.expressions import Condition
from hansang.design.notations import LAST, Notation, after, before
from hansang.design.query import SortCondition
from hansang.design.templates import Placeholder, Template
from hansang.errors import DesignError

INEXACT_RANGE = "H107"


@dataclass(frozen=True, slots=True)
class TextRange:
    """The texts from the first to the last, both included; an end that is None is open."""

    low: str | None
    high: str | None


def narrowed(template: Template, begun: str, place: Placeholder, given: Condition) -> SortCondition:
    """The sort keys that begin with a text and whose next field fits a condition, exactly."""
    if isinstance(given, Function):
        return _beginning(template, begun, place, given)
    if isinstance(given, Comparison) and given.sign == "<>":
        raise DesignError(
            f"{given.field!r} != … is not a range of the sort key. Ask without it and leave out what you do not want."
        )
    assert isinstance(given, Comparison | Range)
    _expect_exact(template, place, given)
    try:
        span = _span(template, place, given)
    except _NothingFits:
        return _nothing(begun)
    return between(begun, span, is_last=template.parts[-1] is place)


def _expect_exact(template: Template, place: Placeholder, given: Comparison | Range) -> None:
    notation = _notation(place)
    if not notation.sorts:
        remedy = notation.remedy.replace("NAME", place.name)
        raise DesignError(
            f"{given.field!r} is in the key {template.text} as a text that does not sort as its values do, so a range "
            f"of it cannot be asked. {remedy}",
            rule=INEXACT_RANGE,
        )
    if notation.varies and template.parts[-1] is not place:
        raise DesignError(
            f"{given.field!r} has texts of any length in the key {template.text}, and more follows it, so a range "
            "of it cannot be asked exactly. Ask for one value, for values that begin with a text, or make an index "
            "that is sorted by it.",
            rule=INEXACT_RANGE,
        )


def _span(template: Template, place: Placeholder, given: Comparison | Range) -> TextRange:
    """The first and the last text of a field that fits."""
    if isinstance(given, Range):
        return TextRange(
            _edge(template, place, given.low, 0, upward=True),
            _edge(template, place, given.high, 0, upward=False),
        )
    is_strict = len(given.sign) == 1
    if given.sign[0] == ">":
        return TextRange(_edge(template, place, given.value, int(is_strict), upward=True), None)
    return TextRange(None, _edge(template, place, given.value, -int(is_strict), upward=False))


class _NothingFits(Exception):
    """No value of the field lies within a span."""


def _edge(template: Template, place: Placeholder, value: Any, step: int, *, upward: bool) -> str | None:
    """One end of a span, None where it is open."""
    notation = _notation(place)
    if notation.is_text:
        text = template.place(place, value)
        return after(text) if step > 0 else before(text) if step < 0 else text
    assert notation.step is not None
    found = notation.step(value, step)
    if found is None:
        raise _NothingFits
    if isinstance(found, int) and notation.width is not None and not 0 <= found < 10**notation.width:
        # A bound outside the width is no bound, or leaves nothing.
        if (found < 0) == upward:
            return None
        raise _NothingFits
    return template.place(place, found)


def _notation(place: Placeholder) -> Notation:
    assert place.notation is not None
    return place.notation


def _beginning(template: Template, begun: str, place: Placeholder, given: Function) -> SortCondition:
    if given.name != "begins_with":
        raise DesignError(
            f"{given} is not a range of the sort key. Ask without it and leave out what you do not want."
        )
    return SortCondition("begins_with", ({"S": begun + template.place(place, given.plain)},))


def between(begun: str, span: TextRange, *, is_last: bool) -> SortCondition:
    """The keys that begin with a text and go on within a span."""
    end = "" if is_last else LAST
    high = LAST if span.high is None else span.high + end
    if span.low is None and not begun:
        # A key cannot be compared with an empty text; nothing sorts before it.
        return SortCondition("<=", ({"S": high},)) if high else _nothing(begun)
    return SortCondition("BETWEEN", ({"S": begun + (span.low or "")}, {"S": begun + high}))


def _nothing(begun: str) -> SortCondition:
    """No key: one that ends where a field would have to begin."""
    return SortCondition("=", ({"S": begun or LAST},))


# ── several kinds ─────────────────────────────────────────────────────────────────────────────────


def span_of(template: Template, equal: dict[str, Any]) -> TextRange | None:
    """Where the keys of a template lie, as far as fields are given; None if anywhere."""
    text, rest = template.begin(equal)
    if not rest:
        return TextRange(text, text)
    return TextRange(text, text + LAST) if text else None


def hull(spans: Iterable[TextRange | None]) -> SortCondition | None:
    """The one range that holds all of these."""
    found = list(spans)
    if any(span is None for span in found):
        return None
    low = min(span.low or "" for span in found if span is not None)
    high = max(span.high or "" for span in found if span is not None)
    if low == high:
        return SortCondition("=", ({"S": low},))
    if high == low + LAST:
        return SortCondition("begins_with", ({"S": low},))
    return SortCondition("BETWEEN", ({"S": low}, {"S": high}))
