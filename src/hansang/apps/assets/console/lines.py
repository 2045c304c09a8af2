"""Changes of the ledger as people say them: what became of which entry, by whom, and how far it reached."""

from __future__ import annotations

from dataclasses import dataclass

from hansang.apps.assets.batches import BATCH, changes_of, span_of
from hansang.apps.assets.kinds import kind_of, month_of_entry, parts_of
from hansang.apps.assets.opening import OPENING, VALUATION
from hansang.apps.assets.recording import AREA, Rewrite
from hansang.apps.assets.rules import months_between
from hansang.apps.assets.undoing import EDITED_KINDS, UNDONE_KINDS, is_kept, rewrites_of
from hansang.parts.history import Change, History
from hansang.surfaces.console.changes import may_undo
from hansang.surfaces.console.pages import Visit


@dataclass(frozen=True, slots=True)
class LedgerChange:
    """One change, as a line of a list."""

    change: Change
    actor: str
    title: str
    about: str
    month: str
    """Empty for what is of no month."""
    is_undoable: bool
    is_entry: bool


def recent(visit: Visit, history: History, count: int) -> list[LedgerChange]:
    """The newest changes of the ledger."""
    return [line_of(visit, each) for each in history.page(AREA, count)]


def line_of(visit: Visit, change: Change) -> LedgerChange:
    """A change with the words for it."""
    actor = visit.actor_name(change.actor)
    if change.kind in _GIVEN:
        return _given(visit, change, actor)
    if change.kind in UNDONE_KINDS and not is_kept(change):
        return LedgerChange(
            change, actor, visit.t("assets.change.large"), _verb(visit, change), "", False, False
        )
    if change.kind not in UNDONE_KINDS:
        title = visit.labels(AREA).kind(change.kind) if change.kind in _KNOWN else change.kind
        is_undoable = may_undo(visit, change) if change.area == AREA else _is_own_edit(visit, change)
        return LedgerChange(change, actor, title, _verb(visit, change), "", is_undoable, False)
    rewrites = rewrites_of(change)
    month = month_of_entry(rewrites[0].subject)
    title = (
        rewrite_text(visit, rewrites[0])
        if len(rewrites) == 1
        else visit.t("assets.change.several", count=len(rewrites), name=name_of(rewrites[0]))
    )
    is_undoable = change.undone_by is None and visit.may(AREA, "write")
    return LedgerChange(change, actor, title, _verb(visit, change), month, is_undoable, True)


def _is_own_edit(visit: Visit, change: Change) -> bool:
    """Whether a change of another household, which the pages of changes do not know, can be undone here."""
    is_open = change.undone_by is None and not change.is_too_large
    return is_open and change.kind in EDITED_KINDS and visit.may(AREA, "write")


_KNOWN = frozenset({"Codes", "AccountCodes", "Budget", "Holding", "Goal", "ImportPreset"})
_GIVEN = frozenset({BATCH, OPENING, VALUATION})


def _given(visit: Visit, change: Change, actor: str) -> LedgerChange:
    """Several changes of one file, or balances that somebody gave."""
    if change.kind == BATCH:
        count = len(changes_of(change))
        title = visit.t("assets.change.batch", months=span_of(change), count=count)
    else:
        # The subjects of other households begin with their area.
        month = change.subject.removeprefix(f"{change.area}:")
        title = f"{visit.t(f'assets.change.{change.kind.lower()}')} · {month}"
    is_undoable = change.undone_by is None and visit.may(AREA, "write")
    return LedgerChange(change, actor, title, _verb(visit, change), "", is_undoable, False)


def _verb(visit: Visit, change: Change) -> str:
    key = f"assets.verb.{change.verb}"
    return visit.console.wording.find(key, visit.language) or change.verb


def name_of(rewrite: Rewrite) -> str:
    """What the entry is called: its code, with the person of an income, or that it was used."""
    parts = parts_of(rewrite.subject)
    if kind_of(rewrite.subject).name == "income":
        return f"{parts[1]} ({parts[0]})"
    return " ".join(part for part in parts if part != "적립")


def rewrite_text(visit: Visit, rewrite: Rewrite) -> str:
    """식비 +12,400; 주거 214,000 → 210,000."""
    name = name_of(rewrite)
    before = 0 if rewrite.before is None else rewrite.before.amount
    after = 0 if rewrite.after is None else rewrite.after.amount
    grown = rewrite.after is not None and len(rewrite.after.entries or ()) > len(
        (rewrite.before.entries if rewrite.before else None) or ()
    )
    if rewrite.before is None or (grown and after > before):
        return f"{name} +{after - before:,}"
    return f"{name} {before:,} → {after:,}"


def months_moved(month: str, last: str | None) -> int:
    """How many months from one on have balances that follow from it."""
    return 0 if last is None or month > last else months_between(month, last) + 1
