"""People who may sign in: their names, their roles, their passwords."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterator, Mapping

from hansang.apps.platform.passwords import Passwords, check_strength
from hansang.apps.platform.person import Owners, Person, PersonKey, write_person
from hansang.apps.platform.sign_in_links import SignInLinks
from hansang.apps.platform.throttle import GrowingDelay, Throttle
from hansang.apps.platform.tokens import RandomBytes, new_token
from hansang.clock import Clock
from hansang.design import Database, Page, Unreadable, attr
from hansang.errors import (
    AlreadyExists,
    Busy,
    Conflict,
    DataError,
    InvalidInput,
    LastOwner,
    NotAllowed,
    NotFound,
    SignInRefused,
    Throttled,
)
from hansang.parts.account_changes import AccountChange, Told, nobody
from hansang.parts.history import Trace
from hansang.parts.permissions import check_roles
from hansang.parts.receipts import Beside, alone
from hansang.parts.themes import THEMES
from hansang.parts.timestamps import to_whole_second
from hansang.parts.words import LANGUAGES

FAILURES, FAILURES_OF_ORIGIN, WINDOW = 5, 20, 15 * 60
"""Wrong passwords for one name before each one more has to wait, and from one origin, in so many seconds."""
LINK_SECONDS = 15 * 60
"""How long a link lets someone in, unless it is said otherwise."""
REFUSED = "The name or the password is wrong."
LINK_REFUSED = "The link has been used or has expired. Ask for a new one."

_NAME = re.compile(r"[a-z0-9._-]{3,40}")
_LONGEST_SHOWN_NAME = 80
_ROUNDS = 20


class People:
    """The people of the platform; once there is an owner there always is one."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        *,
        passwords: Passwords | None = None,
        random_bytes: RandomBytes = secrets.token_bytes,
        told: Told = nobody,
    ) -> None:
        """`told` hears of every change of somebody's rights."""
        self.told = told
        self._database, self._clock, self._random_bytes = database, clock, random_bytes
        self._passwords = passwords or Passwords()
        self._links = SignInLinks(database, clock, random_bytes)
        self._tries = GrowingDelay(database, clock, "name", FAILURES, WINDOW)
        self._tries_of_device = GrowingDelay(database, clock, "device", FAILURES, WINDOW)
        self._tries_of_origin = Throttle(database, clock, "origin", FAILURES_OF_ORIGIN, WINDOW)

    def get(self, name: str) -> Person:
        """The person of this name, or NotFound."""
        found = self.find(name)
        if found is None:
            raise NotFound("Person {name} not found.", code="platform.no-person", values={"name": name})
        return found

    def rights(self, name: str) -> frozenset[str] | None:
        """What an account may do now: nothing while it is disabled, None if there is none of this name."""
        return _rights(self.find(name))

    def find(self, name: str) -> Person | None:
        """The person of this name, in any case of its letters, or None."""
        plain = _plain(name)
        known = _NAME.fullmatch(plain) is not None
        return self._database.find(PersonKey(name=plain), consistent=True) if known else None

    def page(self, limit: int = 50, cursor: str | None = None) -> Page[Person]:
        """People by name, a page at a time."""
        return self._database.page(Person.everyone(), limit, cursor)

    def each(self, *, unreadable: Callable[[Unreadable], object] | None = None) -> Iterator[Person]:
        """All people by name, read as they are used; one who cannot be read is an error, or goes to `unreadable`."""
        return self._database.each(Person.everyone(), unreadable=unreadable)

    # ── changing ──────────────────────────────────────────────────────────────────────────────────

    def create(
        self,
        name: str,
        shown_name: str,
        roles: Mapping[str, str],
        password: str | None = None,
        trace: Trace | None = None,
        beside: Beside[Person] = alone,
    ) -> Person:
        """Someone new, or AlreadyExists; without a password it takes a link to sign in."""
        now, plain = to_whole_second(self._clock()), _checked_name(name)
        person = Person(
            name=plain,
            shown_name=_checked_shown_name(shown_name),
            roles=check_roles(roles),
            password_hash=None if password is None else self._hashed(password, plain),
            password_changed_at=None if password is None else now,
            created_at=now,
            stamp=new_token(self._random_bytes),
        )
        return self._write(lambda: None, lambda _: person, trace, beside) or person

    def set_password(self, name: str, password: str, trace: Trace | None = None) -> Person:
        """Give a new password; the sessions and links of before are over, and so is a lock-out."""
        person = self.get(name)
        changes = {
            "password_hash": self._hashed(password, person.name),
            "password_changed_at": to_whole_second(self._clock()),
            "stamp": new_token(self._random_bytes),
        }
        changed = self._change(person.name, changes, trace)
        self._tries.clear(person.name)
        return changed

    def set_shown_name(self, name: str, shown_name: str, trace: Trace | None = None) -> Person:
        """Change how someone is called; the name to sign in with stays."""
        return self._change(name, {"shown_name": _checked_shown_name(shown_name)}, trace)

    def set_preferences(
        self, name: str, language: str | None, theme: str | None, trace: Trace | None = None
    ) -> Person:
        """Keep both preferences; None is no preference."""
        _expect_one_of("language", language, LANGUAGES)
        _expect_one_of("theme", theme, THEMES)
        return self._change(name, {"language": language, "theme": theme}, trace)

    def set_roles(
        self,
        name: str,
        roles: Mapping[str, str],
        seen: Person | None = None,
        trace: Trace | None = None,
        beside: Beside[Person] = alone,
    ) -> Person:
        """Give these roles instead of those of before; LastOwner if no owner would be left.

        With the person as `seen` before, a Conflict when the roles are others by now.
        """
        return self._change(name, {"roles": check_roles(roles)}, trace, seen, beside)

    def disable(self, name: str, trace: Trace | None = None, beside: Beside[Person] = alone) -> Person:
        """Let someone in no more, and end every session; LastOwner for the last owner."""
        changes = {"disabled": True, "stamp": new_token(self._random_bytes)}
        return self._change(name, changes, trace, beside=beside)

    def enable(self, name: str, trace: Trace | None = None, beside: Beside[Person] = alone) -> Person:
        """Let someone in again."""
        return self._change(name, {"disabled": False}, trace, beside=beside)

    def delete(self, name: str, trace: Trace | None = None) -> None:
        """Remove someone for good; LastOwner for the last owner."""
        self._write(lambda: self.get(name), lambda _: None, trace)

    def _change(
        self,
        name: str,
        changes: Mapping[str, object],
        trace: Trace | None,
        seen: Person | None = None,
        beside: Beside[Person] = alone,
    ) -> Person:
        def changed(found: Person | None) -> Person:
            assert found is not None
            if seen is not None and found.roles != seen.roles:
                raise Conflict(
                    "The roles of {name} were changed meanwhile. Read them again.",
                    found,
                    code="platform.roles-changed",
                    values={"name": found.name},
                )
            return found.model_copy(update=changes)

        written = self._write(lambda: self.get(name), changed, trace, beside)
        assert written is not None
        return written

    def _write(
        self,
        read: Callable[[], Person | None],
        change: Callable[[Person | None], Person | None],
        trace: Trace | None,
        beside: Beside[Person] = alone,
    ) -> Person | None:
        """Read, change and write, again and again until nobody came between; without a difference, nothing."""
        for _ in range(_ROUNDS):
            seen = read()
            wanted = change(seen)
            if wanted == seen:
                return seen
            try:
                line = None if trace is None else trace(seen, wanted)
                write_person(self._database, seen, wanted, line, beside)
            except (AlreadyExists, Conflict, NotFound, Throttled) as error:
                _expect_passing(error)
                continue
            self._tell(seen, wanted)
            return wanted
        raise Busy("Others are changing the same person. Try again.", code="platform.person-busy")

    def _tell(self, seen: Person | None, wanted: Person | None) -> None:
        person = wanted or seen
        if person is not None and _rights(seen) != _rights(wanted):
            self.told(AccountChange(person.name, _rights(wanted) or frozenset()))

    # ── signing in ────────────────────────────────────────────────────────────────────────────────

    def check_password(self, name: str, password: str, origin: str, device: str | None = None) -> Person:
        """The person whose name and password these are; SignInRefused, LockedOut after too many tries.

        What is wrong is not said, and takes the same time. A success forgets the tries for the name, and
        takes only itself from those of the origin, so that nobody clears those of others. A `device` where this person
        has signed in before has tries of its own, so that those of strangers do not keep it waiting.
        """
        plain = _plain(name)
        if device is not None:
            self._tries_of_device.take(f"{plain} {device}")
            person = self._fitting(plain, password)
            self._tries_of_device.clear(f"{plain} {device}")
            return person
        taken = self._tries_of_origin.take(origin)
        self._tries.take(plain)
        person = self._fitting(plain, password)
        self._tries.clear(plain)
        self._tries_of_origin.give_back(origin, taken)
        return person

    def _fitting(self, name: str, password: str) -> Person:
        """The person of this name, if this is the password."""
        person = self.find(name)
        fits = self._passwords.fits(None if person is None else person.password_hash, password)
        if person is None or not fits or person.disabled:
            raise SignInRefused(REFUSED, code="platform.wrong-password")
        return self._refreshed(person, password)

    def new_link(
        self,
        name: str,
        ttl_seconds: float = LINK_SECONDS,
        trace: Trace | None = None,
        beside: Beside[str] = alone,
    ) -> str:
        """The token of a link that lets someone in once; NotAllowed when the person is disabled."""
        person = self.get(name)
        if person.disabled:
            raise NotAllowed(
                "{name} is disabled. Enable the account first.",
                code="platform.disabled",
                values={"name": person.name},
            )
        change = None if trace is None else trace(None, None)
        return self._links.create(person.name, person.stamp, ttl_seconds, change, beside)

    def redeem(self, token: str) -> Person:
        """The person whom a link lets in, for the first who uses it in time; else SignInRefused."""
        link = self._links.use_up(token)
        person = None if link is None else self.find(link.name)
        if link is None or person is None or person.disabled or person.stamp != link.stamp:
            raise SignInRefused(LINK_REFUSED, code="platform.link-used")
        return person

    def _hashed(self, password: str, name: str) -> str:
        check_strength(password, name)
        return self._passwords.hashed(password)

    def _refreshed(self, person: Person, password: str) -> Person:
        """The person, with a hash as strong as today's are."""
        seen = person.password_hash
        if seen is None or not self._passwords.is_outdated(seen):
            return person
        change = attr(Person.password_hash).set(self._passwords.hashed(password))
        try:
            return self._database.update(
                PersonKey(name=person.name), change, when=Person.password_hash == seen
            )
        except DataError:
            return person


def _rights(person: Person | None) -> frozenset[str] | None:
    """What somebody may do: nothing while they are disabled, None for nobody."""
    if person is None:
        return None
    return frozenset() if person.disabled else person.scopes


def _expect_passing(error: DataError) -> None:
    """Refuse for good what another try would not change."""
    item = getattr(error, "item", None)
    if isinstance(error, Conflict) and isinstance(item, Owners):
        raise LastOwner(
            "Nobody would be left who owns everything. Make someone else an owner of * first.",
            code="platform.last-owner",
        ) from error
    if isinstance(error, AlreadyExists) and isinstance(item, Person):
        raise AlreadyExists(
            "The name {name} is already taken. Choose another name.",
            item,
            code="platform.name-taken",
            values={"name": item.name},
        ) from error


def _plain(name: str) -> str:
    return name.strip().casefold()


def _checked_name(name: str) -> str:
    plain = _plain(name)
    if not _NAME.fullmatch(plain):
        raise InvalidInput(
            "{name!r} is not a valid sign-in name. It has 3 to 40 of the letters a to z, digits, . _ and -.",
            "name",
            code="platform.not-a-name",
            values={"name": name},
        )
    return plain


def _checked_shown_name(shown_name: str) -> str:
    shown = " ".join(shown_name.split())
    if not 1 <= len(shown) <= _LONGEST_SHOWN_NAME or not shown.isprintable():
        raise InvalidInput(
            "A name has 1 to {most} characters.",
            "shown_name",
            code="platform.shown-name",
            values={"most": _LONGEST_SHOWN_NAME},
        )
    return shown


def _expect_one_of(field: str, value: str | None, known: tuple[str, ...]) -> None:
    if value is not None and value not in known:
        raise InvalidInput(
            "{value!r} is not a valid {field}. There are {known}.",
            field,
            code="platform.not-a-choice",
            values={"value": value, "field": field, "known": ", ".join(known)},
        )


__all__ = ["FAILURES", "FAILURES_OF_ORIGIN", "WINDOW", "People", "Person", "PersonKey"]
