"""What a visitor sends: checked, with consent, and kept before anybody is told of it (X4-28, X4-29)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from hansang.apps.codex.entities import EditedBy
from hansang.apps.codex.service import Codex
from hansang.design.inputs import Email
from hansang.parts.editing import Edit
from hansang.parts.history import Actor

VISITOR = Actor("server", "visitor", "Visitor")
_EXAMPLE: dict[str, JsonValue] = {
    "name": "홍길동",
    "email": "user@example.com",
    "company": "패밀리매니지먼트",
    "title": "팀장",
    "referral": "search",
    "subject": "협업 문의",
    "message": "협업 관련해서 문의드립니다.",
    "consent": True,
}


class InquiryAsked(BaseModel):
    """An inquiry as a visitor sends it; `website` is for programs that fill in everything, and stays empty."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"example": _EXAMPLE})

    name: Annotated[str, Field(min_length=1, max_length=100)]
    email: Annotated[Email, Field(min_length=3, max_length=254)]
    company: Annotated[str, Field(max_length=200)] = ""
    title: Annotated[str, Field(max_length=100)] = ""
    referral: Annotated[str, Field(max_length=200)] = ""
    subject: Annotated[str, Field(min_length=1, max_length=200)]
    message: Annotated[str, Field(min_length=1, max_length=5_000)]
    consent: Literal[True]
    website: Annotated[str, Field(max_length=500)] = ""


class Asking:
    """Takes inquiries in."""

    def __init__(self, codex: Codex) -> None:
        self._codex = codex

    def receive(self, asked: InquiryAsked, by: EditedBy) -> Edit[Any]:
        """Keep an inquiry; one that a program has filled in is answered alike, and not kept."""
        given = asked.model_dump(exclude={"consent", "website"})
        pipeline = self._codex.desk.pipeline
        consented = {"consented_at": pipeline.now}
        if asked.website:
            made: Any = pipeline.made(self._codex.inquiries.type, given, **consented)
            return Edit(made, "", None)
        return self._codex.inquiries.create(given, by, **consented)
