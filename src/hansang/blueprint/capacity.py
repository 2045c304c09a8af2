"""What every access pattern costs: units, money, and how often one key can bear it."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from hansang.blueprint.domains import has_few_values, is_time
from hansang.blueprint.sizes import Sizes
from hansang.blueprint.subject import AskedPattern, Design, is_one_of_partition, partition_fields
from hansang.blueprint.writes import WriteUnits, writes
from hansang.design import Query
from hansang.design.shape import Item, Shape
from hansang.engine.capacity import read_units
from hansang.errors import SettingsError

READS_OF_ONE_KEY = 3_000
WRITES_OF_ONE_KEY = 1_000
ANSWERS = 20
PAGE = 1024 * 1024
"""The bytes that one Query reads at the most, before it filters."""


@dataclass(frozen=True, slots=True)
class Line:
    """One pattern or verb: what it reads or writes once, and how often one key bears that in a second."""

    name: str
    operation: str
    source: str
    size: int
    items: int
    """How many items it reads or writes; a filter reads more than it answers."""
    answers: int
    read: float
    write: float
    in_transaction: float | None
    """What the same takes in a transaction; None for a Query, which cannot stand in one."""
    ceiling: float
    narrow: str
    """The table or the index whose key sets the ceiling."""
    reads_page: bool = False
    """Whether it filters, and a whole page is counted because nobody has said how much it reads."""


@dataclass(frozen=True, slots=True)
class Load:
    """How often each pattern is asked in a second, how many answers it brings, and what a filter reads for one."""

    rate: float = 1.0
    answers: int = ANSWERS
    rates: Mapping[str, float] = field(default_factory=dict)
    answered: Mapping[str, int] = field(default_factory=dict)
    read: Mapping[str, float] = field(default_factory=dict)

    def rate_of(self, name: str) -> float:
        return self.rates.get(name, self.rate)

    def answers_of(self, name: str) -> int:
        return self.answered.get(name, self.answers)

    def read_of(self, name: str) -> float | None:
        """How many items a filtered pattern reads for one that it answers; None when nobody has said."""
        return self.read.get(name)

    def expect_known(self, lines: Iterable[Line], filtered: Collection[str]) -> None:
        names = [line.name for line in lines]
        for name in (*self.rates, *self.answered, *self.read):
            if name not in names:
                raise SettingsError(f"Pattern {name} not found. The patterns are {', '.join(names)}.")
        for name, number in self.read.items():
            if name not in filtered:
                raise SettingsError(
                    f"{name} has no filter: it reads what it answers. Give --answers-of instead."
                )
            if number < 1:
                raise SettingsError(f"{name} reads at least one item for one answer. Give 1 or more.")


def lines(design: Design, items: Iterable[Item] = (), load: Load | None = None) -> list[Line]:
    """The cost of every pattern, and of reading and writing every kind of item."""
    sizes, load = Sizes(design, items), load or Load()
    found = [_query(asked, query, sizes, load) for asked, query in design.questions]
    for table in design.tables:
        for shape in table.shapes:
            found += _verbs(shape, sizes)
    load.expect_known(found, [asked.label for asked, query in design.questions if query.filter is not None])
    return found


def _query(asked: AskedPattern, query: Query[Any], sizes: Sizes, load: Load) -> Line:
    counts = {each: _count(each, query, load.answers_of(asked.label)) for each in query.shapes}
    answers = sum(counts.values())
    size_bytes = sum(count * sizes.of(shape, query.index) for shape, count in counts.items())
    ratio = load.read_of(asked.label)
    reads_page = query.filter is not None and ratio is None and answers > 1
    items = -(-PAGE * answers // size_bytes) if reads_page else math.ceil(answers * (ratio or 1))
    items = max(answers, items)
    units = read_units(size_bytes * items // answers, consistent=query.strong)
    where = query.table.name if query.index is None else query.index.name
    return Line(
        asked.label,
        "Query",
        where,
        round(size_bytes / answers),
        items,
        answers,
        units,
        0.0,
        None,
        READS_OF_ONE_KEY / units,
        where,
        reads_page,
    )


def _count(shape: Shape, query: Query[Any], answers: int) -> int:
    """How many items of a kind a question answers with: one where its key can name no more."""
    return 1 if _is_one(query) or is_one_of_partition(shape, query.partition_keys) else answers


def _is_one(query: Query[Any]) -> bool:
    """Whether the question is for one key of the table, and so has one answer at most."""
    return query.index is None and (
        query.table.sk is None or (query.sort is not None and query.sort.sign == "=")
    )


def _verbs(shape: Shape, sizes: Sizes) -> Iterator[Line]:
    name, table, size = shape.cls.__name__, shape.table.name, sizes.of(shape)
    read = read_units(size, consistent=False)
    twice = 2 * read_units(size, consistent=True)
    ceiling = READS_OF_ONE_KEY / read
    yield Line(f"{name}.get", "GetItem", table, size, 1, 1, read, 0.0, twice, ceiling, table)
    for each in writes(shape, sizes):
        yield _written(shape, size, each)


def _written(shape: Shape, size: int, write: WriteUnits) -> Line:
    table, shared = shape.table.name, _shared(shape)
    shares = write.shares(table)
    widest = max(shares, key=lambda where: (shares[where] > 0 and where in shared, shares[where]))
    return Line(
        f"{shape.cls.__name__}.{write.verb}",
        write.operation,
        table,
        size,
        1,
        1,
        0.0,
        write.units,
        write.in_transaction,
        WRITES_OF_ONE_KEY / shares[widest],
        widest,
    )


def _shared(shape: Shape) -> set[str]:
    """The table and the global indexes in which many items of this kind share one partition key."""
    ways = {shape.table.name: (shape.table.pk,)} | {
        each.name: each.partition_keys for each in shape.table.indexes if each.is_global
    }
    return {where for where, attributes in ways.items() if _is_shared(shape, attributes)}


def _is_shared(shape: Shape, attributes: tuple[str, ...]) -> bool:
    fields = partition_fields(shape, attributes)
    return fields is not None and all(has_few_values(shape, name) or is_time(shape, name) for name in fields)
