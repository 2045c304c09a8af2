"""Sessions: who has signed in where, for how long, and the tokens of their forms."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Sequence
from typing import Annotated

from itsdangerous import BadSignature, Signer

from hansang.apps.platform.person import Person, PersonKey
from hansang.apps.platform.tokens import RandomBytes, digest, new_token
from hansang.clock import Clock
from hansang.design import Attr, Database, Entity, Expiry, Key, Query, SecretField, Timestamp, attr, pattern
from hansang.design.transaction import LARGEST, Transaction
from hansang.errors import UnexpectedItem
from hansang.parts.aside import Aside, at_once
from hansang.parts.history import Change, write_with
from hansang.parts.platform import Platform
from hansang.parts.timestamps import to_datetime, to_whole_second

_DAY = 24 * 60 * 60
LONGEST, LONGEST_IDLE = 30 * _DAY, 7 * _DAY
"""A session ends so many seconds after it began, and after it was seen last."""
TOUCHED_EVERY = 5 * 60
MOST_SESSIONS = 50
"""Of one person; whoever signs in once more loses the one that was seen least lately."""
_LONGEST_AGENT = 200
_LONGEST_ORIGIN = 100


class SessionKey(Key["Session"], pk="SESSIONS#{name}", sk="SESSION#{digest}"):
    """The key of a session: whose it is, and the digest of its id."""

    name: str
    digest: str


class Session(SessionKey, Entity, table=Platform, type="Session"):
    """Someone who has signed in on one device."""

    origin: str
    agent: str
    created_at: Timestamp
    last_seen_at: Timestamp
    stamp: Annotated[str, SecretField()]
    expires_at: Annotated[Expiry, Attr("ExpiresAt")]

    @pattern
    def of_person(cls, name: str) -> Query[Session]:
        """The sessions of one person."""
        return cls.query(Session.name == name).consistent()


class Sessions:
    """The sessions of everyone; a cookie carries a name and a random id, signed, and only its digest is kept."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        secret: bytes,
        *,
        random_bytes: RandomBytes = secrets.token_bytes,
        aside: Aside = at_once,
    ) -> None:
        self._database, self._clock, self._secret, self._random_bytes = database, clock, secret, random_bytes
        self._aside = aside
        self._signer = Signer(secret, salt="hansang session", digest_method=hashlib.sha256)

    def start(self, person: Person, origin: str, agent: str) -> str:
        """Begin a session of someone who has just signed in; the value of its cookie."""
        self._make_room(person.name)
        now, token = int(self._clock()), new_token(self._random_bytes)
        session = Session(
            name=person.name,
            digest=digest(token),
            origin=origin[:_LONGEST_ORIGIN],
            agent=agent[:_LONGEST_AGENT],
            created_at=to_whole_second(now),
            last_seen_at=to_whole_second(now),
            stamp=person.stamp,
            expires_at=to_whole_second(now + LONGEST_IDLE),
        )
        self._database.put(session)
        return self._signer.sign(f"{person.name}:{token}").decode()

    def find(self, cookie: str) -> tuple[Session, Person] | None:
        """The session of a cookie and whose it is; None when it is forged, over, or its person may not sign in."""
        key = self._key(cookie)
        session = None if key is None else self._readable(key)
        if session is None or session.expires_at <= to_datetime(self._clock()):
            return None
        person = self._database.find(PersonKey(name=session.name), consistent=True)
        if person is None or person.disabled or person.stamp != session.stamp:
            return None
        return self._touched(session), person

    def of(self, name: str) -> list[Session]:
        """The sessions of someone that are not over, the one seen last first; one that cannot be read is none."""
        now = to_datetime(self._clock())
        each_session = self._database.each(Session.of_person(name), unreadable=lambda _: None)
        found = [each for each in each_session if each.expires_at > now]
        return sorted(found, key=lambda each: each.last_seen_at, reverse=True)

    def _readable(self, key: SessionKey) -> Session | None:
        try:
            return self._database.find(key, consistent=True)
        except UnexpectedItem:
            return None

    def end(self, session: SessionKey) -> None:
        """End one session."""
        self._database.delete(SessionKey(name=session.name, digest=session.digest))

    def end_all(self, name: str) -> int:
        """End every session of someone; how many."""
        return self.end_each(self.of(name))

    def end_each(self, sessions: Sequence[SessionKey], change: Change | None = None) -> int:
        """End these sessions, as many as can be in the transaction of the line of it; how many."""
        keys = [SessionKey(name=each.name, digest=each.digest) for each in sessions]
        together = [] if change is None else keys[: LARGEST - 2]  # Its line, and that of the audit log.

        def steps(transaction: Transaction) -> None:
            for key in together:
                transaction.delete(key)

        write_with(self._database, change, steps)
        self._database.batch_write(deletes=keys[len(together) :])
        return len(keys)

    def _make_room(self, name: str) -> None:
        for each in self.of(name)[MOST_SESSIONS - 1 :]:
            self.end(each)

    def _touched(self, session: Session) -> Session:
        """The session, noted as seen now if that was not done lately; nobody waits for the note."""
        now = int(self._clock())
        if now - session.last_seen_at.timestamp() < TOUCHED_EVERY:
            return session
        end = min(now + LONGEST_IDLE, session.created_at.timestamp() + LONGEST)
        changes = (
            attr(Session.last_seen_at).set(to_whole_second(now)),
            attr(Session.expires_at).set(to_whole_second(end)),
        )
        key, same = (
            SessionKey(name=session.name, digest=session.digest),
            Session.last_seen_at == session.last_seen_at,
        )
        noted = self._aside(lambda: self._database.update(key, *changes, when=same))
        return noted or session

    def _key(self, cookie: str) -> SessionKey | None:
        try:
            name, _, token = self._signer.unsign(cookie).decode().partition(":")
        except (BadSignature, UnicodeError):
            return None
        return SessionKey(name=name, digest=digest(token))

    # ── forms ─────────────────────────────────────────────────────────────────────────────────────

    def csrf(self, session: SessionKey | str) -> str:
        """What every form of a session carries, given the session or its cookie.

        Before anyone has signed in, give any random text that the browser keeps in a cookie.
        """
        key = self._key(session) if isinstance(session, str) else session
        if key is None:
            return self.mark("form", str(session))
        return self.mark("session", f"{key.name} {key.digest}")

    def check_csrf(self, session: SessionKey | str, token: str) -> bool:
        """Whether a form carries what those of this session do."""
        return hmac.compare_digest(self.csrf(session).encode(), token.encode("utf-8", "surrogatepass"))

    def mark(self, purpose: str, text: str) -> str:
        """What only this server can put on a text; a mark for one purpose is worth nothing for another."""
        about = f"hansang {purpose}\0{text}".encode("utf-8", "surrogatepass")
        return hmac.digest(self._secret, about, "sha256").hex()
