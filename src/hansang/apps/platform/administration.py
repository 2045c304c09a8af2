"""Administration of people and keys: rights, the write and its line of history, in one verb for each thing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from hansang.apps.platform.accounts import Accounts
from hansang.apps.platform.api_keys import ApiKey
from hansang.apps.platform.grants import differing, expect_areas, expect_own, expect_say
from hansang.apps.platform.people import LINK_SECONDS
from hansang.apps.platform.person import Person
from hansang.errors import Conflict, InvalidInput
from hansang.parts.history import Actor, Change, History, Trace
from hansang.parts.permissions import EVERYWHERE, PLATFORM, Principal, check_scopes
from hansang.parts.receipts import Beside, alone
from hansang.parts.secrets import renew

if TYPE_CHECKING:  # Encryption takes a while to import.
    from hansang.parts.vault import Vault

_KEPT = {
    Person: ("shown_name", "roles", "disabled", "language", "theme", "password_changed_at"),
    ApiKey: ("label", "scopes", "expires_at", "revoked_at", "rate"),
}
"""What the history keeps of either: no secret."""


class Administration:
    """What one principal does to people and keys; what changes nothing leaves no line of history.

    A write and its line are in one transaction, with what is to be `beside` them. Everyone may change their own
    name, password, preferences and sessions; all else takes platform:admin, and the say over every right that is
    touched.
    """

    def __init__(
        self,
        accounts: Accounts,
        history: History,
        applications: Iterable[str],
        principal: Principal,
        request_id: str | None = None,
    ) -> None:
        """`applications` are the names of those that roles and scopes can be given for."""
        self.accounts = accounts
        self._history, self._applications = history, tuple(applications)
        self._principal, self._request_id = principal, request_id

    # ── people ────────────────────────────────────────────────────────────────────────────────────

    def create_person(
        self,
        name: str,
        shown_name: str,
        roles: Mapping[str, str],
        password: str | None = None,
        beside: Beside[Person] = alone,
    ) -> Person:
        """Someone new, or AlreadyExists."""
        expect_areas(self._applications, roles)
        expect_say(self._principal, [PLATFORM, *roles])
        return self.accounts.people.create(name, shown_name, roles, password, self._trace("create"), beside)

    def invite(self, name: str, shown_name: str, roles: Mapping[str, str]) -> tuple[Person, str]:
        """Someone new, and the token of the link that lets them in first."""
        made = self.create_person(name, shown_name, roles)
        return made, self.accounts.people.new_link(made.name)

    def as_seen(self, name: str, tag: str) -> Person:
        """The person, if this is still the tag; a Conflict if it is another one by now."""
        found = self.accounts.people.get(name)
        if found.tag != tag:
            raise Conflict(f"{found.name} was changed meanwhile. Look again and decide again.", found)
        return found

    def set_roles(self, seen: Person, roles: Mapping[str, str], beside: Beside[Person] = alone) -> Person:
        """Give these roles in place of those that were seen; a Conflict when they are others by now."""
        expect_areas(self._applications, roles.keys() - seen.roles.keys())
        expect_say(self._principal, [PLATFORM, *sorted(differing(seen.roles, roles))])
        return self.accounts.people.set_roles(seen.name, roles, seen, self._trace("roles", seen), beside)

    def disable(self, name: str, beside: Beside[Person] = alone) -> Person:
        """Let someone in no more, and end every session; LastOwner for the last owner."""
        person = self._administered(name)
        return self.accounts.people.disable(person.name, self._trace("disable", person), beside)

    def enable(self, name: str, beside: Beside[Person] = alone) -> Person:
        """Let someone in again."""
        person = self._administered(name)
        return self.accounts.people.enable(person.name, self._trace("enable", person), beside)

    def delete(self, name: str) -> Person:
        """Remove someone for good, and return who it was; LastOwner for the last owner."""
        person = self._administered(name)
        self.accounts.people.delete(person.name, self._trace("delete", person))
        self.accounts.sessions.end_all(person.name)
        return person

    def new_link(self, name: str, seconds: float = LINK_SECONDS, beside: Beside[str] = alone) -> str:
        """The token of a link that lets someone in once."""
        person = self._administered(name)
        return self.accounts.people.new_link(person.name, seconds, self._trace("link", person), beside)

    def end_sessions(self, name: str, digests: Collection[str] | None = None) -> int:
        """End all sessions of someone, or those with these digests; how many."""
        person, sessions = self._changeable(name), self.accounts.sessions
        found = [each for each in sessions.of(person.name) if digests is None or each.digest in digests]
        if not found:
            return 0
        return sessions.end_each(found, self._trace("sessions", person)(None, None))

    def rename(self, name: str, shown_name: str) -> Person:
        """Change how someone is called."""
        person = self._changeable(name)
        return self.accounts.people.set_shown_name(person.name, shown_name, self._trace("rename", person))

    def set_password(self, name: str, password: str) -> Person:
        """Give a new password, which ends every session and link of before."""
        person = self._changeable(name)
        changed = self.accounts.people.set_password(person.name, password, self._trace("password", person))
        self.accounts.sessions.end_all(person.name)
        return changed

    def set_preferences(self, name: str, language: str | None, theme: str | None) -> Person:
        """Keep both preferences; None is no preference."""
        person = self._changeable(name)
        return self.accounts.people.set_preferences(
            person.name, language, theme, self._trace("preferences", person)
        )

    # ── keys ──────────────────────────────────────────────────────────────────────────────────────

    def create_key(
        self,
        label: str,
        scopes: Collection[str],
        expires_at: datetime | None = None,
        beside: Beside[tuple[ApiKey, str]] = alone,
        *,
        rate: int | None = None,
    ) -> tuple[ApiKey, str]:
        """A new key and its text; it can do no more than its maker, and no longer or faster than its maker's key."""
        check_scopes(scopes, self._applications)
        expect_say(self._principal, [PLATFORM])
        expect_own(self._principal, scopes)
        self._expect_no_longer(expires_at)
        given = self._rate_given(rate)
        return self.accounts.keys.create(
            label, scopes, self._principal.name, expires_at, self._trace("create"), beside, rate=given
        )

    def revoke_key(self, id: str, beside: Beside[ApiKey] = alone) -> ApiKey:  # noqa: A002 - the field's own name
        """Let a key open nothing more; one that is revoked stays as it is."""
        expect_say(self._principal, [PLATFORM])
        key = self.accounts.keys.get(id)
        expect_own(self._principal, key.scopes)
        return self.accounts.keys.revoke(key.id, self._trace("revoke", key), beside)

    def _expect_no_longer(self, expires_at: datetime | None) -> None:
        """Refuse a key that would outlast the key that makes it."""
        asking = self._principal
        end = self.accounts.keys.get(asking.name).expires_at if asking.kind == "key" else None
        if end is not None and (expires_at is None or expires_at > end):
            raise InvalidInput(
                f"Your own key expires at {end:%Y-%m-%dT%H:%M:%SZ}. Give that time or an earlier one.",
                "expires_at",
            )

    def _rate_given(self, rate: int | None) -> int | None:
        """A key gives its own rate or a lower one; one without a rate of its own gives none."""
        asking = self._principal
        if asking.kind != "key":
            return rate
        own = self.accounts.keys.get(asking.name).rate
        if rate is None:
            return own
        if own is None or rate > own:
            raise InvalidInput(
                "Your own key cannot give this rate. Leave it out, or let a person make the key.",
                "rate",
                code="platform.key-faster",
            )
        return rate

    # ── secrets ───────────────────────────────────────────────────────────────────────────────────

    def renew_secrets(self, vault: Vault) -> int:
        """Make the secrets of the server anew and end every session; how many."""
        expect_say(self._principal, [EVERYWHERE])
        renew(self.accounts.database, vault)
        ended = sum(self.accounts.sessions.end_all(each.name) for each in list(self.accounts.people.each()))
        self._history.record(
            Actor.of(self._principal), PLATFORM, "Secret", "secrets", "renew", request_id=self._request_id
        )
        return ended

    # ── rights and history ────────────────────────────────────────────────────────────────────────

    def _administered(self, name: str) -> Person:
        """The person, if the principal has the say over all of their rights."""
        expect_say(self._principal, [PLATFORM])
        person = self.accounts.people.get(name)
        expect_say(self._principal, person.roles)
        return person

    def _changeable(self, name: str) -> Person:
        """The same; and everyone has the say over themselves."""
        is_own = self._principal.kind == "person" and self._principal.name == name
        return self.accounts.people.get(name) if is_own else self._administered(name)

    def _trace(self, verb: str, about: Person | ApiKey | None = None) -> Trace:
        """Makes the line of a change of someone or something, or of what there is after it."""

        def line(before: Person | ApiKey | None, after: Person | ApiKey | None) -> Change:
            subject = about or after
            assert subject is not None
            return self._history.line(
                Actor.of(self._principal),
                PLATFORM,
                type(subject).__name__,
                subject.name if isinstance(subject, Person) else subject.id,
                verb,
                before=_facts(before),
                after=_facts(after),
                request_id=self._request_id,
            )

        return line


def _facts(found: Person | ApiKey | None) -> dict[str, object] | None:
    return None if found is None else {name: _plain(getattr(found, name)) for name in _KEPT[type(found)]}


def _plain(value: object) -> object:
    return f"{value:%Y-%m-%dT%H:%M:%SZ}" if isinstance(value, datetime) else value
