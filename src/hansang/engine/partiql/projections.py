"""The columns of a SELECT: each under the last part of its path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hansang.engine.expressions.paths import get, nested
from hansang.engine.expressions.projections import ParsedProjection
from hansang.engine.expressions.tree import Path
from hansang.engine.values import Item


@dataclass(frozen=True, slots=True)
class LeafProjection(ParsedProjection):
    """Paths, and the names that they have in the answer: `a.b` is `b`, and `a.b[0]` is `b[0]`."""

    labels: tuple[str, ...] = ()

    @classmethod
    def of(cls, paths: Sequence[Path]) -> LeafProjection:
        roots = dict.fromkeys(str(path[0]) for path in paths)
        labels = tuple(map(_label, paths))
        return cls(tuple(paths), tuple(roots), False, nested(paths), frozenset(), (), labels)

    def pick(self, item: Item) -> Item:
        found = ((label, get(item, path)) for label, path in zip(self.labels, self.paths, strict=True))
        return {label: value for label, value in found if value is not None}


def _label(path: Path) -> str:
    last = max(place for place, part in enumerate(path) if isinstance(part, str))
    return str(path[last]) + "".join(f"[{part}]" for part in path[last + 1 :])
