"""How a household counts, kept for a minute in each process: its own rules, else those of the server."""

from __future__ import annotations

from dataclasses import replace
from threading import Lock

from hansang.apps.assets.codes import REMEMBERED_SECONDS
from hansang.apps.assets.plans import HouseRules, HouseRulesKey
from hansang.apps.assets.recording import Who
from hansang.apps.assets.settings import AssetsSettings
from hansang.clock import Clock
from hansang.design import Database
from hansang.parts.editing import Edit, Editing
from hansang.parts.receipts import Beside, alone


class Counting:
    """The rules by which days belong to months."""

    def __init__(self, database: Database, clock: Clock, editing: Editing, settings: AssetsSettings) -> None:
        self._database, self._clock, self._editing, self._settings = database, clock, editing, settings
        self._lock = Lock()
        self._kept: tuple[float, AssetsSettings] | None = None

    def settings(self) -> AssetsSettings:
        """The settings of the server, with what the household has decided itself."""
        now = self._clock()
        with self._lock:
            kept = self._kept
        if kept is not None and 0 <= now - kept[0] < REMEMBERED_SECONDS:
            return kept[1]
        found = self._with(self._database.find(HouseRulesKey(), consistent=True))
        with self._lock:
            self._kept = (now, found)
        return found

    def set(self, rules: HouseRules, who: Who, beside: Beside[Edit[HouseRules]] = alone) -> HouseRules:
        """Decide how the household counts from now on; what is entered stays where it is."""
        found = self._editing.find(HouseRules, {})
        if found is None:
            done = self._editing.create(rules, who.actor, who.request_id, beside).subject
        else:
            done = self._editing.replace(rules, found[1], who.actor, who.request_id, beside).subject
        self.drop()
        return done

    def drop(self) -> None:
        """Read the rules again."""
        with self._lock:
            self._kept = None

    def _with(self, rules: HouseRules | None) -> AssetsSettings:
        if rules is None:
            return self._settings
        return replace(
            self._settings,
            month_starts_on=rules.month_starts_on,
            card_month=rules.card_month,
            card_payment_day=rules.card_payment_day,
        )
