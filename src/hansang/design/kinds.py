"""Which kind of entity an item is: by its type where it has one, else by the form of its key."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from math import prod

from hansang.design.shape import Item, Shape
from hansang.design.table import Index
from hansang.design.templates import Placeholder, Template
from hansang.errors import DesignError


def recognised(shapes: Iterable[Shape], item: Item) -> Shape | None:
    """The shape that an item has; of several that fit, the one whose keys are the narrowest."""
    fitting = [shape for shape in shapes if is_of(shape, item)]
    if len(fitting) < 2:
        return fitting[0] if fitting else None
    return next((one for one in fitting if not any(other in fitting for other in one.narrower)), None)


def is_of(shape: Shape, item: Item) -> bool:
    """Whether an item is of this kind, whether or not it can be read."""
    kind = shape.table.type_attribute
    said = None if kind is None else item.get(kind)
    if shape.type_name is not None and kind is not None and (said is not None or not shape.is_view):
        return said == {"S": shape.type_name} and (_is_only_type(shape) or shape.matches_key(item))
    if said is not None and any(said == {"S": other.type_name} for other in shape.table.shapes):
        return False
    return shape.matches_key(item)


def _is_only_type(shape: Shape) -> bool:
    return sum(other.type_name == shape.type_name for other in shape.table.shapes) <= 1


def is_another(shapes: Iterable[Shape], item: Item, index: Index | None = None) -> bool:
    """Whether an item that was found beside others is of a kind that nobody asked for."""
    asked = {shape if shape.entity is None else shape.entity for shape in shapes}
    table = next(iter(asked)).table
    kind = table.type_attribute
    if kind is not None and index is not None and not index.projects(kind):
        alike = [shape for shape in table.shapes if shape.matches_key(item)]
        return bool(alike) and asked.isdisjoint(alike)
    found = recognised(table.shapes, item)
    if found is not None:
        return found not in asked
    said = None if kind is None else item.get(kind)
    return said is not None and all(shape.type_name and said != {"S": shape.type_name} for shape in asked)


# ── telling apart ─────────────────────────────────────────────────────────────────────────────────


def tell_apart(new: Shape, others: Iterable[Shape]) -> None:
    """Refuse an entity whose items could not be told from another's; note which of two keys is the narrower."""
    for other in others:
        if not _can_meet(new, other):
            continue
        if _differ_by_type(new, other):
            new.rivals.append(other)
            other.rivals.append(new)
            continue
        is_narrow, is_wide = _is_within(new, other), _is_within(other, new)
        if is_narrow == is_wide:
            raise DesignError(
                f"{new.cls.__name__} ({_spelled(new)}) and {other.cls.__name__} ({_spelled(other)}) cannot be told apart: "
                f"one key could be either's. Give {new.table.__name__} a type_attribute and each of them a type, or "
                "begin their keys differently.",
                rule="H102",
            )
        wide, narrow = (other, new) if is_narrow else (new, other)
        wide.narrower.append(narrow)


def expect_views_apart(view: Shape, others: Iterable[Shape]) -> None:
    """Refuse a view whose rows could be another kind's, because its index does not hold the type."""
    kind = view.table.type_attribute
    if view.entity is None or view.index is None or kind is None or view.index.projects(kind):
        return
    for other in others:
        in_index = all(other.kind_of(key) is not None for key in view.index.keys)
        if other is not view.entity and in_index and _can_meet(view.entity, other):
            raise DesignError(
                f"The index {view.index.name} does not hold {kind}, so a {other.cls.__name__} in it could be read as a "
                f"{view.cls.__name__}. Project {kind} too."
            )


def _spelled(shape: Shape) -> str:
    return shape.pk.text if shape.sk is None else f"{shape.pk.text} / {shape.sk.text}"


def _differ_by_type(one: Shape, other: Shape) -> bool:
    return one.table.type_attribute is not None and one.type_name != other.type_name


def _can_meet(one: Shape, other: Shape) -> bool:
    if not meet(one.pk, other.pk):
        return False
    return one.sk is None or other.sk is None or meet(one.sk, other.sk)


def _is_within(one: Shape, other: Shape) -> bool:
    """Whether every key of one kind could be one of the other."""
    if not within(one.pk, other.pk):
        return False
    return one.sk is None or other.sk is None or within(one.sk, other.sk)


@dataclass(frozen=True, slots=True)
class _Letters:
    """Characters that can stand somewhere: these, or all but these; once, or any number of times."""

    these: frozenset[str]
    inside: bool = True
    repeats: bool = False

    def has(self, letter: str) -> bool:
        return (letter in self.these) == self.inside

    def meets(self, other: _Letters) -> bool:
        if self.inside and other.inside:
            return not self.these.isdisjoint(other.these)
        if self.inside or other.inside:
            listed, barred = (self, other) if self.inside else (other, self)
            return bool(listed.these - barred.these)
        return True


_MOST_READINGS = 64
_DIGITS = frozenset("0123456789")
_HEX = _DIGITS | frozenset("abcdef")
_FORM = re.compile(r"(\\d|\[0-9a-f\])\{(\d+)\}|\\?(.)", re.DOTALL)


def meet(one: Template, other: Template) -> bool:
    """Whether some text could be a key of both templates."""
    if _is_number(one) or _is_number(other):
        return True
    return any(_meet(first, second) for first, second in product(_readings(one), _readings(other)))


def within(one: Template, other: Template) -> bool:
    """Whether every text of one template is also one of the other."""
    if _is_number(one) or _is_number(other):
        return True
    ways = list(_readings(other))
    return all(_within(reading, ways) for reading in _readings(one))


def _within(one: tuple[_Letters, ...], ways: list[tuple[_Letters, ...]]) -> bool:
    """Whether no text leads to the end of one and to the end of no other way."""
    letters = _alphabet([one, *ways])
    start = (0, _opened(ways, {(way, 0) for way in range(len(ways))}))
    waiting, seen = [start], {start}
    while waiting:
        at, others = waiting.pop()
        if _ends(one, at) and not any(place == len(ways[way]) for way, place in others):
            return False
        for letter in letters:
            reached = _opened(ways, set(_read(ways, others, letter)))
            for _, place in _read([one], _opened([one], {(0, at)}), letter):
                following = (place, reached)
                if following not in seen:
                    seen.add(following)
                    waiting.append(following)
    return True


_Places = frozenset[tuple[int, int]]


def _alphabet(readings: list[tuple[_Letters, ...]]) -> set[str]:
    """One letter for each that is named anywhere, and one for all the others."""
    named = {each for reading in readings for letters in reading for each in letters.these}
    return named | {next(chr(code) for code in range(0xE000, 0xF8FF) if chr(code) not in named)}


def _opened(ways: list[tuple[_Letters, ...]], places: set[tuple[int, int]]) -> _Places:
    """The places with those behind what may be left out."""
    found, waiting = set(places), list(places)
    while waiting:
        way, place = waiting.pop()
        if place < len(ways[way]) and ways[way][place].repeats and (way, place + 1) not in found:
            found.add((way, place + 1))
            waiting.append((way, place + 1))
    return frozenset(found)


def _read(ways: list[tuple[_Letters, ...]], places: _Places, letter: str) -> Iterator[tuple[int, int]]:
    for way, place in places:
        if place < len(ways[way]) and ways[way][place].has(letter):
            yield way, place + (not ways[way][place].repeats)


def _ends(one: tuple[_Letters, ...], at: int) -> bool:
    return all(letters.repeats for letters in one[at:])


def _is_number(template: Template) -> bool:
    """A number or bytes by themselves have no text; keys of one attribute have one type anyway."""
    notation = None if template.bare is None else template.places[template.bare].notation
    return notation is not None and notation.forms is None and not notation.is_text


def _meet(one: tuple[_Letters, ...], other: tuple[_Letters, ...]) -> bool:
    waiting, seen = [(0, 0)], {(0, 0)}
    while waiting:
        at = waiting.pop()
        if at == (len(one), len(other)):
            return True
        for following in _steps(one, other, *at):
            if following not in seen:
                seen.add(following)
                waiting.append(following)
    return False


def _steps(
    one: tuple[_Letters, ...], other: tuple[_Letters, ...], first: int, second: int
) -> Iterator[tuple[int, int]]:
    if first < len(one) and one[first].repeats:
        yield first + 1, second
    if second < len(other) and other[second].repeats:
        yield first, second + 1
    if first < len(one) and second < len(other) and one[first].meets(other[second]):
        yield first + (not one[first].repeats), second + (not other[second].repeats)


def _readings(template: Template) -> Iterator[tuple[_Letters, ...]]:
    """Every sequence of characters that a template allows, one for each choice of its values."""
    parts: list[list[tuple[_Letters, ...]]] = [
        _spell(part) if isinstance(part, str) else list(_of_place(template, part)) for part in template.parts
    ]
    if prod(map(len, parts)) > _MOST_READINGS:
        # So many choices are taken for any text; kinds may then be refused that could be told apart.
        barred = template.separators
        anything = (_Letters(barred, inside=False), _Letters(barred, inside=False, repeats=True))
        parts = [[anything] if len(each) > 1 else each for each in parts]
    for chosen in product(*parts):
        yield tuple(letters for part in chosen for letters in part)


def _spell(text: str) -> list[tuple[_Letters, ...]]:
    return [tuple(_Letters(frozenset(each)) for each in text)]


def _of_place(template: Template, place: Placeholder) -> Iterator[tuple[_Letters, ...]]:
    notation = place.notation
    assert notation is not None
    if notation.choices:
        for choice in notation.choices:
            yield from _spell(choice)
    elif notation.is_text:
        barred = template.refused[place.name]
        yield _Letters(barred, inside=False), _Letters(barred, inside=False, repeats=True)
    elif notation.varies:
        yield (
            _Letters(_DIGITS | {"-"}),
            _Letters(_DIGITS, repeats=True),
        )
    else:
        yield tuple(_of_form(notation.forms or ""))


def _of_form(form: str) -> Iterator[_Letters]:
    """The characters of a fixed form, such as `\\d{4}-\\d{2}`."""
    if form.startswith(".{"):
        yield from (_Letters(frozenset(), inside=False) for _ in range(int(form[2:-1])))
        return
    for those, count, letter in _FORM.findall(form):
        letters = _Letters((_DIGITS if those == r"\d" else _HEX) if those else frozenset(letter))
        yield from (letters for _ in range(int(count or 1)))
