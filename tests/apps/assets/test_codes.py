"""Codes: those of the document until the household has its own, kept for a minute, dropped on change."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest

from hansang.apps.assets.codes import REMEMBERED_SECONDS, CodeItem, listed, with_changes
from hansang.apps.assets.design import AccountCodes, Codes, CodesKey
from hansang.apps.assets.kinds import KINDS
from hansang.apps.assets.opening import OpeningGiven
from hansang.apps.assets.service import Assets
from hansang.errors import Conflict, InvalidInput
from tests.apps.assets.household import MONTH, WHO, enter, ledger
from tests.clauses import clause
from tests.storing import examples, item, shape
from tests.surfaces.shells import SetClock


@pytest.fixture
def clock() -> SetClock:
    return SetClock(1_735_700_000)


@pytest.fixture
def assets(clock: SetClock) -> Iterator[Assets]:
    with ledger(clock) as found:
        yield found


@clause("1-28", "X1-16")
def test_what_can_be_chosen_is_that_of_the_document_in_its_order(assets: Assets) -> None:
    assert assets.codes.choices(KINDS["income"], "name") == ["배우자1", "배우자2"]
    assert assets.codes.choices(KINDS["short-savings"], "account_name") == ["운동", "여행", "경조비"]
    assert list(assets.codes.accounts()) == ["현금확보용적금", "투자용", "단기저축용"]
    for kind, document in examples("assets").items():
        if kind.startswith("CODE#"):
            found = assets.codes.get(kind.removeprefix("CODE#"))  # type: ignore[arg-type]
            assert found.codes == shape(type(found)).decode(item(document)).codes


@clause("1-29")
def test_a_new_category_is_a_code_and_nothing_else(assets: Assets) -> None:
    known = assets.codes.get("LIVING_EXPENSE_CATEGORY")
    assets.codes.put(with_changes(known, ["반려견"], []), WHO.actor)
    enter(assets, MONTH, "living-expense", "반려견", amount=1)
    assert assets.reading.month(MONTH).totals.total_expense == 1


@clause("1-32", "X1-25")
def test_codes_are_read_once_a_minute_and_dropped_when_they_are_changed(
    assets: Assets, clock: SetClock
) -> None:
    with assets.database.meter() as cost:
        for _ in range(5):
            assets.codes.people()
    assert cost.requests == 1
    other = Codes(kind="NAME", codes=["서연", "준호"])
    assets.database.put(other)
    assert assets.codes.people() == ["배우자1", "배우자2"]
    clock.advance(REMEMBERED_SECONDS)
    assert assets.codes.people() == ["서연", "준호"]
    assets.codes.put(with_changes(assets.codes.get("NAME"), ["하늘"], []), WHO.actor)
    assert assets.codes.people() == ["서연", "준호", "하늘"]
    assert assets.database.get(CodesKey(kind="NAME")).updated_at is not None


def test_a_code_that_is_left_out_is_archived_and_its_entries_can_still_be_changed(assets: Assets) -> None:
    enter(assets, MONTH, "living-expense", "식비", amount=1)
    assets.codes.put(with_changes(assets.codes.get("LIVING_EXPENSE_CATEGORY"), [], ["식비"]), WHO.actor)
    enter(assets, MONTH, "living-expense", "식비", add=4)
    with pytest.raises(InvalidInput, match="not one of the codes"):
        enter(assets, "2025.02", "living-expense", "식비", amount=1)
    found = assets.codes.get("LIVING_EXPENSE_CATEGORY")
    assert (found.archived, "식비" in found.codes) == (["식비"], False)
    assets.codes.put(with_changes(found, ["식비"], []), WHO.actor)
    assert assets.codes.get("LIVING_EXPENSE_CATEGORY").archived is None


@clause("X1-17")
@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (AccountCodes(codes={"투자용": ["주식"], "단기저축용": ["주식"]}), "there twice"),
        (AccountCodes(codes={"비상금": ["하나"]}), "not a family"),
        (AccountCodes(codes={"투자용": []}), "at least one"),
        (Codes(kind="NAME", codes=["가", "가"]), "there twice"),
        (Codes(kind="YEAR_MONTH", codes=["2025.01", "2025.03"]), "without a gap"),
        (Codes(kind="TRANSACTION_TYPE", codes=["적립", "이체"]), "적립 and 사용"),
    ],
)
def test_a_list_that_entries_could_not_use_is_refused(
    assets: Assets, wrong: Codes | AccountCodes, why: str
) -> None:
    with pytest.raises(InvalidInput, match=why):
        assets.codes.put(wrong, WHO.actor)


def test_accounts_are_added_to_a_family_and_archived(assets: Assets) -> None:
    accounts = assets.codes.get("ACCOUNT_TYPE")
    assets.codes.put(with_changes(accounts, ["제주"], ["운동"], "단기저축용"), WHO.actor)
    assert assets.codes.accounts()["단기저축용"] == ["여행", "경조비", "제주"]
    assert assets.codes.get("ACCOUNT_TYPE").archived == {"단기저축용": ["운동"]}
    with pytest.raises(InvalidInput, match="Name the family"):
        with_changes(accounts, ["제주"], [])
    with pytest.raises(InvalidInput, match="not in the list"):
        with_changes(accounts, [], ["낚시"])
    assert ("주식", "투자용", None) in listed(accounts)


def test_two_who_change_a_list_at_once_do_not_overwrite_each_other(assets: Assets) -> None:
    names = assets.codes.get("NAME")
    assets.codes.put(with_changes(names, ["하늘"], []), WHO.actor)
    seen = assets.codes.stored("NAME")[1]
    assets.codes.put(with_changes(names, ["바다"], []), WHO.actor, seen=seen)
    with pytest.raises(Conflict):
        assets.codes.put(with_changes(names, ["구름"], []), WHO.actor, seen=seen)


def test_what_two_processes_add_is_all_there_though_each_remembers_the_list_of_before(assets: Assets) -> None:
    other = Assets(assets.database, assets.clock)
    for each, code in ((assets, "반려견"), (other, "육아"), (assets, "여가")):
        each.codes.get("LIVING_EXPENSE_CATEGORY")
        each.codes.change(
            "LIVING_EXPENSE_CATEGORY", partial(with_changes, added=[code], archived=[]), WHO.actor
        )
    found, _ = other.codes.stored("LIVING_EXPENSE_CATEGORY")
    assert isinstance(found, Codes)
    assert (found.codes[-3:], found.archived) == (["반려견", "육아", "여가"], None)


def test_whoever_is_second_with_a_list_decides_again(assets: Assets) -> None:
    other, seen = Assets(assets.database, assets.clock), list[list[str]]()

    def late(there: CodeItem) -> CodeItem:
        if not seen:
            other.codes.put(Codes(kind="NAME", codes=["서연"]), WHO.actor)
        seen.append([code for code, _, _ in listed(there)])
        return with_changes(there, ["준호"], [])

    found = assets.codes.change("NAME", late, WHO.actor)
    assert seen == [["배우자1", "배우자2"], ["서연"]]
    assert found.codes == ["서연", "준호"]
    enter(other, "2028.01", "living-expense", "식비", amount=1)
    enter(assets, "2028.03", "living-expense", "식비", amount=1)
    assert assets.codes.plain("YEAR_MONTH")[-1] == "2028.03"


@clause("X1-15")
def test_the_balances_of_an_archived_account_can_still_be_given(assets: Assets) -> None:
    assets.opening.set(OpeningGiven("2024.12", 1, 2, {"여행": 50}), WHO)
    assets.codes.change("ACCOUNT_TYPE", lambda there: with_changes(there, [], ["여행"]), WHO.actor)
    assert assets.opening.set(OpeningGiven("2024.12", 5, 2, {"여행": 50}), WHO).cash_accumulated == 5
    with pytest.raises(InvalidInput, match="not an account"):
        assets.opening.set(OpeningGiven("2024.12", 5, 2, {"낚시": 50}), WHO)
