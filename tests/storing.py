"""What the tests of designs share: a database in memory, and items as the documents print them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hansang.backends.embedded import Embedded
from hansang.design import Database, Entity, Index, Table
from hansang.design.codec import to_value
from hansang.design.query import Query
from hansang.design.requests import shape_of
from hansang.design.shape import Item, Shape
from tests.spoiling import put_item

APPS = Path(__file__).parent.parent / "src" / "hansang" / "apps"
Document = dict[str, Any]


@contextmanager
def opened(*tables: type[Table]) -> Iterator[Database]:
    """A database in memory that has these tables and nothing in them."""
    with Embedded.open(":memory:") as backend:
        db = Database(backend, secret=b"of a test")
        db.create_tables(*tables)
        yield db


def put_plainly(database: Database, entities: Iterable[Entity]) -> None:
    """Store entities as they are, whatever their versions say."""
    for each in entities:
        shape = shape_of(each)
        put_item(database, shape.table, shape.encode(each))


def lasting(entity: Entity) -> Entity:
    """An example that has not expired, and so is not deleted while it is looked at."""
    expires = getattr(entity, "expires_at", None) is not None
    return entity.model_copy(update={"expires_at": datetime(2099, 1, 1, tzinfo=UTC)}) if expires else entity


def examples(name: str) -> dict[str, Document]:
    """The example items of a document, by what they are."""
    found: dict[str, Document] = _read(name)
    return found


def example_rows(name: str) -> dict[str, list[Document]]:
    """The example items of a document that has them in tables."""
    found: dict[str, list[Document]] = _read(name)
    return found


def _read(name: str) -> Any:
    return json.loads((APPS / name / "examples.json").read_text(encoding="utf-8"))


def item(document: Mapping[str, Any]) -> Item:
    """An item as a document prints it, in the form of the wire."""
    return {name: to_value(value) for name, value in document.items()}


def shape(kind: type[Entity]) -> Shape:
    """Where the fields of an entity are stored."""
    found = kind.__shape__
    assert found is not None
    return found


def after_round_trip(kind: type[Entity], document: Mapping[str, Any]) -> Item:
    """The item of the entity of an item; every attribute has to be one that the design knows."""
    given = item(document)
    assert given.keys() <= shape(kind).attributes
    return shape(kind).encode(shape(kind).decode(given))


def stored(db: Database, table: type[Table]) -> list[Item]:
    """Every item of a table, as it is stored."""
    found: list[Item] = db.backend.call("Scan", {"TableName": db.name(table)})["Items"]
    return found


def load(db: Database, table: type[Table], *documents: Mapping[str, Any]) -> None:
    """Store items as they are printed, past the design."""
    for each in documents:
        db.backend.call("PutItem", {"TableName": db.name(table), "Item": item(each)})


def projected(index: Index) -> Any:
    """What an index holds beside keys: a list of attributes, or ALL or KEYS_ONLY."""
    projection = index.definition()["Projection"]
    return projection.get("NonKeyAttributes", projection["ProjectionType"])


def asked(query: Query[Any]) -> str:
    """The key condition of a question with names and values in their places, as documents write it."""
    request = query.request(query.table.name)
    text: str = request["KeyConditionExpression"]
    for alias, name in request["ExpressionAttributeNames"].items():
        text = text.replace(alias, name)
    for alias, value in request["ExpressionAttributeValues"].items():
        text = text.replace(alias, next(iter(value.values())))
    return text
