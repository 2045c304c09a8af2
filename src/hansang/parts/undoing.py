"""Taking changes back: which ones can be, and how it is noted."""

from __future__ import annotations

from collections.abc import Iterable

from hansang.design import Table, attr
from hansang.design.shape import Item
from hansang.design.transaction import Transaction
from hansang.errors import Conflict, NotAllowed
from hansang.parts.history import Change, key_of


def undoable(tables: Iterable[type[Table]], change: Change) -> tuple[type[Table], Item]:
    """The table and the key of what a change has changed, if it can be taken back."""
    table = next((each for each in tables if each.name == change.table), None)
    if change.key is None or table is None:
        raise NotAllowed(
            "A change of a {kind} cannot be undone. Change it back by hand.",
            code="parts.no-undo",
            values={"kind": change.kind},
        )
    if change.undone_by is not None:
        raise Conflict(
            "This change is undone already. To have it back, undo its undoing.",
            change,
            code="parts.undone-already",
        )
    if change.is_too_large:
        raise NotAllowed(
            "The item was too large for the history to keep, so this change cannot be undone.",
            code="parts.undo-too-large",
        )
    return table, change.key


def mark_undone(transaction: Transaction, change: Change) -> None:
    """Note with a change that it is undone by this one, once."""
    if change.undoes is not None:
        undone = attr(Change.undone_by)
        transaction.update(key_of(change.undoes), undone.set(change.id), when=undone.missing())


def changed_since(item: object = None) -> Conflict:
    """Why a change is not undone: there is a later one."""
    return Conflict(
        "The item was changed again since. Undo the later changes first, or edit it as it is now.",
        item,
        code="parts.changed-since",
    )
