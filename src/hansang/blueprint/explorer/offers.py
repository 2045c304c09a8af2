"""Example values for a question, taken from items that it would find.

A pattern is asked once with values that occur nowhere else; where these stand in the key of its query,
there stand the values of an item that it finds.
"""

from __future__ import annotations

import enum
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

from hansang.blueprint.examples import entities, read_examples
from hansang.blueprint.explorer.browsing import Search, Source, browse
from hansang.blueprint.explorer.cells import field_text, shapes_in
from hansang.blueprint.explorer.questions import PatternQuestion
from hansang.blueprint.samples import bare
from hansang.design import Database, Entity, Query, Table
from hansang.design.codec import Value
from hansang.design.kinds import recognised
from hansang.design.marks import Role
from hansang.design.shape import Item, Shape
from hansang.design.templates import Template
from hansang.design.visibility import hidden_fields
from hansang.errors import HansangError, InvalidInput, UnexpectedItem

_A_PAGE, _PAGES = 200, 5
"""How far items are looked through for values."""
_DAY = date(1904, 2, 3)
_MOMENT = datetime(1904, 2, 3, tzinfo=UTC)

Arguments = dict[str, str]


@dataclass(frozen=True, slots=True)
class Offer:
    """Arguments that find something, as texts; `is_real` if an item of the table has them."""

    texts: Arguments
    is_real: bool


def offers(
    database: Database,
    tables: tuple[type[Table], ...],
    question: PatternQuestion,
    role: Role | None,
    most: int = 4,
) -> list[Offer]:
    """A few sets of arguments: of items that are there, or else of the examples beside the design.

    There are none when an argument is a field that somebody with this role does not see.
    """
    if not question.fields:
        return []
    places = _places(question)
    if places is None or not hidden_fields(question.shape, role).isdisjoint(places.values()):
        return []
    real = _distinct(places, _stored(database, question), most)
    found = real or _distinct(places, _examples(tables, question), most)
    return [Offer(each, bool(real)) for each in found]


def _distinct(places: Mapping[str, str], subjects: Iterable[Any], most: int) -> list[Arguments]:
    """Sets of arguments that differ; of a span, from the least to the most that was seen with the others."""
    spans = [field for field in places.values() if list(places.values()).count(field) > 1]
    found: dict[tuple[str, ...], dict[str, list[Any]]] = {}
    for subject in subjects:
        values = {field: getattr(subject, field) for field in places.values()}
        if None in values.values():
            continue
        key = tuple(field_text(value) for field, value in values.items() if field not in spans)
        if key not in found and len(found) == most:
            break
        seen = found.setdefault(key, {field: [] for field in values})
        for field, value in values.items():
            seen[field].append(value)
    return [_arguments(places, seen) for seen in found.values()]


def _arguments(places: Mapping[str, str], seen: Mapping[str, list[Any]]) -> Arguments:
    """The least of each field for the first parameter that it is compared with, the most for the others."""
    texts: Arguments = {}
    used: set[str] = set()
    for name, field in places.items():
        value = max(seen[field]) if field in used else min(seen[field])
        texts[name] = field_text(value)
        used.add(field)
    return texts


# ── which field each argument is ──────────────────────────────────────────────────────────────────


def _places(question: PatternQuestion) -> dict[str, str] | None:
    """The field that each parameter is compared with; None when a parameter cannot be traced."""
    probes = {each.name: _probe(question, each.name, at) for at, each in enumerate(question.fields)}
    found: dict[str, str] = {}
    query = _made(question, probes, found)
    if query is None:
        return None
    in_key = dict(_key_fields(question.shape, query))
    for name, probe in probes.items():
        if name in found:
            continue
        text = _text(probe)
        fields = [field for field, texts in in_key.items() if any(text in each for each in texts)]
        named = name if name in question.shape.slots else None
        field = named or next(iter(fields), None)
        if field is None:
            return None
        found[name] = field
    return found


def _made(question: PatternQuestion, probes: dict[str, Any], found: dict[str, str]) -> Query[Any] | None:
    """The query of these probes; a field that refuses one has told which parameter it is compared with."""
    for _ in range(len(probes) + 1):
        try:
            return question.make(probes)
        except InvalidInput as refusal:
            refused = [name for name, probe in probes.items() if probe == refusal.value]
            if not refused or refusal.field not in question.shape.slots:
                return None
            for name in refused:
                found[name] = refusal.field
                probes[name] = question.samples.field(question.shape, refusal.field)
        except (HansangError, ValueError):
            return None
    return None


def _probe(question: PatternQuestion, name: str, at: int) -> Any:
    each = question.fields[at]
    if each.choices:
        return next(iter(each.choices.values()))
    kind = bare(question.annotations[name])
    if kind in (int, Decimal):
        return kind(190_402_030 + at)
    if kind is datetime:
        return _MOMENT + timedelta(days=at)
    return _DAY + timedelta(days=at) if kind is date else f"probe{at}"


def _text(probe: Any) -> str:
    if isinstance(probe, enum.Enum):
        probe = probe.value
    return probe.strftime("%Y-%m-%dT%H:%M:%SZ") if isinstance(probe, datetime) else str(probe)


def _key_fields(shape: Shape, query: Query[Any]) -> Iterator[tuple[str, list[str]]]:
    """The fields that the key of a query is made of, with the texts that stand in their places."""
    pk, sk = query.keys
    yield from _fields(shape, pk, [query.partition])
    if sk is not None and query.sort is not None:
        yield from _fields(shape, sk, list(query.sort.values))


def _fields(shape: Shape, attribute: str, values: list[Value]) -> Iterator[tuple[str, list[str]]]:
    texts = [str(next(iter(value.values()))) for value in values]
    template = _template(shape, attribute)
    if template is None or template.bare is not None:
        name = template.bare if template is not None else _slot(shape, attribute)
        if name is not None:
            yield name, texts
        return
    for name in template.fields:
        yield name, [part for text in texts if (part := _part(template, name, text))]


def _part(template: Template, name: str, text: str) -> str:
    """What stands in one place of a key; of the beginning of a key as well."""
    before = template.text.partition("{" + name)[0].rpartition("}")[2]
    return text.rpartition(before)[2] if template.fields[-1] == name else _between(template, name, text)


def _between(template: Template, name: str, text: str) -> str:
    try:
        return template.read(text).get(name, "")
    except HansangError:
        return text.removeprefix(template.prefix)


def _template(shape: Shape, attribute: str) -> Template | None:
    if attribute == shape.table.pk:
        return shape.pk
    return shape.sk if attribute == shape.table.sk else shape.composed.get(attribute)


def _slot(shape: Shape, attribute: str) -> str | None:
    return next((slot.name for slot in shape.slots.values() if slot.attribute == attribute), None)


# ── what has these fields ─────────────────────────────────────────────────────────────────────────


def _stored(database: Database, question: PatternQuestion) -> Iterator[Any]:
    """What is there and has the form of the question's answers, among the first items."""
    source = Source(question.table, question.index)
    shapes = shapes_in(source)
    for item in _first_items(database, source):
        if recognised(shapes, item) is question.shape:
            try:
                yield question.shape.decode(item)
            except UnexpectedItem:
                continue


def _first_items(database: Database, source: Source) -> Iterator[Item]:
    cursor: str | None = None
    for _ in range(_PAGES):
        page = browse(database, Search(source, limit=_A_PAGE, cursor=cursor))
        yield from page.items
        cursor = page.cursor
        if cursor is None:
            return


def _examples(tables: tuple[type[Table], ...], question: PatternQuestion) -> list[Entity]:
    """The examples beside the design that have the question's key."""
    items = read_examples(sys.modules[question.table.__module__])
    keys = (question.shape.pk, question.shape.sk)
    found = entities(items, tables)
    return [
        each
        for each in found
        if type(each).__templates__ == keys and all(hasattr(each, name) for name in question.shape.slots)
    ]
