"""In and out: sheets both ways, files of banks and cards, and a household that is the same elsewhere."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date

import pytest

from hansang.apps.assets.application import APPLICATION
from hansang.apps.assets.design import AssetManager, BalancesKey
from hansang.apps.assets.entering import Place
from hansang.apps.assets.importing import sheet_rows
from hansang.apps.assets.opening import OpeningGiven
from hansang.apps.assets.plans import Holding
from hansang.apps.assets.presets import Rules
from hansang.apps.assets.rules import book_month
from hansang.apps.assets.service import Assets
from hansang.apps.assets.settings import AssetsSettings
from hansang.apps.assets.sheets import SheetForm, read_sheet, write_sheet
from hansang.errors import Conflict, InvalidInput
from tests.apps.assets.household import WHO, enter, ledger, right
from tests.storing import stored


@pytest.fixture
def assets() -> Iterator[Assets]:
    with ledger() as found:
        found.opening.set(OpeningGiven("2024.12", 5, 6, {"여행": 7}), WHO)
        enter(found, "2025.01", "income", "배우자1", "월급", amount=350)
        enter(
            found,
            "2025.01",
            "living-expense",
            "식비",
            add=12,
            memo="=장보기",
            date=date(2025, 1, 3),
            by="배우자2",
        )
        enter(found, "2025.01", "living-expense", "식비", add=8, memo="빵", date=date(2025, 1, 5))
        enter(found, "2025.03", "short-savings", "여행", "적립", amount=4)
        found.opening.value("2025.03", {"주식": 9}, WHO)
        found.database.put(Holding(name="전세금", kind="deposit", amount=5))
        yield found


@pytest.mark.parametrize("form", ["csv", "csv-cp949", "xlsx"])
def test_a_period_goes_out_and_comes_in_the_same(assets: Assets, form: SheetForm) -> None:
    content = write_sheet(sheet_rows(assets.reading.period("2025.01", "2025.03").months), form)
    again = assets.importing.preview(read_sheet(content))
    assert {each.state for each in again.lines} == {"same"}
    with ledger() as other:
        preview = other.importing.preview(read_sheet(content))
        other.importing.take(preview, WHO)
        assert other.reading.month("2025.01").amounts() == assets.reading.month("2025.01").amounts()
        assert other.reading.month("2025.01").totals.net_asset == 330
        assert right(other)


def test_the_file_of_a_card_is_mapped_compared_and_reported(assets: Assets) -> None:
    rows = [
        ["우리카드 이용내역"],
        ["이용일자", "이용가맹점", "이용금액(원)"],
        ["2025.01.05", "빵", "8"],
        ["2025-01-07", "이마트 성수", "3,500"],
        ["2025-01-07", "이마트 성수", "3,500"],
        ["2025-01-08", "주유소", "7만"],
        ["언젠가", "이마트", "1"],
        ["2025-01-09", "이마트", "많이"],
        [],
    ]
    food = Place.of("living-expense", ("식비",))
    preview = assets.importing.preview(rows, Rules({"이마트": food, "빵": food}, by="배우자1"))
    assert (preview.preset, [(each.line, each.state) for each in preview.lines]) == (
        "card",
        [(3, "same"), (4, "new"), (5, "twice"), (6, "unknown"), (7, "refused"), (8, "refused")],
    )
    assert "is not a day" in preview.lines[4].reason
    assets.importing.take(preview, WHO)
    found = assets.reading.month("2025.01")
    assert found.totals.total_expense == 20 + 7_000
    assert [each.state for each in assets.importing.preview(rows, Rules({"이마트": food, "빵": food})).lines][
        :3
    ] == ["same"] * 3
    assert right(assets)


def test_two_who_take_the_same_file_at_once_enter_it_once(assets: Assets) -> None:
    rows = [
        ["이용일자", "이용가맹점", "이용금액"],
        ["2025-01-05", "빵", "8"],
        ["2025-01-05", "빵", "8"],
        ["2025-01-07", "이마트", "35"],
        ["2025-01-07", "이마트", "35"],
        ["2025-02-07", "이마트", "70"],
    ]
    rules = Rules(otherwise=Place.of("living-expense", ("식비",)))
    whole = [["month", "kind", "name", "amount"], ["2025.02", "fixed-expense", "대출", "9"]]
    first, second = (assets.importing.preview(rows, rules) for _ in range(2))
    one, two = (assets.importing.preview(whole) for _ in range(2))
    longer = assets.importing.preview([*rows, ["2025-01-07", "이마트", "35"]], rules)
    done = [assets.importing.take(each, WHO) for each in (first, second, one, two)]
    assert [(each.entered, each.change is None) for each in done] == [
        (4, False),
        (0, True),
        (1, False),
        (0, True),
    ]
    amounts = [assets.reading.month(each).totals.total_expense for each in ("2025.01", "2025.02")]
    assert amounts == [12 + 8 + 8 + 70, 70 + 9]
    assert assets.importing.take(longer, WHO).entered == 1
    assert assets.reading.month("2025.01").totals.total_expense == amounts[0] + 35
    assert right(assets)


def test_the_file_of_a_bank_has_what_went_out_and_what_came_in(assets: Assets) -> None:
    rows = [
        ["거래일시", "적요", "출금(원)", "입금(원)"],
        ["2025.01.09 10:11:12", "관리비", "90", "0"],
        ["2025.01.10", "이자", "", "3"],
    ]
    preview = assets.importing.preview(rows, Rules(otherwise=Place.of("fixed-expense", ("주거",))))
    assert [(each.state, each.amount) for each in preview.lines] == [("new", 90), ("unknown", 3)]
    with pytest.raises(InvalidInput, match="no row that names its columns"):
        assets.importing.preview([["a", "b"], ["1", "2"]])


def test_files_that_are_no_sheets_are_refused() -> None:
    for content in (b"PK\x03\x04 not a zip", b'"' + b"a" * 200_000):
        with pytest.raises(InvalidInput, match="cannot be read"):
            list(read_sheet(content))
    with pytest.raises(InvalidInput, match="rows"):
        list(read_sheet(b"a\n" * 20_001))


@pytest.mark.parametrize(
    ("day", "settings", "is_card", "month"),
    [
        (date(2025, 1, 31), AssetsSettings(), False, "2025.01"),
        (date(2025, 1, 25), AssetsSettings(month_starts_on=25), False, "2025.02"),
        (date(2025, 1, 24), AssetsSettings(month_starts_on=25), False, "2025.01"),
        (date(2025, 1, 9), AssetsSettings(month_starts_on=10), False, "2024.12"),
        (date(2025, 1, 31), AssetsSettings(card_month="payment"), True, "2025.02"),
        (date(2025, 12, 31), AssetsSettings(card_month="payment"), True, "2026.01"),
        (date(2025, 1, 31), AssetsSettings(card_month="payment"), False, "2025.01"),
    ],
)
def test_the_month_of_a_payment_follows_the_payday_and_the_card(
    day: date, settings: AssetsSettings, is_card: bool, month: str
) -> None:
    assert book_month(day, settings, is_card=is_card) == month


# ── the whole household ───────────────────────────────────────────────────────────────────────────


def items(assets: Assets) -> list[object]:
    return [each for each in stored(assets.database, AssetManager) if each["PK"] != {"S": "SYSTEM#BOOK"}]


def test_an_export_makes_the_same_household_elsewhere(assets: Assets) -> None:
    lines = list(assets.transferring.export())
    with ledger() as other:
        done = other.transferring.restore(lines)
        assert (done.items, done.refused) == (len(lines) - 1, [])
        assert items(other) == items(assets)
        assert list(other.transferring.export()) == lines
        assert right(other)
        enter(other, "2025.01", "savings", "적금1", amount=1)
        assert other.database.get(BalancesKey(year_month="2025.03")).cash_accumulated == 6
        with pytest.raises(Conflict, match="a household already"):
            other.transferring.restore(lines)


def test_lines_that_cannot_be_taken_are_reported(assets: Assets) -> None:
    lines = list(assets.transferring.export())
    with ledger() as other:
        done = other.transferring.restore(
            [*lines, "{", '{"entity":"Thing"}', '{"entity":"Income","amount":-1}']
        )
        assert [each.line for each in done.refused] == [len(lines) + number for number in (1, 2, 3)]
    with ledger() as other, pytest.raises(InvalidInput, match="not an export"):
        other.transferring.restore(["{}"])


def test_totals_and_the_book_follow_from_the_entries_and_not_from_the_file(assets: Assets) -> None:
    first, *lines = assets.transferring.export()
    head = json.loads(first)
    head["book"] |= {"first": "2025.05", "last": "2990.06"}
    wrong = [each.replace('"total_income":350', '"total_income":900') for each in lines]
    assert wrong != lines
    with ledger() as other:
        other.transferring.restore([json.dumps(head), *wrong])
        assert list(other.transferring.export()) == [first, *lines]
        assert right(other)
    far = json.dumps(
        {**json.loads(next(each for each in lines if "Income" in each)), "year_month": "2990.01"}
    )
    with ledger() as other, pytest.raises(InvalidInput, match="too far"):
        other.transferring.restore([first, *lines, far])


def test_every_kind_of_item_is_exported() -> None:
    assert {"Income", "Holding", "Budget", "Goal", "Codes"} <= set(APPLICATION.entities)


FILE = [
    ["승인내역"],
    ["날짜 ", "어디", "얼마", "비고"],
    ["2025-01-30", "골목 커피", "9,800", ""],
    ["2025-02-01", "서울교통공사", "1,500", ""],
    ["2025-02-02", "골목 커피", "3,000", ""],
    ["어제", "책방", "7,000", ""],
    ["2025-03-02", "책방", "0", ""],
]


def test_columns_are_mapped_and_remembered_with_what_words_mean(assets: Assets) -> None:
    with pytest.raises(InvalidInput, match="names its columns"):
        assets.importing.preview(FILE)
    columns = {"date": "날짜", "memo": "어디", "out": "얼마"}
    food, ride = Place.parse("living-expense/식비"), Place.parse("living-expense/교통비")
    rules = Rules({"교통": ride}, otherwise=food, by="배우자1", left=frozenset({5}))
    preview = assets.importing.preview(FILE, rules, columns)
    assert [(each.line, each.state, each.month, each.code) for each in preview.lines] == [
        (3, "new", "2025.01", ""),
        (4, "new", "2025.02", ""),
        (5, "left", "2025.02", ""),
        (6, "refused", "", "assets.line-day"),
        (7, "refused", "", "assets.line-no-amount"),
    ]
    assert preview.layout.columns == columns
    assets.importing.presets.remember("골목카드", preview.layout, preview.rules, WHO.actor)
    assets.importing.presets.remember("골목카드", preview.layout, preview.rules, WHO.actor)
    known = assets.importing.preview(FILE)
    assert (known.preset, known.lines[1].place, known.rules.by) == ("골목카드", ride, "배우자1")
    assets.importing.presets.forget("골목카드", WHO.actor)
    assert assets.importing.presets.all() == []


def test_one_undo_takes_a_file_of_several_months_back_and_brings_it_again(assets: Assets) -> None:
    before = stored(assets.database, AssetManager)
    rules = Rules(otherwise=Place.parse("living-expense/식비"))
    preview = assets.importing.preview(FILE, rules, {"date": "날짜", "memo": "어디", "out": "얼마"})
    done = assets.importing.take(preview, WHO)
    assert done.change is not None
    assert [each.month for each in done.months] == ["2025.01", "2025.02"]
    back = assets.undoing.undo(done.change.id, WHO)
    entries = [each for each in stored(assets.database, AssetManager) if "LIVING" in str(each["PK"])]
    assert entries == [each for each in before if "LIVING" in str(each["PK"])]
    assert right(assets)
    with pytest.raises(Conflict, match="undone already"):
        assets.undoing.undo(done.change.id, WHO)
    assets.undoing.undo(back.id, WHO)
    assert assets.reading.month("2025.02").totals.total_expense == 4_500
    assert right(assets)


def test_a_file_is_taken_back_whole_or_not_at_all(assets: Assets) -> None:
    rules = Rules(otherwise=Place.parse("living-expense/식비"))
    preview = assets.importing.preview(FILE, rules, {"date": "날짜", "memo": "어디", "out": "얼마"})
    done = assets.importing.take(preview, WHO)
    assert done.change is not None
    enter(assets, "2025.01", "living-expense", "식비", add=1)
    with pytest.raises(Conflict, match="changed again since"):
        assets.undoing.undo(done.change.id, WHO)
    assert assets.reading.month("2025.02").totals.total_expense == 4_500


def test_money_that_came_in_goes_to_the_income_that_is_chosen(assets: Assets) -> None:
    rows = [["거래일시", "적요", "출금액", "입금액"], ["2025.04.25 09:00", "급여", "0", "3,000"]]
    [unknown] = assets.importing.preview(rows, Rules(otherwise=Place.parse("living-expense/식비"))).lines
    assert (unknown.state, unknown.code) == ("unknown", "assets.line-income")
    chosen = Rules(lines={2: Place.parse("income/배우자1/월급")})
    assets.importing.take(assets.importing.preview(rows, chosen), WHO)
    assert assets.reading.month("2025.04").totals.total_income == 3_000
