"""Files at the limits: large ones that one undo takes back, and lines that no entry could take."""

from __future__ import annotations

from datetime import date

import pytest
from pydantic import ValidationError

from hansang.apps.assets.design import MOST_DETAILS, Codes, Detail
from hansang.apps.assets.entering import Given, Place
from hansang.apps.assets.opening import OpeningGiven
from hansang.apps.assets.sharing import Share
from hansang.apps.assets.sheets import SheetForm, read_sheet
from hansang.errors import InvalidInput, NotAllowed
from tests.apps.assets.household import WHO, enter, ledger, right

HEADER = "month,kind,name,second,amount,date,memo,by,tag,whom"
LONG = "가맹점의 이름과 지점, 그리고 무엇을 샀는지까지 길게 적어 둔 메모 " * 4
FOOD = Place.parse("living-expense/식비")


def test_a_file_that_the_history_could_not_keep_in_one_line_is_undone_like_any_other() -> None:
    with ledger() as assets:
        names = assets.codes.plain("LIVING_EXPENSE_CATEGORY")
        lines = [
            f"2025.01,living-expense,{name},,1,2025-01-03,{at} {LONG},,,"
            for name in names
            for at in range(80)
        ]
        preview = assets.importing.preview(read_sheet("\n".join([HEADER, *lines]).encode()))
        done = assets.importing.take(preview, WHO)
        assert done.entered == len(lines)
        assert len(done.months) > 1
        assert done.change is not None
        back = assets.undoing.undo(done.change.id, WHO)
        assert assets.reading.month("2025.01").totals.total_expense == 0
        assets.undoing.undo(back.id, WHO)
        assert assets.reading.month("2025.01").totals.total_expense == len(lines)
        assert right(assets)


def test_an_entry_that_the_history_cannot_keep_says_so_when_it_is_undone() -> None:
    details = tuple(Detail(date=date(2025, 1, 3), amount=1, memo=LONG) for _ in range(400))
    with ledger() as assets:
        done = assets.entering.enter("2025.01", FOOD, Given(details=details), WHO)
        assert done.change is not None
        with pytest.raises(NotAllowed, match="too large for the history"):
            assets.undoing.undo(done.change.id, WHO)
        enter(assets, "2025.01", "living-expense", "식비", amount=5)
        assert right(assets)


def test_what_a_month_or_an_entry_cannot_take_is_refused_before_anything_is_written() -> None:
    cannot = {
        "2025.02,fixed-expense,대출,,-5,,,,,": "amount-range",
        "2025.02,fixed-expense,주거,,2조,,,,,": "amount-range",
        "2025.02,fixed-expense,통신,,-5,2025-02-03,환불,,,": "amount-range",
        "2025.02,fixed-expense,통신,,2조,2025-02-03,,,,": "amount-range",
        "2024.11,fixed-expense,대출,,5,,,,,": "before-opening",
        "2200.01,fixed-expense,대출,,5,,,,,": "month-too-far",
        "2025.03,living-expense,기타,,5,,,,,": "unknown-code",
    }
    many = [f"2025.04,living-expense,교통비,,1,2025-04-03,{at},,," for at in range(MOST_DETAILS + 1)]
    refund = "2025.01,living-expense,식비,,-4,2025-01-09,환불,,,"
    with ledger() as assets:
        assets.opening.set(OpeningGiven("2024.12", 5, 6, {}), WHO)
        enter(assets, "2025.01", "living-expense", "식비", amount=5)
        kept = [each for each in assets.codes.plain("LIVING_EXPENSE_CATEGORY") if each != "기타"]
        assets.codes.put(Codes(kind="LIVING_EXPENSE_CATEGORY", codes=kept), WHO.actor)
        preview = assets.importing.preview(read_sheet("\n".join([HEADER, *cannot, refund, *many]).encode()))
        assert [each.code.removeprefix("assets.") for each in preview.lines[: len(cannot)]] == [
            *cannot.values()
        ]
        assert {each.code for each in preview.lines[-len(many) :]} == {"assets.too-many-payments"}
        assert assets.importing.take(preview, WHO).entered == 1
        assert assets.reading.month("2025.01").totals.total_expense == 1
        assert right(assets)


def test_a_sheet_has_all_months_of_many_years_and_comes_in_again() -> None:
    with ledger() as assets, ledger() as other:
        for month in ("2010.01", "2025.01"):
            enter(assets, month, "living-expense", "식비", amount=5)
        content = assets.exporting.content("csv")
        assert other.importing.take(other.importing.preview(read_sheet(content)), WHO).entered == 2
        assert other.reading.month("2010.01").totals.total_expense == 5
        with pytest.raises(InvalidInput, match="up to 1000 months"):
            assets.exporting.content("csv", "0001.01", "2025.01")


@pytest.mark.parametrize("form", ["csv", "xlsx"])
def test_no_memo_is_a_formula_or_breaks_a_sheet_and_each_comes_back(form: SheetForm) -> None:
    memos = ["=1+1", "'=1+1", "''=1+1", "@SUM(A1)", "＝1+1", "+82 10", "-", "그냥", "'따옴표'", 'a"b;c,d']
    with ledger() as assets:
        for memo in (*memos, "벨\x07"):
            enter(assets, "2025.01", "living-expense", "식비", add=1, memo=memo, date=date(2025, 1, 3))
        rows = list(read_sheet(assets.exporting.content(form)))
        assert [row[6] for row in rows if row[6][:1] in ("=", "+", "-", "@", "＝")] == []
        lines = assets.importing.preview(rows).lines
        assert [each.detail and each.detail.memo for each in lines] == [*memos, "벨"]
        assert [each.state for each in lines] == ["same"] * len(memos) + ["new"]


def test_payments_have_the_bounds_of_amounts() -> None:
    with ledger() as assets:
        with pytest.raises(InvalidInput, match="from 0 to"):
            enter(assets, "2025.01", "living-expense", "식비", add=-(10**30), memo="환불")
        with pytest.raises(InvalidInput, match="from 0 to"):
            assets.sharing.set("2025.01", [Share(FOOD, "배우자1", 10**40)], WHO)
    with pytest.raises(ValidationError):
        Detail(date=date(2025, 1, 3), amount=10**40)
