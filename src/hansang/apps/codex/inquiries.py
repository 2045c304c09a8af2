"""Inquiries: what visitors ask, how far they are answered, and what the law wants of personal data (X4-29)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any, cast

from hansang.apps.codex.design import ContactInquiry, FMWebApp, InquiryAnswer, InquiryStatus, InquiryStep
from hansang.apps.codex.entities import ANY_TAG, AREA, Desk, EditedBy, Entities, expect_tag
from hansang.apps.codex.notices import Notices
from hansang.apps.codex.pipeline import Given
from hansang.design import Page
from hansang.design.requests import shape_of
from hansang.design.transaction import Transaction
from hansang.errors import InvalidInput, NotAllowed
from hansang.parts.editing import Edit
from hansang.parts.history import subject_of, write_with

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

    def __init__(self, desk: Desk, notices: Notices, kept: timedelta | None = None) -> None:
        super().__init__(desk, desk.pipeline.registry.of(ContactInquiry))
        self._notices, self._kept = notices, kept

    def create(self, given: Given, by: EditedBy, **more: Any) -> Edit[ContactInquiry]:
        """Keep an inquiry; `more` are fields that the application gives."""
        now = self.desk.pipeline.now
        first = {"status": "new", "history": [InquiryStep(at=now, status="new")]}
        expiry = {} if self._kept is None else {"expires_at": now + self._kept}
        made = cast(ContactInquiry, self.desk.pipeline.made(self.type, given, **first, **expiry, **more))

        def beside(transaction: Transaction, edit: Edit[Any]) -> None:
            by.beside(transaction, edit)
            self._notices.add_received(transaction, made)

        return self.desk.editing.create(made, by.actor, by.request_id, beside)

    def replace(self, entity_id: str, given: Given, tag: str, by: EditedBy) -> Edit[ContactInquiry]:
        """Change the status, the assignee, the memo or the expiry; a new status is a step of its history."""
        seen, found = self.get(entity_id)
        expect_tag(seen, found, tag)
        kept: dict[str, Any] = {
            "notified_email": seen.notified_email,
            "notify_error": seen.notify_error,
            "history": seen.history,
            "answers": seen.answers,
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

    def answer(self, entity_id: str, text: str, tag: str, by: EditedBy) -> Edit[ContactInquiry]:
        """Answer a visitor by mail; a new inquiry is in progress from then on."""
        seen, found = self.get(entity_id)
        expect_tag(seen, found, tag)
        now, before = self.desk.pipeline.now, seen.answers or []
        answers = [*before, InquiryAnswer(at=now, by=by.actor.shown, text=text)]
        status = "in_progress" if seen.status == "new" else seen.status
        wanted = seen.model_copy(update={"answers": answers, "status": status, "updated_at": now})

        def beside(transaction: Transaction, edit: Edit[Any]) -> None:
            by.beside(transaction, edit)
            self._notices.add_answer(transaction, seen, len(before))

        changed = self._stepped(seen, wanted, by)
        return self.desk.editing.replace(changed, found, by.actor, by.request_id, beside)

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

    # ── erasing ───────────────────────────────────────────────────────────────────────────────────

    def delete(self, entity_id: str, tag: str, by: EditedBy) -> Edit[ContactInquiry]:
        """Erase an inquiry, also from the history: what stays is that there was one, and who erased it."""
        seen, found = self.get(entity_id)
        expect_tag(seen, found, tag)
        item = shape_of(seen).encode(seen)
        line = self.desk.history.line(
            by.actor, AREA, "ContactInquiry", subject_of(FMWebApp, item), "erase", request_id=by.request_id
        )
        edit = Edit(seen, found, line)
        self.desk.history.forget(line.subject)

        def steps(transaction: Transaction) -> None:
            by.beside(transaction, edit)
            transaction.delete_item(FMWebApp, item)

        write_with(self.desk.database, line, steps)
        return edit

    def erase(self, email: str, by: EditedBy) -> int:
        """Erase everything that a person has sent; how many inquiries that were. Broken off, it can be done again."""
        found = list(self.each_of(email))
        for each in found:
            self.delete(each.id, ANY_TAG, EditedBy(by.actor, by.request_id))
        return len(found)

    def erase_expired(self, by: EditedBy) -> int:
        """Erase what has been kept for as long as it may."""
        now = self.desk.pipeline.now
        every = self.desk.database.all(ContactInquiry.latest(), unreadable=lambda _: None)
        over = [each for each in every if each.expires_at is not None and each.expires_at <= now]
        for each in over:
            self.delete(each.id, ANY_TAG, by)
        return len(over)

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
