"""What items of one kind have in common: the names and the types of their attributes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from hansang.design.shape import Item

_SHARED = 0.5


@dataclass(frozen=True)
class Signature:
    """The attributes of some items, each with the types that it has."""

    kinds: Mapping[str, frozenset[str]]

    @classmethod
    def of(cls, items: Iterable[Item], ignored: Iterable[str]) -> Signature:
        found: dict[str, set[str]] = {}
        for item in items:
            for name, value in item.items():
                found.setdefault(name, set()).update(value)
        left_out = set(ignored)
        return cls({name: frozenset(kinds) for name, kinds in found.items() if name not in left_out})

    def __or__(self, other: Signature) -> Signature:
        names = {**self.kinds, **other.kinds}
        return Signature(
            {name: self.kinds.get(name, frozenset()) | other.kinds.get(name, frozenset()) for name in names}
        )


def alike(one: Signature, other: Signature) -> bool:
    """Whether items of two signatures could be of one kind: much in common, and nothing of two types."""
    names, shared = {*one.kinds, *other.kinds}, one.kinds.keys() & other.kinds.keys()
    conflict = any(
        (one.kinds[name] - {"NULL"}).isdisjoint(other.kinds[name] - {"NULL"})
        and one.kinds[name] != {"NULL"} != other.kinds[name]
        for name in shared
    )
    return not conflict and len(shared) >= len(names) * _SHARED
