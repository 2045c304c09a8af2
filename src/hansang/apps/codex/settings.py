"""What whoever runs the site has chosen."""

from __future__ import annotations

from dataclasses import dataclass

from hansang.errors import SettingsError


@dataclass(frozen=True, slots=True)
class CodexSettings:
    """How long inquiries are kept, and how many one address may send."""

    inquiry_days: int = 1095
    """For how many days an inquiry is kept; 0 for good. Three years, as long as the law has complaints kept."""
    inquiries_a_minute: int = 5
    """How many inquiries one address may send a minute, to each worker."""

    def __post_init__(self) -> None:
        if self.inquiry_days < 0:
            raise SettingsError(
                f"Inquiries cannot be kept for {self.inquiry_days} days. Give a number, or 0 for good."
            )

        if self.inquiries_a_minute < 1:
            raise SettingsError(
                f"At least one inquiry a minute has to be possible, not {self.inquiries_a_minute}."
            )
