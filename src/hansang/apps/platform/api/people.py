"""People as routes: who may sign in, with which roles."""

from __future__ import annotations

from datetime import datetime
from hashlib import sha256
from typing import Annotated, Any

from fastapi import Body
from fastapi import Path as InPath
from fastapi import Query as InAddress
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response

from hansang.apps.platform.accounts import accounts_of
from hansang.apps.platform.grants import differing, expect_areas, expect_say
from hansang.apps.platform.passwords import LONGEST, SHORTEST
from hansang.apps.platform.person import Person
from hansang.errors import Conflict
from hansang.parts.permissions import PLATFORM, Principal, Role
from hansang.surfaces.api.endpoints import Group, actor_of, answered, asking
from hansang.surfaces.api.lists import list_answer
from hansang.surfaces.api.parameters import Exported
from hansang.surfaces.api.problems import Problem
from hansang.surfaces.api.repeats import IdempotencyKey, once
from hansang.surfaces.api.routes import ApiRoute
from hansang.surfaces.api.rules import Gate
from hansang.surfaces.api.tags import TAGGED, IfMatch, needed, quoted
from hansang.surfaces.api.unreadable import ListPage
from hansang.surfaces.explorer.unreadable import Naming
from hansang.surfaces.http.request_ids import current
from hansang.surfaces.shell import Shell

PATH = "/api/platform/people"
LINK_SECONDS = 900

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
        self._shell, self._admin = shell, asking(gate.allow(PLATFORM, "admin"))
        self._accounts = accounts_of(shell.identity)
        self._group = Group(PATH, "platform.people")

    def all(self) -> list[ApiRoute]:
        """Listing, creating, giving roles, letting in and no more."""
        one: dict[str, Any] = {"name": Name, "principal": self._admin}
        asked: Any = Annotated[Exported, InAddress()]
        every: dict[str, Any] = {"request": Request, "asked": asked, "principal": self._admin}
        drafted: Any = Annotated[PersonDraft, Body()]
        new: dict[str, Any] = {"drafted": drafted, "key": IdempotencyKey, "principal": self._admin}
        return [
            self._route("GET", "", self.page, PeoplePage, every),
            self._route("POST", "", self.create, PersonShown, new, 201),
            self._route("GET", "/{name}", self.read, PersonShown, one),
            self._route(
                "PUT",
                "/{name}/roles",
                self.set_roles,
                PersonShown,
                one | {"wanted": Annotated[RolesDraft, Body()], "seen": IfMatch},
                problems=(412, 428),
            ),
            self._route("POST", "/{name}/disable", self.disable, PersonShown, one),
            self._route("POST", "/{name}/enable", self.enable, PersonShown, one),
            self._route(
                "POST",
                "/{name}/link",
                self.link,
                SignInLinkShown,
                one | {"request": Request, "key": IdempotencyKey},
                201,
            ),
        ]

    def _route(
        self,
        method: str,
        path: str,
        answer: Any,
        answers: Any,
        takes: dict[str, Any],
        status: int = 200,
        problems: tuple[int, ...] = (),
    ) -> ApiRoute:
        tagged = {str(status): {"headers": TAGGED}} if answers is PersonShown else {}
        extra = {"responses": tagged, "x-problems": problems}
        return self._group.route(method, path, answer, answers, takes, status, extra)

    # ── what they do ──────────────────────────────────────────────────────────────────────────────

    def page(self, request: Request, asked: Exported, principal: Principal) -> Response:
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

    def create(self, drafted: PersonDraft, key: str | None, principal: Principal) -> Response:
        """Someone new; the roles are at most those of whoever asks."""
        expect_areas(self._shell.names, drafted.roles)
        expect_say(principal, drafted.roles)

        def work() -> Response:
            made = self._accounts.people.create(**dict(drafted))
            self._record(principal, made.name, "create", None, made)
            return _told(made, 201, Location=f"{PATH}/{made.name}")

        return once(self._shell, principal, key, _asked(drafted), work)

    def read(self, name: str, principal: Principal) -> Response:
        """One person."""
        return _told(self._accounts.people.get(name))

    def set_roles(self, name: str, wanted: RolesDraft, seen: str | None, principal: Principal) -> Response:
        """Other roles in place of those of before; the last owner stays one."""
        before = self._accounts.people.get(name)
        expect_areas(self._shell.names, wanted.roles)
        expect_say(principal, differing(before.roles, wanted.roles))
        needed(seen, _tag(before))
        try:
            after = self._accounts.people.set_roles(before.name, wanted.roles, before)
        except Conflict as late:
            raise Problem("changed-meanwhile", str(late)) from late
        self._record(principal, after.name, "roles", before, after)
        return _told(after)

    def disable(self, name: str, principal: Principal) -> Response:
        """Let someone in no more, and end every session of theirs."""
        before = self._changeable(name, principal)
        after = self._accounts.people.disable(before.name)
        self._record(principal, after.name, "disable", before, after)
        return _told(after)

    def enable(self, name: str, principal: Principal) -> Response:
        """Let someone in again."""
        before = self._changeable(name, principal)
        after = self._accounts.people.enable(before.name)
        self._record(principal, after.name, "enable", before, after)
        return _told(after)

    def link(self, name: str, request: Request, key: str | None, principal: Principal) -> Response:
        """A link that lets someone in once; it is told this one time."""
        person = self._changeable(name, principal)
        base = (self._shell.settings.public_url or str(request.base_url)).rstrip("/")

        def work() -> Response:
            token = self._accounts.people.new_link(person.name, LINK_SECONDS)
            self._record(principal, person.name, "link", None, None)
            link = SignInLinkShown(url=f"{base}/sign-in/link/{token}", seconds=LINK_SECONDS)
            return answered(link, 201)

        asked = f"POST {PATH}/{person.name}/link".encode()
        return once(self._shell, principal, key, asked, work, hidden="url")

    def _changeable(self, name: str, principal: Principal) -> Person:
        """The person, if whoever asks has the say over all of their rights."""
        person = self._accounts.people.get(name)
        expect_say(principal, person.roles)
        return person

    def _record(
        self, principal: Principal, name: str, verb: str, before: Person | None, after: Person | None
    ) -> None:
        self._shell.history.record(
            actor_of(principal),
            PLATFORM,
            "Person",
            name,
            verb,
            before=None if before is None else _facts(before),
            after=None if after is None else _facts(after),
            request_id=current.get(),
        )


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
    return answered(shown(person), status, ETag=quoted(_tag(person)), **headers)


def _tag(person: Person) -> str:
    return sha256(shown(person).model_dump_json().encode()).hexdigest()[:32]


def _facts(person: Person) -> dict[str, object]:
    return {"shown_name": person.shown_name, "roles": dict(person.roles), "disabled": person.disabled}


def _asked(drafted: PersonDraft) -> bytes:
    return f"POST {PATH}\n{drafted.model_dump_json()}".encode()
