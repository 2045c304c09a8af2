"""The table of a household's assets: codes, the entries of each month, and what they add up to."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from hansang.apps.assets.rules import LONGEST_CODE, MONTH, expect_code
from hansang.design import (
    GSI,
    Attr,
    Entity,
    Input,
    Key,
    Query,
    Stamped,
    Table,
    Timestamp,
    Version,
    collection,
    pattern,
)
from hansang.design.normalize import normalize_nfc

Month = Annotated[str, StringConstraints(pattern=f"^{MONTH.pattern}$"), Input("month", "2025.01")]
Code = Annotated[str, AfterValidator(lambda text: expect_code(normalize_nfc(text)))]
Won = Annotated[int, Field(strict=True), Input("money")]
"""An amount that was worked out; it may be below nothing."""
Amount = Annotated[int, Field(strict=True, ge=0, le=10**12), Input("money")]
"""An amount that someone wrote down."""
Paid = Annotated[int, Field(strict=True, ge=-(10**12), le=10**12), Input("money")]
"""One payment; a refund is below nothing (X1-22)."""
CodeKind = Literal[
    "YEAR_MONTH",
    "NAME",
    "INCOME_TYPE",
    "FIXED_EXPENSE_TYPE",
    "LIVING_EXPENSE_CATEGORY",
    "TRANSACTION_TYPE",
]
TransactionType = Literal["적립", "사용"]
SAVED, INVESTED, SHORT = "현금확보용적금", "투자용", "단기저축용"
"""The families of accounts, as the document names them (1-09)."""
Created = Annotated[Timestamp, Attr("createdAt"), Stamped("created")]
Saved = Annotated[Timestamp, Attr("updatedAt"), Stamped("saved")]
MOST_CODES, MOST_FAMILIES, MOST_DETAILS, LONGEST_MEMO = 1_000, 100, 1_000, 200
"""What one item may hold, well below the 400 KB that it can have (X1-11)."""


class AssetManager(Table, name="AssetManager"):
    """One household; codes have no month and stay out of the index."""

    by_month = GSI("yearMonth-PK-index", pk="yearMonth", sk="PK")


# ── codes ─────────────────────────────────────────────────────────────────────────────────────────


class CodesKey(Key["Codes"], pk="CODE#{kind}", sk="METADATA"):
    """The key of a list of codes."""

    kind: CodeKind


class Codes(CodesKey, Entity, table=AssetManager):
    """What can be chosen for one kind of code, in its order."""

    codes: Annotated[list[Code], Field(max_length=MOST_CODES)]
    labels: Annotated[dict[str, str] | None, Field(max_length=MOST_CODES)] = None
    archived: Annotated[list[Code] | None, Field(max_length=MOST_CODES)] = None
    """Codes that are offered no more, and that entries still have (X1-15)."""
    updated_at: Annotated[Timestamp | None, Attr("updatedAt"), Stamped("saved")] = None

    @pattern
    def of_kind(cls, kind: CodeKind) -> Query[Codes]:
        """The codes of one kind."""
        return cls.query(Codes.kind == kind)


class AccountCodesKey(Key["AccountCodes"], pk="CODE#ACCOUNT_TYPE", sk="METADATA"):
    """The key of the accounts, of which there is one list."""


class AccountCodes(AccountCodesKey, Entity, table=AssetManager):
    """The accounts of each family; a map has no order, so that is kept beside it (X1-16)."""

    codes: Annotated[dict[str, list[Code]], Field(max_length=MOST_FAMILIES)]
    labels: Annotated[dict[str, str] | None, Field(max_length=MOST_CODES)] = None
    archived: Annotated[dict[str, list[Code]] | None, Field(max_length=MOST_FAMILIES)] = None
    group_order: Annotated[list[str] | None, Field(max_length=MOST_FAMILIES), Attr("groupOrder")] = None
    updated_at: Annotated[Timestamp | None, Attr("updatedAt"), Stamped("saved")] = None

    @pattern
    def present(cls) -> Query[AccountCodes]:
        """The accounts by family."""
        return cls.query()


# ── entries ───────────────────────────────────────────────────────────────────────────────────────


class Detail(BaseModel):
    """One of the payments that an amount is the sum of (X1-11)."""

    model_config = ConfigDict(frozen=True)

    date: dt.date
    amount: Paid
    memo: Annotated[str, Field(max_length=LONGEST_MEMO)] | None = None
    by: Annotated[str, Field(max_length=LONGEST_CODE)] | None = None
    tag: Annotated[str, Field(max_length=LONGEST_CODE)] | None = None
    """What it counts as at the end of the year, such as a medical expense."""
    whom: Annotated[str, Field(max_length=LONGEST_CODE)] | None = None
    """Who a gift was for."""


class Entry(Entity):
    """What every entry of a month has: one amount for the whole month."""

    amount: Amount
    entries: Annotated[list[Detail] | None, Field(max_length=MOST_DETAILS)] = None
    created_at: Created
    updated_at: Saved


class IncomeKey(Key["Income"], pk="INCOME#{year_month}", sk="{name}#{income_type}"):
    """The key of an income."""

    year_month: Annotated[Month, Attr("yearMonth")]
    name: Annotated[Code, Attr("name")]
    income_type: Annotated[Code, Attr("incomeType")]


class Income(IncomeKey, Entry, table=AssetManager):
    """What someone earned in a month, by kind."""

    @pattern
    def of_month(cls, month: str) -> Query[Income]:
        """The income of a month."""
        return cls.query(Income.year_month == month)

    @pattern
    def of_person(cls, month: str, name: str) -> Query[Income]:
        """The income of one person in a month."""
        return cls.query(Income.year_month == month, Income.name == name)


class FixedExpenseKey(Key["FixedExpense"], pk="FIXED_EXPENSE#{year_month}", sk="{expense_type}"):
    """The key of a fixed expense."""

    year_month: Annotated[Month, Attr("yearMonth")]
    expense_type: Annotated[Code, Attr("expenseType")]


class FixedExpense(FixedExpenseKey, Entry, table=AssetManager):
    """What had to be paid in a month, by kind."""

    @pattern
    def of_month(cls, month: str) -> Query[FixedExpense]:
        """The fixed expenses of a month."""
        return cls.query(FixedExpense.year_month == month)


class LivingExpenseKey(Key["LivingExpense"], pk="LIVING_EXPENSE#{year_month}", sk="{category}"):
    """The key of a living expense."""

    year_month: Annotated[Month, Attr("yearMonth")]
    category: Annotated[Code, Attr("category")]


class LivingExpense(LivingExpenseKey, Entry, table=AssetManager):
    """What living cost in a month, by category."""

    @pattern
    def of_month(cls, month: str) -> Query[LivingExpense]:
        """The living expenses of a month."""
        return cls.query(LivingExpense.year_month == month)

    @pattern
    def with_fixed(cls, month: str) -> Query[FixedExpense | LivingExpense]:
        """All expenses of a month, fixed and of living, in one question of the index (X1-02)."""
        where = [LivingExpense.year_month == month]
        return collection(FixedExpense, LivingExpense, where=where, index=AssetManager.by_month)


class SavingsKey(Key["Savings"], pk="SAVINGS#{year_month}", sk="{account_name}"):
    """The key of what was saved."""

    year_month: Annotated[Month, Attr("yearMonth")]
    account_name: Annotated[Code, Attr("accountName")]


class Savings(SavingsKey, Entry, table=AssetManager):
    """What went into a savings account in a month."""

    account_type: Annotated[str, Attr("accountType")]

    @pattern
    def of_month(cls, month: str) -> Query[Savings]:
        """The savings of a month."""
        return cls.query(Savings.year_month == month)

    @pattern
    def with_investment(cls, month: str) -> Query[Savings | Investment]:
        """What was saved and invested in a month, in one question of the index (X1-02)."""
        where = [Savings.year_month == month]
        return collection(Savings, Investment, where=where, index=AssetManager.by_month)


class InvestmentKey(Key["Investment"], pk="INVESTMENT#{year_month}", sk="{account_name}"):
    """The key of what was invested."""

    year_month: Annotated[Month, Attr("yearMonth")]
    account_name: Annotated[Code, Attr("accountName")]


class Investment(InvestmentKey, Entry, table=AssetManager):
    """What went into an investment account in a month."""

    account_type: Annotated[str, Attr("accountType")]

    @pattern
    def of_month(cls, month: str) -> Query[Investment]:
        """The investments of a month."""
        return cls.query(Investment.year_month == month)


class ShortSavingsKey(
    Key["ShortSavings"], pk="SHORT_SAVINGS#{year_month}", sk="{account_name}#{transaction_type}"
):
    """The key of what was put by for a purpose, or used."""

    year_month: Annotated[Month, Attr("yearMonth")]
    account_name: Annotated[Code, Attr("accountName")]
    transaction_type: Annotated[TransactionType, Attr("transactionType")]


class ShortSavings(ShortSavingsKey, Entry, table=AssetManager):
    """What was put by for a purpose in a month, or used for it."""

    @pattern
    def of_month(cls, month: str) -> Query[ShortSavings]:
        """What was put by and used in a month."""
        return cls.query(ShortSavings.year_month == month)


# ── aggregates ────────────────────────────────────────────────────────────────────────────────────


class TotalsKey(Key["Totals"], pk="MONTHLY_SUMMARY#{year_month}", sk="TOTALS"):
    """The key of the totals of a month."""

    year_month: Annotated[Month, Attr("yearMonth")]


class Totals(TotalsKey, Entity, table=AssetManager):
    """What the entries of a month add up to; `netAsset` is what is left of the month (X1-05)."""

    total_income: Annotated[Won, Attr("totalIncome")]
    total_expense: Annotated[Won, Attr("totalExpense")]
    total_savings: Annotated[Won, Attr("totalSavings")]
    total_investment: Annotated[Won, Attr("totalInvestment")]
    total_short_savings: Annotated[Won, Attr("totalShortSavings")]
    net_asset: Annotated[Won, Attr("netAsset")]
    created_at: Created
    updated_at: Saved

    @pattern
    def of_month(cls, month: str) -> Query[Totals]:
        """The totals of a month."""
        return cls.query(Totals.year_month == month)

    @pattern
    def with_balances(cls, month: str) -> Query[Totals | Balances]:
        """The dashboard of a month: its totals and its balances."""
        where = [Totals.year_month == month]
        return collection(Totals, Balances, where=where, index=AssetManager.by_month)

    @pattern
    def with_everything(cls, month: str) -> Query[MonthItem]:
        """All that is stored of a month: its entries, its totals and its balances."""
        return collection(*MONTH_ITEMS, where=[Totals.year_month == month], index=AssetManager.by_month)


class BalancesKey(Key["Balances"], pk="ACCUMULATED_ASSETS#{year_month}", sk="BALANCES"):
    """The key of the balances at the end of a month."""

    year_month: Annotated[Month, Attr("yearMonth")]


class Balances(BalancesKey, Entity, table=AssetManager):
    """What the household has put by at the end of a month."""

    cash_accumulated: Annotated[Won, Attr("cashAccumulated")]
    investment_accumulated: Annotated[Won, Attr("investmentAccumulated")]
    short_savings_balances: Annotated[
        dict[str, Won], Field(max_length=MOST_CODES), Attr("shortSavingsBalances")
    ]
    investment_valuation: Annotated[
        dict[str, Won] | None, Field(max_length=MOST_CODES), Attr("investmentValuation")
    ] = None
    surplus_accumulated: Annotated[Won | None, Attr("surplusAccumulated")] = None
    """What was left of all months together (X1-05)."""
    created_at: Created
    updated_at: Saved

    @pattern
    def of_month(cls, month: str) -> Query[Balances]:
        """The balances at the end of a month."""
        return cls.query(Balances.year_month == month)


# ── the book ──────────────────────────────────────────────────────────────────────────────────────


class BookKey(Key["Book"], pk="SYSTEM#BOOK", sk="METADATA"):
    """The key of the book, of which a household has one."""


class Book(BookKey, Entity, table=AssetManager):
    """Which months there are, and the first whose balances are not right yet; in no index (X1-08)."""

    first: Annotated[Month | None, Attr("firstMonth")] = None
    last: Annotated[Month | None, Attr("lastMonth")] = None
    opening: Annotated[Month | None, Attr("openingMonth")] = None
    """The month of the opening balances, if there are any (X1-07)."""
    wrong_since: Annotated[Month | None, Attr("wrongSince")] = None
    """The first month whose balances have to be worked out again."""
    closed_through: Annotated[Month | None, Attr("closedThrough")] = None
    version: Version = 0

    @pattern
    def present(cls) -> Query[Book]:
        """The book of the household."""
        return cls.query()


MonthEntry = Income | FixedExpense | LivingExpense | Savings | Investment | ShortSavings
MonthItem = MonthEntry | Totals | Balances
MONTH_ITEMS = (
    Totals, Balances, Income, FixedExpense, LivingExpense, Savings, Investment, ShortSavings
)  # fmt: skip

_HOUSEHOLD = "One household writes some dozens of entries a month (X1-20)."
_WHOLE_MONTH = "A whole month of a household is one read unit, as much as a question of each partition."
ACCEPTED = {
    "LivingExpense.with_fixed H104": _WHOLE_MONTH,
    "Savings.with_investment H104": _WHOLE_MONTH,
    "Totals.with_balances H104": _WHOLE_MONTH,
    "Income H202": _HOUSEHOLD,
    "FixedExpense H202": _HOUSEHOLD,
    "LivingExpense H202": _HOUSEHOLD,
    "Savings H202": _HOUSEHOLD,
    "Investment H202": _HOUSEHOLD,
    "ShortSavings H202": _HOUSEHOLD,
}
"""What the review finds and the design accepts, with the reason."""
