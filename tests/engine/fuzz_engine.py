"""An engine with a few items in it, and the questions that a fuzz asks after each request."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hansang.engine import Engine
from hansang.errors import WireError
from tests.engine.model_tables import TABLES, WORDS, Index, Table
from tests.engine.model_values import Item, comparable, spelled

Answer = dict[str, Any] | WireError
Contents = dict[str, list[str]]

ITEMS: list[Item] = [
    {
        "h": {"S": "a"},
        "r": {"S": "b"},
        "g": {"S": "group"},
        "n": {"N": "7"},
        "l": {"B": "AAE="},
        "txt": {"S": "가나다"},
        "num": {"N": "5"},
        "m": {"M": {"a": {"S": "x"}, "b": {"M": {"c": {"N": "1"}}}, "k": {"N": "3"}}},
        "list": {"L": [{"S": "one"}, {"N": "2"}, {"M": {"a": {"S": "deep"}}}]},
        "ss": {"SS": ["x", "y"]},
        "any": {"NS": ["1", "2"]},
    },
    {"h": {"S": "a"}, "r": {"S": "c"}, "g": {"S": "group"}, "txt": {"S": ""}},
    {"h": {"S": "b"}, "r": {"S": "b"}, "n": {"N": "-1E-130"}, "any": {"NULL": True}},
]
ACCOUNT = "000000000000"
KEY: Item = {"h": {"S": "a"}, "r": {"S": "b"}}


_KEPT: list[Engine] = []


@contextmanager
def filled_engine() -> Iterator[Engine]:
    """An engine with the items in it: one that was kept, or a new one."""
    engine = _KEPT.pop() if _KEPT else _fresh()
    try:
        yield engine
    finally:
        if engine not in _KEPT:
            engine.close()


def keep(engine: Engine) -> None:
    """Nothing has changed in this engine: the next example may have it."""
    _KEPT.append(engine)


def close_kept() -> None:
    while _KEPT:
        _KEPT.pop().close()


def _fresh() -> Engine:
    engine = Engine.open(":memory:", account=ACCOUNT, sweep_seconds=None)
    for table in TABLES.values():
        engine.call("CreateTable", table.creation())
    for item in ITEMS:
        engine.call("PutItem", {"TableName": WORDS.name, "Item": item})
    return engine


def ask(engine: Engine, operation: str, request: dict[str, Any]) -> Answer:
    """The answer or the refusal; anything else that is raised is a failure of the test."""
    answer: Answer
    try:
        answer = engine.call(operation, request)
    except WireError as refusal:
        answer = refusal
    assert not isinstance(answer, WireError) or 400 <= answer.status < 500, answer
    return answer


def alike(left: Answer, right: Answer) -> bool:
    """Whether two answers say the same."""
    if isinstance(left, WireError) or isinstance(right, WireError):
        return str(left) == str(right)
    return bool(comparable(left) == comparable(right))


def _rows(engine: Engine, table: Table, index: Index) -> list[Item]:
    request = (
        {"TableName": table.name}
        if index == table.base
        else {"TableName": table.name, "IndexName": index.name}
    )
    found: list[Item] = engine.call("Scan", request)["Items"]
    return found


def contents(engine: Engine, table: Table = WORDS) -> Contents:
    """Everything that a table and its indexes hold."""
    return {index.name: spelled(_rows(engine, table, index)) for index in (table.base, *table.indexes)}


def assert_indexes_agree(engine: Engine, table: Table = WORDS) -> None:
    items = _rows(engine, table, table.base)
    for index in table.indexes:
        expected = [entry for item in items if (entry := index.entry(item, table)) is not None]
        assert spelled(_rows(engine, table, index)) == spelled(expected), index.name
