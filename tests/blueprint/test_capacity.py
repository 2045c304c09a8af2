"""What patterns cost, against what the engine charges for them."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import pytest

from hansang.backends.embedded import Embedded
from hansang.blueprint.bills import as_json, as_table, money
from hansang.blueprint.capacity import Line, Load, lines
from hansang.blueprint.prices import prices, regions
from hansang.blueprint.subject import Design
from hansang.design import Database, Entity, Key, Query, Table, pattern
from hansang.errors import SettingsError
from tests.blueprint.designs import EXAMPLES, Customer, Faulty, Order, Receipt, Shop

DESIGN = Design([Shop], EXAMPLES)


def line(name: str, load: Load | None = None) -> Line:
    return next(each for each in lines(DESIGN, load=load) if each.name == name)


@pytest.fixture(scope="module")
def db() -> Iterator[Database]:
    with Embedded.open(":memory:") as backend:
        database = Database(backend)
        database.create_tables(Shop)
        for number in range(100):
            database.put(EXAMPLES[1].model_copy(update={"number": number}))
        yield database


@pytest.mark.parametrize("answers", [1, 20, 100])
def test_a_question_costs_what_the_engine_charges(db: Database, answers: int) -> None:
    for label, query in (("Order.of", Order.of("u001")), ("Receipt.latest", Receipt.latest("u001"))):
        with db.meter() as cost:
            db.page(query, limit=answers)
        assert line(label, Load(answered={label: answers})).read == cost.read


def test_a_question_for_several_kinds_reads_them_all(db: Database) -> None:
    db.put(EXAMPLES[0])
    with db.meter() as cost:
        assert len(db.page(Customer.with_orders("u001"), limit=200)) == 101
    found = line("Customer.with_orders", Load(answers=100))
    assert (found.items, found.answers, found.read) == (101, 101, cost.read)


class Diary(Table, name="Diary"):
    pass


class PageKey(Key["DiaryPage"], pk="DIARY#{owner}", sk="PAGE#{number:06d}"):
    owner: str
    number: int


class DiaryPage(PageKey, Entity, table=Diary):
    kind: str
    text: str

    @pattern
    def of_kind(cls, owner: str, kind: str) -> Query[DiaryPage]:
        """The pages of one kind, by leaving out the others."""
        return cls.query(DiaryPage.owner == owner).where(DiaryPage.kind == kind)


DIARY = Design([Diary], [DiaryPage(owner="kim", number=0, kind="rare", text="x" * 100)])


def filtered(read: dict[str, float]) -> Line:
    load = Load(answers=10, read=read)
    return next(each for each in lines(DIARY, load=load) if each.name == "DiaryPage.of_kind")


def test_a_filter_is_billed_at_what_it_reads() -> None:
    with Embedded.open(":memory:") as backend:
        database = Database(backend)
        database.create_tables(Diary)
        for number in range(100):
            kind = "rare" if number % 10 else "some"
            database.put(DiaryPage(owner="kim", number=number, kind=kind, text="x" * 100))
        with database.meter() as cost:
            assert len(database.all(DiaryPage.of_kind("kim", "some"))) == 10
    found = filtered({"DiaryPage.of_kind": 10})
    assert (found.items, found.answers, found.read, found.reads_page) == (100, 10, cost.read, False)


def test_a_filter_of_which_nothing_is_said_reads_a_whole_page() -> None:
    found = filtered({})
    assert found.reads_page
    assert found.items * found.size >= 1024 * 1024 > (found.items - 1) * found.size
    assert found.read == 128.5
    text = as_table([found], Load(), prices("us-east-1"))
    assert "a whole page of 1 MB is counted" in text
    assert "--read-of DiaryPage.of_kind=N" in text


@pytest.mark.parametrize(
    ("read", "words"),
    [
        ({"DiaryPage.gone": 2}, "Pattern DiaryPage.gone not found"),
        ({"DiaryPage.put": 2}, "has no filter"),
        ({"DiaryPage.of_kind": 0.5}, "at least one"),
    ],
)
def test_reading_that_is_impossible_is_refused(read: dict[str, float], words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        filtered(read)


def test_writing_an_item_costs_what_the_engine_charges(db: Database) -> None:
    for example in EXAMPLES:
        with db.meter() as cost:
            db.put(example.model_copy(update={"id": "u777"}))
        assert line(f"{type(example).__name__}.put").write == cost.write


def test_real_items_are_measured_instead_of_samples() -> None:
    long = Order.__shape__.encode(EXAMPLES[1]) | {"note": {"S": "x" * 5000}} if Order.__shape__ else {}
    [get] = [each for each in lines(DESIGN, [long, {"strange": {"S": "item"}}]) if each.name == "Order.get"]
    assert get.size > 5000
    assert get.read == 1.0


def test_one_key_has_a_ceiling() -> None:
    assert line("Order.get").ceiling == 6000
    assert line("Order.put").ceiling == 1000
    assert line("Order.of", Load(answers=100)).ceiling == 3000 / line("Order.of", Load(answers=100)).read


def test_the_ceiling_of_writes_is_that_of_the_key_that_many_items_share() -> None:
    [put] = [each for each in lines(Design([Faulty])) if each.name == "Entry.put"]
    assert put.narrow in {"ByMonth", "ByColour", "Faulty"}
    assert put.ceiling <= 1000


def test_a_local_index_is_paid_by_the_table() -> None:
    [put] = [each for each in lines(Design([Faulty])) if each.name == "Entry.put"]
    assert put.write == 4.0


def test_money_is_units_times_price_times_rate() -> None:
    load, found = Load(rate=10), prices("us-east-1")
    assert (
        money(line("Order.get"), load, found)
        == Decimal("0.5") * Decimal("0.125") * 10 * 2_628_000 / 1_000_000
    )


def test_the_bill_has_a_line_for_each_and_the_date_of_its_prices() -> None:
    load = Load(rates={"Order.put": 50})
    text = as_table(lines(DESIGN, load=load), load, prices("ap-northeast-2"))
    assert "Receipt.latest" in text
    assert "ap-northeast-2" in text
    assert prices("ap-northeast-2").as_of in text
    assert '"per_second": 50' in as_json(lines(DESIGN, load=load), load, prices("us-east-1"))


def test_a_pattern_that_is_none_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"Pattern Order\.gone not found"):
        lines(DESIGN, load=Load(rates={"Order.gone": 1}))


@pytest.mark.parametrize(
    ("region", "text", "words"),
    [
        ("mars-1", None, "No prices are known for mars-1"),
        ("us-east-1", "{", "cannot be read"),
        ("us-east-1", '{"regions": {"us-east-1": {}}}', "cannot be read"),
    ],
)
def test_prices_that_are_not_there_are_refused(region: str, text: str | None, words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        prices(region, text)


def test_provisioned_units_are_whole_and_seven_tenths_full_at_the_most() -> None:
    found = prices("us-east-1")
    assert found.provisioned(0, 0) == (Decimal("0.00013") + Decimal("0.00065")) * 730
    assert found.provisioned(0.7, 7.01) == (Decimal("0.00013") + 11 * Decimal("0.00065")) * 730


def test_keeping_a_gigabyte_costs_its_price() -> None:
    assert prices("ap-northeast-2").storage(1024**3) == Decimal("0.27075")


def test_what_a_list_of_prices_does_not_say_is_not_made_up() -> None:
    text = (
        '{"as_of": "x", "currency": "USD", "regions": {"r": {"million_reads": "1", "million_writes": "5"}}}'
    )
    assert prices("r", text).provisioned(1, 1) is None
    assert prices("r", text).storage(1) is None
    assert regions(text) == ("r",)
