"""Rules about keys, at their edges."""

from __future__ import annotations

from datetime import date
from typing import Literal

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


class Codes(Table, name="Codes"):
    """Kinds whose keys differ by the values that their types name, and by what a number or a day looks like."""


class NamedKey(Key["Named"], pk="CODE#{kind}", sk="METADATA"):
    kind: Literal["NAME", "MONTH"]


class Named(NamedKey, Entity, table=Codes):
    pass


class AccountsKey(Key["Accounts"], pk="CODE#ACCOUNT", sk="METADATA"):
    pass


class Accounts(AccountsKey, Entity, table=Codes):
    @pattern
    def present(cls) -> Query[Accounts]:
        """The accounts."""
        return cls.query()


class NumberedKey(Key["Numbered"], pk="CODE#{number:04d}", sk="METADATA"):
    number: int


class Numbered(NumberedKey, Entity, table=Codes):
    pass


class DatedKey(Key["Dated"], pk="CODE#{day}", sk="METADATA"):
    day: date


class Dated(DatedKey, Entity, table=Codes):
    pass


class Drawer(Table, name="Drawer", type_attribute="Type"):
    """A kind of which one value is the whole key of another."""


class LabelKey(Key["Label"], pk="LABEL#{kind}", sk="METADATA"):
    kind: Literal["FRONT", "BACK"]


class Label(LabelKey, Entity, table=Drawer, type="Label"):
    pass


class BackKey(Key["Back"], pk="LABEL#BACK", sk="METADATA"):
    pass


class Back(BackKey, Entity, table=Drawer, type="Back"):
    @pattern
    def present(cls) -> Query[Back]:
        """The back."""
        return cls.query()


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


def test_kinds_whose_values_are_named_and_differ_share_no_key() -> None:
    assert not {each.code for each in lint(Design([Codes]))} & {"H102", "H104"}


def test_a_named_value_that_is_the_key_of_another_kind_is_found() -> None:
    assert {each.code for each in lint(Design([Drawer]))} >= {"H102", "H104"}


def test_a_constant_without_the_separator_collides_with_nothing() -> None:
    assert not {each for each in FOUND if each[0] in ("H102", "H104")}
