"""Random steps: the writes and reads that are taken on the engine and on the model alike."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import pairwise

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from tests.engine.model import Check, Delete, Put, Update, Write
from tests.engine.model_conditions import BeginsWith, Between, Compare, Condition
from tests.engine.model_reads import Read
from tests.engine.model_tables import ATTRIBUTE_TYPES, TABLES, Index, Table
from tests.engine.model_values import Item
from tests.engine.strategies import (
    INDEXED,
    NINES,
    PATHS,
    conditions,
    conditions_on,
    items,
    key_values,
    keys,
    pool,
    rarely,
    right_items,
    right_keys,
    scalars,
    updates,
)

ALL = list(TABLES.values())
tables = st.sampled_from(ALL)
modes = st.sampled_from(["TOTAL", "INDEXES"])
maybe_condition: SearchStrategy[Condition | None] = rarely(st.none(), conditions, 3)


def _writes(table: Table) -> list[SearchStrategy[Write]]:
    """Single writes, seldom faulty ones."""
    return [
        st.builds(Put, st.just(table), items(table), maybe_condition),
        st.builds(Update, st.just(table), keys(table), updates, maybe_condition),
        st.builds(Delete, st.just(table), keys(table), maybe_condition),
    ]


def _right_writes(table: Table) -> list[SearchStrategy[Write]]:
    return [
        st.builds(Put, st.just(table), right_items(table), maybe_condition),
        st.builds(Update, st.just(table), right_keys(table), updates, maybe_condition),
        st.builds(Delete, st.just(table), right_keys(table), maybe_condition),
        st.builds(Check, st.just(table), right_keys(table), conditions),
    ]


def _batched(
    table: Table, keys: SearchStrategy[Item], items: SearchStrategy[Item]
) -> SearchStrategy[Put | Delete]:
    return rarely(st.builds(Put, st.just(table), items), st.builds(Delete, st.just(table), keys), 4)


_SINGLE = st.one_of([found for table in ALL for found in _writes(table)])
_RIGHT = st.one_of([found for table in ALL for found in _right_writes(table)])
_RIGHT_BATCHED = st.one_of([_batched(table, right_keys(table), right_items(table)) for table in ALL])
_BATCHED = st.one_of([_batched(table, keys(table), items(table)) for table in ALL])
_KEYS = st.one_of([st.tuples(st.just(table), right_keys(table)) for table in ALL])


# Composites, because hypothesis spells out any other strategy whenever it speaks of a rule.


@st.composite
def some_writes(draw: DrawFn) -> list[Write]:
    return draw(st.lists(_SINGLE, min_size=1, max_size=4))


@st.composite
def batches(draw: DrawFn) -> list[Put | Delete]:
    return draw(st.lists(draw(rarely(st.just(_RIGHT_BATCHED), st.just(_BATCHED), 6)), min_size=1, max_size=8))


@st.composite
def transactions(draw: DrawFn) -> list[Write]:
    return draw(st.lists(_RIGHT, min_size=1, max_size=4))


@st.composite
def any_keys(draw: DrawFn) -> list[tuple[Table, Item]]:
    return draw(st.lists(_KEYS, min_size=1, max_size=6))


def filling(seed: int) -> list[Put]:
    """Items to begin with, about twenty a table: enough that every query finds some."""
    dice = random.Random(seed)
    return [Put(table, item) for table in ALL for item in _distinct(table, dice)]


def _distinct(table: Table, dice: random.Random) -> list[Item]:
    found: dict[object, Item] = {}
    for _ in range(25):
        item = {name: dice.choice(pool(table, name)) for name in table.keys}
        for name, texts in INDEXED.items():
            if dice.random() < 0.8 and name not in item:
                item[name] = {ATTRIBUTE_TYPES[name]: dice.choice(texts)}
        extra = dice.choice(EXTRAS)
        found[table.key(table.check_key(table.key_of(item)))] = {**item, **extra}
    return list(found.values())


EXTRAS: list[Item] = [
    {},
    {"txt": {"S": "a"}, "num": {"N": "1"}},
    {"txt": {"S": "한상"}, "list": {"L": [{"S": "a"}, {"N": "2"}]}},
    {"m": {"M": {"a": {"S": "a"}, "k": {"N": "10"}, "b": {"M": {"c": {"NULL": True}}}}}},
    {"ss": {"SS": ["a", "b"]}, "ns": {"NS": ["1", "2"]}, "bs": {"BS": ["AA=="]}},
    {"pad": {"S": "x" * 1100}, "any": {"N": NINES}},
    {"pad": {"S": "x" * 5000}, "num": {"N": "-0.001"}},
]


@st.composite
def sort_conditions(draw: DrawFn, table: Table, index: Index) -> Condition:
    """One of the sort-key operators, seldom with a value that the key cannot have."""
    name = index.range[0]
    value = rarely(key_values(table, name), scalars, 20)
    path = (name,)
    low, high = draw(value), draw(value)
    found: list[Condition] = [Compare(path, sign, low) for sign in ("=", "<", "<=", ">", ">=")]
    return draw(st.sampled_from([*found, Between(path, low, high), BeginsWith(path, low)]))


def every_sort_condition(table: Table, index: Index) -> Iterator[Condition | None]:
    """Each operator with each value that the sort key is drawn from, and ranges between them."""
    yield None
    for name in index.range[:1]:
        values, path = pool(table, name), (name,)
        for value in values:
            yield from (Compare(path, sign, value) for sign in ("=", "<", "<=", ">", ">="))
            yield BeginsWith(path, value)
        for low, high in pairwise(values):
            yield Between(path, low, high)
            yield Between(path, high, low)


PLAIN = frozenset(str(path[0]) for path in PATHS) - set(ATTRIBUTE_TYPES)


def filters(table: Table, index: Index) -> SearchStrategy[Condition | None]:
    """A query's filter may not name its keys; and seldom what the index does not hold."""
    held = frozenset(name for name in PLAIN if index.holds(name, table))
    usual = st.none() | conditions_on(held) if held else st.none()
    return rarely(usual, conditions_on(PLAIN), 12)


def selects(table: Table, index: Index) -> SearchStrategy[str | None]:
    """What the index can give, and seldom what it cannot."""
    usual: list[str | None] = [None, None, "COUNT"]
    if index == table.base or index.local or index.include is None:
        usual.append("ALL_ATTRIBUTES")
    if index != table.base:
        usual.append("ALL_PROJECTED_ATTRIBUTES")
    return rarely(st.sampled_from(usual), st.sampled_from(["ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES"]), 15)


@st.composite
def reads(draw: DrawFn, query: bool) -> Read:
    table = draw(tables)
    index = draw(st.sampled_from((table.base, *table.indexes)))
    partition = tuple(draw(key_values(table, name)) for name in index.hash) if query else ()
    sort = draw(st.none() | sort_conditions(table, index)) if query and index.range else None
    return Read(
        table,
        index,
        partition,
        sort,
        draw(filters(table, index)),
        forward=draw(st.booleans()) if query else True,
        limit=draw(st.none() | st.integers(1, 4)),
        consistent=draw(rarely(st.just(False), st.just(True), 4 if index.local else 15)),
        select=draw(selects(table, index)),
        segments=1 if query else draw(st.sampled_from([1, 1, 2, 5])),
    )


some_queries = st.lists(reads(query=True), min_size=1, max_size=4)
some_scans = st.lists(reads(query=False), min_size=1, max_size=2)
