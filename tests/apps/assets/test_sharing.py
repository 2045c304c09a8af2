"""Shares of an entry: what each person paid, set one by one, and two people at once."""

from __future__ import annotations

from datetime import date

import pytest

from hansang.apps.assets.design import Detail
from hansang.apps.assets.entering import Given, Place
from hansang.apps.assets.sharing import Share, shares, with_shares
from hansang.errors import Conflict
from tests.apps.assets.household import MONTH, WHO, ledger, living
from tests.clauses import clause

FOOD = Place.of("living-expense", ("식비",))
DAY = date(2025, 1, 3)


def lined(*lines: tuple[int, str | None]) -> object:
    details = [Detail(date=DAY, amount=amount, by=by) for amount, by in lines]
    total = sum(amount for amount, _ in lines)
    return living().model_copy(update={"entries": details, "amount": total})


def test_what_no_line_says_is_everyone_s_together() -> None:
    assert shares(None) == {}
    assert shares(living()) == {None: 500_000}
    assert shares(lined((300, "서연"), (200, None), (50, "서연"))) == {"서연": 350, None: 200}  # type: ignore[arg-type]


def test_a_share_replaces_the_lines_of_that_person_alone() -> None:
    entry = lined((300, "서연"), (200, "준호"), (50, "서연"))
    given = with_shares(entry, {"서연": Share(FOOD, "서연", 900)}, DAY)  # type: ignore[arg-type]
    assert given.details is not None
    assert [(line.amount, line.by) for line in given.details] == [(200, "준호"), (900, "서연")]


def test_a_plain_amount_stays_shared_when_a_person_gets_a_share() -> None:
    given = with_shares(living(), {"준호": Share(FOOD, "준호", 7_000)}, DAY)
    assert given.details is not None
    assert [(line.amount, line.by) for line in given.details] == [(500_000, None), (7_000, "준호")]


def test_the_only_share_is_a_plain_amount_and_clearing_it_clears_the_entry() -> None:
    assert with_shares(living(), {None: Share(FOOD, None, 900)}, DAY).amount == 900
    assert with_shares(living(), {None: Share(FOOD, None, None)}, DAY).is_cleared


@clause("X1-10")
def test_whoever_has_seen_another_share_is_told_both_amounts() -> None:
    with ledger() as assets:
        assets.sharing.set(MONTH, [Share(FOOD, "배우자1", 10_000)], WHO)
        with pytest.raises(Conflict) as told:
            assets.sharing.set(MONTH, [Share(FOOD, "배우자1", 12_000, was=8_000)], WHO)
        assert told.value.values == {"theirs": "10,000", "yours": "12,000"}
        done = assets.sharing.set(MONTH, [Share(FOOD, "배우자2", 12_000, was=0)], WHO)
        assert shares(done.rewrites[0].after) == {"배우자1": 10_000, "배우자2": 12_000}
        assert done.totals.total_expense == 22_000


def test_several_shares_of_one_entry_are_one_change() -> None:
    with ledger() as assets:
        assets.entering.enter(MONTH, FOOD, Given(amount=5_000), WHO)
        done = assets.sharing.set(
            MONTH, [Share(FOOD, "배우자1", 1), Share(FOOD, "배우자2", 2)], WHO, verb="paste"
        )
        assert len(done.rewrites) == 1
        assert shares(done.rewrites[0].after) == {None: 5_000, "배우자1": 1, "배우자2": 2}
        assert done.change is not None
        assert done.change.verb == "paste"
