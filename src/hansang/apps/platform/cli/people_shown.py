"""How the commands show people and their sessions."""

from __future__ import annotations

from typing import Any

from hansang.apps.platform.people import Person
from hansang.apps.platform.sessions import Session
from hansang.parts.permissions import EVERYWHERE


def plain_person(person: Person) -> dict[str, Any]:
    """A person as JSON has it; no secret is in it."""
    return {
        "name": person.name,
        "shown_name": person.shown_name,
        "roles": dict(sorted(person.roles.items())),
        "disabled": person.disabled,
        "has_password": person.password_hash is not None,
        "language": person.language,
        "theme": person.theme,
        "created_at": person.created_at,
    }


def plain_session(session: Session) -> dict[str, Any]:
    """A session as JSON has it."""
    return {
        "origin": session.origin,
        "agent": session.agent,
        "created_at": session.created_at,
        "last_seen_at": session.last_seen_at,
        "expires_at": session.expires_at,
    }


def state_of(person: Person) -> str:
    """Whether the person can sign in, in a word or two."""
    if person.disabled:
        return "disabled"
    return "enabled" if person.password_hash is not None else "no password"


def shown_roles(person: Person) -> str:
    """The roles in a sentence: owner of everything, viewer of news."""
    if not person.roles:
        return "without any role"
    places = {EVERYWHERE: "everything"}
    return ", ".join(f"{role} of {places.get(area, area)}" for area, role in sorted(person.roles.items()))
