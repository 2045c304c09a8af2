"""Mail: one plain text to one address, over SMTP or by SES."""

from __future__ import annotations

import smtplib
import ssl
from dataclasses import dataclass, field
from email.message import EmailMessage
from typing import Protocol
from urllib.parse import unquote, urlsplit

from hansang.errors import SettingsError
from hansang.parts.outbox import NotSent

TIMEOUT = 20.0
"""How many seconds a mail server may be silent."""
_PORTS = {"smtp": 25, "smtps": 465}


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail. Its id is the same however often it is sent, so that a reader's program shows it once."""

    to: str
    sender: str
    subject: str
    text: str
    id: str
    reply_to: str | None = None
    headers: dict[str, str] = field(default_factory=dict)

    def message(self) -> EmailMessage:
        """The mail as it is sent; a line break in a header is none of a sender's."""
        found = EmailMessage()
        named = {"To": self.to, "From": self.sender, "Subject": self.subject, "Message-ID": self.id}
        if self.reply_to is not None:
            named["Reply-To"] = self.reply_to
        for name, value in {**named, **self.headers}.items():
            found[name] = _one_line(value)
        found.set_content(self.text)
        return found


class Mailer(Protocol):
    """Sends mails."""

    def send(self, mail: Mail) -> None:
        """Send a mail; NotSent if it has certainly not arrived."""


class SmtpMailer:
    """Sends over SMTP, encrypted where the server can."""

    def __init__(self, url: str, timeout: float = TIMEOUT) -> None:
        parts = urlsplit(url)
        if parts.scheme not in _PORTS or not parts.hostname:
            raise not_a_mailer(url)
        self._host, self._port = parts.hostname, parts.port or _PORTS[parts.scheme]
        self._is_tls = parts.scheme == "smtps"
        self._user, self._password = unquote(parts.username or ""), unquote(parts.password or "")
        self._timeout = timeout

    def send(self, mail: Mail) -> None:
        """Send a mail; what is refused before its text was taken has certainly not arrived."""
        message = mail.message()
        try:
            server = self._connected()
        except (OSError, smtplib.SMTPException) as fault:
            raise NotSent(f"The mail server {self._host} cannot be used: {fault}") from fault
        try:
            server.send_message(message)
        except (
            smtplib.SMTPRecipientsRefused,
            smtplib.SMTPSenderRefused,
            smtplib.SMTPDataError,
        ) as fault:
            raise NotSent(f"The mail server {self._host} refuses the mail: {fault}") from fault
        finally:
            _leave(server)

    def _connected(self) -> smtplib.SMTP:
        context = ssl.create_default_context()
        server: smtplib.SMTP
        if self._is_tls:
            server = smtplib.SMTP_SSL(self._host, self._port, timeout=self._timeout, context=context)
        else:
            server = smtplib.SMTP(self._host, self._port, timeout=self._timeout)
        try:
            server.ehlo()
            if not self._is_tls and server.has_extn("starttls"):
                server.starttls(context=context)
                server.ehlo()
            if self._user:
                server.login(self._user, self._password)
        except BaseException:
            server.close()
            raise
        return server


def _leave(server: smtplib.SMTP) -> None:
    """Say goodbye; a server that does not answer any more is left."""
    try:
        server.quit()
    except (OSError, smtplib.SMTPException):
        server.close()


def open_mailer(place: str) -> Mailer:
    """What sends mail: smtp://USER:PASSWORD@HOST:PORT, smtps://… or ses:REGION."""
    scheme, _, rest = place.partition(":")
    if scheme != "ses":
        return SmtpMailer(place)
    # boto3 takes a while to import, and most mail goes over SMTP.
    from hansang.parts.ses import SesMailer

    return SesMailer(rest)


def not_a_mailer(place: str) -> SettingsError:
    scheme = place.partition(":")[0]
    return SettingsError(
        f"Mail cannot be sent by {scheme}. Give smtp://HOST:PORT, smtps://USER:PASSWORD@HOST or ses:REGION."
    )


def _one_line(text: str) -> str:
    return " ".join("".join(each if each.isprintable() else " " for each in text).split())
