"""Random items, conditions and updates: small pools, so that steps meet, and every awkward value."""

from __future__ import annotations

import base64
from collections.abc import Callable
from functools import cache
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from tests.engine.model_conditions import (
    COMPARISONS,
    BeginsWith,
    Between,
    Both,
    Compare,
    Condition,
    Contains,
    Exists,
    Not,
    OfType,
    OneOf,
    Path,
    Size,
)
from tests.engine.model_tables import ATTRIBUTE_TYPES, Table
from tests.engine.model_updates import (
    Action,
    Add,
    Append,
    At,
    Discard,
    IfNotExists,
    Literal,
    Operand,
    Remove,
    Set,
    Sum,
)
from tests.engine.model_values import Item, Value, order


def b64(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


# U+FFEE sorts before U+1F600 by UTF-8 bytes and after it by UTF-16 units; NUL must not end a key.
TEXTS = ["a", "a\0", "a\0b", "a\1", "b", "B", "é", "가", "한상", "\uffee", "\U0001f600", "\0", "\0\0"]
NINES = "9" * 38
NUMBERS = [
    "0",
    "-0",
    "1",
    "1.0",
    "1.5",
    "15",
    "9",
    "10",
    "1E1",
    "-1",
    "-10.50",
    "2",
    "0.1",
    "-0.1",
    "00042",
    "1.5e2",
    "+7",
]
EDGES = [
    "1E125",
    "-1E125",
    "1E-130",
    "-1E-130",
    NINES,
    f"-{NINES}",
    "9.9E125",
    f"0.{NINES}",
    "12345678901234567.89",
]
BYTES = [b64(raw) for raw in (b"\0", b"\0\0", b"\0\1", b"\1", b"a", b"\x7f", b"\x80", b"\xff", b"\xff\xff")]
POOLS: dict[str, list[str]] = {"S": TEXTS, "N": NUMBERS + EDGES, "B": BYTES}

WRONG: list[Value] = [
    {"S": ""},
    {"B": ""},
    {"NULL": True},
    {"N": "1E126"},
    {"N": "1E-131"},
    {"N": "1" * 39},
    {"N": "ten"},
    {"SS": []},
    {"NS": ["1", "1.0"]},
    {"BOOL": True},
]


def scalar(sort: str) -> SearchStrategy[Value]:
    return st.sampled_from(POOLS[sort]).map(lambda content: {sort: content})


scalars = st.one_of(
    scalar("S"),
    scalar("N"),
    scalar("B"),
    st.sampled_from([{"S": ""}, {"B": ""}, {"NULL": True}, {"BOOL": True}, {"BOOL": False}]),
)
numbers = st.sampled_from(["0", "1", "-1", "2.5", "-0.001", "10", "1E10", "9.9E125"]).map(
    lambda text: {"N": text}
)


def members(sort: str, texts: list[str]) -> SearchStrategy[Value]:
    """Sets in any order, which is to make no difference."""
    return st.lists(st.sampled_from(texts), min_size=1, unique=True).map(lambda found: {sort: found})


text_sets = members("SS", ["a", "b", "가", ""])
number_sets = members("NS", ["1", "2", "-3", "1E10"])
byte_sets = members("BS", BYTES[:4])
sets = st.one_of(text_sets, number_sets, byte_sets)
lists = st.lists(scalars | text_sets, max_size=4).map(lambda found: {"L": found})
maps = st.fixed_dictionaries(
    {},
    optional={
        "a": scalars,
        "k": numbers,
        "b": st.fixed_dictionaries({}, optional={"c": scalars, "d": lists}).map(lambda found: {"M": found}),
    },
).map(lambda found: {"M": found})
values: SearchStrategy[Value] = st.one_of(scalars, sets, lists, maps)
padding = st.sampled_from([0, 900, 1100, 4000, 5000]).map(lambda size: {"S": "x" * size})


def rarely(usual: SearchStrategy[Any], seldom: SearchStrategy[Any], once_in: int = 12) -> SearchStrategy[Any]:
    return st.integers(1, once_in).flatmap(lambda drawn: seldom if drawn == once_in else usual)


# Few partitions, so that they fill, and many sort keys.
PARTITIONS: dict[str, list[str]] = {"S": TEXTS[:3], "N": NUMBERS[:3], "B": BYTES[:3]}
INDEXED: dict[str, list[str]] = {
    "g": ["a", "a\0", "가", "\uffee", "\U0001f600"],
    "n": ["0", "-0", "1", "1.0", "-1", "-10.50", "1E125", "1E-130", "-1E-130", NINES],
    "l": BYTES[:5],
}
ATTRIBUTES: dict[str, SearchStrategy[Value]] = {
    "txt": scalar("S"),
    "num": rarely(numbers, scalar("N"), 4),
    "m": maps,
    "list": lists,
    "ss": text_sets,
    "ns": number_sets,
    "bs": byte_sets,
    "any": values,
    "pad": padding,
}


def pool(table: Table, name: str) -> list[Value]:
    """The values that a key attribute of a table or an index is drawn from."""
    sort = table.types[name]
    partition = name == "h" and len(table.keys) > 1
    texts = INDEXED.get(name) or (PARTITIONS[sort] if partition else POOLS[sort])
    return [{sort: text} for text in texts]


@cache
def key_values(table: Table, name: str) -> SearchStrategy[Value]:
    return st.sampled_from(pool(table, name))


@cache
def right_keys(table: Table) -> SearchStrategy[Item]:
    return st.fixed_dictionaries({name: key_values(table, name) for name in table.keys})


@cache
def right_items(table: Table) -> SearchStrategy[Item]:
    indexed = {name: st.sampled_from(texts).map(_valued(name)) for name, texts in INDEXED.items()}
    rest = st.fixed_dictionaries({}, optional={**indexed, **ATTRIBUTES})
    return st.builds(lambda item, key: {**item, **key}, rest, right_keys(table))


def _valued(name: str) -> Callable[[str], Value]:
    return lambda text: {ATTRIBUTE_TYPES[name]: text}


@cache
def keys(table: Table) -> SearchStrategy[Item]:
    """A key, seldom one that DynamoDB refuses."""
    faults = {name: st.sampled_from(WRONG) for name in (*table.keys, "txt")}
    return rarely(right_keys(table), st.fixed_dictionaries({}, optional=faults), 30)


@cache
def items(table: Table) -> SearchStrategy[Item]:
    """An item, seldom one that DynamoDB refuses."""
    names = st.sampled_from([*table.keys, *ATTRIBUTE_TYPES, "any"])
    wrong = st.builds(_spoiled, right_items(table), names, st.sampled_from(WRONG))
    return rarely(right_items(table), wrong, 12)


def _spoiled(item: Item, name: str, value: Value) -> Item:
    return {**item, name: value}


PATHS: list[Path] = [
    *((name,) for name in ("txt", "num", "m", "list", "ss", "ns", "bs", "any", "g", "n", "l", "none")),
    *(("m", name) for name in ("a", "k", "b", "none")),
    ("m", "b", "c"),
    ("m", "b", "d", 0),
    *(("list", place) for place in (0, 1, 7)),
]
paths = st.sampled_from(PATHS)
signs = st.sampled_from(list(COMPARISONS))
sort_signs = st.sampled_from(["=", "<", "<=", ">", ">="])
COLLECTIONS = ("m", "list", "ss", "ns", "bs", "b")

ordered = st.sampled_from("SNB").flatmap(scalar)
ranges = st.sampled_from("SNB").flatmap(
    lambda sort: st.lists(scalar(sort), min_size=2, max_size=2).map(lambda pair: sorted(pair, key=order))
)
types = st.sampled_from(["S", "N", "B", "SS", "NS", "BS", "L", "M", "BOOL", "NULL"])


@cache
def conditions_on(names: frozenset[str]) -> SearchStrategy[Condition]:
    """Conditions on these attributes, and on nothing else."""
    known = [path for path in (*PATHS, ("h",)) if path[0] in names]
    paths = st.sampled_from(known)
    simple: SearchStrategy[Condition] = st.one_of(
        st.builds(Exists, paths, st.booleans()),
        st.builds(Compare, paths, st.sampled_from(["=", "<>"]), values),
        st.builds(Compare, paths, signs, rarely(ordered, values)),
        st.builds(
            lambda path, pair: Between(path, *pair), paths, rarely(ranges, st.tuples(scalars, scalars))
        ),
        st.builds(OneOf, paths, st.lists(values, min_size=1, max_size=3).map(tuple)),
        st.builds(OfType, paths, types),
        st.builds(BeginsWith, paths, rarely(scalar("S") | scalar("B"), scalars)),
        st.builds(Contains, paths, scalars),
        *_sizes([path for path in known if path[-1] in COLLECTIONS]),
    )
    return st.recursive(
        simple,
        lambda inner: st.builds(Both, inner, inner, st.sampled_from(["AND", "OR"])) | st.builds(Not, inner),
        max_leaves=4,
    )


def _sizes(known: list[Path]) -> list[SearchStrategy[Condition]]:
    return [st.builds(Size, st.sampled_from(known), sort_signs, st.integers(0, 3))] if known else []


conditions = conditions_on(frozenset(str(path[0]) for path in (*PATHS, ("h",))))

leaves: SearchStrategy[Operand] = st.builds(Literal, values) | st.builds(At, paths)
number_leaves: SearchStrategy[Operand] = (
    st.builds(Literal, numbers)
    | st.builds(At, st.sampled_from([("num",), ("m", "k"), ("n",), ("any",)]))
    | st.builds(IfNotExists, st.sampled_from([("num",), ("none",)]), st.builds(Literal, numbers))
)
list_leaves: SearchStrategy[Operand] = (
    st.builds(Literal, lists)
    | st.builds(At, st.sampled_from([("list",), ("m", "b", "d"), ("any",)]))
    | st.builds(IfNotExists, st.sampled_from([("list",), ("none",)]), st.builds(Literal, lists))
)
operands: SearchStrategy[Operand] = st.one_of(
    leaves,
    st.builds(IfNotExists, paths, leaves),
    st.builds(Append, list_leaves, list_leaves),
    st.builds(Sum, number_leaves, number_leaves, st.sampled_from([1, -1])),
)
index_values = {
    name: st.builds(Literal, rarely(st.sampled_from(texts).map(_valued(name)), st.sampled_from(WRONG), 20))
    for name, texts in INDEXED.items()
}
index_actions: SearchStrategy[Action] = st.one_of(
    *(st.builds(Set, st.just((name,)), found) for name, found in index_values.items()),
    *(st.builds(Remove, st.just((name,))) for name in INDEXED),
)
actions: SearchStrategy[Action] = st.one_of(
    st.builds(Set, paths, operands),
    index_actions,
    st.builds(Remove, paths),
    st.builds(Add, paths, numbers | sets),
    st.builds(Discard, st.sampled_from([("ss",), ("ns",), ("bs",), ("any",)]), sets),
)
updates = st.lists(actions, min_size=1, max_size=4)
