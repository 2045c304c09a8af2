"""A person, and the one way in which someone becomes, stays or ceases to be an owner."""

from __future__ import annotations

from hashlib import sha256
from typing import Annotated

from hansang.design import Database, Entity, Key, Query, SecretField, Timestamp, all_of, attr, pattern
from hansang.design.transaction import Transaction
from hansang.parts.history import Change, write_with
from hansang.parts.permissions import EVERYWHERE, Role, scopes_of
from hansang.parts.platform import Platform
from hansang.parts.receipts import Beside, alone


class PersonKey(Key["Person"], pk="PEOPLE", sk="PERSON#{name}"):
    """The key of a person: the name that is typed to sign in, in small letters."""

    name: str


class Person(PersonKey, Entity, table=Platform, type="Person"):
    """Someone who may sign in."""

    shown_name: str
    password_hash: Annotated[str | None, SecretField()] = None
    roles: dict[str, Role]
    language: str | None = None
    theme: str | None = None
    disabled: bool = False
    created_at: Timestamp
    password_changed_at: Timestamp | None = None
    stamp: Annotated[str, SecretField()]
    """Sessions and links carry it; those with another one are over."""

    @property
    def scopes(self) -> frozenset[str]:
        """What the roles allow."""
        return scopes_of(self.roles)

    @property
    def tag(self) -> str:
        """A text that is another one when anything about the person is, without a trace of the secrets."""
        shown = self.model_dump_json(exclude={"password_hash", "stamp"})
        return sha256(shown.encode()).hexdigest()[:32]

    @property
    def is_owner(self) -> bool:
        """Whether this one may do everything, everywhere, now."""
        return not self.disabled and self.roles.get(EVERYWHERE) == "owner"

    @pattern
    def everyone(cls) -> Query[Person]:
        """All people, by name."""
        return cls.query().consistent()


class OwnersKey(Key["Owners"], pk="PEOPLE", sk="OWNERS"):
    """The key of the number of owners."""


class Owners(OwnersKey, Entity, table=Platform, type="Owners"):
    """How many people own everything and can sign in."""

    count: int


ACCEPTED = {
    "Person H201": "The people of one server, written when they change.",
    "Person H205": "One role for each application, and there are few.",
}
"""What the review finds and the design accepts, with the reason."""


def write_person(
    database: Database,
    seen: Person | None,
    wanted: Person | None,
    change: Change | None = None,
    beside: Beside[Person] = alone,
) -> None:
    """Create, change or delete a person, count the owners anew and keep the line of it, in one transaction.

    It goes through only if the person has the roles and the stamp that were seen, and if an owner is left: the error
    of the last owner is a Conflict that carries `Owners`. Two owners who demote each other at the same
    time cannot both succeed, because both take from the one number.
    """
    step = _owners(wanted) - _owners(seen)
    first = step > 0 and database.find(OwnersKey(), consistent=True) is None

    def steps(transaction: Transaction) -> None:
        if wanted is not None:
            beside(transaction, wanted)
        _add_person(transaction, seen, wanted)
        if first:
            transaction.create(Owners(count=1))
        elif step:
            enough = None if step > 0 else Owners.count > 1
            transaction.update(OwnersKey(), attr(Owners.count).add(step), when=enough)

    write_with(database, change, steps)


def _owners(person: Person | None) -> int:
    return int(person is not None and person.is_owner)


def _add_person(transaction: Transaction, seen: Person | None, wanted: Person | None) -> None:
    if seen is None:
        assert wanted is not None
        transaction.create(wanted)
        return
    key = PersonKey(name=seen.name)
    same = all_of(Person.roles == seen.roles, Person.disabled == seen.disabled, Person.stamp == seen.stamp)
    if wanted is None:
        transaction.delete(key, when=same)
        return
    names = [name for name in Person.model_fields if getattr(seen, name) != getattr(wanted, name)]
    transaction.update(
        key, *(attr(getattr(Person, name)).set(getattr(wanted, name)) for name in names), when=same
    )
