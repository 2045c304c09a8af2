"""What every access pattern costs: units, money, and how often one key can bear it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from hansang.blueprint.domains import has_few_values, is_time
from hansang.blueprint.sizes import Sizes, indexes_of
from hansang.blueprint.subject import Asked, Design, partition_fields
from hansang.design import Query
from hansang.design.shape import Item, Shape
from hansang.engine.capacity import read_units, write_units
from hansang.errors import SettingsError

READS_OF_ONE_KEY = 3_000
WRITES_OF_ONE_KEY = 1_000
ANSWERS = 20


@dataclass(frozen=True, slots=True)
class Line:
    """One pattern or verb: what it reads or writes once, and how often one key bears that in a second."""

    name: str
    operation: str
    source: str
    size: int
    answers: int
    read: float
    write: float
    ceiling: float
    narrow: str
    """The table or the index whose key sets the ceiling."""


@dataclass(frozen=True, slots=True)
class Load:
    """How often each pattern is asked in a second, and how many answers it brings."""

    rate: float = 1.0
    answers: int = ANSWERS
    rates: Mapping[str, float] = field(default_factory=dict)
    answered: Mapping[str, int] = field(default_factory=dict)

    def rate_of(self, name: str) -> float:
        return self.rates.get(name, self.rate)

    def answers_of(self, name: str) -> int:
        return self.answered.get(name, self.answers)

    def expect_known(self, lines: Iterable[Line]) -> None:
        names = [line.name for line in lines]
        for name in (*self.rates, *self.answered):
            if name not in names:
                raise SettingsError(f"There is no pattern {name}. There are {', '.join(names)}.")


def lines(design: Design, items: Iterable[Item] = (), load: Load | None = None) -> list[Line]:
    """The cost of every pattern, and of reading and writing every kind of item."""
    sizes, load = Sizes(design, items), load or Load()
    found = [_query(asked, query, sizes, load) for asked, query in design.questions]
    for table in design.tables:
        for shape in table.shapes:
            found += _verbs(shape, sizes)
    load.expect_known(found)
    return found


def _query(asked: Asked, query: Query[Any], sizes: Sizes, load: Load) -> Line:
    count = 1 if _is_one(query) else load.answers_of(asked.label)
    size = sizes.of_answers(query.shapes, query.index)
    units = read_units(size * count, consistent=query.strong)
    where = query.table.name if query.index is None else query.index.name
    return Line(asked.label, "Query", where, size, count, units, 0.0, READS_OF_ONE_KEY / units, where)


def _is_one(query: Query[Any]) -> bool:
    """Whether the question is for one key of the table, and so has one answer at most."""
    return query.index is None and (
        query.table.sk is None or (query.sort is not None and query.sort.sign == "=")
    )


def _verbs(shape: Shape, sizes: Sizes) -> Iterator[Line]:
    name, table, size = shape.cls.__name__, shape.table.name, sizes.of(shape)
    read = read_units(size, consistent=False)
    yield Line(f"{name}.get", "GetItem", table, size, 1, read, 0.0, READS_OF_ONE_KEY / read, table)
    shares = _shares(shape, sizes)
    shared = _shared(shape)
    widest = max(shares, key=lambda where: (where in shared, shares[where]))
    yield Line(
        f"{name}.put",
        "PutItem",
        table,
        size,
        1,
        0.0,
        sum(shares.values()),
        WRITES_OF_ONE_KEY / shares[widest],
        widest,
    )


def _shares(shape: Shape, sizes: Sizes) -> dict[str, float]:
    """The write units that a new item takes from the table and from each global index."""
    table = shape.table.name
    shares = {table: write_units(sizes.of(shape))}
    for index in indexes_of(shape, sizes.example(shape)):
        units = write_units(sizes.of(shape, index))
        if index.is_global:
            shares[index.name] = units
        else:
            shares[table] += units  # The table pays for its local indexes (R7).
    return shares


def _shared(shape: Shape) -> set[str]:
    """The table and the global indexes in which many items of this kind share one partition key."""
    ways = {shape.table.name: shape.table.pk} | {
        each.name: each.pk for each in shape.table.indexes if each.is_global
    }
    return {where for where, attribute in ways.items() if _is_shared(shape, attribute)}


def _is_shared(shape: Shape, attribute: str) -> bool:
    fields = partition_fields(shape, attribute)
    return fields is not None and all(has_few_values(shape, name) or is_time(shape, name) for name in fields)
