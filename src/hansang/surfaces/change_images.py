"""The two sides of a change, as whoever asks sees them."""

from __future__ import annotations

from hansang.design import Table
from hansang.design.shape import Item
from hansang.design.visibility import hidden_in
from hansang.parts.history import Change
from hansang.parts.permissions import Role
from hansang.surfaces.shell import Shell


def hidden_sides(shell: Shell, change: Change, role: Role | None) -> frozenset[str]:
    """The attributes of a change's items that somebody with this role does not see on either side."""
    sides = [each for each in (change.before, change.after) if each is not None]
    table = _table(shell, change)
    if table is None:
        return frozenset(name for each in sides for name in each)
    return frozenset(name for each in sides for name in hidden_in(table, each, role))


def seen_sides(shell: Shell, change: Change, role: Role | None) -> tuple[Item | None, Item | None]:
    """The item before and after a change, with what somebody with this role sees of it."""
    hidden = hidden_sides(shell, change, role)
    return _without(change.before, hidden), _without(change.after, hidden)


def _without(item: Item | None, hidden: frozenset[str]) -> Item | None:
    return None if item is None else {name: value for name, value in item.items() if name not in hidden}


def _table(shell: Shell, change: Change) -> type[Table] | None:
    """The table of a change; None when no application that is served has it, so that nothing says what is hidden."""
    return next(
        (table for each in shell.plugged for table in each.tables if table.name == change.table), None
    )
