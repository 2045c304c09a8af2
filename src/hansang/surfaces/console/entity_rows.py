"""The kinds of items of a table, for the pages that list them: what each is, how many there are, where to go."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from hansang.blueprint.explorer.counting import KindCounts
from hansang.design.shape import Item, Shape
from hansang.design.visibility import has_secret
from hansang.parts.write_rules import WrittenBy
from hansang.surfaces.console.data_paths import TablePlace, guard_of, meaning
from hansang.surfaces.console.pages import Visit


@dataclass(frozen=True, slots=True)
class EntityRow:
    """One kind of item of a table."""

    shape: Shape
    meaning: str
    new: str
    """Where one is created; empty if that is not done by hand, or not by whoever looks."""
    written_by: WrittenBy
    href: str
    """The list of its items; empty if they are not shown to whoever looks."""
    count: int | None = None
    """How many there are; None if nobody has counted, or it is not told."""
    sample: str = ""
    """The page of one of them, if there is one."""


def entity_rows(visit: Visit, place: TablePlace, counted: KindCounts | None = None) -> list[EntityRow]:
    """The kinds of a table in the order of the design."""
    return [_row(visit, place, shape, counted) for shape in place.table.shapes]


def _row(visit: Visit, place: TablePlace, shape: Shape, counted: KindCounts | None) -> EntityRow:
    application, name, path = place.application, shape.cls.__name__, place.path
    rule = application.write_rule(shape.cls)
    is_shown = shape.cls not in guard_of(visit, application).hidden
    may_write = visit.may(application.name, "write") and not place.copy
    is_open = may_write and not has_secret(shape) and rule.creates
    sample: Item | None = None if counted is None else counted.samples.get(shape)
    return EntityRow(
        shape,
        meaning(visit, application, name, shape.cls),
        f"{path}/new/{name}" if is_open else "",
        rule.by,
        f"{path}?{urlencode({'kind': name})}" if is_shown else "",
        counted.counts.get(shape, 0) if counted is not None and is_shown else None,
        place.item_path(sample) if sample is not None and is_shown else "",
    )
