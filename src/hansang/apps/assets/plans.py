"""Items of our own beside the document's: what the household owns and owes, its budgets, and its goals."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from hansang.apps.assets.design import LONGEST_MEMO, Amount, AssetManager, Code, Month
from hansang.apps.assets.settings import CardMonth
from hansang.design import Attr, Entity, Key, Query, Stamped, Timestamp, pattern

HoldingKind = Literal["property", "deposit", "vehicle", "other", "debt"]
BudgetKind = Literal["fixed-expense", "living-expense"]
MemberRole = Literal["owner", "editor", "viewer"]
HOUSEHOLD_ID = "[a-z][a-z0-9-]{1,19}"
MOST_VALUES, MOST_NOTED, MOST_MEMBERS = 600, 200, 50
Updated = Annotated[Timestamp | None, Attr("updatedAt"), Stamped("saved")]


class HoldingValue(BaseModel):
    """What a holding was worth from a month on, or what was still owed."""

    model_config = ConfigDict(frozen=True)

    month: Annotated[Month, Field(examples=["2025.01"])]
    amount: Amount
    memo: Annotated[str, Field(max_length=LONGEST_MEMO)] | None = None


class HoldingKey(Key["Holding"], pk="HOLDING", sk="{name}"):
    """The key of something that is owned or owed."""

    name: Code


class Holding(HoldingKey, Entity, table=AssetManager):
    """A home, a deposit for one, a car or a debt: outside of what the document counts (X1-05)."""

    kind: HoldingKind
    amount: Amount
    """What it is worth now, or what is owed."""
    values: Annotated[list[HoldingValue] | None, Field(max_length=MOST_VALUES)] = None
    """What it was worth before, each from its month on."""
    updated_at: Updated = None

    @pattern
    def all_of_them(cls) -> Query[Holding]:
        """Everything that is owned or owed."""
        return cls.query()

    def worth(self, month: str) -> int:
        """What it counts for at the end of a month: what is owed counts against the rest."""
        past = [each for each in self.values or () if each.month <= month]
        later = [each for each in self.values or () if each.month > month]
        amount = max(past, key=lambda each: each.month).amount if past and later else self.amount
        amount = 0 if later and not past else amount
        return -amount if self.kind == "debt" else amount


class BudgetKey(Key["Budget"], pk="BUDGET", sk="{kind}#{code}"):
    """The key of a budget."""

    kind: BudgetKind
    code: Code


class Budget(BudgetKey, Entity, table=AssetManager):
    """What one type of expense may cost in a month."""

    amount: Amount
    updated_at: Updated = None

    @pattern
    def all_of_them(cls) -> Query[Budget]:
        """Every budget."""
        return cls.query()


class GoalKey(Key["Goal"], pk="GOAL", sk="{account}"):
    """The key of what an account is saved for."""

    account: Code


class Goal(GoalKey, Entity, table=AssetManager):
    """What an account is to reach, and when; of a term deposit also its interest."""

    amount: Annotated[Amount | None, Attr("goalAmount")] = None
    due: Annotated[Month | None, Attr("dueMonth")] = None
    started: Annotated[Month | None, Attr("startMonth")] = None
    monthly: Annotated[Amount | None, Attr("monthlyAmount")] = None
    rate: Annotated[int, Field(ge=0, le=10_000)] = 0
    """The interest of a year in hundredths of a percent: 350 is 3.5 %."""
    tax: Annotated[int, Field(ge=0, le=10_000)] = 1540
    """What is taken of the interest, in hundredths of a percent."""
    updated_at: Updated = None

    @pattern
    def all_of_them(cls) -> Query[Goal]:
        """Every goal."""
        return cls.query()


class ImportPresetKey(Key["ImportPreset"], pk="IMPORT_PRESET", sk="{name}"):
    """The key of how files are read."""

    name: Code


class ImportPreset(ImportPresetKey, Entity, table=AssetManager):
    """How the files of one bank or card are read: what their columns are called, and where their lines go."""

    columns: Annotated[dict[str, str], Field(max_length=20)]
    """The name of each column by what it means: date, memo, out, in."""
    is_card: bool = False
    by: Code | None = None
    otherwise: Annotated[str, Field(max_length=LONGEST_MEMO)] | None = None
    """Where lines go that no word is known of: living-expense/식비."""
    words: Annotated[dict[str, str] | None, Field(max_length=MOST_NOTED)] = None
    """Where lines go whose memo has a word."""
    updated_at: Updated = None

    @pattern
    def all_of_them(cls) -> Query[ImportPreset]:
        """Every preset of the household."""
        return cls.query()


class HouseholdKey(Key["Household"], pk="HOUSEHOLD", sk="{id}"):
    """The key of a household that is served beside the first."""

    id: Annotated[str, StringConstraints(pattern=f"^{HOUSEHOLD_ID}$"), Field(examples=["parents"])]


class Household(HouseholdKey, Entity, table=AssetManager):
    """A household with a table of its own; kept in the table of the first one (X1-21)."""

    title: Annotated[str, Field(min_length=1, max_length=LONGEST_MEMO)]
    members: Annotated[dict[str, MemberRole] | None, Field(max_length=MOST_MEMBERS)] = None
    """What each person may do there, by sign-in name."""
    pocket_of: Annotated[str | None, Attr("pocketOf")] = None
    """The household that sees its sums alone."""
    updated_at: Updated = None

    @pattern
    def all_of_them(cls) -> Query[Household]:
        """Every household beside the first."""
        return cls.query()


class HouseRulesKey(Key["HouseRules"], pk="SYSTEM#RULES", sk="METADATA"):
    """The key of how a household counts, of which it has one."""


class HouseRules(HouseRulesKey, Entity, table=AssetManager):
    """How a household counts: when its month begins, and which month a card's line belongs to."""

    month_starts_on: Annotated[int, Field(ge=1, le=28), Attr("monthStartsOn")] = 1
    card_month: Annotated[CardMonth, Attr("cardMonth")] = "use"
    card_payment_day: Annotated[int, Field(ge=1, le=28), Attr("cardPaymentDay")] = 14
    updated_at: Updated = None

    @pattern
    def present(cls) -> Query[HouseRules]:
        """The rules of the household."""
        return cls.query()


ACCEPTED = {
    "Household H201": "A server has a few households.",
    "ImportPreset H201": "One preset for each bank and card.",
    "Holding H201": "A household owns and owes a few things.",
    "Budget H201": "One budget for each type of expense.",
    "Goal H201": "One goal for each account.",
}
"""What the review finds and the design accepts, with the reason."""
