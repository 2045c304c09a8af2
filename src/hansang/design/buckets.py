"""Buckets: partitions that stand for stretches of time, such as months by `{at:%Y-%m}`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from hansang.design.comparing import Range
from hansang.design.expressions import Condition
from hansang.errors import DesignError

if TYPE_CHECKING:
    from hansang.design.templates import Placeholder, Template

MOST_BUCKETS = 100
"""How many partitions one question reads at the most, one after the other."""

_ORDERS = (("Y", "m", "d", "H", "M"), ("Y", "j", "H", "M"), ("G", "V"))
"""Formats by which time is cut into stretches, coarse ones first."""


def following_bucket(directives: tuple[str, ...]) -> Callable[[Any], Any] | None:
    """From a value to the first of the next bucket; None for formats that do not cut time into stretches."""
    if not any(directives == order[: len(directives)] for order in _ORDERS) or directives in ((), ("G",)):
        return None
    finest = directives[-1]

    def following(value: Any) -> Any:
        moment = (
            value.astimezone(UTC)
            if isinstance(value, datetime)
            else datetime(value.year, value.month, value.day, tzinfo=UTC)
        )
        try:
            found = _next(moment.replace(second=0, microsecond=0), finest)
        except (OverflowError, ValueError):
            return None  # The last one that there is.
        return found if isinstance(value, datetime) else found.date()

    return following


def _next(moment: datetime, finest: str) -> datetime:
    if finest == "M":
        return moment + timedelta(minutes=1)
    if finest == "H":
        return moment.replace(minute=0) + timedelta(hours=1)
    day = moment.replace(hour=0, minute=0)
    if finest == "Y":
        return day.replace(year=day.year + 1, month=1, day=1)
    if finest == "m":
        return day.replace(day=1, year=day.year + day.month // 12, month=day.month % 12 + 1)
    return day + timedelta(days=7 - day.weekday() if finest == "V" else 1)


def bucketed(template: Template, place: Placeholder, given: Condition) -> Iterator[Any]:
    """One value of each bucket that a range reaches, in the order of time."""
    notation = place.notation
    if not isinstance(given, Range):
        raise DesignError(
            f"{given} has no end, and the key {template.text} has a partition for each stretch of {place.name}. Ask for "
            f"both ends, with attr(…).between(…)."
        )
    if notation is None or notation.following is None:
        raise DesignError(
            f"The format of {place.name} in the key {template.text} does not cut time into stretches, so the partitions of "
            "a range cannot be named. Write it as %Y, %Y-%m, %Y-%m-%d or %G-%V."
        )
    value, count = given.low, 0
    while value is not None and value <= given.high:
        count += 1
        if count > MOST_BUCKETS:
            raise DesignError(
                f"{given} is in more than {MOST_BUCKETS} partitions of the key {template.text}. Ask for a shorter range, or "
                "several times."
            )
        yield value
        value = notation.following(value)


def is_whole(place: Placeholder, given: Condition | None) -> bool:
    """Whether a range begins and ends with buckets, so that all that is in them is in it."""
    notation = place.notation
    if not isinstance(given, Range) or notation is None or notation.step is None:
        return False
    before, after = notation.step(given.low, -1), notation.step(given.high, 1)
    return all(
        beyond is None or notation.write(beyond) != notation.write(edge)
        for beyond, edge in ((before, given.low), (after, given.high))
    )


def kept_in_part(template: Template, name: str) -> DesignError:
    """Why a question by a value is refused of which the key keeps less than there is."""
    return DesignError(
        f"The key {template.text} keeps only a part of {name}, so it would also find other values of {name}. Put all of "
        f"{name} into the sort key too, ask between the first and the last moment of whole partitions, or make what the "
        "key has a field of its own, and ask by that."
    )


def between_hint(template: Template, missing: list[str]) -> str:
    """That a bucket can be asked by a range too, where one is missing."""
    name = next((each for each in missing if each in template.partial), None)
    return (
        "" if name is None else f" Several are asked for by a range with two ends: {name} between two values."
    )
