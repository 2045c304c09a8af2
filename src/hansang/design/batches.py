"""Reading and writing any number of items, in pieces as large as DynamoDB takes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeVar

from hansang.design import requests
from hansang.design.entity import Entity, Key
from hansang.design.runner import Runner
from hansang.design.shape import Item, Shape
from hansang.errors import DesignError

E = TypeVar("E", bound=Entity)
T = TypeVar("T")

_WRITTEN_AT_ONCE = 25
_READ_AT_ONCE = 100


def _pieces(things: Iterable[T], size: int) -> Iterator[list[T]]:
    rest = iter(things)
    while piece := list(islice(rest, size)):
        yield piece


# ── reading ───────────────────────────────────────────────────────────────────────────────────────


def get(runner: Runner, keys: Iterable[Key[E]], *, consistent: bool) -> list[E]:
    """The entities that are there, in the order of the keys."""
    found: list[E] = []
    for piece in _pieces(keys, _READ_AT_ONCE):
        found += _get(runner, piece, consistent=consistent)
    return found


def _get(runner: Runner, keys: Sequence[Key[E]], *, consistent: bool) -> list[E]:
    wanted: dict[str, dict[str, Any]] = {}
    places: dict[tuple[Any, ...], Shape] = {}
    for key in keys:
        shape = requests.shape_of(key)
        item = shape.key(key.__dict__)
        place = _place(shape, item)
        if place not in places:
            places[place] = shape
            table = wanted.get(runner.name(shape.table))
            if table is None:
                table = wanted[runner.name(shape.table)] = {"Keys": []}
                if consistent:
                    table["ConsistentRead"] = True
            table["Keys"].append(item)
    found = _fetched(runner, wanted, {runner.name(shape.table): shape for shape in places.values()})
    return [shape.decode(found[place]) for place, shape in places.items() if place in found]


def _place(shape: Shape, item: Item) -> tuple[Any, ...]:
    """What tells one key of one table from another."""
    table = shape.table
    if table.sk is None:
        return (table, *item[table.pk].values())
    return (table, *item[table.pk].values(), *item[table.sk].values())


def _fetched(runner: Runner, wanted: dict[str, Any], shapes: dict[str, Shape]) -> dict[tuple[Any, ...], Item]:
    found: dict[tuple[Any, ...], Item] = {}
    for response in runner.until_done(
        "BatchGetItem", {"RequestItems": wanted}, "UnprocessedKeys", "batch_get"
    ):
        for name, items in response["Responses"].items():
            shape = shapes[name]
            for item in items:
                found[_place(shape, item)] = item
    return found


# ── writing ───────────────────────────────────────────────────────────────────────────────────────


def write(runner: Runner, puts: Iterable[Entity], deletes: Iterable[Key[Any]]) -> int:
    """Store and delete, with no conditions; how many."""
    return sum(_write(runner, piece) for piece in _pieces(_requests(runner, puts, deletes), _WRITTEN_AT_ONCE))


def _requests(
    runner: Runner, puts: Iterable[Entity], deletes: Iterable[Key[Any]]
) -> Iterator[tuple[str, dict[str, Any]]]:
    for entity in puts:
        shape = requests.entity_shape(entity)
        if shape.version is not None:
            raise DesignError(
                f"{shape.cls.__name__} has a Version, which a batch cannot check. Use put or a transaction."
            )
        item = shape.encode(requests.stamped(runner, shape, entity, None))
        yield runner.name(shape.table), {"PutRequest": {"Item": item}}
    for key in deletes:
        shape = requests.shape_of(key)
        yield runner.name(shape.table), {"DeleteRequest": {"Key": shape.key(key.__dict__)}}


def _write(runner: Runner, piece: list[tuple[str, dict[str, Any]]]) -> int:
    wanted: dict[str, list[dict[str, Any]]] = {}
    for name, request in piece:
        wanted.setdefault(name, []).append(request)
    for _ in runner.until_done("BatchWriteItem", {"RequestItems": wanted}, "UnprocessedItems", "batch_write"):
        pass
    return len(piece)
