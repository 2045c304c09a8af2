"""Inquiries as routes: everyone may send one; reading them is for administrators (X4-29)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import Body
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from hansang.apps.codex.api.documents import DocumentRoutes
from hansang.apps.codex.asking import VISITOR, Asking, InquiryAsked
from hansang.apps.codex.design import ContactInquiry
from hansang.apps.codex.entities import EditedBy
from hansang.parts.editing import Edit
from hansang.parts.permissions import Principal
from hansang.parts.receipts import Beside
from hansang.surfaces.api.endpoints import answered
from hansang.surfaces.api.problems import Problem
from hansang.surfaces.api.repeats import IdempotencyKey, once
from hansang.surfaces.api.routes import ApiRoute
from hansang.surfaces.api.rules import Gate, Public
from hansang.surfaces.http.origins import UNKNOWN, network_of
from hansang.surfaces.http.principals import find_principal
from hansang.surfaces.http.rates import Rates
from hansang.surfaces.http.request_ids import current
from hansang.surfaces.shell import Shell


class InquiryReceived(BaseModel):
    """That an inquiry has arrived; nothing else of it is told to whoever sent it."""

    id: str
    received_at: datetime


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
        own = [each for each in super().all() if "POST" not in (each.methods or ())]
        send = self._group.route("POST", "", self.send, InquiryReceived, 201, rule=Public())
        return [send, *own]

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
