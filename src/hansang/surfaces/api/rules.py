"""Who may use a route: every route carries one rule, as data, and a test walks them all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fastapi import Depends
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from hansang.parts.permissions import Action, Principal
from hansang.surfaces.api.problems import Problem
from hansang.surfaces.http.principals import Principals, credential_of, find_principal
from hansang.surfaces.http.public import expect_unhurried
from hansang.surfaces.shell import Shell

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
CSRF = "X-CSRF-Token"


@dataclass(frozen=True, slots=True)
class Public:
    """Everyone may."""

    async def __call__(self, request: Request) -> None:
        """Nobody is asked."""

    async def check(self, request: Request) -> None:
        """Let everyone pass."""


@dataclass(frozen=True, slots=True)
class PublicRead(Public):
    """Everyone may read; whoever shows a key that opens nothing is told so, and guests are counted apart."""

    gate: Gate

    async def __call__(self, request: Request) -> None:
        """Find out whether it is a guest who asks."""
        await self.check(request)

    async def check(self, request: Request) -> None:
        """The same; a session that has ended is a guest's."""
        if hasattr(request.state, "is_guest"):
            return
        shown = credential_of(request)
        is_key = shown is not None and shown.kind == "key"
        request.state.is_guest = shown is None or (not is_key and not await self.gate.is_known(request))
        if request.state.is_guest:
            expect_unhurried(request)
        elif is_key:
            await self.gate.principal(request)


class Gate:
    """Finds out who is asking, and lets nobody else in."""

    def __init__(self, shell: Shell) -> None:
        self._shell, self._principals = shell, Principals(shell)

    def allow(self, area: str, action: Action) -> Allow:
        """The rule of a route: whoever may do that there."""
        return Allow(self, area, action)

    def readable(self, area: str) -> Rule:
        """The rule of a route that writes nothing: whoever may read there; everyone, if the application is public."""
        return PublicRead(self) if self._shell.is_public(area) else self.allow(area, "read")

    def known(self) -> Allow:
        """The rule of a route that is everyone's who has signed in or has a key."""
        return Allow(self)

    async def principal(self, request: Request) -> Principal:
        """Who is asking, or a problem."""
        found = self._remembered(request) or await run_in_threadpool(find_principal, self._shell, request)
        if found is None:
            raise _unknown(request)
        if found.session is not None and request.method not in SAFE:
            self._expect_csrf(request)
        return found

    async def is_known(self, request: Request) -> bool:
        """Whether it is found out who is asking."""
        return await run_in_threadpool(find_principal, self._shell, request) is not None

    def _remembered(self, request: Request) -> Principal | None:
        """A key that was looked up a moment ago needs no thread."""
        state = request.scope.setdefault("state", {})
        principals: Principals = state.setdefault("principals", self._principals)
        found = principals.remembered(request)
        if found is not None:
            state["principal"] = found
        return found

    def _expect_csrf(self, request: Request) -> None:
        if not self._shell.identity.check_csrf(request.state.session, request.headers.get(CSRF, "")):
            raise Problem("missing-csrf")


def _unknown(request: Request) -> Problem:
    shown = credential_of(request) is not None
    return Problem("not-signed-in", headers={"WWW-Authenticate": _CHALLENGES[shown]})


_CHALLENGES = {
    False: 'Bearer realm="hansang"',
    True: 'Bearer realm="hansang", error="invalid_token"',
}


@dataclass(frozen=True, slots=True)
class Allow:
    """Whoever has the scope may; without an action, whoever is known may."""

    gate: Gate
    area: str = ""
    action: Action | None = None

    async def __call__(self, request: Request) -> Principal:
        """Who is asking, if that one may."""
        rule, principal = getattr(request.state, "allowed", (None, None))
        return principal if rule == self and principal is not None else await self.check(request)

    async def check(self, request: Request) -> Principal:
        """Find out who is asking, and refuse that one or remember it for the request."""
        principal = await self.gate.principal(request)
        if self.action is not None:
            expect(principal, self.area, self.action)
        request.state.allowed = self, principal
        return principal


Rule = Public | Allow


def expect(principal: Principal, area: str, action: Action) -> None:
    """Refuse whoever may not do that there."""
    if not principal.may(area, action):
        scope = f"{area}:{action}"
        reason, values = f"This takes the scope {scope}.", {"scope": scope}
        raise Problem("missing-scope", reason, said="surfaces.missing-scope", values=values)


def rule_of(route: Any) -> Rule | None:
    """The rule that a route carries, or None."""
    found = (each.call for each in route.dependant.dependencies)
    return next((each for each in found if isinstance(each, Public | Allow)), None)


def public() -> Any:
    """A dependency for a route that is everyone's."""
    return Depends(Public())
