"""What whoever runs the rankings has chosen."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from hansang.errors import SettingsError
from hansang.parts.schedules import Schedule


@dataclass(frozen=True, slots=True)
class RankingsSettings:
    """When snapshots are taken, how fast a day is written, and who may read."""

    snapshot_at: Schedule | None = None
    """When the profiles become the snapshot of the day; without it, days come by import alone (5-06)."""
    pace: int = 0
    """How many players a second an import writes at the most; 0 for as many as the table takes (X5-12)."""
    public: bool = False
    """Whether everyone may read finished days without signing in."""

    font: tuple[str, ...] = ()
    """The file of the font of pictures, or two of them: regular and bold. Usual places are looked at without it."""
    discord_key: str = ""
    """The public key of the Discord application, in hexadecimal; without it nothing of Discord is answered."""
    discord_application: str = ""
    """The id of the Discord application, whose commands are registered."""
    discord_token: str = field(default="", repr=False)
    """The token of its bot, which registering takes."""
    discord_api: str = "https://discord.com/api/v10"
    """Where Discord's API is."""

    def __post_init__(self) -> None:
        if self.pace < 0:
            raise SettingsError(f"The pace of imports cannot be {self.pace}. Give players a second, or 0.")
        if self.discord_key and not re.fullmatch(r"[0-9a-fA-F]{64}", self.discord_key):
            raise SettingsError("The public key of a Discord application is 64 hexadecimal digits.")


def is_public(settings: RankingsSettings | None) -> bool:
    """Whether everyone may read."""
    return settings is not None and settings.public
