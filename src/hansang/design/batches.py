"""Reading and writing any number of items, in pieces as large as DynamoDB takes them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar, cast

from hansang.design import requests
from hansang.design.entity import Entity, Key, Model, View
from hansang.design.pages import Unreadable
from hansang.design.projecting import expect_projection, expect_selectable, selection
from hansang.design.runner import Runner
from hansang.design.shape import Item, Shape
from hansang.errors import DesignError, UnexpectedItem

T = TypeVar("T")

_WRITTEN_AT_ONCE = 25
_READ_AT_ONCE = 100


def _pieces(things: Iterable[T], size: int) -> Iterator[list[T]]:
    rest = iter(things)
    while piece := list(islice(rest, size)):
        yield piece


# ── reading ───────────────────────────────────────────────────────────────────────────────────────


def get(
    runner: Runner,
    keys: Iterable[Key[Any]],
    *,
    consistent: bool,
    select: type[View] | None = None,
    unreadable: Callable[[Unreadable], object] | None = None,
) -> list[Any]:
    """The entities that are there, or some of their fields, in the order of the keys."""
    if select is not None:
        expect_projection(select)
    if isinstance(cast(object, keys), Model):
        raise DesignError(f"{keys!r} is one key, and a batch takes several. Give a list, or use get.")
    found: list[Any] = []
    seen: set[tuple[Any, ...]] = set()
    for piece in _pieces(keys, _READ_AT_ONCE):
        for shape, item in _get(runner, piece, seen, select, consistent=consistent):
            try:
                found.append(shape.decode(item))
            except UnexpectedItem as fault:
                if unreadable is None:
                    raise
                key = {name: item[name] for name in shape.table.key_attributes()}
                kind = shape if shape.entity is None else shape.entity
                unreadable(Unreadable(shape.table, kind.cls, key, item, str(fault), fault.attribute))
    return found


def _get(
    runner: Runner,
    keys: Sequence[Key[Any]],
    seen: set[tuple[Any, ...]],
    select: type[View] | None,
    *,
    consistent: bool,
) -> list[tuple[Shape, Item]]:
    """What is there of these keys, without those that were asked for before, and the shapes to read it with."""
    asked: dict[Shape, _Asked] = {}
    places: list[tuple[tuple[str, str, str | None], Shape]] = []
    sent: set[tuple[str, str, str | None]] = set()
    wanted: dict[str, dict[str, Any]] = {}
    for key in keys:
        shape = requests.shape_of(key)
        one = asked.get(shape)
        if one is None:
            one = asked[shape] = _Asked.of(runner, shape)
            more: dict[str, Any] = {"ConsistentRead": True} if consistent else {}
            if select is not None:
                one.read = expect_selectable((shape,), None, select)
                more |= selection(one.read)
            one.keys = wanted.setdefault(one.table, {"Keys": [], **more})["Keys"]
        item = shape.key(key.__dict__)
        place = one.place(item)
        if (place, shape) in seen:
            continue
        seen.add((place, shape))
        places.append((place, shape))
        if place not in sent:
            sent.add(place)
            one.keys.append(item)
    wanted = {name: asked_of for name, asked_of in wanted.items() if asked_of["Keys"]}
    if not wanted:
        return []
    found = _fetched(runner, wanted, {one.table: one for one in asked.values()})
    return [(asked[shape].read, found[place]) for place, shape in places if place in found]


@dataclass(slots=True)
class _Asked:
    """One kind of which keys are asked for: where it is, and how its keys are told apart."""

    table: str
    pk: str
    pk_kind: str
    sk: str | None
    sk_kind: str
    keys: list[Item]
    read: Shape

    @classmethod
    def of(cls, runner: Runner, shape: Shape) -> _Asked:
        pk, sk = shape.table.pk, shape.table.sk
        kinds = shape.kind_of(pk) or "S", (shape.kind_of(sk) if sk else None) or "S"
        return cls(runner.name(shape.table), pk, kinds[0], sk, kinds[1], [], shape)

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
    """Store and delete, with no conditions, in the order in which they are given; how many."""
    written, piece = 0, dict[tuple[Any, ...], _Request]()
    for request in _requests(runner, puts, deletes):
        # DynamoDB takes an item once in a batch.
        if len(piece) == _WRITTEN_AT_ONCE or request.place in piece:
            written += _write(runner, piece.values())
            piece = {}
        piece[request.place] = request
    return written + _write(runner, piece.values())


@dataclass(frozen=True, slots=True)
class _Request:
    table: str
    place: tuple[Any, ...]
    request: dict[str, Any]

    @classmethod
    def of(cls, runner: Runner, shape: Shape, item: Item, request: dict[str, Any]) -> _Request:
        name = runner.name(shape.table)
        key = [text for each in shape.table.key_attributes() for text in item[each].values()]
        return cls(name, (name, *key), request)


def _requests(runner: Runner, puts: Iterable[Entity], deletes: Iterable[Key[Any]]) -> Iterator[_Request]:
    for entity in puts:
        shape = requests.entity_shape(entity)
        if shape.version is not None:
            raise DesignError(
                f"{shape.cls.__name__} has a Version, which a batch cannot check. Use put or a transaction."
            )
        item = shape.encode(requests.stamped(runner, shape, entity, None))
        yield _Request.of(runner, shape, item, {"PutRequest": {"Item": item}})
    for key in deletes:
        shape = requests.shape_of(key)
        if shape.version is not None and isinstance(key, Entity):
            raise DesignError(
                f"{shape.cls.__name__} has a Version, which a batch cannot check. Give its key, or use delete."
            )
        item = shape.key(key.__dict__)
        yield _Request.of(runner, shape, item, {"DeleteRequest": {"Key": item}})


def _write(runner: Runner, piece: Collection[_Request]) -> int:
    if not piece:
        return 0
    wanted: dict[str, list[dict[str, Any]]] = {}
    for each in piece:
        wanted.setdefault(each.table, []).append(each.request)
    for _ in runner.until_done("BatchWriteItem", {"RequestItems": wanted}, "UnprocessedItems", "batch_write"):
        pass
    return len(piece)
