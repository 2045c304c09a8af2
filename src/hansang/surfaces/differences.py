"""What is different between two states of an item, attribute by attribute, for the eye."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal

from hansang.blueprint.explorer.cells import HIDDEN
from hansang.design.shape import Item
from hansang.parts.etags import digest

Kind = Literal["added", "removed", "changed", "same"]
_ORDER: tuple[Kind, ...] = ("changed", "added", "removed", "same")


@dataclass(frozen=True, slots=True)
class Difference:
    """One attribute on both sides; None is no attribute."""

    name: str
    type: str
    before: str | None
    after: str | None
    is_same: bool

    @property
    def kind(self) -> Kind:
        if self.before is None:
            return "added"
        if self.after is None:
            return "removed"
        return "same" if self.is_same else "changed"


def differences(before: Item | None, after: Item | None, hidden: Collection[str] = ()) -> list[Difference]:
    """All attributes of both sides, those that differ first; of what is hidden, that it differs."""
    was, now = before or {}, after or {}
    found = [
        _difference(name, was.get(name), now.get(name), is_hidden=name in hidden)
        for name in dict.fromkeys((*was, *now))
    ]
    return sorted(found, key=lambda each: _ORDER.index(each.kind))


def _difference(name: str, before: Any, after: Any, *, is_hidden: bool) -> Difference:
    kinds = [next(iter(each)) for each in (before, after) if each is not None]
    is_same = before is not None and after is not None and digest({"": before}) == digest({"": after})
    was, now = (None if each is None else HIDDEN if is_hidden else _shown(each) for each in (before, after))
    return Difference(name, " → ".join(dict.fromkeys(kinds)), was, now, is_same)


def _shown(value: dict[str, Any]) -> str:
    """An attribute value without DynamoDB's marks."""
    plain = _plain(value)
    return plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False, indent=2)


def _plain(value: dict[str, Any]) -> Any:
    (kind, inner), *_ = value.items()
    if kind == "M":
        return {name: _plain(each) for name, each in inner.items()}
    if kind == "L":
        return [_plain(each) for each in inner]
    if kind == "NULL":
        return None
    return sorted(inner) if kind in ("SS", "NS", "BS") else inner
