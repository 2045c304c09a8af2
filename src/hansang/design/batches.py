"""Reading and writing any number of items, in pieces as large as DynamoDB takes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
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
    asked: dict[Shape, _Asked] = {}
    places: dict[tuple[str, str, str | None], Shape] = {}
    wanted: dict[str, dict[str, Any]] = {}
    for key in keys:
        shape = requests.shape_of(key)
        one = asked.get(shape)
        if one is None:
            one = asked[shape] = _Asked.of(runner, shape)
            more = {"ConsistentRead": True} if consistent else {}
            one.keys = wanted.setdefault(one.table, {"Keys": [], **more})["Keys"]
        item = shape.key(key.__dict__)
        place = one.place(item)
        if place not in places:
            places[place] = shape
            one.keys.append(item)
    found = _fetched(runner, wanted, {one.table: one for one in asked.values()})
    return [shape.decode(found[place]) for place, shape in places.items() if place in found]


@dataclass(slots=True)
class _Asked:
    """One kind of which keys are asked for: where it is, and how its keys are told apart."""

    table: str
    pk: str
    pk_kind: str
    sk: str | None
    sk_kind: str
    keys: list[Item]

    @classmethod
    def of(cls, runner: Runner, shape: Shape) -> _Asked:
        pk, sk = shape.table.pk, shape.table.sk
        kinds = shape.kind_of(pk) or "S", (shape.kind_of(sk) if sk else None) or "S"
        return cls(runner.name(shape.table), pk, kinds[0], sk, kinds[1], [])

    def place(self, item: Item) -> tuple[str, str, str | None]:
        """What tells one key from another."""
        sk = self.sk
        return self.table, item[self.pk][self.pk_kind], None if sk is None else item[sk][self.sk_kind]


def _fetched(
    runner: Runner, wanted: dict[str, Any], asked: dict[str, _Asked]
) -> dict[tuple[str, str, str | None], Item]:
    found: dict[tuple[str, str, str | None], Item] = {}
    for response in runner.until_done(
        "BatchGetItem", {"RequestItems": wanted}, "UnprocessedKeys", "batch_get"
    ):
        for name, items in response["Responses"].items():
            place = asked[name].place
            for item in items:
                found[place(item)] = item
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
