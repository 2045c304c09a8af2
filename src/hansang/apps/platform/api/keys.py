"""Keys as routes: which programs may do what, until when."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import Body
from fastapi import Path as InPath
from fastapi import Query as InAddress
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response

from hansang.apps.platform.accounts import accounts_of
from hansang.apps.platform.api_keys import ApiKey
from hansang.apps.platform.grants import expect_own
from hansang.errors import InvalidInput
from hansang.parts.permissions import PLATFORM, Principal, check_scopes
from hansang.surfaces.api.endpoints import Group, actor_of, answered, asking
from hansang.surfaces.api.lists import list_answer
from hansang.surfaces.api.parameters import Exported
from hansang.surfaces.api.repeats import IdempotencyKey, once
from hansang.surfaces.api.routes import ApiRoute
from hansang.surfaces.api.rules import Gate
from hansang.surfaces.api.unreadable import ListPage
from hansang.surfaces.explorer.unreadable import Naming
from hansang.surfaces.http.request_ids import current
from hansang.surfaces.shell import Shell

PATH = "/api/platform/keys"


class KeyShown(BaseModel):
    """A key for programs."""

    id: str
    label: str
    scopes: list[str]
    created_at: datetime
    created_by: str
    last_used_at: datetime | None
    expires_at: datetime | None
    revoked_at: datetime | None


class NewKeyShown(KeyShown):
    """A key that was just made."""

    text: str | None


class KeysPage(ListPage):
    """A page of keys."""

    items: list[KeyShown]


class KeyDraft(BaseModel):
    """A new key."""

    model_config = ConfigDict(extra="forbid")

    label: str = Field(examples=["nightly export"])
    scopes: list[str] = Field(
        min_length=1,
        max_length=100,
        examples=[["news:read"]],
    )
    expires_at: AwareDatetime | None = None


class KeyRoutes:
    """Everything about keys that can be done from outside."""

    def __init__(self, shell: Shell, gate: Gate) -> None:
        self._shell = shell
        self._accounts = accounts_of(shell.identity)
        self._group = Group(PATH, "platform.keys", {"principal": asking(gate.allow(PLATFORM, "admin"))})

    def all(self) -> list[ApiRoute]:
        """Listing, creating, revoking."""
        asked: Any = Annotated[Exported, InAddress()]
        drafted: Any = Annotated[KeyDraft, Body()]
        id_: Any = Annotated[str, InPath()]
        return [
            self._group.route("GET", "", self.page, KeysPage, {"request": Request, "asked": asked}),
            self._group.route(
                "POST", "", self.create, NewKeyShown, {"drafted": drafted, "key": IdempotencyKey}, 201
            ),
            self._group.route("POST", "/{id}/revoke", self.revoke, KeyShown, {"id": id_}),
        ]

    def page(self, request: Request, asked: Exported, principal: Principal) -> Response:
        """Keys, revoked ones too."""
        return list_answer(
            request,
            asked,
            Naming(self._shell, principal),
            KeysPage,
            self._accounts.keys.page,
            _shown,
            "keys",
        )

    def create(self, drafted: KeyDraft, key: str | None, principal: Principal) -> Response:
        """A new key; it may do at most what whoever asks may, and its text is told this one time."""
        check_scopes(drafted.scopes, self._shell.names)
        expect_own(principal, drafted.scopes)
        self._expect_no_longer(principal, drafted)

        def work() -> Response:
            made, text = self._accounts.keys.create(**dict(drafted), created_by=principal.name)
            self._record(principal, "create", None, made)
            return answered(NewKeyShown(**_fields(made), text=text), 201)

        asked = f"POST {PATH}\n{drafted.model_dump_json()}".encode()
        return once(self._shell, principal, key, asked, work, hidden="text")

    def revoke(self, id: str, principal: Principal) -> Response:  # noqa: A002 - the path's own name
        """Let a key open nothing more; it may still work for five seconds."""
        key = self._accounts.keys.get(id)
        expect_own(principal, key.scopes)
        revoked = self._accounts.keys.revoke(key.id)
        if key.revoked_at is None:
            self._record(principal, "revoke", key, revoked)
        return answered(_shown(revoked))

    def _expect_no_longer(self, principal: Principal, drafted: KeyDraft) -> None:
        """Refuse a key that would outlast the key that makes it."""
        end = self._accounts.keys.get(principal.name).expires_at if principal.kind == "key" else None
        if end is not None and (drafted.expires_at is None or drafted.expires_at > end):
            raise InvalidInput(
                "Your own key expires at {end}. Give that time or an earlier one.",
                "expires_at",
                code="platform.key-outlives",
                values={"end": f"{end:%Y-%m-%dT%H:%M:%SZ}"},
            )

    def _record(self, principal: Principal, verb: str, before: ApiKey | None, after: ApiKey) -> None:
        self._shell.history.record(
            actor_of(principal),
            PLATFORM,
            "ApiKey",
            after.id,
            verb,
            before=None if before is None else _facts(before),
            after=_facts(after),
            request_id=current.get(),
        )


def _shown(key: ApiKey) -> KeyShown:
    return KeyShown(**_fields(key))


def _facts(key: ApiKey) -> dict[str, object]:
    """What the history keeps of a key."""
    return {"label": key.label, "scopes": sorted(key.scopes), "revoked_at": _written(key.revoked_at)}


def _written(moment: datetime | None) -> str | None:
    return None if moment is None else f"{moment:%Y-%m-%dT%H:%M:%SZ}"


def _fields(key: ApiKey) -> dict[str, Any]:
    """What the API tells of a key; its digest stays where it is."""
    told = {name: getattr(key, name) for name in KeyShown.model_fields}
    return told | {"scopes": sorted(key.scopes)}
