"""What is different between two states of an item, attribute by attribute, for the eye."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

from hansang.blueprint.explorer.cells import HIDDEN, is_secret
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


def differences(before: Item | None, after: Item | None) -> list[Difference]:
    """All attributes of both sides, those that differ first."""
    was, now = before or {}, after or {}
    found = [_difference(name, was.get(name), now.get(name)) for name in dict.fromkeys((*was, *now))]
    return sorted(found, key=lambda each: _ORDER.index(each.kind))


def _difference(name: str, before: Any, after: Any) -> Difference:
    kinds = [next(iter(each)) for each in (before, after) if each is not None]
    is_same = before is not None and after is not None and digest({"": before}) == digest({"": after})
    sides = _shown(name, before), _shown(name, after)
    return Difference(name, " → ".join(dict.fromkeys(kinds)), *sides, is_same)


def _shown(name: str, value: dict[str, Any] | None) -> str | None:
    """An attribute value without DynamoDB's marks; a secret stays one."""
    if value is None:
        return None
    if is_secret(name):
        return HIDDEN
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
