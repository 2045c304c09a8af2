"""People as routes: who may sign in, with which roles."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import Annotated, Any

from fastapi import Body
from fastapi import Path as InPath
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response

from hansang.apps.platform.accounts import accounts_of
from hansang.apps.platform.api.administering import administered
from hansang.apps.platform.passwords import LONGEST, SHORTEST
from hansang.apps.platform.people import LINK_SECONDS
from hansang.apps.platform.person import Person
from hansang.errors import Conflict
from hansang.parts.permissions import PLATFORM, Principal, Role
from hansang.parts.receipts import Beside
from hansang.surfaces.api.endpoints import Answering, RouteGroup, answered
from hansang.surfaces.api.lists import list_answer
from hansang.surfaces.api.parameters import Listed
from hansang.surfaces.api.problems import Problem
from hansang.surfaces.api.repeats import IdempotencyKey, once
from hansang.surfaces.api.routes import ApiRoute
from hansang.surfaces.api.rules import Gate
from hansang.surfaces.api.tags import TAGGED, IfMatch, needed, quoted
from hansang.surfaces.api.unreadable import ListPage
from hansang.surfaces.http.origins import base_of
from hansang.surfaces.naming import Naming
from hansang.surfaces.shell import Shell

PATH = "/api/platform/people"

Roles = Annotated[
    dict[str, Role],
    Field(examples=[{"news": "editor"}]),
]
Name = Annotated[str, InPath(max_length=100)]


class PersonShown(BaseModel):
    """Someone who may sign in."""

    name: str
    shown_name: str
    roles: dict[str, Role]
    language: str | None
    disabled: bool
    has_password: bool
    created_at: datetime
    password_changed_at: datetime | None


class PeoplePage(ListPage):
    """A page of people, by name."""

    items: list[PersonShown]


class PersonDraft(BaseModel):
    """Someone new."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(examples=["seoyeon"])
    shown_name: str = Field(examples=["윤서연"])
    roles: Roles
    password: str | None = Field(
        None,
        min_length=SHORTEST,
        max_length=LONGEST,
    )


class RolesDraft(BaseModel):
    """The roles that someone is to have instead of those of before."""

    model_config = ConfigDict(extra="forbid")

    roles: Roles


class SignInLinkShown(BaseModel):
    """A link that lets someone in once."""

    url: str | None
    seconds: int


class PeopleRoutes:
    """Everything about people that can be done from outside."""

    def __init__(self, shell: Shell, gate: Gate) -> None:
        self._shell, self._accounts = shell, accounts_of(shell.identity)
        self._group = RouteGroup(PATH, "platform.people", gate.allow(PLATFORM, "admin"))

    def all(self) -> list[ApiRoute]:
        """Listing, creating, giving roles, letting in and no more."""
        return [
            self._route("GET", "", self.page, PeoplePage),
            self._route("POST", "", self.create, PersonShown, 201),
            self._route("GET", "/{name}", self.read, PersonShown),
            self._route("PUT", "/{name}/roles", self.set_roles, PersonShown, problems=(412, 428)),
            self._route("POST", "/{name}/disable", self.disable, PersonShown),
            self._route("POST", "/{name}/enable", self.enable, PersonShown),
            self._route("POST", "/{name}/link", self.link, SignInLinkShown, 201),
        ]

    def _route(
        self,
        method: str,
        path: str,
        answer: Answering,
        answers: Any,
        status: int = 200,
        problems: tuple[int, ...] = (),
    ) -> ApiRoute:
        tagged = {str(status): {"headers": TAGGED}} if answers is PersonShown else {}
        extra = {"responses": tagged, "x-problems": problems}
        return self._group.route(method, path, answer, answers, status, extra=extra)

    # ── what they do ──────────────────────────────────────────────────────────────────────────────

    def page(self, request: Request, asked: Listed, principal: Principal) -> Response:
        """People, by name."""
        return list_answer(
            request,
            asked,
            Naming(self._shell, principal),
            PeoplePage,
            self._accounts.people.page,
            shown,
            "people",
        )

    def create(
        self, drafted: Annotated[PersonDraft, Body()], key: IdempotencyKey, principal: Principal
    ) -> Response:
        """Someone new; the roles are at most those of whoever asks."""

        def work(beside: Beside[Person]) -> Person:
            return administered(self._shell, principal).create_person(**dict(drafted), beside=beside)

        def told(made: Person) -> Response:
            return _told(made, 201, Location=f"{PATH}/{made.name}")

        asked = f"POST {PATH}\n{drafted.model_dump_json()}".encode()
        return once(self._shell, principal, key, asked, work, told)

    def read(self, name: Name, principal: Principal) -> Response:
        """One person."""
        return _told(self._accounts.people.get(name))

    def set_roles(
        self,
        name: Name,
        wanted: Annotated[RolesDraft, Body()],
        seen: IfMatch,
        key: IdempotencyKey,
        principal: Principal,
    ) -> Response:
        """Other roles in place of those of before; the last owner stays one."""

        def work(beside: Beside[Person]) -> Person:
            before = self._accounts.people.get(name)
            needed(seen, before.tag)
            try:
                return administered(self._shell, principal).set_roles(before, wanted.roles, beside)
            except Conflict as late:
                raise Problem("changed-meanwhile", str(late)) from late

        asked = f"PUT {PATH}/{name}/roles\n{seen}\n{wanted.model_dump_json()}".encode()
        return once(self._shell, principal, key, asked, work, _told)

    def disable(self, name: Name, key: IdempotencyKey, principal: Principal) -> Response:
        """Let someone in no more, and end every session of theirs."""
        work = partial(administered(self._shell, principal).disable, name)
        return once(self._shell, principal, key, f"POST {PATH}/{name}/disable".encode(), work, _told)

    def enable(self, name: Name, key: IdempotencyKey, principal: Principal) -> Response:
        """Let someone in again."""
        work = partial(administered(self._shell, principal).enable, name)
        return once(self._shell, principal, key, f"POST {PATH}/{name}/enable".encode(), work, _told)

    def link(self, name: Name, request: Request, key: IdempotencyKey, principal: Principal) -> Response:
        """A link that lets someone in once; it is told this one time."""
        base = base_of(request, self._shell.settings)

        def told(token: str) -> Response:
            return answered(SignInLinkShown(url=f"{base}/sign-in/link/{token}", seconds=LINK_SECONDS), 201)

        work = partial(administered(self._shell, principal).new_link, name, LINK_SECONDS)
        asked = f"POST {PATH}/{name}/link".encode()
        return once(self._shell, principal, key, asked, work, told, hidden="url")


def shown(person: Person) -> PersonShown:
    """A person as the API tells of one, without anything about the password."""
    return PersonShown(
        name=person.name,
        shown_name=person.shown_name,
        roles=person.roles,
        language=person.language,
        disabled=person.disabled,
        has_password=person.password_hash is not None,
        created_at=person.created_at,
        password_changed_at=person.password_changed_at,
    )


def _told(person: Person, status: int = 200, **headers: str) -> Response:
    return answered(shown(person), status, ETag=quoted(person.tag), **headers)
