"""Parts of fields in conditions and changes: members of models, elements of lists, entries of maps."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from datetime import date
from typing import Annotated, Any

import pytest
from pydantic import AfterValidator, BaseModel, Field, model_validator

from hansang.design import (
    Attr,
    Condition,
    Database,
    Entity,
    Key,
    Query,
    Table,
    Version,
    attr,
    derived,
    inside,
    pattern,
)
from hansang.design.comparing import SIGNS
from hansang.errors import Conflict, DesignError, InvalidInput, NotFound
from tests.storing import opened


class Carts(Table, name="Carts"):
    pass


class Address(BaseModel):
    city: str
    zip_code: Annotated[str, Attr("zip")] = "00000"
    name: str | None = None
    floor: int | None = 1


class Line(BaseModel):
    sku: str
    quantity: Annotated[int, Field(ge=0, le=10)] = 1
    tags: set[str] = set()


class Checked(BaseModel):
    low: int
    high: int

    @model_validator(mode="after")
    def in_order(self) -> Checked:
        assert self.low <= self.high
        return self


def _sorted(found: list[int]) -> list[int]:
    assert found == sorted(found)
    return found


class CartKey(Key["Cart"], pk="USER#{user}", sk="CART#{number:03d}"):
    user: str
    number: int


class Cart(CartKey, Entity, table=Carts):
    address: Address | None = None
    home: Address = Address(city="서울")
    lines: list[Line] = Field(default_factory=list)
    scores: dict[str, int] = Field(default_factory=dict)
    notes: dict[str, str | None] = Field(default_factory=dict)
    days: list[date] = Field(default_factory=list)
    bounds: Checked | None = None
    steps: Annotated[list[int], AfterValidator(_sorted)] = Field(default_factory=list)
    pair: Annotated[list[int], Field(max_length=2)] = Field(default_factory=list)
    home_city = derived("HomeCity", of="home", by=lambda home: home.city)
    version: Version = 0

    @pattern
    def of(cls, user: str) -> Query[Cart]:
        """The carts of a user."""
        return cls.query(Cart.user == user)


def _cart(number: int, **attributes: Any) -> dict[str, Any]:
    return {"PK": {"S": "USER#u"}, "SK": {"S": f"CART#{number:03d}"}, **attributes}


def _address(**members: Any) -> dict[str, Any]:
    return {"M": {"city": {"S": "부산"}, **members}}


ITEMS = [
    _cart(0),
    _cart(1, address=_address(), home=_address(zip={"S": "12345"})),
    _cart(2, address=_address(floor={"NULL": True}, name={"S": "김"})),
    _cart(3, address=_address(floor={"N": "3"}, name={"NULL": True}), scores={"M": {"kim": {"N": "5"}}}),
    _cart(4, lines={"L": [{"M": {"sku": {"S": "a"}}}]}, scores={"M": {"kim": {"N": "0"}}}),
    _cart(
        5,
        lines={
            "L": [
                {"M": {"sku": {"S": "b"}, "quantity": {"N": "7"}, "tags": {"SS": ["x"]}}},
                {"M": {"sku": {"S": "c"}, "quantity": {"N": "1"}}},
            ]
        },
        notes={"M": {"a": {"NULL": True}, "b": {"S": "글"}}},
    ),
    _cart(6, notes={"M": {"a": {"S": "글"}}}, home=_address(zip={"S": "00000"}, floor={"N": "1"})),
]


@pytest.fixture(scope="module")
def read_only() -> Iterator[Database]:
    with opened(Carts) as db:
        for item in ITEMS:
            db.call("PutItem", {"TableName": "Carts", "Item": item}, "")
        yield db


@pytest.fixture
def db() -> Iterator[Database]:
    with opened(Carts) as db:
        db.create(
            Cart(
                user="u",
                number=1,
                address=Address(city="부산"),
                lines=[Line(sku="a"), Line(sku="b", quantity=3)],
                scores={"kim": 5},
            )
        )
        yield db


KEY = CartKey(user="u", number=1)
PATHS: list[tuple[Any, Callable[[Cart], Any], list[Any]]] = [
    (inside(Cart.address).city, lambda cart: cart.address.city, ["부산", "서울"]),  # type: ignore[union-attr]
    (inside(Cart.address).zip_code, lambda cart: cart.address.zip_code, ["00000", "12345"]),  # type: ignore[union-attr]
    (inside(Cart.address).floor, lambda cart: cart.address.floor, [1, 2, 3]),  # type: ignore[union-attr]
    (inside(Cart.address).name, lambda cart: cart.address.name, ["김"]),  # type: ignore[union-attr]
    (Cart.home.city, lambda cart: cart.home.city, ["부산", "서울"]),
    (Cart.home.zip_code, lambda cart: cart.home.zip_code, ["00000", "12345"]),
    (Cart.home.floor, lambda cart: cart.home.floor, [1, 2]),
    (Cart.lines[0].quantity, lambda cart: cart.lines[0].quantity, [1, 7]),
    (Cart.lines[1].sku, lambda cart: cart.lines[1].sku, ["c"]),
    (Cart.scores["kim"], lambda cart: cart.scores["kim"], [0, 3, 5]),
    (Cart.notes["a"], lambda cart: cart.notes["a"], ["글"]),
]


def _value(path: Callable[[Cart], Any], cart: Cart) -> Any:
    try:
        return path(cart)
    except (AttributeError, IndexError, KeyError):
        return None


def _holds(sign: str, value: Any, other: Any) -> bool:
    return sign == "<>" if value is None else SIGNS[sign](value, other)


@pytest.mark.parametrize("sign", SIGNS)
def test_a_condition_on_a_part_is_as_python_has_it(read_only: Database, sign: str) -> None:
    carts = read_only.all(Cart.of("u"))
    compare = {"=": operator.eq, "<>": operator.ne, **{key: SIGNS[key] for key in ("<", "<=", ">", ">=")}}
    wrong = []
    for field, path, values in PATHS:
        for value in values:
            wanted = [cart.number for cart in carts if _holds(sign, _value(path, cart), value)]
            asked = compare[sign](field, value)
            if [each.number for each in read_only.all(Cart.of("u").where(asked))] != wanted:
                wrong.append((field, sign, value))
    assert wrong == []


def found(db: Database, *conditions: Condition | bool) -> list[int]:
    return [each.number for each in db.each(Cart.of("u").where(*conditions))]


def test_other_conditions_on_parts(read_only: Database) -> None:
    assert found(read_only, attr(inside(Cart.address).name).exists()) == [2]
    assert found(read_only, attr(Cart.notes["a"]).missing()) == [0, 1, 2, 3, 4, 5]
    assert found(read_only, attr(Cart.lines[0].quantity).between(1, 5)) == [4]
    assert found(read_only, attr(Cart.home.zip_code).one_of("12345", "x")) == [1]
    assert found(read_only, attr(Cart.home.zip_code).begins_with("000")) == [0, 2, 3, 4, 5, 6]
    assert found(read_only, attr(Cart.lines[0].tags).contains("x")) == [5]
    assert found(read_only, attr(Cart.lines[0].sku).size() == 1) == [4, 5]
    assert found(read_only, Cart.lines[1] == Line(sku="c")) == [5]
    assert found(read_only, Cart.lines != []) == [4, 5]


def test_parts_are_changed(db: Database) -> None:
    cart = db.update(
        KEY,
        attr(inside(Cart.address).city).set("대구"),
        attr(inside(Cart.address).floor).set(None),
        attr(Cart.lines[1].quantity).add(4),
        attr(Cart.lines[0].sku).set("z"),
        attr(Cart.scores["lee"]).add(2),
        attr(Cart.scores["kim"]).add(-1),
        attr(Cart.notes["n"]).set_if_missing("글"),
        when=Cart.lines[1].quantity == 3,
    )
    assert cart.address == Address(city="대구", floor=None)
    assert cart.lines == [Line(sku="z"), Line(sku="b", quantity=7)]
    assert (cart.scores, cart.notes, cart.version) == ({"kim": 4, "lee": 2}, {"n": "글"}, 2)
    cart = db.update(cart, attr(Cart.lines[0]).remove(), attr(inside(Cart.address).floor).remove())
    assert (cart.lines, cart.address) == ([Line(sku="b", quantity=7)], Address(city="대구"))
    cart = db.update(cart, attr(Cart.lines[0]).set(Line(sku="q")), attr(Cart.scores["kim"]).remove())
    assert (cart.lines, cart.scores) == ([Line(sku="q")], {"lee": 2})


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda: attr(Cart.lines[2]).set(Line(sku="c")), r"lines\[2\] is there"),
        (lambda: attr(Cart.lines[5]).remove(), r"lines\[5\] is there"),
        (lambda: attr(Cart.lines[1].quantity).add(8), r"quantity \+ 8 <= 10"),
        (lambda: attr(Cart.lines[0].quantity).add(-2), r"quantity - 2 >= 0"),
    ],
)
def test_a_change_of_what_is_not_there_or_would_leave_its_bounds_is_a_conflict(
    db: Database, change: Callable[[], Any], reason: str
) -> None:
    before = db.get(KEY)
    with pytest.raises(Conflict, match=reason):
        db.update(KEY, change())
    assert db.get(KEY) == before


def test_a_part_of_none_is_not_there(db: Database) -> None:
    db.update(KEY, attr(Cart.address).set(None))
    with pytest.raises(Conflict, match="address is there"):
        db.update(KEY, attr(inside(Cart.address).city).set("x"))
    with pytest.raises(NotFound):
        db.update(CartKey(user="u", number=9), attr(Cart.scores["kim"]).add(1))


REFUSED: list[tuple[Callable[[Database], Any], str]] = [
    (lambda db: db.update(KEY, attr(Cart.home.city).set("x")), "derived from"),
    (lambda db: db.update(KEY, attr(inside(Cart.bounds).low).set(1)), "validator"),
    (lambda db: db.update(KEY, attr(Cart.steps[0]).set(1)), "validator"),
    (lambda db: db.update(KEY, attr(Cart.pair[0]).remove()), "has bounds"),
    (lambda db: db.update(KEY, attr(inside(Cart.address).city).remove()), "cannot be removed"),
    (lambda db: db.update(KEY, attr(Cart.lines[0].tags).add({"x"})), "Set it whole"),
    (lambda db: db.update(KEY, attr(Cart.scores["kim"]).add(1), upsert=True), "as a whole"),
    (
        lambda db: db.update(KEY, attr(Cart.lines[0]).remove(), attr(Cart.lines[1].quantity).set(2)),
        "places move",
    ),
    (
        lambda db: db.update(
            KEY, attr(inside(Cart.address).city).set("x"), attr(Cart.address).set(Address(city="y"))
        ),
        "overlap",
    ),
    (lambda db: attr(Cart.lines[0].quantity).set(11), "quantity"),
    (lambda db: attr(Cart.lines[0].quantity).set("two"), "quantity"),  # type: ignore[arg-type]
    (lambda db: attr(Cart.scores["kim"]).set(None), "cannot be None"),  # type: ignore[arg-type]
    (lambda db: attr(Cart.days[0]).set(5), "5"),  # type: ignore[arg-type]
    (lambda db: Cart.lines[-1], "0, 1, 2"),
    (lambda db: Cart.lines[0:1], "0, 1, 2"),
    (lambda db: Cart.lines["a"], "0, 1, 2"),  # type: ignore[call-overload]
    (lambda db: Cart.scores[1], "no name"),  # type: ignore[index]
    (lambda db: Cart.scores[""], "no name"),
    (lambda db: Cart.home[0], "no places"),  # type: ignore[index]
    (lambda db: inside(Cart.user), "has no parts"),
    (lambda db: Cart.lines[0].quantity == Cart.scores["kim"], "with values alone"),
    (lambda db: Cart.query(Cart.user == "u", Cart.home.city == "x"), "not part of the key"),
]


@pytest.mark.parametrize("line", range(len(REFUSED)))
def test_what_cannot_be_right_of_a_part_is_refused(db: Database, line: int) -> None:
    wrong, reason = REFUSED[line]
    before = db.get(KEY)
    with pytest.raises((DesignError, InvalidInput), match=reason):
        wrong(db)
    assert db.get(KEY) == before


def test_a_name_that_a_model_has_not_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="It has city, zip_code"):
        Cart.home.town  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(TypeError):
        Line(sku="a") in Cart.lines  # noqa: B015
