"""PartiQL as routes: a statement that reads is answered, one that writes is shown first and then run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import orjson
from fastapi import Body
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response

from hansang.apps.application import Application
from hansang.blueprint.explorer.statement_texts import quoted, select
from hansang.blueprint.explorer.statements import LONGEST, StatementPlan
from hansang.design import Entity
from hansang.design.codec import Value
from hansang.design.shape import Item
from hansang.design.visibility import visible
from hansang.errors import AlreadyExists, Conflict, HansangError, NotFound, WireError
from hansang.parts.editing import Edit
from hansang.parts.history import Actor
from hansang.parts.permissions import Principal, Role
from hansang.parts.receipts import Beside
from hansang.surfaces.api.endpoints import JSON, RouteGroup, answered
from hansang.surfaces.api.entities import CHANGE
from hansang.surfaces.api.parameters import Cursor
from hansang.surfaces.api.problems import Problem
from hansang.surfaces.api.repeats import IdempotencyKey, once
from hansang.surfaces.api.routes import ApiRoute
from hansang.surfaces.api.rules import Gate, expect
from hansang.surfaces.api.schemas import WireItem, WireValue
from hansang.surfaces.api.tags import IfMatchAtWill, needed
from hansang.surfaces.http.languages import language
from hansang.surfaces.http.request_ids import current
from hansang.surfaces.shell import Shell
from hansang.surfaces.statements import MOST, HandStatements, StatementAnswer, StatementPreview
from hansang.surfaces.wording import Wording

_MOST_PARAMETERS = 1_000
_CHANGED = {"200": {"headers": {CHANGE: {"schema": {"type": "string"}}}}}


class StatementGiven(BaseModel):
    """A statement and the values of its question marks."""

    model_config = ConfigDict(extra="forbid")

    statement: Annotated[str, Field(min_length=1, max_length=LONGEST)]
    parameters: Annotated[list[WireValue], Field(max_length=_MOST_PARAMETERS)] = []


class StatementAsked(StatementGiven):
    """A statement, how much of its answer is wanted, and whether only its plan is."""

    limit: Annotated[int, Field(ge=1, le=MOST)] = 25
    cursor: Cursor = None
    explain: bool = False


class StatementPlanShown(BaseModel):
    """How a statement gets to its items."""

    operation: Literal["GetItem", "Query", "Scan", "PutItem", "UpdateItem", "DeleteItem"]
    table: str
    index: str | None
    key_condition: str | None
    filter: str | None
    partitions: int
    estimated_read_units: float | None


class StatementAnswerShown(BaseModel):
    """A page of what a statement reads."""

    items: list[WireItem]
    cursor: str | None
    offset: int
    read_units: float
    is_partial: bool


class StatementPreviewShown(BaseModel):
    """What a statement would change."""

    key: WireItem
    before: WireItem | None
    after: WireItem | None
    etag: str | None
    write_units: float
    is_partial: bool
    nothing: Literal["taken", "missing", "unmatched", "same"] | None
    refused: str | None


class StatementShown(BaseModel):
    """The plan of a statement, and its answer or what it would change."""

    plan: StatementPlanShown
    answer: StatementAnswerShown | None
    preview: StatementPreviewShown | None


class StatementRunShown(BaseModel):
    """What a statement has changed."""

    plan: StatementPlanShown
    before: WireItem | None
    after: WireItem | None
    write_units: float
    is_partial: bool


@dataclass(frozen=True, slots=True)
class _StatementRun:
    """An edit, and what was said of it before."""

    plan: StatementPlan
    preview: StatementPreview
    edit: Edit[Item]


class StatementRoutes:
    """The two routes of an application for statements."""

    def __init__(
        self, shell: Shell, application: Application, gate: Gate, example: Entity | None = None
    ) -> None:
        self._shell, self._application, self._gate, self._example = shell, application, gate, example
        self._path = f"/api/{application.name}/partiql"

    def all(self) -> list[ApiRoute]:
        """Asking, which writes nothing, and running."""
        name = self._application.name
        group = RouteGroup(self._path, f"{name}.partiql", self._gate.allow(name, "read"))
        return [
            group.route(
                "POST", "", self.ask, StatementShown, extra={"x-problems": [404], **self._shown_as("SELECT")}
            ),
            group.route(
                "POST",
                "/run",
                self.run,
                StatementRunShown,
                rule=self._gate.allow(name, "write"),
                extra={"x-problems": [404], "responses": _CHANGED, **self._shown_as("DELETE")},
            ),
        ]

    def _shown_as(self, verb: str) -> dict[str, Any]:
        """An example for the document, on an item of the design."""
        if self._example is None:
            return {}
        shape: Any = type(self._example).__shape__
        key, name = shape.key(self._example.__dict__), self._shell.database.name(shape.table)
        at = " AND ".join(f"{quoted(each)} = ?" for each in key)
        begun = select(name, where=at) if verb == "SELECT" else f"{verb} FROM {quoted(name)} WHERE {at}"
        example = {"statement": begun, "parameters": [*key.values()]}
        return {"requestBody": {"content": {JSON: {"example": example}}}}

    # ── both ──────────────────────────────────────────────────────────────────────────────────────

    def ask(
        self, request: Request, given: Annotated[StatementAsked, Body()], principal: Principal
    ) -> Response:
        """Answer a statement that reads, or say what one that writes would change; nothing is written."""
        statements = self._statements(principal)
        with _refusals():
            plan = statements.plan(given.statement, given.parameters)
            if not plan.reads:
                expect(principal, self._application.name, "write")
                preview = _preview_shown(plan, statements.preview(plan), statements.role, request)
                return answered(StatementShown(plan=_plan_shown(plan), answer=None, preview=preview))
            shown = _plan_shown(plan, statements.estimate(plan, given.limit))
            if given.explain:
                return answered(StatementShown(plan=shown, answer=None, preview=None))
            answer = statements.answer(plan, given.limit, given.cursor or "")
        return answered(StatementShown(plan=shown, answer=_answer_shown(answer), preview=None))

    def run(
        self,
        given: Annotated[StatementGiven, Body()],
        seen: IfMatchAtWill,
        key: IdempotencyKey,
        principal: Principal,
    ) -> Response:
        """Run a statement that writes, if its item is still as it was seen; INSERT needs no tag."""
        asked = f"POST {self._path}/run\n{seen}\n".encode() + orjson.dumps(given.model_dump())

        def work(beside: Beside[_StatementRun]) -> _StatementRun:
            return self._run(given, seen, principal, beside)

        def told(run: _StatementRun) -> Response:
            return _told(run, principal.role(self._application.name))

        return once(self._shell, principal, key, asked, work, told)

    def _run(
        self,
        given: StatementGiven,
        seen: str | None,
        principal: Principal,
        beside: Beside[_StatementRun],
    ) -> _StatementRun:
        statements = self._statements(principal)
        with _refusals():
            plan = statements.plan_of_write(given.statement, given.parameters)
            preview = statements.preview(plan)
        if preview.etag and plan.statement.verb != "INSERT":
            needed(seen, preview.etag)
        preview.expect_open()
        try:
            edit = statements.run(
                plan,
                preview,
                Actor.of(principal),
                current.get(),
                lambda transaction, edit: beside(transaction, _StatementRun(plan, preview, edit)),
            )
        except (AlreadyExists, Conflict, NotFound) as late:
            raise Problem("changed-meanwhile", str(late)) from late
        return _StatementRun(plan, preview, edit)

    def _statements(self, principal: Principal) -> HandStatements:
        role = principal.role(self._application.name)
        return HandStatements(self._shell, self._application, role)


@contextmanager
def _refusals() -> Iterator[None]:
    """What DynamoDB itself would refuse, as the problem that it is over HTTP."""
    try:
        yield
    except WireError as refusal:
        raise Problem("refused", refusal.message or refusal.code) from refusal


# ── how they are told ─────────────────────────────────────────────────────────────────────────────


def _plan_shown(plan: StatementPlan, estimate: float | None = None) -> StatementPlanShown:
    return StatementPlanShown(
        operation=plan.operation,  # type: ignore[arg-type]  # One of the six.
        table=plan.name,
        index=None if plan.index is None else plan.index.name,
        key_condition=plan.key_condition or None,
        filter=plan.filter or None,
        partitions=plan.partitions,
        estimated_read_units=estimate,
    )


def _answer_shown(answer: StatementAnswer) -> StatementAnswerShown:
    return StatementAnswerShown(
        items=[each.seen for each in answer.items],
        cursor=answer.cursor,
        offset=answer.offset,
        read_units=answer.read_units,
        is_partial=answer.is_partial,
    )


def _preview_shown(
    plan: StatementPlan, preview: StatementPreview, role: Role | None, request: Request
) -> StatementPreviewShown:
    return StatementPreviewShown(
        key=preview.change.key,
        before=_seen(plan, preview.change.before, role),
        after=_seen(plan, preview.after, role),
        etag=preview.etag or None,
        write_units=preview.write_units,
        is_partial=preview.is_partial,
        nothing=preview.nothing or None,  # type: ignore[arg-type]  # One of the four.
        refused=None if preview.refused is None else _said(preview.refused, request),
    )


def _told(run: _StatementRun, role: Role | None) -> Response:
    preview, after = run.preview, None if run.preview.after is None else run.edit.subject
    shown = StatementRunShown(
        plan=_plan_shown(run.plan),
        before=_seen(run.plan, preview.change.before, role),
        after=_seen(run.plan, after, role),
        write_units=preview.write_units,
        is_partial=preview.is_partial,
    )
    change = {} if run.edit.change is None else {CHANGE: run.edit.change.id}
    return Response(shown.model_dump_json(), 200, change, JSON)


def _seen(plan: StatementPlan, item: Item | None, role: Role | None) -> dict[str, Value] | None:
    return None if item is None else visible(plan.table, item, role)


def _said(refusal: HansangError, request: Request) -> str:
    wording: Wording = request.app.state.wording
    return wording.said(refusal.code, language(request), refusal.values or {}) or str(refusal)
