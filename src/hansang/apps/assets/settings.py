"""How a household counts, as whoever runs it has chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from hansang.errors import SettingsError

CardMonth = Literal["use", "payment"]


@dataclass(frozen=True, slots=True)
class AssetsSettings:
    """What cash is, when a month begins, and which month a card bill belongs to."""

    cash_includes_surplus: bool = False
    """Whether what is left of a month is counted as cash; after a change, rebuild the balances (X1-07)."""
    month_starts_on: int = 1
    """The day on which a month begins, such as the payday; from the 16th on, it begins the next month."""
    card_month: CardMonth = "use"
    """Whether a card's line is counted in the month of its use or in that of its payment."""
    card_payment_day: int = 14
    """The day of the following month on which the card is paid."""

    def __post_init__(self) -> None:
        if not 1 <= self.month_starts_on <= 28:
            raise SettingsError(
                f"A month cannot begin on day {self.month_starts_on}. Give a day from 1 to 28."
            )
        if not 1 <= self.card_payment_day <= 28:
            raise SettingsError(
                f"A card cannot be paid on day {self.card_payment_day}. Give a day from 1 to 28."
            )
        if self.card_month not in ("use", "payment"):
            raise SettingsError(
                f"{self.card_month!r} is not a valid month of a card's line. Give use or payment."
            )
