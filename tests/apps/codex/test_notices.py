"""Mails about inquiries over a real SMTP server that fails, stalls and recovers."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from email import message_from_bytes
from email.header import decode_header, make_header
from typing import Any

import pytest
from aiosmtpd.controller import Controller

from hansang.apps.codex.asking import Asking, InquiryAsked
from hansang.apps.codex.design import ContactInquiry, FMWebApp
from hansang.apps.codex.entities import ANY_TAG, EditedBy
from hansang.apps.codex.service import Codex
from hansang.apps.codex.settings import CodexSettings
from hansang.design import Database
from hansang.errors import Conflict
from hansang.parts.history import Actor, Change
from hansang.parts.mail import Mail, SmtpMailer
from hansang.parts.outbox import LEASE
from hansang.parts.platform import Platform
from hansang.parts.ses import SesMailer
from tests.apps.codex.site import company
from tests.clauses import clause
from tests.storing import opened, stored
from tests.surfaces.shells import SetClock

BY = EditedBy(Actor("operator", "test", "Test"))
ASKED: dict[str, Any] = {
    "name": "홍길동",
    "email": "user@example.com",
    "subject": "협업\r\nBcc: x@evil.example",
    "message": "안녕하세요",
    "consent": True,
}


class Inbox:
    """Takes mails as a server does: refuses, or takes them and is silent, as it is told."""

    def __init__(self) -> None:
        self.mails: list[Any] = []
        self.refusing, self.losing = 0, 0

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802 - aiosmtpd's name
        if self.refusing:
            self.refusing -= 1
            return "451 try later"
        self.mails.append((envelope.rcpt_tos[0], message_from_bytes(envelope.content)))
        if self.losing:
            self.losing -= 1
            server.transport.abort()
        return "250 OK"

    def seen(self) -> list[str]:
        """What a reader sees: a program shows a mail of one id once."""
        by_id = {
            mail["Message-ID"]: (to, str(make_header(decode_header(mail["Subject"]))))
            for to, mail in self.mails
        }
        return sorted(f"{to} {subject}" for to, subject in by_id.values())


class AnyPort(Controller):
    """A server on a port that is free."""

    def _trigger_server(self) -> None:
        listening: Any = self.server
        self.port = listening.sockets[0].getsockname()[1]
        super()._trigger_server()  # type: ignore[no-untyped-call]


@pytest.fixture
def inbox() -> Inbox:
    return Inbox()


@pytest.fixture
def server(inbox: Inbox) -> Iterator[Controller]:
    controller = AnyPort(inbox, hostname="127.0.0.1", port=0)
    try:
        controller.start()
        yield controller
    finally:
        controller.stop()


@pytest.fixture
def db() -> Iterator[Database]:
    with opened(FMWebApp, Platform) as found:
        found.put(company())
        yield found


def site(db: Database, server: Controller, clock: SetClock, **chosen: Any) -> Codex:
    return Codex(db, clock, CodexSettings(mail=f"smtp://127.0.0.1:{server.port}", **chosen))


def asked(codex: Codex, number: int = 1) -> ContactInquiry:
    given = InquiryAsked(**ASKED | {"subject": f"문의 {number}"})
    found: ContactInquiry = Asking(codex).receive(given, BY).subject
    return found


@clause("X4-28", "4-19")
def test_an_inquiry_is_kept_first_and_then_mailed_to_the_address_of_that_moment(
    db: Database, server: Controller, inbox: Inbox
) -> None:
    codex = site(db, server, SetClock(), mail_reply=True)
    made = asked(codex)
    assert (inbox.mails, made.notified_email) == ([], None)
    assert codex.notices.send_due() == (2, 0)
    assert inbox.seen() == ["contact@family.com [문의] 문의 1", "user@example.com 문의를 받았습니다: 문의 1"]
    kept, tag = codex.inquiries.get(made.id)
    assert kept.notified_email == "contact@family.com"
    db.put(company().model_copy(update={"email": "new@family.com"}))
    assert codex.notices.send_due() == (0, 0)
    assert codex.inquiries.get(made.id)[0].notified_email == "contact@family.com"
    codex.inquiries.answer(made.id, "네, 좋습니다.", tag, BY)
    assert codex.notices.send_due() == (1, 0)
    assert "user@example.com Re: 문의 1" in inbox.seen()
    assert codex.inquiries.get(made.id)[0].status == "in_progress"


@clause("X4-28")
def test_a_server_that_fails_loses_answers_and_recovers_gets_every_notice_once(
    db: Database, server: Controller, inbox: Inbox
) -> None:
    clock = SetClock()
    codex = site(db, server, clock)
    made = [asked(codex, number) for number in range(6)]
    inbox.refusing, inbox.losing = 3, 2
    sent, failed = codex.notices.send_due()
    assert (sent, failed) == (1, 5)
    flagged = [codex.inquiries.get(each.id)[0].notify_error for each in made]
    assert sum(each is not None for each in flagged) == 5
    clock.advance(61)
    assert codex.notices.send_due() == (5, 0)
    assert inbox.seen() == sorted(f"contact@family.com [문의] 문의 {number}" for number in range(6))
    assert len(inbox.mails) == 8
    after = [codex.inquiries.get(each.id)[0] for each in made]
    assert {(each.notified_email, each.notify_error) for each in after} == {("contact@family.com", None)}
    assert codex.notices.outbox.waiting() == []


@clause("X4-28")
def test_a_server_that_stalls_holds_nothing_up_for_ever(db: Database, inbox: Inbox) -> None:
    clock = SetClock()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        mailer = SmtpMailer(f"smtp://127.0.0.1:{silent.getsockname()[1]}", timeout=0.05)
        codex = Codex(db, clock, mailer=mailer)
        asked(codex)
        assert codex.notices.send_due() == (0, 1)
    [entry] = codex.notices.outbox.waiting()
    assert (entry.attempts, entry.address) == (1, None)


@clause("X4-28")
def test_a_killed_sender_leaves_the_notice_to_the_next_one(
    db: Database, server: Controller, inbox: Inbox
) -> None:
    clock = SetClock()
    codex = site(db, server, clock)
    asked(codex)

    class Killed(BaseException):
        """The process is gone after the server has taken the mail."""

    class Dying:
        def send(self, mail: Mail) -> None:
            SmtpMailer(codex.settings.mail).send(mail)
            raise Killed

    with pytest.raises(Killed):
        Codex(db, clock, mailer=Dying()).notices.send_due()
    db.put(company().model_copy(update={"email": "new@family.com"}))
    assert codex.notices.send_due() == (0, 0)
    clock.advance(LEASE.total_seconds())
    assert codex.notices.send_due() == (1, 0)
    assert (len(inbox.mails), inbox.seen()) == (2, ["contact@family.com [문의] 문의 1"])


def test_a_line_break_makes_no_header(inbox: Inbox, server: Controller, db: Database) -> None:
    codex = site(db, server, SetClock())
    Asking(codex).receive(InquiryAsked(**ASKED), BY)
    codex.notices.send_due()
    [(_, mail)] = inbox.mails
    assert mail["Bcc"] is None
    assert str(make_header(decode_header(mail["Subject"]))) == "[문의] 협업 Bcc: x@evil.example"


def test_ses_is_given_the_same_mail() -> None:
    class Client:
        def __init__(self) -> None:
            self.sent: list[dict[str, Any]] = []

        def send_email(self, **given: Any) -> None:
            self.sent.append(given)

    client = Client()
    SesMailer("ap-northeast-2", client).send(Mail("a@x.example", "b@x.example", "s", "text", "<1@x>"))
    [given] = client.sent
    assert given["Destination"] == {"ToAddresses": ["a@x.example"]}
    assert message_from_bytes(given["Content"]["Raw"]["Data"])["Message-ID"] == "<1@x>"


# ── personal data ─────────────────────────────────────────────────────────────────────────────────


@clause("X4-29")
def test_what_is_erased_on_request_is_in_no_table_any_more(db: Database) -> None:
    codex = Codex(db, SetClock())
    made = asked(codex)
    _, tag = codex.inquiries.get(made.id)
    codex.inquiries.set_status(made.id, "done", tag, BY)
    assert [each.id for each in codex.inquiries.each_of("USER@example.com")] == [made.id]
    assert codex.inquiries.erase("user@example.com", BY) == 1
    left = str(stored(db, FMWebApp)) + str(stored(db, Platform))
    assert not [each for each in ("홍길동", "user@example.com", "안녕하세요") if each in left]
    verbs = [each.verb for each in db.all(Change.in_area("codex"))]
    assert sorted(verbs) == ["create", "erase", "replace"]


@clause("X4-29", "X4-13")
def test_an_inquiry_is_erased_when_it_has_been_kept_for_its_time(db: Database) -> None:
    clock = SetClock()
    codex = Codex(db, clock, CodexSettings(inquiry_days=1))
    asked(codex)
    clock.advance(86_399)
    assert codex.inquiries.erase_expired(BY) == 0
    clock.advance(1)
    assert codex.inquiries.page().items == []
    assert codex.inquiries.erase_expired(BY) == 1
    assert "홍길동" not in str(stored(db, FMWebApp)) + str(stored(db, Platform))


@clause("X4-34")
def test_an_erasure_over_a_change_is_refused(db: Database) -> None:
    codex = Codex(db, SetClock())
    made = asked(codex)
    _, tag = codex.inquiries.get(made.id)
    codex.inquiries.set_status(made.id, "done", tag, BY)
    with pytest.raises(Conflict):
        codex.inquiries.delete(made.id, tag, BY)
    codex.inquiries.delete(made.id, ANY_TAG, BY)
