"""Keys as routes: which programs may do what, until when."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import Body
from fastapi import Path as InPath
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response

from hansang.apps.platform.accounts import accounts_of
from hansang.apps.platform.api.administering import administered
from hansang.apps.platform.api_keys import HIGHEST_RATE, ApiKey
from hansang.parts.permissions import PLATFORM, Principal
from hansang.parts.receipts import Beside
from hansang.surfaces.api.endpoints import RouteGroup, answered
from hansang.surfaces.api.lists import list_answer
from hansang.surfaces.api.parameters import Listed
from hansang.surfaces.api.repeats import IdempotencyKey, once
from hansang.surfaces.api.routes import ApiRoute
from hansang.surfaces.api.rules import Gate
from hansang.surfaces.api.unreadable import ListPage
from hansang.surfaces.naming import Naming
from hansang.surfaces.shell import Shell

PATH = "/api/platform/keys"

KeyId = Annotated[str, InPath()]


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
    rate: int | None


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
    rate: Annotated[int | None, Field(ge=1, le=HIGHEST_RATE)] = None


class KeyRoutes:
    """Everything about keys that can be done from outside."""

    def __init__(self, shell: Shell, gate: Gate) -> None:
        self._shell = shell
        self._accounts = accounts_of(shell.identity)
        self._group = RouteGroup(PATH, "platform.keys", gate.allow(PLATFORM, "admin"))

    def all(self) -> list[ApiRoute]:
        """Listing, creating, revoking."""
        return [
            self._group.route("GET", "", self.page, KeysPage),
            self._group.route("POST", "", self.create, NewKeyShown, 201),
            self._group.route("POST", "/{id}/revoke", self.revoke, KeyShown),
        ]

    def page(self, request: Request, asked: Listed, principal: Principal) -> Response:
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

    def create(
        self, drafted: Annotated[KeyDraft, Body()], key: IdempotencyKey, principal: Principal
    ) -> Response:
        """A new key; it may do at most what whoever asks may, and its text is told this one time."""

        def work(beside: Beside[tuple[ApiKey, str]]) -> tuple[ApiKey, str]:
            return administered(self._shell, principal).create_key(**dict(drafted), beside=beside)

        def told(made: tuple[ApiKey, str]) -> Response:
            return answered(NewKeyShown(**_fields(made[0]), text=made[1]), 201)

        asked = f"POST {PATH}\n{drafted.model_dump_json()}".encode()
        return once(self._shell, principal, key, asked, work, told, hidden="text")

    def revoke(self, id: KeyId, key: IdempotencyKey, principal: Principal) -> Response:  # noqa: A002 - the path's own name
        """Let a key open nothing more; it may still work for five seconds."""

        def work(beside: Beside[ApiKey]) -> ApiKey:
            return administered(self._shell, principal).revoke_key(id, beside)

        asked = f"POST {PATH}/{id}/revoke".encode()
        return once(self._shell, principal, key, asked, work, lambda revoked: answered(_shown(revoked)))


def _shown(key: ApiKey) -> KeyShown:
    return KeyShown(**_fields(key))


def _fields(key: ApiKey) -> dict[str, Any]:
    """What the API tells of a key; its digest stays where it is."""
    told = {name: getattr(key, name) for name in KeyShown.model_fields}
    return told | {"scopes": sorted(key.scopes)}
