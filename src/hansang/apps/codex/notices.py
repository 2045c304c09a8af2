"""Notices: mails about inquiries, written into the outbox with them and sent until they have arrived (X4-28)."""

from __future__ import annotations

from typing import Any

from hansang.apps.codex.design import ContactInquiry, ContactInquiryKey, CorpInfo, CorpInfoKey
from hansang.apps.codex.entities import AREA, Desk
from hansang.apps.codex.settings import CodexSettings
from hansang.design import attr
from hansang.design.transaction import Transaction
from hansang.parts.jobs import tell_progress
from hansang.parts.mail import Mail, Mailer, open_mailer
from hansang.parts.outbox import Outbox, OutboxEntry
from hansang.parts.words import Words

NOTICE, RECEIPT, ANSWER = "inquiry-notice", "inquiry-receipt", "inquiry-answer"
_RECEIVED = """{name} 님, 문의해 주셔서 감사합니다.

아래 문의를 받았습니다. 확인한 뒤 이 주소로 답해 드리겠습니다.

제목: {subject}

{message}

{company}
"""
_ASKED = """사이트에 새 문의가 왔습니다.

제목: {subject}
이름: {name}
회사: {company}
직함: {title}
이메일: {email}
알게 된 경로: {referral}

{message}
"""


class Notices:
    """The mails of the site."""

    def __init__(self, desk: Desk, settings: CodexSettings, mailer: Mailer | None = None) -> None:
        self._desk, self._settings = desk, settings
        self._given = mailer
        self.outbox = Outbox(desk.database, desk.clock, AREA)

    @property
    def is_on(self) -> bool:
        """Whether anything is mailed at all."""
        return self._given is not None or bool(self._settings.mail)

    # ── writing ───────────────────────────────────────────────────────────────────────────────────

    def add_received(self, transaction: Transaction, inquiry: ContactInquiry) -> None:
        """Note that the company, and if wanted the visitor, has to be told of an inquiry."""
        if not self.is_on:
            return
        self.outbox.add(transaction, NOTICE, inquiry.id, f"{inquiry.id}-notice")
        if self._settings.mail_reply:
            self.outbox.add(transaction, RECEIPT, inquiry.id, f"{inquiry.id}-receipt")

    def add_answer(self, transaction: Transaction, inquiry: ContactInquiry, number: int) -> None:
        """Note that an answer has to be sent to the visitor."""
        if self.is_on:
            self.outbox.add(transaction, ANSWER, f"{inquiry.id}#{number}", f"{inquiry.id}-answer-{number}")

    def forget(self, inquiry_id: str) -> None:
        """Drop what is still to be sent about an inquiry, with the addresses in it."""
        for entry in self.outbox.waiting():
            if entry.about.partition("#")[0] == inquiry_id:
                self.outbox.drop(entry)

    # ── sending ───────────────────────────────────────────────────────────────────────────────────

    def send_due(self) -> tuple[int, int]:
        """Send what is due; how many were sent, and how many could not be."""
        due, done = self.outbox.due(), 0
        mailer = self._given or (open_mailer(self._settings.mail) if due else None)
        for number, entry in enumerate(due, 1):
            assert mailer is not None
            done += self._deliver(entry, mailer)
            tell_progress(Words(f"{len(due):,}통 중 {number:,}통", f"{number:,} of {len(due):,} messages"))
        return done, len(due) - done

    def _deliver(self, entry: OutboxEntry, mailer: Mailer) -> bool:
        inquiry = self._inquiry(entry)
        if inquiry is None:
            self.outbox.drop(entry)
            return False

        def send(claimed: OutboxEntry, address: str) -> None:
            mailer.send(self._mail(claimed, inquiry, address))

        def sent(transaction: Transaction, claimed: OutboxEntry) -> None:
            if claimed.topic == NOTICE:
                updates: tuple[Any, ...] = (attr(ContactInquiry.notify_error).remove(),)
                if inquiry.notified_email is None:
                    updates = (*updates, attr(ContactInquiry.notified_email).set(claimed.address))
                transaction.update(ContactInquiryKey(id=inquiry.id), *updates)

        def failed(transaction: Transaction, told: OutboxEntry) -> None:
            if told.topic == NOTICE:
                error = attr(ContactInquiry.notify_error).set(told.error or "")
                transaction.update(ContactInquiryKey(id=inquiry.id), error)

        return self.outbox.deliver(entry, lambda _: self._address(entry, inquiry), send, sent, failed)

    def _inquiry(self, entry: OutboxEntry) -> ContactInquiry | None:
        key = ContactInquiryKey(id=entry.about.partition("#")[0])
        return self._desk.database.find(key, consistent=True)

    def _company(self) -> CorpInfo | None:
        return self._desk.database.find(CorpInfoKey(), consistent=True)

    def _address(self, entry: OutboxEntry, inquiry: ContactInquiry) -> str | None:
        """Whom an entry is for: the company's address of this moment, or the visitor."""
        if entry.topic != NOTICE:
            return inquiry.email
        company = self._company()
        return None if company is None else company.email or None

    def _mail(self, entry: OutboxEntry, inquiry: ContactInquiry, address: str) -> Mail:
        company = self._company()
        sender = self._settings.mail_from or (company.email if company is not None else "") or address
        message_id = f"<{entry.id}@{sender.rpartition('@')[2].strip('> ') or AREA}>"
        name = "" if company is None else company.name
        if entry.topic == NOTICE:
            told = _ASKED.format(**{each: getattr(inquiry, each) for each in _SHOWN})
            return Mail(address, sender, f"[문의] {inquiry.subject}", told, message_id, inquiry.email)
        if entry.topic == RECEIPT:
            told = _RECEIVED.format(
                name=inquiry.name, subject=inquiry.subject, message=inquiry.message, company=name
            )
            automatic = {"Auto-Submitted": "auto-replied"}
            return Mail(
                address, sender, f"문의를 받았습니다: {inquiry.subject}", told, message_id, None, automatic
            )
        answers = inquiry.answers or []
        number = int(entry.about.partition("#")[2])
        return Mail(address, sender, f"Re: {inquiry.subject}", answers[number].text, message_id)


_SHOWN = ("subject", "name", "company", "title", "email", "referral", "message")
