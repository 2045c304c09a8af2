"""The applications with a ledger that anyone writes by hand, for tests of the forms and routes that every design has."""

from __future__ import annotations

from dataclasses import replace

from hansang.apps.application import Application
from hansang.apps.catalog import APPLICATIONS

BY_HAND: tuple[Application, ...] = tuple(
    replace(each, writes={}, checks={}, undoing=None) if each.name == "assets" else each
    for each in APPLICATIONS
)
