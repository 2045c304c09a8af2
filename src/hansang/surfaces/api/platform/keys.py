"""Keys as routes: which programs may do what, until when."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import Body
from fastapi import Path as InPath
from fastapi import Query as InAddress
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field
from starlette.responses import Response

from hansang.parts.api_keys import ApiKey
from hansang.parts.permissions import PLATFORM, Principal, check_scopes
from hansang.surfaces.api.endpoints import actor_of, answered, asking, route
from hansang.surfaces.api.parameters import Paged
from hansang.surfaces.api.platform.grants import expect_own
from hansang.surfaces.api.routes import ApiRoute
from hansang.surfaces.api.rules import Gate
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

    text: str = Field(
        description="What a program sends as Authorization: Bearer …; it is told this one time."
    )


class KeysPage(BaseModel):
    """A page of keys."""

    items: list[KeyShown]
    cursor: str | None


class KeyDraft(BaseModel):
    """A new key."""

    model_config = ConfigDict(extra="forbid")

    label: str = Field(description="What it is for.", examples=["nightly export"])
    scopes: list[str] = Field(
        min_length=1,
        max_length=100,
        description="What it may do: AREA:ACTION, with an application, platform or *, and read, write or admin.",
        examples=[["news:read"]],
    )
    expires_at: AwareDatetime | None = Field(None, description="When it stops working; null for never.")


class KeyRoutes:
    """Everything about keys that can be done from outside."""

    def __init__(self, shell: Shell, gate: Gate) -> None:
        self._shell, self._admin = shell, asking(gate.allow(PLATFORM, "admin"))

    def all(self) -> list[ApiRoute]:
        """Listing, creating, revoking."""
        paged: Any = Annotated[Paged, InAddress()]
        drafted: Any = Annotated[KeyDraft, Body()]
        id_: Any = Annotated[str, InPath(description="The id of the key, as it stands between hsk_ and _.")]
        return [
            self._route("GET", "", self.page, KeysPage, {"asked": paged}),
            self._route("POST", "", self.create, NewKeyShown, {"drafted": drafted}, 201),
            self._route("POST", "/{id}/revoke", self.revoke, KeyShown, {"id": id_}),
        ]

    def _route(
        self, method: str, path: str, answer: Any, answers: Any, takes: dict[str, Any], status: int = 200
    ) -> ApiRoute:
        name, takes = f"platform.keys.{answer.__name__}", takes | {"principal": self._admin}
        return route(
            method,
            f"{PATH}{path}",
            answer,
            name=name,
            tag="platform",
            answers=answers,
            status=status,
            takes=takes,
        )

    def page(self, asked: Paged, principal: Principal) -> Response:
        """Keys, revoked ones too."""
        page = self._shell.keys.page(asked.limit, asked.cursor)
        return answered(KeysPage(items=[KeyShown(**_fields(each)) for each in page], cursor=page.cursor))

    def create(self, drafted: KeyDraft, principal: Principal) -> Response:
        """A new key; it may do at most what whoever asks may, and its text is told this one time."""
        check_scopes(drafted.scopes, [each.name for each in self._shell.applications])
        expect_own(principal, drafted.scopes)
        key, text = self._shell.keys.create(**dict(drafted), created_by=principal.name)
        self._record(principal, key, "create")
        return answered(NewKeyShown(**_fields(key), text=text), 201)

    def revoke(self, id: str, principal: Principal) -> Response:  # noqa: A002 - the path's own name
        """Let a key open nothing more; it may still work for five seconds."""
        key = self._shell.keys.get(id)
        expect_own(principal, key.scopes)
        revoked = self._shell.keys.revoke(key.id)
        if key.revoked_at is None:
            self._record(principal, revoked, "revoke")
        return answered(KeyShown(**_fields(revoked)))

    def _record(self, principal: Principal, key: ApiKey, verb: str) -> None:
        facts: dict[str, object] = {"label": key.label, "scopes": sorted(key.scopes)}
        after = facts if verb == "create" else None
        self._shell.history.record(
            actor_of(principal), PLATFORM, "ApiKey", key.id, verb, after=after, request_id=current.get()
        )


def _fields(key: ApiKey) -> dict[str, Any]:
    """What the API tells of a key; its digest stays where it is."""
    told = {name: getattr(key, name) for name in KeyShown.model_fields}
    return told | {"scopes": sorted(key.scopes)}
