"""Nobody gives, takes or changes a right that they do not have themselves."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from hansang.errors import InvalidInput, NotAllowed
from hansang.parts.permissions import ACTIONS, EVERYWHERE, PLATFORM, Principal


def expect_areas(applications: Iterable[str], areas: Iterable[str]) -> None:
    """Refuse roles of something that is not there; `applications` are the names of those that are."""
    known = (EVERYWHERE, PLATFORM, *applications)
    for area in areas:
        if area not in known:
            raise InvalidInput(
                "Area {area} not found. There are {known}.",
                "roles",
                code="platform.no-area",
                values={"area": area, "known": ", ".join(known)},
            )


def expect_say(principal: Principal, areas: Iterable[str]) -> None:
    """Refuse whoever has no say over one of these areas."""
    for area in areas:
        if not principal.may(area, "admin"):
            raise NotAllowed(
                "This takes {area}:admin, because it is about rights in {area}.",
                code="platform.needs-admin",
                values={"area": area},
            )


def expect_own(principal: Principal, scopes: Collection[str]) -> None:
    """Refuse to give a scope that the giver does not have."""
    for scope in sorted(scopes):
        if not has(principal, scope):
            raise NotAllowed(
                "You cannot give {scope}, because you do not have it.",
                code="platform.cannot-give",
                values={"scope": scope},
            )


def has(principal: Principal, scope: str) -> bool:
    """Whether the principal may do all that the scope allows."""
    area, _, action = scope.partition(":")
    return any(action == each and principal.may(area, each) for each in ACTIONS)


def differing(before: Mapping[str, str], after: Mapping[str, str]) -> set[str]:
    """The areas in which two sets of roles are not the same."""
    return {area for area in {*before, *after} if before.get(area) != after.get(area)}
