"""PartiQL by hand, for every surface: plans, answers, what a statement would change, and its run."""

from __future__ import annotations

import dataclasses
from copy import copy
from dataclasses import dataclass
from functools import partial

from hansang.apps.application import Application
from hansang.blueprint.explorer.browsing import Source
from hansang.blueprint.explorer.cells import HIDDEN, columns, masked
from hansang.blueprint.explorer.statement_reading import LOOKED_AT, picked, select_page
from hansang.blueprint.explorer.statements import (
    StatementChange,
    StatementPlan,
    change_of,
    expect_open,
    key_written,
    names_hidden,
    planned,
    write_cost,
)
from hansang.blueprint.table_status import table_status
from hansang.design.codec import Value
from hansang.design.kinds import recognised
from hansang.design.shape import Item
from hansang.design.visibility import visible
from hansang.engine.capacity import read_units
from hansang.errors import AlreadyExists, Conflict, HansangError, InvalidInput, NotAllowed, NotFound, TooLarge
from hansang.parts.editing import Edit
from hansang.parts.history import Actor
from hansang.parts.permissions import Role
from hansang.parts.receipts import Beside, alone
from hansang.surfaces.addresses import item_path
from hansang.surfaces.differences import Difference, differences
from hansang.surfaces.guards import Guard
from hansang.surfaces.hand_items import editable, expect_no_secret, tag_seen
from hansang.surfaces.shell import Shell

MOST = 100
"""How many answers a page has at most."""

_REFUSALS: dict[str, AlreadyExists | NotFound | Conflict] = {
    "taken": AlreadyExists(
        "An item with this key is there already. Use UPDATE.", code="surfaces.statement-taken"
    ),
    "missing": NotFound("There is no item with this key.", code="surfaces.statement-missing"),
    "unmatched": Conflict(
        "The item is there, but the condition does not hold.", code="surfaces.statement-unmatched"
    ),
}
"""What is raised in place of doing nothing."""


@dataclass(frozen=True, slots=True)
class StatementRow:
    """One answer: the columns that were asked for, and the page of its item."""

    item: Item
    """What is hidden is marked as such."""
    seen: Item
    """What is hidden is left out."""
    href: str


@dataclass(frozen=True, slots=True)
class StatementAnswer:
    """One page of answers, as whoever looks sees them, and what it cost."""

    items: list[StatementRow]
    cursor: str | None
    offset: int
    columns: list[str]
    read_units: float
    is_partial: bool
    """Whether the cost leaves out what whoever looks does not see."""


@dataclass(frozen=True, slots=True)
class StatementPreview:
    """What a statement would change, and why it would not."""

    change: StatementChange
    tag: str
    """The tag of the whole item; empty if there is none."""
    after: Item | None
    """The item as it would be stored."""
    etag: str
    """The tag of the item as it was seen; empty if there is none."""
    write_units: float
    is_partial: bool
    """Whether the cost leaves out what whoever looks does not see."""
    nothing: str = ""
    """Why nothing would happen: taken, missing, unmatched or same."""
    refused: HansangError | None = None
    href: str = ""

    @property
    def is_open(self) -> bool:
        """Whether it can be run."""
        return not self.nothing and self.refused is None

    def expect_open(self) -> None:
        """Refuse what cannot be run; an item that is like this already is no fault."""
        if self.refused is not None:
            raise self.refused
        if self.nothing in _REFUSALS:
            raise copy(_REFUSALS[self.nothing])


@dataclass(frozen=True, slots=True)
class HandStatements:
    """Statements on the tables of one application, for somebody with a role there."""

    shell: Shell
    application: Application
    role: Role | None

    @property
    def guard(self) -> Guard:
        return Guard.of(self.application, self.role)

    def plan(self, text: str, parameters: list[Value]) -> StatementPlan:
        """How a statement gets to its items; one that reads and would tell what is hidden is NotAllowed."""
        found = planned(self.shell.database, self.application.name, self.application.tables, text, parameters)
        if found.reads:
            expect_open(found, self.role)
        return found

    def plan_of_write(self, text: str, parameters: list[Value]) -> StatementPlan:
        """The same of a statement that writes; of another, InvalidInput."""
        found = self.plan(text, parameters)
        if found.reads:
            raise InvalidInput("A SELECT writes nothing. Ask it.", code="surfaces.statement-reads")
        return found

    # ── reading ───────────────────────────────────────────────────────────────────────────────────

    def answer(self, plan: StatementPlan, limit: int, cursor: str = "") -> StatementAnswer:
        """One page of answers."""
        database, guard = self.shell.database, self.guard
        subject = f"partiql {plan.text} {plan.parameters}"
        token, passed, offset = database.unsealed(subject, cursor) if cursor else (None, 0, 0)
        is_partial = not guard.sees_all_of(plan.table)
        sight = partial(guard.seen, plan.table) if is_partial or names_hidden(plan, self.role) else None
        page = select_page(database, plan, limit, token, passed, sight)
        rows = [self._row(plan, each) for each in page.items]
        following = (
            None
            if page.token is None
            else database.sealed(subject, [page.token, page.passed, offset + len(rows)])
        )
        named = columns(Source(plan.table, plan.index), [row.item for row in rows])
        return StatementAnswer(rows, following, offset, named, page.read_units, is_partial)

    def _row(self, plan: StatementPlan, item: Item) -> StatementRow:
        return StatementRow(
            picked(plan, masked(plan.table, item, self.role)),
            picked(plan, visible(plan.table, item, self.role)),
            item_path(self.application, plan.table, item),
        )

    def estimate(self, plan: StatementPlan, limit: int) -> float | None:
        """About what a page would cost, from the average size of what is read; nothing is read for it.

        None for whoever does not see all of the table, since the average tells of the rest.
        """
        if not self.guard.sees_all_of(plan.table):
            return None
        status = table_status(self.shell.database, plan.table)
        whole = status.items, status.item_bytes
        items, size = whole if plan.index is None else status.indexes.get(plan.index.name, (0, 0))
        if plan.operation == "GetItem":
            return read_units(size // max(1, items), consistent=False) * plan.partitions
        read = LOOKED_AT if plan.filter else limit
        return read_units(size * min(read, items) // max(1, items), consistent=False)

    # ── writing ───────────────────────────────────────────────────────────────────────────────────

    def preview(self, plan: StatementPlan) -> StatementPreview:
        """What would change, by the rules of every other change by hand; nothing is done yet."""
        table, guard, key = plan.table, self.guard, key_written(plan)
        guard.expect_item_shown(table, key)
        found = self.shell.editing.find_item(table, key)
        before, tag = found if found is not None else (None, "")
        if before is not None:
            guard.expect_item_shown(table, before)
        expect_open(plan, self.role, key if before is None else before)
        change = change_of(plan, before)
        preview = StatementPreview(
            change,
            tag,
            before,
            "" if before is None else tag_seen(table, before, tag, self.role),
            0.0,
            is_partial=self._is_partial(plan, before),
            href="" if before is None else item_path(self.application, table, key),
        )
        if not change.matches:
            return dataclasses.replace(preview, nothing=_why_not(plan, before))
        try:
            after = self._rehearsed(plan, change)
        except (InvalidInput, NotAllowed, TooLarge) as refusal:
            return dataclasses.replace(preview, after=change.after, refused=refusal)
        sides = (self.seen(plan, each) for each in (before, after))
        return dataclasses.replace(
            preview,
            after=after,
            write_units=0.0 if after == before else write_cost(table, *sides),
            is_partial=self._is_partial(plan, before, after),
            nothing="same" if after == before else "",
        )

    def _is_partial(self, plan: StatementPlan, *sides: Item | None) -> bool:
        return any(each is not None and self.seen(plan, each) != each for each in sides)

    def seen(self, plan: StatementPlan, item: Item | None) -> Item | None:
        """What is seen of one side of a change."""
        return None if item is None else visible(plan.table, item, self.role)

    def differences(self, plan: StatementPlan, preview: StatementPreview) -> list[Difference]:
        """What would change, attribute by attribute; what is hidden is marked as such."""
        before, after = preview.change.before, preview.after
        sides = (masked(plan.table, each, self.role) for each in (before, after) if each is not None)
        hidden = {name for side in sides for name, value in side.items() if value == {"S": HIDDEN}}
        return differences(before, after, hidden)

    def _rehearsed(self, plan: StatementPlan, change: StatementChange) -> Item | None:
        """What would be stored, if that may be written by hand."""
        table, before, after = plan.table, change.before, change.after
        for side in (before, after):
            if side is not None:
                expect_no_secret(recognised(table.shapes, side))
                self.guard.expect_item_shown(table, side)
        if before is not None and after is not None:
            editable(self.application, table, before)
        return self.shell.editing.rehearse_item(table, before, after)

    def run(
        self,
        plan: StatementPlan,
        preview: StatementPreview,
        actor: Actor,
        request_id: str | None = None,
        beside: Beside[Edit[Item]] = alone,
    ) -> Edit[Item]:
        """Do what was looked at, if the item is still so; AlreadyExists, Conflict or NotFound if it is not."""
        editing, table, change = self.shell.editing, plan.table, preview.change
        if change.after is None:
            return editing.delete_item(table, change.key, preview.tag, actor, request_id, beside)
        if change.before is None:
            return editing.create_item(table, change.after, actor, request_id, beside)
        return editing.replace_item(table, change.after, preview.tag, actor, request_id, beside)


def _why_not(plan: StatementPlan, before: Item | None) -> str:
    if plan.statement.verb == "INSERT":
        return "taken"
    return "missing" if before is None else "unmatched"
