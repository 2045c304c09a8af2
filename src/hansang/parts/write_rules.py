"""Who writes an entity: anyone with the role, the application alone, or nobody after the first time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from hansang.design import Database, Entity
from hansang.errors import ApplicationOnly, Immutable
from hansang.parts.words import Words

WrittenBy = Literal["anyone", "application", "once"]

Check = Callable[[Database, Any, Any], None]
"""Looks at a write by hand: the database, the entity before (None if new) and after (None if deleted).

Of an item that is deleted and cannot be read, the entity before has the fields of its key alone.
It raises InvalidInput or NotAllowed, with what to do instead.
"""


@dataclass(frozen=True, slots=True)
class WriteRule:
    """What may be done to an entity through the generic routes, forms and commands."""

    by: WrittenBy = "anyone"
    instead: Words | None = None
    """Of what the application alone writes: a sentence that names the way."""

    @property
    def creates(self) -> bool:
        return self.by != "application"

    @property
    def changes(self) -> bool:
        """Whether it may be replaced and deleted."""
        return self.by == "anyone"

    def expect_new(self, kind: type[Entity]) -> None:
        """Refuse a new entity of this kind, unless it may be created by hand."""
        if not self.creates:
            raise self._application_only(kind)

    def expect_changed(self, kind: type[Entity]) -> None:
        """Refuse to replace or delete an entity of this kind, unless that may be done by hand."""
        if self.by == "once":
            raise Immutable(
                "A {kind} is immutable: it stays as it was first written.",
                code="parts.immutable",
                values={"kind": kind.__name__},
            )
        if self.by == "application":
            raise self._application_only(kind)

    def _application_only(self, kind: type[Entity]) -> ApplicationOnly:
        instead = self.instead or Words("", "")
        return ApplicationOnly(
            "A {kind} is written by its application only. {instead}",
            {"ko": instead.ko, "en": instead.en},
            code="parts.application-only",
            values={"kind": kind.__name__, "instead": instead.en},
        )


ANYONE = WriteRule()
"""Anyone with the role."""
ONCE = WriteRule("once")
"""Anyone with the role the first time, nobody afterwards."""


def application_only(instead: Words) -> WriteRule:
    """The application alone; `instead` is a sentence that names the way."""
    return WriteRule("application", instead)
