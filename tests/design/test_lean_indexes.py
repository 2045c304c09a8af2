"""Entities and indexes that hold a part of them: refused when the class is made, hydrated when asked for."""

from __future__ import annotations

from typing import Annotated

import pytest

from hansang.design import (
    GSI,
    KEYS_ONLY,
    Attr,
    Database,
    Entity,
    Key,
    Query,
    Table,
    View,
    attr,
    pattern,
)
from hansang.errors import DesignError
from tests.design.conftest import Opens


class Stock(Table, name="Stock"):
    by_maker = GSI("ByMaker", pk="maker", sk="name", project=["price"])
    by_name = GSI("ByName", pk="name", project=KEYS_ONLY)


class ProductKey(Key["Product"], pk="P#{id}", sk="METADATA"):
    id: str


class Product(ProductKey, Entity, table=Stock):
    maker: str
    name: str
    price: int
    stock: int = 0


class MakerRow(ProductKey, View, index=Stock.by_maker):
    maker: str
    name: str
    price: int

    @pattern
    def of(cls, maker: str) -> Query[MakerRow]:
        """What a maker makes, by name."""
        return cls.query(MakerRow.maker == maker)


@pytest.fixture
def stock(opens: Opens) -> Database:
    db = opens(Stock)
    for number in range(5):
        db.create(Product(id=f"p{number}", maker="m", name=f"n{number}", price=1, stock=3))
    return db


def test_a_pattern_of_an_entity_over_a_lean_index_is_refused_when_the_class_is_made() -> None:
    class LeanKey(Key["Lean"], pk="LEAN#{id}", sk="METADATA"):
        id: str

    with pytest.raises(DesignError, match="does not hold whole items") as refused:

        class Lean(LeanKey, Entity, table=Stock):
            name: str

            @pattern
            def called(cls, name: str) -> Query[Lean]:
                """By name."""
                return cls.query(Lean.name == name, index=Stock.by_name)

    assert refused.value.rule == "H004"
    assert [shape.cls for shape in Stock.shapes] == [Product]


def test_a_question_of_an_entity_to_a_lean_index_is_refused_when_it_is_asked() -> None:
    with pytest.raises(DesignError, match=r"db\.hydrate\(\)"):
        Product.query(Product.maker == "m", index=Stock.by_maker)


def test_a_view_of_what_an_index_does_not_hold_is_refused() -> None:
    with pytest.raises(DesignError, match="does not project"):

        class Wide(ProductKey, View, index=Stock.by_maker):
            stock: Annotated[int, Attr("stock")]


def test_rows_become_whole_entities_in_one_call(stock: Database) -> None:
    page = stock.hydrate(MakerRow.of("m"), limit=3)
    assert [(each.id, each.stock) for each in page] == [("p0", 3), ("p1", 3), ("p2", 3)]
    rest = stock.hydrate(MakerRow.of("m"), limit=3, cursor=page.cursor)
    assert ([each.id for each in rest], rest.offset, rest.cursor) == (["p3", "p4"], 3, None)


def test_a_row_leads_to_its_entity(stock: Database) -> None:
    [row, *_] = stock.all(MakerRow.of("m"))
    changed = stock.update(row, attr(Product.stock).add(-1))
    assert (changed.stock, stock.get(row).price) == (2, 1)


def test_a_row_is_never_stored(stock: Database) -> None:
    [row, *_] = stock.all(MakerRow.of("m"))
    with pytest.raises(DesignError, match="only a whole one can be stored"):
        stock.put(row)  # type: ignore[type-var]
