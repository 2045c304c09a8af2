"""The applications with a ledger and posts that anyone writes by hand, for tests of what every design has."""

from __future__ import annotations

from dataclasses import replace

from hansang.apps.application import Application
from hansang.apps.catalog import APPLICATIONS


def _by_hand(application: Application) -> Application:
    if application.name == "assets":
        return replace(application, writes={}, checks={}, undoing=None)
    if application.name == "codex":
        return replace(application, writes={})
    return application


BY_HAND: tuple[Application, ...] = tuple(map(_by_hand, APPLICATIONS))
