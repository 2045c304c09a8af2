"""Inquiries: what visitors ask, how far they are answered, and what the law wants of personal data (X4-29)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any, cast

from hansang.apps.codex.design import ContactInquiry, InquiryStatus, InquiryStep
from hansang.apps.codex.entities import Desk, EditedBy, Entities, expect_tag
from hansang.apps.codex.pipeline import Given
from hansang.design import Page
from hansang.errors import InvalidInput, NotAllowed
from hansang.parts.editing import Edit

NEXT: dict[InquiryStatus, frozenset[InquiryStatus]] = {
    "new": frozenset({"in_progress", "done", "spam"}),
    "in_progress": frozenset({"new", "done", "spam"}),
    "done": frozenset({"in_progress", "spam"}),
    "spam": frozenset({"new"}),
}
"""What the status of an inquiry can become (X4-27)."""
OF_VISITOR = ("name", "email", "company", "title", "referral", "subject", "message", "consented_at")
"""What a visitor wrote, which nobody changes afterwards."""


class Inquiries(Entities[ContactInquiry]):
    """The inbox."""

    def __init__(self, desk: Desk, kept: timedelta | None = None) -> None:
        super().__init__(desk, desk.pipeline.registry.of(ContactInquiry))
        self._kept = kept

    def create(self, given: Given, by: EditedBy, **more: Any) -> Edit[ContactInquiry]:
        """Keep an inquiry; `more` are fields that the application gives."""
        now = self.desk.pipeline.now
        first = {"status": "new", "history": [InquiryStep(at=now, status="new")]}
        expiry = {} if self._kept is None else {"expires_at": now + self._kept}
        made = cast(ContactInquiry, self.desk.pipeline.made(self.type, given, **first, **expiry, **more))
        return self.desk.editing.create(made, by.actor, by.request_id, by.beside)

    def replace(self, entity_id: str, given: Given, tag: str, by: EditedBy) -> Edit[ContactInquiry]:
        """Change the status, the assignee, the memo or the expiry; a new status is a step of its history."""
        seen, found = self.get(entity_id)
        expect_tag(seen, found, tag)
        kept: dict[str, Any] = {
            "notified_email": seen.notified_email,
            "notify_error": seen.notify_error,
            "history": seen.history,
        }
        wanted = cast(ContactInquiry, self.desk.pipeline.changed(self.type, seen, given, **kept))
        expect_own(seen, wanted)
        changed = self._stepped(seen, wanted, by)
        return self.desk.editing.replace(changed, found, by.actor, by.request_id, by.beside)

    def set_status(
        self, entity_id: str, status: InquiryStatus, tag: str, by: EditedBy
    ) -> Edit[ContactInquiry]:
        """Take an inquiry one step further."""
        seen, found = self.get(entity_id)
        expect_tag(seen, found, tag)
        wanted = seen.model_copy(update={"status": status, "updated_at": self.desk.pipeline.now})
        changed = self._stepped(seen, wanted, by)
        return self.desk.editing.replace(changed, found, by.actor, by.request_id, by.beside)

    def _stepped(self, seen: ContactInquiry, wanted: ContactInquiry, by: EditedBy) -> ContactInquiry:
        if wanted.status == seen.status:
            return wanted
        if wanted.status not in NEXT[seen.status]:
            raise NotAllowed(
                "An inquiry that is {before} cannot become {after}. It can become {known}.",
                code="codex.no-step",
                values={
                    "before": seen.status,
                    "after": wanted.status,
                    "known": ", ".join(sorted(NEXT[seen.status])),
                },
            )
        step = InquiryStep(at=self.desk.pipeline.now, status=wanted.status, by=by.actor.shown)
        return wanted.model_copy(update={"history": [*(seen.history or ()), step]})

    def page(self, limit: int = 20, cursor: str | None = None) -> Page[ContactInquiry]:
        """The inquiries that are kept, the newest first; what has expired is not shown (X4-13)."""
        page, now = super().page(limit, cursor), self.desk.pipeline.now
        left = [each for each in page.items if each.expires_at is None or each.expires_at > now]
        return Page(left, page.cursor, page.offset, page.unreadable)

    # ── on request of a person ────────────────────────────────────────────────────────────────────

    def each_of(self, email: str) -> Iterator[ContactInquiry]:
        """Everything that a person has sent, by the address given."""
        wanted = email.strip().casefold()
        found = self.desk.database.each(ContactInquiry.latest(), unreadable=lambda _: None)
        return (each for each in found if each.email.casefold() == wanted)


def expect_own(seen: ContactInquiry, wanted: ContactInquiry) -> None:
    """Refuse to change what a visitor wrote."""
    for name in OF_VISITOR:
        if getattr(seen, name) != getattr(wanted, name):
            raise InvalidInput(
                "What a visitor wrote cannot be changed: {attribute}.",
                name,
                code="codex.visitors-words",
                values={"attribute": name},
            )
