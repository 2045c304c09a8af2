"""What a month could have as routes: proposals, copying, pasting; and renaming a code."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Body
from fastapi import Query as InAddress
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from hansang.apps.assets.api.access import PATH, LedgerAsked, LedgerRoutes, MonthAddress, asked_household, who
from hansang.apps.assets.api.codes import TypeAddress
from hansang.apps.assets.api.shown import RecordedAnswer, SeenGiven, both_amounts, recorded_answer
from hansang.apps.assets.codes import CodeType
from hansang.apps.assets.kinds import KIND_NAMES, KindName
from hansang.apps.assets.pasting import CellState, PastedCell
from hansang.apps.assets.proposing import COPIED_KINDS, Proposal, Reason
from hansang.apps.assets.recording import AREA, Recorded
from hansang.apps.assets.renaming import RenamePreview
from hansang.apps.assets.rules import LONGEST_CODE
from hansang.parts.permissions import Principal
from hansang.parts.receipts import Beside
from hansang.surfaces.api.endpoints import RouteGroup, answered
from hansang.surfaces.api.repeats import Attempt, IdempotencyKey, once, once_by_steps
from hansang.surfaces.api.routes import ApiRoute
from hansang.surfaces.api.rules import Gate
from hansang.surfaces.shell import Shell

CodeName = Annotated[str, Field(min_length=1, max_length=LONGEST_CODE)]


class ProposalShown(BaseModel):
    """An entry that a month could have; steady if it had this amount every time."""

    kind: KindName
    parts: list[str]
    amount: int
    reason: Reason
    is_steady: bool


class ProposalsAnswer(BaseModel):
    """What a month could have: what comes back every month, and what last month had."""

    month: str
    recurring: list[ProposalShown]
    last_month: list[ProposalShown]


class CopyBody(BaseModel):
    """What is taken over: what comes back every month, or the kinds of last month that are named."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"example": {"what": "recurring"}})

    what: Reason = "last-month"
    kinds: Annotated[list[KindName], Field(max_length=len(KIND_NAMES))] = Field(
        default_factory=lambda: list(COPIED_KINDS)
    )


class PasteBody(BaseModel):
    """A block of cells with tabs between them, as a spreadsheet copies it."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"example": {"text": "식비\t500,000\n통신\t8만"}}
    )

    text: Annotated[str, Field(min_length=1, max_length=200_000)]
    seen: SeenGiven | None = None
    dry_run: bool = False


class PastedCellShown(BaseModel):
    """A cell, and what became of it, or would."""

    row: int
    column: int
    text: str
    name: str
    month: str
    state: CellState
    kind: KindName | None
    parts: list[str]
    amount: int | None
    before: int | None


class PasteAnswer(BaseModel):
    """A block as it was read, the changes that it made, and the one that takes all of them back.

    `seen` are the versions that cells were compared with; given back when the block is entered, an entry that has
    changed meanwhile is not overwritten, but told with both amounts.
    """

    cells: list[PastedCellShown]
    seen: dict[str, str]
    changes: list[str]
    change: str | None


class RenameAsked(LedgerAsked):
    """Which code would be renamed, and how."""

    old: CodeName
    new: CodeName


class RenameBody(BaseModel):
    """A code and its new name."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"example": {"old": "식비", "new": "밥값"}})

    old: CodeName
    new: CodeName


class RenameAnswer(BaseModel):
    """What is written again when a code is renamed, by month; clashes stand in the way."""

    type: CodeType
    old: str
    new: str
    entries: dict[str, int]
    clashes: list[str]
    state: Literal["preview", "done"]


class ProposalRoutes(LedgerRoutes):
    """Filling months, and renaming codes."""

    def __init__(self, shell: Shell, gate: Gate) -> None:
        super().__init__(shell, gate)
        self._group = RouteGroup(PATH, AREA, self._reader)

    def all(self) -> list[ApiRoute]:
        """Every route of them."""
        write: dict[str, Any] = {"rule": self._writer}
        return [
            self._group.route("GET", "/proposals/{ym}", self.proposals, ProposalsAnswer),
            self._group.route("POST", "/copy/{ym}", self.copy, RecordedAnswer, **write),
            self._group.route("POST", "/paste/{ym}", self.paste, PasteAnswer, **write),
            self._group.route("GET", "/rename/{type}", self.rename_preview, RenameAnswer),
            self._group.route("POST", "/rename/{type}", self.rename, RenameAnswer, **write),
        ]

    def proposals(self, ym: MonthAddress, principal: Principal) -> Response:
        """What a month could have and does not have yet."""
        found = self._assets.proposing
        return answered(
            ProposalsAnswer(
                month=ym,
                recurring=[_shown(each) for each in found.recurring(ym)],
                last_month=[_shown(each) for each in found.last_month(ym, KIND_NAMES)],
            )
        )

    def copy(
        self,
        ym: MonthAddress,
        given: Annotated[CopyBody, Body()],
        key: IdempotencyKey,
        principal: Principal,
    ) -> Response:
        """Take over what a month could have; what is filled is not touched."""

        def work(beside: Beside[Recorded]) -> Recorded:
            found = self._assets.proposing
            wanted = found.recurring(ym) if given.what == "recurring" else found.last_month(ym, given.kinds)
            return found.take(ym, wanted, who(principal), beside)

        asked = f"{asked_household.get()} POST {PATH}/copy/{ym}\n{given.model_dump_json()}".encode()
        return once(self._shell, principal, key, asked, work, lambda done: answered(recorded_answer(done)))

    def paste(
        self,
        ym: MonthAddress,
        given: Annotated[PasteBody, Body()],
        key: IdempotencyKey,
        principal: Principal,
    ) -> Response:
        """Enter a block from a spreadsheet; with `dry_run` it is only looked at."""

        def work(attempt: Attempt[PasteAnswer] | None) -> PasteAnswer:
            found = self._assets.pasting.preview(given.text, ym, given.seen)
            steps, taking = None if attempt is None else attempt.steps, self._assets.pasting
            done, whole = ([], None) if given.dry_run else taking.take(found, who(principal), steps)
            changes = [each.change.id for each in done if each.change is not None]
            cells = [_cell(each) for each in found.cells]
            change = None if whole is None else whole.id
            return PasteAnswer(cells=cells, seen=found.seen, changes=changes, change=change)

        asked = f"{asked_household.get()} POST {PATH}/paste/{ym}\n{given.model_dump_json()}".encode()
        with both_amounts():
            return once_by_steps(self._shell, principal, key, asked, work, answered)

    def rename_preview(
        self,
        type: TypeAddress,  # noqa: A002 - the path's own name
        asked: Annotated[RenameAsked, InAddress()],
        principal: Principal,
    ) -> Response:
        """What would be written again if a code were renamed."""
        return answered(_renamed(self._assets.renaming.preview(type, asked.old, asked.new), "preview"))

    def rename(
        self,
        type: TypeAddress,  # noqa: A002
        given: Annotated[RenameBody, Body()],
        key: IdempotencyKey,
        principal: Principal,
    ) -> Response:
        """Rename a code everywhere; broken off, the same request goes on."""

        def work(attempt: Attempt[RenamePreview] | None) -> RenamePreview:
            if attempt is None:
                return self._assets.renaming.rename(type, given.old, given.new, who(principal))
            return self._assets.renaming.rename(
                type, given.old, given.new, who(principal), lambda month: attempt.renew(), attempt.beside
            )

        asked = f"{asked_household.get()} POST {PATH}/rename/{type}\n{given.model_dump_json()}".encode()
        return once_by_steps(
            self._shell, principal, key, asked, work, lambda done: answered(_renamed(done, "done"))
        )


def _shown(each: Proposal) -> ProposalShown:
    return ProposalShown(
        kind=each.place.kind.name,
        parts=list(each.place.parts),
        amount=each.amount,
        reason=each.reason,
        is_steady=each.is_steady,
    )


def _cell(each: PastedCell) -> PastedCellShown:
    return PastedCellShown(
        row=each.row,
        column=each.column,
        text=each.text,
        name=each.name,
        month=each.month,
        state=each.state,
        kind=None if each.place is None else each.place.kind.name,
        parts=[] if each.place is None else list(each.place.parts),
        amount=each.amount,
        before=each.before,
    )


def _renamed(preview: RenamePreview, state: Literal["preview", "done"]) -> RenameAnswer:
    return RenameAnswer(
        type=preview.kind,
        old=preview.old,
        new=preview.new,
        entries=preview.entries,
        clashes=preview.clashes,
        state=state,
    )
