"""What the routes of the ledger share: the application of a shell, and whoever asks."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path as InPath

from hansang.apps.assets.recording import AREA, Who
from hansang.apps.assets.rules import MONTH
from hansang.apps.assets.service import Assets
from hansang.apps.assets.settings import AssetsSettings
from hansang.parts.history import Actor
from hansang.parts.permissions import Principal
from hansang.surfaces.api.tags import TAGGED
from hansang.surfaces.http.request_ids import current
from hansang.surfaces.shell import Shell

PATH = f"/api/{AREA}"
MONTH_PATTERN = f"^{MONTH.pattern}$"
MonthAddress = Annotated[str, InPath(alias="ym", pattern=MONTH_PATTERN, examples=["2025.01"])]

TAGGED_ANSWER = {"responses": {"200": {"headers": TAGGED}}}
"""What the OpenAPI document says of an answer with a tag."""


def assets_of(shell: Shell) -> Assets:
    """The application of a shell."""
    settings: AssetsSettings = shell.chosen.get(AREA) or AssetsSettings()
    return Assets(shell.database, shell.clock, settings, history=shell.history)


def who(principal: Principal) -> Who:
    """Whoever asks, with the request."""
    return Who(Actor.of(principal), current.get())
