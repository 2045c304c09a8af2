"""The six kinds of entries: how each is named, what its key is made of, and which total it goes into."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

from hansang.apps.assets.design import (
    INVESTED,
    SAVED,
    SHORT,
    Entry,
    FixedExpense,
    FixedExpenseKey,
    Income,
    IncomeKey,
    Investment,
    InvestmentKey,
    LivingExpense,
    LivingExpenseKey,
    MonthEntry,
    Savings,
    SavingsKey,
    ShortSavings,
    ShortSavingsKey,
)
from hansang.apps.assets.rules import expect_code
from hansang.design import Key, Query
from hansang.errors import InvalidInput

KindName = Literal["income", "fixed-expense", "living-expense", "savings", "investment", "short-savings"]
"""How addresses and commands name a kind."""
PUT_BY, USED = "적립", "사용"


@dataclass(frozen=True, slots=True)
class EntryKind:
    """One kind of entries."""

    name: KindName
    entity: type[Entry]
    key: type[Key[Any]]
    parts: tuple[str, ...]
    """The fields that the key has beside the month."""
    total: str
    of_month: Callable[[str], Query[Any]]
    """The question for its entries of a month."""
    family: str | None = None
    """The family that its accounts are of, where it has accounts."""

    def key_of(self, month: str, parts: Sequence[str]) -> Key[Any]:
        """The key of an entry of this kind."""
        if len(parts) != len(self.parts):
            raise InvalidInput(
                "An entry of {kind} is named by {wanted}.",
                code="assets.wrong-parts",
                values={"kind": self.name, "wanted": " and ".join(self.parts)},
            )
        named = dict(zip(self.parts, map(expect_code, parts), strict=True))
        return self.key.model_validate({"year_month": month, **named})

    @property
    def stored_family(self) -> dict[str, str]:
        """What an entry says of the family of its account (1-13, 1-14)."""
        return (
            {"account_type": self.family}
            if "account_type" in self.entity.model_fields and self.family
            else {}
        )


KINDS: dict[KindName, EntryKind] = {
    each.name: each
    for each in (
        EntryKind("income", Income, IncomeKey, ("name", "income_type"), "total_income", Income.of_month),
        EntryKind(
            "fixed-expense",
            FixedExpense,
            FixedExpenseKey,
            ("expense_type",),
            "total_expense",
            FixedExpense.of_month,
        ),
        EntryKind(
            "living-expense",
            LivingExpense,
            LivingExpenseKey,
            ("category",),
            "total_expense",
            LivingExpense.of_month,
        ),
        EntryKind(
            "savings", Savings, SavingsKey, ("account_name",), "total_savings", Savings.of_month, SAVED
        ),
        EntryKind(
            "investment",
            Investment,
            InvestmentKey,
            ("account_name",),
            "total_investment",
            Investment.of_month,
            INVESTED,
        ),
        EntryKind(
            "short-savings",
            ShortSavings,
            ShortSavingsKey,
            ("account_name", "transaction_type"),
            "total_short_savings",
            ShortSavings.of_month,
            SHORT,
        ),
    )
}
KIND_NAMES: tuple[KindName, ...] = get_args(KindName)
_BY_ENTITY: dict[type[Entry], EntryKind] = {each.entity: each for each in KINDS.values()}
ENTRY_ENTITIES: tuple[type[Entry], ...] = tuple(_BY_ENTITY)


def kind_of(entry: Entry) -> EntryKind:
    """The kind of an entry."""
    return _BY_ENTITY[type(entry)]


def parts_of(entry: Entry) -> tuple[str, ...]:
    """What names an entry within its month."""
    return tuple(getattr(entry, name) for name in kind_of(entry).parts)


def month_of_entry(entry: Entry) -> str:
    """The month that an entry belongs to."""
    return cast(MonthEntry, entry).year_month
