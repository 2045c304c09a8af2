"""Inquiries as routes: everyone may send one; reading them is for administrators (X4-29)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import Body
from fastapi import Query as InAddress
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response

from hansang.apps.codex.api.documents import (
    WRITTEN,
    DocumentRoutes,
    EntityId,
    both_versions,
    edited_by,
    wanted_tag,
)
from hansang.apps.codex.asking import VISITOR, Asking, InquiryAsked
from hansang.apps.codex.design import ContactInquiry, InquiryStatus
from hansang.apps.codex.entities import EditedBy
from hansang.design import Page
from hansang.design.inputs import Email
from hansang.parts.editing import Edit
from hansang.parts.history import Actor
from hansang.parts.permissions import Principal
from hansang.parts.rates import Rates
from hansang.parts.receipts import Beside
from hansang.surfaces.api.endpoints import answered
from hansang.surfaces.api.lists import list_answer
from hansang.surfaces.api.parameters import Exported
from hansang.surfaces.api.problems import Problem
from hansang.surfaces.api.repeats import Attempt, IdempotencyKey, once, once_by_steps
from hansang.surfaces.api.routes import ApiRoute
from hansang.surfaces.api.rules import Gate, Public
from hansang.surfaces.api.tags import IfMatch
from hansang.surfaces.http.origins import UNKNOWN, network_of
from hansang.surfaces.http.principals import find_principal
from hansang.surfaces.http.request_ids import current
from hansang.surfaces.naming import Naming
from hansang.surfaces.shell import Shell


class InquiryReceived(BaseModel):
    """That an inquiry has arrived; nothing else of it is told to whoever sent it."""

    id: str
    received_at: datetime


class InquiriesAsked(Exported):
    """Which inquiries are asked for: all, those of a person, or those of a status."""

    email: Annotated[str | None, Field(max_length=254)] = None
    status: InquiryStatus | None = None


class AnswerGiven(BaseModel):
    """An answer to the visitor."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"example": {"text": "연락 드리겠습니다."}})

    text: Annotated[str, Field(min_length=1, max_length=20_000)]


class ErasureGiven(BaseModel):
    """The address of the person whose inquiries are erased."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"example": {"email": "user@example.com"}})

    email: Annotated[Email, Field(min_length=3, max_length=254)]


class ErasureDone(BaseModel):
    """How many inquiries were erased."""

    erased: int


class InquiryRoutes(DocumentRoutes):
    """The inbox, and the way into it."""

    subject = ContactInquiry
    reads = "admin"
    writes = "admin"

    def __init__(self, shell: Shell, gate: Gate) -> None:
        super().__init__(shell, gate)
        self._asking = Asking(self._codex)
        self._rates = Rates(self._codex.settings.inquiries_a_minute)

    def all(self) -> list[ApiRoute]:
        """Those of every type; the one that creates is public."""
        replaced = (f"{self._name}.create", f"{self._name}.page")
        own = [each for each in super().all() if each.name not in replaced]
        return [
            self._group.route("GET", "", self.inbox, self._page),
            self._group.route("POST", "", self.send, InquiryReceived, 201, rule=Public()),
            self._group.route("POST", "/erase", self.erase, ErasureDone),
            *own,
            self._group.route("POST", "/{id}/answer", self.answer, self._shown, extra=WRITTEN),
        ]

    def inbox(
        self, request: Request, asked: Annotated[InquiriesAsked, InAddress()], principal: Principal
    ) -> Response:
        """All inquiries, the newest first, or those of a person."""

        def page(limit: int, cursor: str | None) -> Page[ContactInquiry]:
            if asked.email is not None:
                return Page(list(self._codex.inquiries.each_of(asked.email)), None, 0)
            found = self._codex.inquiries.page(limit, cursor)
            kept = [each for each in found if asked.status in (None, each.status)]
            return Page(kept, found.cursor, found.offset, found.unreadable)

        naming = Naming(self._shell, principal)
        return list_answer(request, asked, naming, self._page, page, self.in_list, "codex-inquiries")

    def answer(
        self,
        at: EntityId,
        given: Annotated[AnswerGiven, Body()],
        seen: IfMatch,
        key: IdempotencyKey,
        principal: Principal,
    ) -> Response:
        """Answer the visitor by mail."""
        tag = wanted_tag(seen)

        def work(beside: Beside[Edit[Any]]) -> Edit[Any]:
            with both_versions(self._codex, given):
                return self._codex.inquiries.answer(at, given.text, tag, edited_by(principal, beside))

        asked = self._asked("POST", f"/{at}/answer {tag}", given)
        return once(self._shell, principal, key, asked, work, self.saved)

    def erase(
        self, given: Annotated[ErasureGiven, Body()], key: IdempotencyKey, principal: Principal
    ) -> Response:
        """Erase everything that a person has sent, also from the history."""

        def work(attempt: Attempt[int] | None) -> int:
            return self._codex.inquiries.erase(given.email, EditedBy(Actor.of(principal), current.get()))

        def told(count: int) -> Response:
            return answered(ErasureDone(erased=count))

        return once_by_steps(self._shell, principal, key, self._asked("POST", "/erase", given), work, told)

    def send(self, request: Request, given: Annotated[InquiryAsked, Body()], key: IdempotencyKey) -> Response:
        """Send an inquiry, with consent to the use of what it says; a few a minute from one address."""
        network = network_of(getattr(request.state, "origin", UNKNOWN))
        wait = self._rates.take(network, self._shell.clock())
        if wait:
            raise Problem("too-many-requests", headers={"Retry-After": str(int(wait) + 1)})
        known = find_principal(self._shell, request)
        sender = known or Principal("server", f"visitor {network}", VISITOR.shown, frozenset())

        def work(beside: Beside[Edit[Any]]) -> Edit[Any]:
            return self._asking.receive(given, EditedBy(VISITOR, current.get(), beside))

        def told(edit: Edit[Any]) -> Response:
            received = InquiryReceived(id=edit.subject.id, received_at=edit.subject.created_at)
            return answered(received, 201)

        asked = f"POST {self._path}\n{given.model_dump_json()}".encode()
        return once(self._shell, sender, key, asked, work, told)
