"""Renaming what plans call by a code: budgets, goals, and where the lines of files go (X1-15)."""

from __future__ import annotations

from hansang.apps.assets.codes import CodeType
from hansang.apps.assets.entering import Place
from hansang.apps.assets.plans import Budget, BudgetKey, BudgetKind, Goal, GoalKey, ImportPreset
from hansang.apps.assets.recording import Who
from hansang.design import Database
from hansang.parts.editing import Editing

CODE_FIELDS: dict[CodeType, str] = {
    "NAME": "name",
    "INCOME_TYPE": "income_type",
    "FIXED_EXPENSE_TYPE": "expense_type",
    "LIVING_EXPENSE_CATEGORY": "category",
    "ACCOUNT_TYPE": "account_name",
}
"""What an entry calls a code of each type that can be renamed."""
_BUDGETED: dict[CodeType, BudgetKind] = {
    "FIXED_EXPENSE_TYPE": "fixed-expense",
    "LIVING_EXPENSE_CATEGORY": "living-expense",
}


class PlanRenaming:
    """Moves plans to the new name of a code; broken off, the same rename goes on."""

    def __init__(self, database: Database, editing: Editing) -> None:
        self._database, self._editing = database, editing

    def rename(self, kind: CodeType, old: str, new: str, who: Who) -> None:
        """Let every plan of the old name be one of the new name; one that the new name has already stays."""
        if kind in _BUDGETED:
            self._move_budget(_BUDGETED[kind], old, new, who)
        if kind == "ACCOUNT_TYPE":
            self._move_goal(old, new, who)
        for preset in self._database.all(ImportPreset.all_of_them()):
            after = _renamed(preset, kind, old, new)
            if after != preset:
                self._editing.replace(after, self._editing.etag(preset), who.actor, who.request_id)

    def _move_budget(self, kind: BudgetKind, old: str, new: str, who: Who) -> None:
        found = self._editing.find(Budget, {"kind": kind, "code": old})
        if found is None:
            return
        if self._editing.find(Budget, {"kind": kind, "code": new}) is None:
            self._editing.create(found[0].model_copy(update={"code": new}), who.actor, who.request_id)
        self._editing.delete(BudgetKey(kind=kind, code=old), found[1], who.actor, who.request_id)

    def _move_goal(self, old: str, new: str, who: Who) -> None:
        found = self._editing.find(Goal, {"account": old})
        if found is None:
            return
        if self._editing.find(Goal, {"account": new}) is None:
            self._editing.create(found[0].model_copy(update={"account": new}), who.actor, who.request_id)
        self._editing.delete(GoalKey(account=old), found[1], who.actor, who.request_id)


def _renamed(preset: ImportPreset, kind: CodeType, old: str, new: str) -> ImportPreset:
    words = {word: _with_name(text, kind, old, new) for word, text in (preset.words or {}).items()}
    return preset.model_copy(
        update={
            "words": words or None,
            "otherwise": preset.otherwise and _with_name(preset.otherwise, kind, old, new),
            "by": new if kind == "NAME" and preset.by == old else preset.by,
        }
    )


def _with_name(text: str, kind: CodeType, old: str, new: str) -> str:
    """An entry as files name it, under the new name of a code."""
    place = Place.parse(text)
    parts = [
        new if field == CODE_FIELDS[kind] and part == old else part
        for field, part in zip(place.kind.parts, place.parts, strict=True)
    ]
    return Place(place.kind, tuple(parts)).text
