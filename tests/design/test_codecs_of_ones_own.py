"""UUIDs, types with a codec of their own, and unions of models that a discriminator tells apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal
from uuid import UUID, uuid4

import pytest
from pydantic import BaseModel, Discriminator, Field

from hansang.design import (
    GSI,
    Attr,
    Condition,
    Database,
    Entity,
    Key,
    Query,
    Serialized,
    Table,
    attr,
    pattern,
)
from hansang.design.codec import codec_for
from hansang.errors import DesignError, InvalidInput, UnexpectedItem
from tests.storing import opened, stored


class Till(Table, name="Till"):
    by_colour = GSI("Colour", pk="colour", sk="weight")


@dataclass(frozen=True, order=True)
class Colour:
    red: int
    green: int

    @property
    def text(self) -> str:
        return f"{self.red:02x}{self.green:02x}"

    @classmethod
    def parse(cls, text: str) -> Colour:
        return cls(int(text[:2], 16), int(text[2:], 16))


class Card(BaseModel):
    kind: Annotated[Literal["card", "old card"], Attr("k")] = "card"
    number: str


class Transfer(BaseModel):
    kind: Annotated[Literal["transfer"], Attr("k")] = "transfer"
    bank: str
    note: str | None = None


Hue = Annotated[Colour, Serialized(str, lambda colour: colour.text, Colour.parse)]
Grams = Annotated[int, Serialized(int, lambda found: found * 1000, lambda found: found // 1000, ordered=True)]
Payment = Annotated[Card | Transfer, Field(discriminator="kind")]


class SaleKey(Key["Sale"], pk="SHOP#{shop}", sk="SALE#{id}"):
    shop: UUID
    id: UUID


class Sale(SaleKey, Entity, table=Till):
    colour: Hue
    weight: Grams
    other: Hue | None = None
    hues: list[Hue] = Field(default_factory=list)
    seller: UUID | None = None
    buyers: set[UUID] = Field(default_factory=set)
    payment: Payment
    refunds: list[Annotated[Card | Transfer, Discriminator("kind")]] = Field(default_factory=list)

    @pattern
    def of(cls, shop: UUID) -> Query[Sale]:
        """The sales of a shop."""
        return cls.query(Sale.shop == shop)


SHOP, RED = UUID(int=7), Colour(255, 0)
SALES = [
    Sale(
        shop=SHOP,
        id=UUID(int=number << 64),
        colour=Colour(number, 0),
        weight=number,
        hues=[RED] if number == 2 else [],
        seller=UUID(int=number) if number else None,
        payment=Card(number="1") if number % 2 else Transfer(bank="한상", note="현금"),
        refunds=[Transfer(bank="b"), Card(kind="old card", number="2")],
    )
    for number in range(4)
]


@pytest.fixture(scope="module")
def db() -> Iterator[Database]:
    with opened(Till) as db:
        db.batch_write(SALES)
        yield db


def found(db: Database, *conditions: Condition | bool) -> list[int]:
    return [each.weight for each in db.each(Sale.of(SHOP).where(*conditions))]


def test_what_is_stored_is_read_back(db: Database) -> None:
    assert db.all(Sale.of(SHOP)) == SALES
    item = stored(db, Till)[3]
    assert (item["PK"], item["SK"]["S"]) == (
        {"S": f"SHOP#{SHOP}"},
        "SALE#00000000-0000-0003-0000-000000000000",
    )
    assert (item["colour"], item["weight"]) == ({"S": "0300"}, {"N": "3000"})
    assert item["payment"] == {"M": {"k": {"S": "card"}, "number": {"S": "1"}}}


def test_questions_by_a_uuid_are_exact(db: Database) -> None:
    ids = [each.id for each in SALES]
    asked = Sale.query(Sale.shop == SHOP, attr(Sale.id).between(ids[1], ids[2]))
    assert [each.id for each in db.all(asked)] == ids[1:3]
    assert [each.id for each in db.all(Sale.query(Sale.shop == SHOP, Sale.id > ids[2]))] == ids[3:]
    assert db.all(Sale.query(Sale.shop == SHOP, Sale.id > UUID(int=(1 << 128) - 1))) == []
    assert found(db, Sale.seller == UUID(int=2)) == [2]
    assert found(db, attr(Sale.seller).missing()) == [0]
    assert db.find(SaleKey(shop=SHOP, id=uuid4())) is None


def test_conditions_on_a_codec_of_ones_own_are_exact(db: Database) -> None:
    assert found(db, Sale.colour == Colour(2, 0)) == [2]
    assert found(db, Sale.colour != Colour(2, 0)) == [0, 1, 3]
    assert found(db, attr(Sale.colour).one_of(Colour(1, 0), Colour(3, 0))) == [1, 3]
    assert found(db, Sale.weight > 1) == [2, 3]
    assert found(db, attr(Sale.weight).between(1, 2)) == [1, 2]
    assert found(db, attr(Sale.hues).contains(RED)) == [2]
    assert found(db, Sale.colour == Sale.other) == []
    asked = Sale.query(Sale.colour == Colour(1, 0), Sale.weight >= 1, index=Till.by_colour)
    assert [each.weight for each in db.all(asked)] == [1]


def test_json_has_what_is_stored() -> None:
    text = SALES[2].model_dump_json()
    assert '"colour":"0200","weight":2000' in text
    assert Sale.model_validate_json(text) == SALES[2]


REFUSED: list[Any] = [
    lambda: Sale.colour < RED,
    lambda: attr(Sale.colour).between(RED, RED),
    lambda: attr(Sale.colour).begins_with("ff"),  # type: ignore[misc]
    lambda: attr(Sale.colour).contains("ff"),
    lambda: attr(Sale.colour).size(),
    lambda: attr(Sale.weight).add(1),
    lambda: Sale.weight == Sale.hues,  # type: ignore[comparison-overlap]
    lambda: Sale.colour > Sale.other,  # type: ignore[operator]
]


@pytest.mark.parametrize("line", range(len(REFUSED)))
def test_what_would_be_done_with_the_stored_form_is_refused(line: int) -> None:
    with pytest.raises(DesignError):
        REFUSED[line]()


def test_a_codec_that_loses_something_is_refused_when_it_does(db: Database) -> None:
    with pytest.raises(InvalidInput, match="read back as another value"):
        db.put(SALES[0].model_copy(update={"colour": Colour(256, 0)}))


def test_a_union_is_told_apart_by_its_discriminator(db: Database) -> None:
    key = SaleKey(shop=SHOP, id=uuid4())
    sale = db.create(SALES[1].model_copy(update={"id": key.id}))
    changed = db.update(sale, attr(Sale.payment).set(Transfer(bank="b")))
    assert changed.payment == Transfer(bank="b")
    db.delete(key)
    assert found(db, Sale.payment == Card(number="1")) == [1, 3]
    strange = stored(db, Till)[1] | {"payment": {"M": {"k": {"S": "cash"}, "number": {"S": "1"}}}}
    with pytest.raises(UnexpectedItem, match="payment"):
        Sale.__shape__.decode(strange)  # type: ignore[union-attr]


class Cash(BaseModel):
    coins: int


class Bond(BaseModel):
    kind: Literal["card"] = "card"


@pytest.mark.parametrize(
    ("annotation", "reason"),
    [
        (Card | Transfer, "Annotated"),
        (list[Annotated[Card | Transfer, Discriminator(lambda found: "card")]], "a function"),
        (list[Annotated[Card | Cash, Field(discriminator="coins")]], "no field coins that is a Literal"),
        (list[Annotated[Card | str, Discriminator("kind")]], "is none"),
        (list[Annotated[Card | Bond, Discriminator("kind")]], "the kind 'card'"),
        (Hue | int, "cannot be a member of a union"),
    ],
)
def test_a_union_that_could_not_be_told_apart_is_refused(annotation: Any, reason: str) -> None:
    with pytest.raises(DesignError, match=reason):
        codec_for(annotation)


class Odds(Table, name="Odds"):
    pass


def test_a_codec_of_ones_own_is_in_no_composed_key() -> None:
    with pytest.raises(DesignError, match="codec of its own"):

        class PaintKey(Key["Paint"], pk="PAINT#{hue}", sk="X"):
            hue: Hue

        class Paint(PaintKey, Entity, table=Odds):
            pass
