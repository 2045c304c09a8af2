"""The verbs of the household ledger, put together: enter, read, undo, check, close."""

from __future__ import annotations

import time
from collections.abc import Callable

from hansang.apps.assets.batches import Batches
from hansang.apps.assets.cascade import Cascade
from hansang.apps.assets.checking import Checking
from hansang.apps.assets.codes import CodeLists
from hansang.apps.assets.design import AssetManager
from hansang.apps.assets.entering import Entering
from hansang.apps.assets.exporting import Exporting
from hansang.apps.assets.house_rules import Counting
from hansang.apps.assets.importing import Importing
from hansang.apps.assets.opening import Opening
from hansang.apps.assets.pasting import Pasting
from hansang.apps.assets.plan_renaming import PlanRenaming
from hansang.apps.assets.planning import Planning
from hansang.apps.assets.presets import Presets
from hansang.apps.assets.proposing import Proposing
from hansang.apps.assets.reading import LedgerReading
from hansang.apps.assets.recording import AREA, Recorder, Who
from hansang.apps.assets.renaming import Renaming
from hansang.apps.assets.reports import LedgerReports
from hansang.apps.assets.settings import AssetsSettings
from hansang.apps.assets.sharing import Sharing
from hansang.apps.assets.transferring import Transferring
from hansang.apps.assets.undoing import Undoing
from hansang.clock import Clock
from hansang.design import Database
from hansang.parts.editing import Editing, Undo
from hansang.parts.history import Actor, Change, History
from hansang.parts.receipts import Beside
from hansang.parts.retry import Sleep


class Assets:
    """The application: its parts on one database and one clock."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        settings: AssetsSettings | None = None,
        *,
        history: History | None = None,
        sleep: Sleep = time.sleep,
        area: str = AREA,
        told: Callable[[int], object] = lambda version: None,
    ) -> None:
        """`told` hears of every version of the book, once it is written."""
        self.database, self.clock, self.settings = database, clock, settings or AssetsSettings()
        self.history = history or History(database, clock)
        self._editing = editing = Editing(database, self.history, areas={AssetManager: AREA}, sleep=sleep)
        self.counting = Counting(database, clock, editing, self.settings)
        self.codes = CodeLists(database, clock, editing)
        self.cascade = Cascade(database, clock, self.settings)
        self.recorder = Recorder(database, clock, self.history, self.settings, sleep, told)
        self.entering = Entering(self.recorder, self.cascade, self.codes, clock)
        self.opening = Opening(database, clock, self.history, self.codes, self.cascade)
        self.reading = LedgerReading(database, clock, self.cascade, self.counting.settings)
        self.reports = LedgerReports(database, clock, self.reading)
        self.batches = Batches(database, self.history, self.entering, sleep)
        self.undoing = Undoing(
            self.recorder, self.cascade, self.history, self.opening, self.batches, self._undo_edit, area
        )
        plans = PlanRenaming(database, editing)
        self.renaming = Renaming(database, self.recorder, self.cascade, self.codes, plans)
        self.proposing = Proposing(self.reading, self.entering)
        self.sharing = Sharing(database, self.entering, clock)
        self.pasting = Pasting(self.reading, self.codes, self.batches)
        presets = Presets(database, editing)
        self.importing = Importing(self.reading, self.codes, self.counting.settings, self.batches, presets)
        self.planning = Planning(database, editing, self.codes)
        self.transferring = Transferring(database, self.cascade, self.codes, self.counting)
        self.exporting = Exporting(self.reading, self.transferring)
        self.checking = Checking(database, clock, self.recorder, self.cascade, self.settings)

    def _undo_edit(self, change: Change, who: Who, beside: Beside[Change]) -> Change:
        """Put a single item back; what is kept of codes and rules is read again."""
        try:
            return self._editing.undo(change.id, who.actor, who.request_id, beside)
        finally:
            self.codes.drop()
            self.counting.drop()


def undoing(database: Database, clock: Clock, settings: AssetsSettings) -> Undo:
    """What takes changes of entries back for whoever asks."""
    assets = Assets(database, clock, settings)

    def undo(change: Change, actor: Actor, request_id: str | None, beside: Beside[Change]) -> Change:
        return assets.undoing.undo(change.id, Who(actor, request_id), beside)

    return undo
