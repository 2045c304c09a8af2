"""Random steps: the writes and reads that are taken on the engine and on the model alike."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from tests.engine.model import Check, Delete, Put, Update, Write
from tests.engine.model_conditions import BeginsWith, Between, Compare, Condition, roots
from tests.engine.model_reads import Read
from tests.engine.model_tables import TABLES, Index, Table
from tests.engine.strategies import conditions, items, key_values, keys, rarely, scalars, updates

tables = st.sampled_from(list(TABLES.values()))
modes = st.sampled_from(["TOTAL", "INDEXES"])
maybe_condition: SearchStrategy[Condition | None] = st.none() | conditions


def _puts(table: Table, faulty: bool = True) -> SearchStrategy[Put]:
    return st.builds(Put, st.just(table), items(table, faulty), maybe_condition)


def _updates(table: Table, faulty: bool = True) -> SearchStrategy[Update]:
    return st.builds(Update, st.just(table), keys(table, faulty), updates, maybe_condition)


def _deletes(table: Table, faulty: bool = True) -> SearchStrategy[Delete]:
    return st.builds(Delete, st.just(table), keys(table, faulty), maybe_condition)


def _checks(table: Table) -> SearchStrategy[Check]:
    return st.builds(Check, st.just(table), keys(table, faulty=False), conditions)


def _any_write(table: Table) -> SearchStrategy[Write]:
    return st.one_of(_puts(table, False), _updates(table, False), _deletes(table, False), _checks(table))


def _batch_write(table: Table) -> SearchStrategy[Put | Delete]:
    put = st.builds(Put, st.just(table), items(table))
    return rarely(put, st.builds(Delete, st.just(table), keys(table)), 4)


puts = tables.flatmap(_puts)
item_updates = tables.flatmap(_updates)
deletes = tables.flatmap(_deletes)
batches = st.lists(tables.flatmap(_batch_write), min_size=1, max_size=12)
transactions = st.lists(tables.flatmap(_any_write), min_size=1, max_size=5)
any_keys = st.lists(
    tables.flatmap(lambda table: st.tuples(st.just(table), keys(table, faulty=False))), min_size=1, max_size=6
)


@st.composite
def sort_conditions(draw: DrawFn, table: Table, index: Index) -> Condition:
    """One of the sort-key operators, seldom with a value that the key cannot have."""
    name = index.range[0]
    value = rarely(key_values(table, name), scalars, 20)
    path = (name,)
    low, high = draw(value), draw(value)
    found: list[Condition] = [Compare(path, sign, low) for sign in ("=", "<", "<=", ">", ">=")]
    return draw(st.sampled_from([*found, Between(path, low, high), BeginsWith(path, low)]))


@st.composite
def filters(draw: DrawFn, table: Table, index: Index) -> Condition:
    """A query's filter may not name its keys; and seldom what the index does not hold."""
    usual = conditions.filter(lambda found: not roots(found) & {"h", "r", "g", "n", "l"})
    held = usual.filter(lambda found: all(index.holds(name, table) for name in roots(found)))
    found: Condition = draw(usual if index.include is None else rarely(held, usual, 10))
    return found


@st.composite
def reads(draw: DrawFn, query: bool) -> Read:
    table = draw(tables)
    index = draw(st.sampled_from((table.base, *table.indexes)))
    partition = tuple(draw(key_values(table, name)) for name in index.hash) if query else ()
    sort = draw(st.none() | sort_conditions(table, index)) if query and index.range else None
    select = draw(st.sampled_from([None, None, "COUNT", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES"]))
    return Read(
        table,
        index,
        partition,
        sort,
        draw(st.none() | filters(table, index)),
        forward=draw(st.booleans()) if query else True,
        limit=draw(st.none() | st.integers(1, 4)),
        consistent=draw(rarely(st.just(False), st.just(True), 4)),
        select=select,
        segments=1 if query else draw(st.sampled_from([1, 1, 2, 5])),
    )
