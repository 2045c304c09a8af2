"""What a month could have: entries that come back, those of the month before, and a block from Excel."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hansang.apps.assets.kinds import KindName
from hansang.apps.assets.service import Assets
from hansang.errors import Conflict, InvalidInput, NotFound
from tests.apps.assets.household import WHO, enter, ledger, right


@pytest.fixture
def assets() -> Iterator[Assets]:
    with ledger() as found:
        for number, month in enumerate(("2025.01", "2025.02", "2025.03")):
            enter(found, month, "fixed-expense", "통신", amount=80_000)
            enter(found, month, "fixed-expense", "주거", amount=100_000 + number)
            enter(found, month, "living-expense", "식비", amount=400_000)
        enter(found, "2025.03", "short-savings", "여행", "적립", amount=9)
        enter(found, "2025.03", "short-savings", "여행", "사용", amount=5)
        enter(found, "2025.04", "living-expense", "식비", amount=1)
        yield found


def test_what_came_three_times_proposes_itself(assets: Assets) -> None:
    found = {
        each.place.parts: (each.amount, each.is_steady) for each in assets.proposing.recurring("2025.04")
    }
    assert found == {("통신",): (80_000, True), ("주거",): (100_002, False)}
    assert assets.proposing.recurring("2025.03") == []


def test_last_month_is_copied_without_touching_what_is_filled(assets: Assets) -> None:
    proposals = assets.proposing.last_month("2025.04")
    assert {each.place.parts for each in proposals} == {("통신",), ("주거",), ("여행", "적립")}
    done = assets.proposing.take("2025.04", proposals, WHO)
    assert (done.totals.total_expense, done.totals.total_short_savings) == (180_003, 9)
    living: tuple[KindName, ...] = ("living-expense",)
    found = assets.proposing.last_month("2025.05", living)
    assert {each.place.parts for each in found} == {("식비",)}
    with pytest.raises(Conflict, match="changed meanwhile"):
        assets.proposing.take("2025.04", proposals, WHO)
    with pytest.raises(NotFound, match="nothing to take over"):
        assets.proposing.take("2025.04", assets.proposing.last_month("2025.04"), WHO)
    assert right(assets)


def test_a_block_is_looked_at_and_then_entered(assets: Assets) -> None:
    block = "식비\t500,000\r\n통신\t80000\r\n교통비\t3.5만\n술값\t10\n구독\t많이\n여행 사용\t7"
    found = assets.pasting.preview(block, "2025.03")
    assert [(each.name, each.state, each.amount, each.before) for each in found.cells] == [
        ("식비", "changed", 500_000, 400_000),
        ("통신", "same", 80_000, 80_000),
        ("교통비", "new", 35_000, None),
        ("술값", "unknown", None, None),
        ("여행 사용", "changed", 7, 5),
    ]
    [done], whole = assets.pasting.take(found, WHO)
    assert whole == done.change
    assert done.totals.total_expense == 500_000 + 80_000 + 100_002 + 35_000
    assert right(assets)


def test_columns_are_months_or_people(assets: Assets) -> None:
    by_month = assets.pasting.preview("항목\t2025.05\t2025.06\n식비\t1\t2\n대출\t\t4", "2025.01")
    assert [(each.month, each.place and each.place.parts, each.amount) for each in by_month.cells] == [
        ("2025.05", ("식비",), 1),
        ("2025.06", ("식비",), 2),
        ("2025.06", ("대출",), 4),
    ]
    done_by_month, both = assets.pasting.take(by_month, WHO)
    assert (len(done_by_month), both and both.kind) == (2, "EntryBatch")
    by_person = assets.pasting.preview("\t배우자1\t배우자2\n월급\t300만\t1천x", "2025.05")
    assert [(each.place and each.place.parts, each.state) for each in by_person.cells] == [
        (("배우자1", "월급"), "new"),
        (("배우자2", "월급"), "unreadable"),
    ]
    with pytest.raises(InvalidInput, match="up to 2000 cells"):
        assets.pasting.preview("1\t" * 2_001, "2025.05")
