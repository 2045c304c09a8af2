"""Rules about keys, at their edges."""

from __future__ import annotations

from datetime import date

import pytest

from hansang.blueprint.lint import lint
from hansang.blueprint.subject import Design
from hansang.design import Entity, Key, Query, Table, attr, pattern


class Household(Table, name="Household"):
    pass


class IncomeKey(Key["Income"], pk="INCOME#{month}", sk="{name}#{kind}"):
    month: str
    name: str
    kind: str


class Income(IncomeKey, Entity, table=Household):
    @pattern
    def of_person(cls, month: str, name: str) -> Query[Income]:
        """One person's income, by the whole name."""
        return cls.query(Income.month == month, Income.name == name)

    @pattern
    def beginning(cls, month: str, name: str) -> Query[Income]:
        """Whoever's name begins so."""
        return cls.query(Income.month == month, attr(Income.name).begins_with(name))


class LogKey(Key["Log"], pk="LOG#{host}", sk="{day}-{host}-{id:06d}"):
    host: str
    day: date
    id: int


class Log(LogKey, Entity, table=Household):
    @pattern
    def newest(cls, host: str) -> Query[Log]:
        """The newest lines first."""
        return cls.query(Log.host == host).descending()


class TotalsKey(Key["Totals"], pk="INCOME#{month}", sk="TOTALS"):
    month: str


class Totals(TotalsKey, Entity, table=Household):
    @pattern
    def everything(cls, month: str) -> Query[Totals]:
        """The totals alone."""
        return cls.query(Totals.month == month)


FOUND = {(each.code, each.place.subject.partition(":")[2]) for each in lint(Design([Household]))}


@pytest.mark.clause("X1-13")
def test_a_name_with_the_separator_behind_it_has_no_neighbours() -> None:
    assert ("H103", "Income.beginning") in FOUND
    assert ("H103", "Income.of_person") not in FOUND


@pytest.mark.clause("X1-12")
def test_a_separator_that_values_may_not_have_keeps_them_apart() -> None:
    assert ("H101", "Income") not in FOUND


def test_a_text_beside_a_day_and_a_number_is_not_ambiguous() -> None:
    assert ("H101", "Log") not in FOUND
    assert ("H106", "Log") not in FOUND


def test_a_key_that_begins_with_a_day_sorts_by_it() -> None:
    assert ("H105", "Log.newest") not in FOUND


def test_a_constant_without_the_separator_collides_with_nothing() -> None:
    assert not {each for each in FOUND if each[0] in ("H102", "H104")}
