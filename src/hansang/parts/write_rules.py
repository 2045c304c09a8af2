"""Who writes an entity: anyone with the role, the application alone, or nobody after the first time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hansang.design import Database, Entity
from hansang.errors import NotAllowed

Check = Callable[[Database, Any, Any], None]
"""Looks at a write by hand: the database, the entity before (None if new) and after (None if deleted).

It raises InvalidInput or NotAllowed with what to do instead.
"""


@dataclass(frozen=True, slots=True)
class WriteRule:
    """What may be done to an entity through the generic routes, forms and commands."""

    creates: bool = True
    changes: bool = True
    """Replacing and deleting."""
    instead: str = ""
    """What to use in their place, such as `hansang news load`."""

    def expect(self, before: Entity | None, after: Entity | None, kind: type[Entity]) -> None:
        """Refuse what the rule does not let through, and say what to do instead."""
        is_open = self.creates if before is None else self.changes
        if is_open:
            return
        values = {"kind": kind.__name__, "instead": self.instead}
        if self.creates:
            raise NotAllowed(
                "A {kind} is immutable: it stays as it was first written.",
                code="parts.immutable",
                values=values,
            )
        raise NotAllowed(
            "A {kind} is written by its application only. {instead}",
            code="parts.application-only",
            values=values,
        )


ANYONE = WriteRule()
"""Anyone with the role."""
ONCE = WriteRule(changes=False)
"""Anyone with the role the first time, nobody afterwards."""


def application_only(instead: str) -> WriteRule:
    """The application alone; `instead` is a sentence that names the way."""
    return WriteRule(creates=False, changes=False, instead=instead)
