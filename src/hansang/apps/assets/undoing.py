"""Undoing: a change is taken back whole, with the totals and the balances that followed from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hansang.apps.assets.batches import BATCH, Batches, changes_of, span_of
from hansang.apps.assets.cascade import Cascade
from hansang.apps.assets.design import AccountCodes, AssetManager, Codes, Entry
from hansang.apps.assets.kinds import ENTRY_ENTITIES, kind_of, month_of_entry, parts_of
from hansang.apps.assets.opening import OPENING, VALUATION, Opening
from hansang.apps.assets.plans import Budget, Goal, Holding, HouseRules, ImportPreset
from hansang.apps.assets.recording import AREA, SEVERAL, Recorder, Rewrite, Who
from hansang.design.kinds import recognised
from hansang.design.requests import shape_of
from hansang.design.shape import Item
from hansang.errors import Conflict, NotAllowed
from hansang.parts.etags import digest
from hansang.parts.history import Change, History
from hansang.parts.receipts import Beside, alone

UNDONE_KINDS = frozenset([SEVERAL, *(each.__name__ for each in ENTRY_ENTITIES)])
"""Changes of entries."""
_GIVEN_KINDS = frozenset([OPENING, VALUATION])
EDITED_KINDS = frozenset(
    each.__name__ for each in (AccountCodes, Budget, Codes, Goal, Holding, HouseRules, ImportPreset)
)
"""Changes of single items that nothing else follows from."""
UndoEdit = Callable[[Change, Who, Beside[Change]], Change]


class Undoing:
    """Takes changes of a household back: of entries with all that followed, of what was given, of codes and plans."""

    def __init__(
        self,
        recorder: Recorder,
        cascade: Cascade,
        history: History,
        opening: Opening,
        batches: Batches,
        undo_edit: UndoEdit,
        area: str = AREA,
    ) -> None:
        self._recorder, self._cascade, self._history = recorder, cascade, history
        self._opening, self._batches, self._undo_edit, self._area = opening, batches, undo_edit, area

    def get(self, change_id: str) -> Change:
        """A change of this household, or NotAllowed."""
        change = self._history.get(change_id)
        if change.area != self._area:
            raise NotAllowed(
                "The change {id} is not one of this household.",
                code="assets.change-elsewhere",
                values={"id": change_id},
            )
        return change

    def undo(self, change_id: str, who: Who, beside: Beside[Change] = alone) -> Change:
        """Put things back as they were before a change, if nobody has changed them since; this too can be undone."""
        change = self.get(change_id)
        if change.kind in EDITED_KINDS:
            return self._undo_edit(change, who, beside)
        _expect_undoable(change)
        taking_back = Who(who.actor, who.request_id, undoes=change)
        if change.kind == BATCH:
            return self._undo_batch(change, taking_back, beside)
        if change.kind in _GIVEN_KINDS:
            return self._opening.undo(change, taking_back, beside)
        return self._undo_entries(change, taking_back, beside)

    def _undo_batch(self, batch: Change, who: Who, beside: Beside[Change]) -> Change:
        """Take all changes of a file back, the last first; broken off, undoing it again goes on."""
        waiting = [
            each for each in map(self._history.get, reversed(changes_of(batch))) if each.undone_by is None
        ]
        for change in waiting:
            self._expect_unchanged(change)
        done = [
            self._undo_entries(change, Who(who.actor, who.request_id, undoes=change), alone)
            for change in waiting
        ]
        return self._batches.write([each.id for each in done], span_of(batch), who, "undo", beside)

    def _expect_unchanged(self, change: Change) -> None:
        """Refuse to begin with what could not be finished."""
        _expect_kept(change)
        for rewrite in rewrites_of(change):
            key = kind_of(rewrite.subject).key_of(month_of_entry(rewrite.subject), parts_of(rewrite.subject))
            found = self._recorder.find(key)
            if found != rewrite.after:
                raise _changed_since(found)

    def _undo_entries(self, change: Change, who: Who, beside: Beside[Change]) -> Change:
        pairs = list(zip(_items(change.before), _items(change.after), strict=True))
        entries_changed = [_entry(before or after) for before, after in pairs]
        month = month_of_entry(entries_changed[0])
        keys = [kind_of(each).key_of(month, parts_of(each)) for each in entries_changed]

        def decide(entries: list[Entry | None]) -> list[Entry | None]:
            if self._history.get(change.id).undone_by is not None:
                raise _undone(change)
            for entry, (_, after) in zip(entries, pairs, strict=True):
                if _digest(None if entry is None else shape_of(entry).encode(entry)) != _digest(after):
                    raise _changed_since(entry)
            return [None if before is None else _entry(before) for before, _ in pairs]

        recorded = self._recorder.record(
            month,
            keys,
            decide,
            who,
            "undo",
            lambda transaction, done: beside(transaction, _change(done.change)),
        )
        self._cascade.go_on_briefly(recorded.book)
        return _change(recorded.change)


def is_kept(change: Change) -> bool:
    """Whether the history has what there was before a change and after it."""
    return all(each is None or each.text is not None for each in (change.before_image, change.after_image))


def rewrites_of(change: Change) -> list[Rewrite]:
    """The entries that a change wrote, as they were and as they became; only of one that the history has kept."""
    pairs = zip(_items(change.before), _items(change.after), strict=True)
    return [
        Rewrite(None if before is None else _entry(before), None if after is None else _entry(after))
        for before, after in pairs
        if before or after
    ]


def _expect_undoable(change: Change) -> None:
    if change.kind not in UNDONE_KINDS | _GIVEN_KINDS | {BATCH}:
        raise NotAllowed(
            "A change of a {kind} cannot be undone here. Change it back by hand.",
            code="assets.no-undo",
            values={"kind": change.kind},
        )
    if change.undone_by is not None:
        raise _undone(change)
    _expect_kept(change)


def _expect_kept(change: Change) -> None:
    if not is_kept(change):
        raise NotAllowed(
            "The entries were too large for the history to keep, so this change cannot be undone.",
            code="assets.undo-too-large",
        )


def _changed_since(entry: Entry | None) -> Conflict:
    return Conflict(
        "The entry was changed again since. Undo the later changes first, or edit it as it is now.",
        entry,
        code="assets.changed-since",
    )


def _undone(change: Change) -> Conflict:
    return Conflict(
        "This change is undone already. To have it back, undo its undoing.",
        change,
        code="assets.undone-already",
    )


def _items(side: Item | None) -> list[Item | None]:
    """The items of one side of a change, of one entry or of several."""
    if side is None or "items" not in side:
        return [side]
    return [each.get("M") for each in side["items"]["L"]]


def _entry(item: Item | None) -> Entry:
    assert item is not None
    shape: Any = recognised(AssetManager.shapes, item)
    found: Entry = shape.decode(item)
    return found


def _digest(item: Item | None) -> str | None:
    return None if item is None else digest(item)


def _change(change: Change | None) -> Change:
    assert change is not None
    return change
