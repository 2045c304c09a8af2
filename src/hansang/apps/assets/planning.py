"""Planning: what an expense may cost in a month, and what is owned and owed, each change with its trace."""

from __future__ import annotations

from hansang.apps.assets.codes import CodeLists
from hansang.apps.assets.kinds import KINDS
from hansang.apps.assets.plans import Budget, BudgetKey, BudgetKind, Holding, HoldingKey, HoldingKind
from hansang.apps.assets.recording import Who
from hansang.design import Database
from hansang.parts.editing import Editing


class Planning:
    """The items of our own that people set by hand."""

    def __init__(self, database: Database, editing: Editing, codes: CodeLists) -> None:
        self._database, self._editing, self._codes = database, editing, codes

    def set_budget(self, kind: BudgetKind, code: str, amount: int | None, who: Who) -> Budget | None:
        """What one type of expense may cost in a month; None is no budget."""
        found = self._editing.find(Budget, {"kind": kind, "code": code})
        if amount is None:
            if found is not None:
                self._editing.delete(BudgetKey(kind=kind, code=code), found[1], who.actor, who.request_id)
            return None
        self._codes.expect(KINDS[kind], (code,), is_there=found is not None)
        wanted = Budget(kind=kind, code=code, amount=amount)
        if found is None:
            return self._editing.create(wanted, who.actor, who.request_id).subject
        return self._editing.replace(wanted, found[1], who.actor, who.request_id).subject

    def holdings(self) -> list[Holding]:
        """What is owned and owed."""
        return self._database.all(Holding.all_of_them())

    def set_holding(self, name: str, kind: HoldingKind, amount: int | None, who: Who) -> Holding | None:
        """What something is worth now, or what is owed; its past values stay. None is nothing any more."""
        found = self._editing.find(Holding, {"name": name})
        if amount is None:
            if found is not None:
                self._editing.delete(HoldingKey(name=name), found[1], who.actor, who.request_id)
            return None
        if found is None:
            wanted = Holding(name=name, kind=kind, amount=amount)
            return self._editing.create(wanted, who.actor, who.request_id).subject
        changed = found[0].model_copy(update={"kind": kind, "amount": amount})
        return self._editing.replace(changed, found[1], who.actor, who.request_id).subject
