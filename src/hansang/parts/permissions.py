"""Who may do what: roles, the scopes that they mean, and whoever asks."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from hansang.design import marks
from hansang.errors import InvalidInput

Role = marks.Role
"""Every role, the greatest first. What a surface offers, and the words for it, follow from this and `_OF_ROLE`."""
Action = Literal["read", "write", "admin"]

ROLES: tuple[Role, ...] = marks.ROLES
ACTIONS: tuple[Action, ...] = get_args(Action)
"""Each one includes those before it."""
EVERYWHERE = "*"
"""All applications and the platform itself."""
PLATFORM = "platform"
"""The area of people, keys, jobs and changes."""

_OF_ROLE: dict[Role, tuple[Action, ...]] = {"viewer": ACTIONS[:1], "editor": ACTIONS[:2], "owner": ACTIONS}
_AREA = re.compile(r"\*|[a-z][a-z0-9_-]{0,39}")


def scopes_of(roles: Mapping[str, Role]) -> frozenset[str]:
    """The scopes that roles by area mean: an editor of news has news:read and news:write."""
    return frozenset(f"{area}:{action}" for area, role in roles.items() for action in _OF_ROLE[role])


def allows(scopes: Collection[str], area: str, action: Action) -> bool:
    """Whether the scopes cover an action in an area; `*` covers every area, admin covers write covers read."""
    enough = ACTIONS[ACTIONS.index(action) :]
    return any(f"{place}:{each}" in scopes for place in (area, EVERYWHERE) for each in enough)


def known_scopes(areas: Iterable[str]) -> tuple[str, ...]:
    """Every scope that there is, where these are the applications."""
    places = dict.fromkeys((EVERYWHERE, PLATFORM, *areas))
    return tuple(f"{area}:{action}" for area in places for action in ACTIONS)


def check_scopes(scopes: Collection[str], areas: Iterable[str]) -> None:
    """Refuse scopes that are not there, and none at all."""
    known = known_scopes(areas)
    unknown = sorted(set(scopes).difference(known))
    if unknown:
        raise InvalidInput(
            "Scope {unknown} not found. There are {known}.",
            "scopes",
            code="parts.no-scope",
            values={"unknown": ", ".join(unknown), "known": ", ".join(known)},
        )
    check_scope_forms(scopes)


def check_scope_forms(scopes: Collection[str]) -> None:
    """Refuse what is not of the form AREA:ACTION, and none at all."""
    if not scopes:
        raise InvalidInput("Give at least one scope, such as news:read.", "scopes", code="parts.scope-needed")
    for scope in scopes:
        area, _, action = scope.partition(":")
        if not _AREA.fullmatch(area) or action not in ACTIONS:
            raise InvalidInput(
                "{scope!r} is not a valid scope. One is news:write, for example.",
                "scopes",
                code="parts.not-a-scope",
                values={"scope": scope},
            )


def check_roles(roles: Mapping[str, str]) -> dict[str, Role]:
    """The roles by area, or a refusal of what is no role and no area."""
    for area, role in roles.items():
        if not _AREA.fullmatch(area):
            raise InvalidInput(
                "{area!r} is not a valid application. Give its name, or * for all.",
                "roles",
                code="parts.not-an-area",
                values={"area": area},
            )
        if role not in ROLES:
            raise InvalidInput(
                "{role!r} is not a valid role. There are {known}.",
                "roles",
                code="parts.not-a-role",
                values={"role": role, "known": ", ".join(ROLES)},
            )
    return {area: role for area, role in roles.items() if role in ROLES}


def role_in(scopes: Collection[str], area: str) -> Role | None:
    """What scopes make somebody in an area: who may write there is an editor."""
    return next((role for role in ROLES if allows(scopes, area, _OF_ROLE[role][-1])), None)


@dataclass(frozen=True, slots=True)
class Principal:
    """Whoever asks: a person with a session, a key, the operator at a command, or the server itself."""

    kind: Literal["person", "key", "operator", "server"]
    name: str
    """The sign-in name of a person, the id of a key."""
    shown: str
    """How people call it."""
    scopes: frozenset[str]
    session: str | None = None
    """The digest of the session, for a person who has signed in."""

    def may(self, area: str, action: Action) -> bool:
        """Whether this one may do that there."""
        return allows(self.scopes, area, action)

    def role(self, area: str) -> Role | None:
        """What this one is there, by what it may do: a key that may write is an editor."""
        return role_in(self.scopes, area)
