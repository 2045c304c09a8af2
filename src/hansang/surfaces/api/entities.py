"""Entities as routes: one is read by its key, created, replaced and deleted, always with its tag."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property, partial
from typing import Annotated, Any
from urllib.parse import urlencode

import orjson
from fastapi import Body
from fastapi import Query as InAddress
from starlette.responses import Response

from hansang.apps.application import Application
from hansang.design import Entity
from hansang.design.codec import to_value
from hansang.design.visibility import hidden_fields, sees_all, visible
from hansang.errors import Conflict, HansangError, InvalidInput, NotFound
from hansang.parts.editing import Edit
from hansang.parts.etags import etag
from hansang.parts.history import Actor
from hansang.parts.permissions import Principal
from hansang.parts.receipts import Beside
from hansang.surfaces.api.answers import answer_model
from hansang.surfaces.api.endpoints import JSON, Answering, route
from hansang.surfaces.api.parameters import Spoken, address, key_names
from hansang.surfaces.api.problems import Problem
from hansang.surfaces.api.repeats import IdempotencyKey, once
from hansang.surfaces.api.routes import ApiRoute
from hansang.surfaces.api.rules import Gate, Rule
from hansang.surfaces.api.tags import TAGGED, IfMatch, IfNoneMatch, is_known, needed, quoted
from hansang.surfaces.api.writing import form, whole_form
from hansang.surfaces.guards import Guard
from hansang.surfaces.http.request_ids import current
from hansang.surfaces.shell import Shell

CHANGE = "X-Change-Id"
"""The header that names the change that was made, so that it can be undone."""

_CHANGED = {CHANGE: {"schema": {"type": "string"}}}
_PLACED = {"Location": {"schema": {"type": "string"}}}
_SAME = {"304": {"description": "", "headers": TAGGED}}  # Its words come with the document.
_RESPONSES: dict[str, dict[str, Any]] = {
    "GET": {"200": {"headers": TAGGED}, **_SAME},
    "POST": {"201": {"headers": TAGGED | _CHANGED | _PLACED}},
    "PUT": {"200": {"headers": TAGGED | _CHANGED}},
    "DELETE": {"204": {"headers": _CHANGED}},
}
_UNSHOWN = "…"
"""What an example has in place of a secret."""
_PROBLEMS = {"GET": [404], "POST": [409], "PUT": [404, 412, 428], "DELETE": [404, 412, 428]}


class EntityRoutes:
    """The four routes of one entity."""

    def __init__(
        self,
        shell: Shell,
        application: Application,
        kind: type[Entity],
        gate: Gate,
        example: Entity | None = None,
    ) -> None:
        self._shell, self._application, self._kind, self._gate = shell, application, kind, gate
        self._example = example
        self._path = f"/api/{application.name}/entities/{kind.__name__}"
        self._whole, self._keys = whole_form(kind), key_names(kind)
        self._rule = application.write_rule(kind)
        assert kind.__shape__ is not None
        self._shape = kind.__shape__

    def all(self) -> list[ApiRoute]:
        """Reading, creating, replacing and deleting."""
        name, is_guarded = self._application.name, self._kind in self._application.guarded
        reader = self._gate.allow(name, "admin" if is_guarded else "read")
        writer = self._gate.allow(name, "admin" if is_guarded else "write")
        body: Any = Annotated[self._kind, Body()]
        return [
            self._route("GET", self.read, reader, lambda: {"at": self._at}),
            self._route("POST", self.create, writer, lambda: {"entity": body}),
            self._route("PUT", self.replace, writer, lambda: {"at": self._at, "entity": body}),
            self._route("DELETE", self.delete, writer, lambda: {"at": self._at}),
        ]

    @cached_property
    def _at(self) -> Any:
        """The key of an entity as an address has it."""
        given = {} if self._example is None else self._example.model_dump(mode="json", include={*self._keys})
        return Annotated[address(self._kind, given), InAddress()]

    def _route(
        self, method: str, answer: Answering, rule: Rule, takes: Callable[[], dict[str, Any]]
    ) -> ApiRoute:
        return route(
            method,
            self._path,
            answer,
            name=f"{self._application.name}.{self._kind.__name__}.{answer.__name__}",
            tag=self._application.name,
            answers=None if method == "DELETE" else answer_model(self._kind),
            status={"POST": 201, "DELETE": 204}.get(method, 200),
            takes=takes,
            rule=rule,
            extra=self._extra(method),
        )

    def _extra(self, method: str) -> dict[str, Any]:
        """What the OpenAPI document says beyond the types."""
        extra: dict[str, Any] = {
            "x-entity": self._kind.__name__,
            "x-problems": _PROBLEMS[method],
            "responses": _RESPONSES[method],
        }
        if self._example is not None and method in ("POST", "PUT"):
            example = orjson.loads(self._whole.json(self._example))
            example |= dict.fromkeys(hidden_fields(self._shape, "owner"), _UNSHOWN)
            extra["requestBody"] = {"content": {JSON: {"example": example}}}
        return extra

    # ── the four ──────────────────────────────────────────────────────────────────────────────────

    def read(self, at: Spoken, seen: IfNoneMatch, principal: Principal) -> Response:
        """One entity and its tag."""
        entity, tag = self._get(at)
        tag = self._tag(entity, tag, principal)
        if seen is not None and is_known(seen, tag):
            return Response(status_code=304, headers={"ETag": quoted(tag)})
        return self._answer(entity, tag, principal)

    def create(self, entity: Entity, key: IdempotencyKey, principal: Principal) -> Response:
        """A new entity; under an Idempotency-Key at most one."""
        self._rule.expect_new(self._kind)
        drafted = _as_stored(entity)
        asked = f"POST {self._path}\n".encode() + self._whole.json(drafted)

        def work(beside: Beside[Edit[Any]]) -> Edit[Any]:
            return self._shell.editing.create(drafted, Actor.of(principal), current.get(), beside)

        def told(edit: Edit[Any]) -> Response:
            return self._written(edit, principal, 201, {"Location": self.location(edit.subject)})

        return once(self._shell, principal, key, asked, work, told)

    def replace(
        self, at: Spoken, entity: Entity, seen: IfMatch, key: IdempotencyKey, principal: Principal
    ) -> Response:
        """The entity in place of the one that was read."""
        Guard.of(self._application, principal.role(self._application.name)).expect_seen_whole(self._shape)
        drafted = _as_stored(entity)
        self._expect_same_key(at, drafted)
        asked = f"PUT {self._path}\n{seen}\n".encode() + self._whole.json(drafted)

        def work(beside: Beside[Edit[Any]]) -> Edit[Any]:
            tag = self._expected(at, seen, principal)
            with _unless_late():
                return self._shell.editing.replace(drafted, tag, Actor.of(principal), current.get(), beside)

        return once(self._shell, principal, key, asked, work, partial(self._written, principal=principal))

    def delete(self, at: Spoken, seen: IfMatch, key: IdempotencyKey, principal: Principal) -> Response:
        """Remove the entity that was read."""
        wanted = self._key(at)
        asked = f"DELETE {self._path}\n{seen}\n{self._shape.key(self._values(at))}".encode()

        def work(beside: Beside[Edit[Any]]) -> Edit[Any]:
            tag = self._expected(at, seen, principal)
            with _unless_late():
                return self._shell.editing.delete(wanted, tag, Actor.of(principal), current.get(), beside)

        def told(edit: Edit[Any]) -> Response:
            return Response(status_code=204, headers=_change(edit))

        return once(self._shell, principal, key, asked, work, told)

    def location(self, entity: Entity) -> str:
        """The address of an entity."""
        values = {name: _text(getattr(entity, name)) for name in self._keys}
        return f"{self._path}?{urlencode(values)}" if values else self._path

    # ── their steps ───────────────────────────────────────────────────────────────────────────────

    def _values(self, at: Spoken) -> dict[str, Any]:
        return {name: getattr(at, name) for name in self._keys}

    def _key(self, at: Spoken) -> Any:
        """The key of the entity, as its own class."""
        base = next(each for each in self._kind.__mro__ if each.__dict__.get("__entity__") is self._kind)
        return base.model_construct(**self._values(at))  # type: ignore[attr-defined]

    def _get(self, at: Spoken) -> tuple[Entity, str]:
        found = self._shell.editing.find(self._kind, self._values(at))
        if found is None:
            shown = " ".join(f"{name}={value}" for name, value in self._values(at).items())
            raise NotFound(f"{self._kind.__name__} {shown}".rstrip() + " not found.")
        return found

    def _expected(self, at: Spoken, seen: str | None, principal: Principal) -> str:
        """The tag of the item, if it is as this one has seen it."""
        self._rule.expect_changed(self._kind)
        entity, tag = self._get(at)
        needed(seen, self._tag(entity, tag, principal))
        return tag

    def _expect_same_key(self, at: Spoken, entity: Entity) -> None:
        shape: Any = self._kind.__shape__
        if shape.key(self._values(at)) != shape.key(entity.__dict__):
            raise InvalidInput(
                "The key in the body is not the one in the address. Make them agree.",
                self._keys[0],
                code="surfaces.other-key",
            )

    def _answer(
        self,
        entity: Entity,
        tag: str,
        principal: Principal,
        status: int = 200,
        more: Mapping[str, str] | None = None,
    ) -> Response:
        headers = {"ETag": quoted(tag), **(more or {})}
        seen = form(self._kind, principal.role(self._application.name))
        return Response(seen.json(entity), status, headers, JSON)

    def _written(
        self,
        edit: Edit[Any],
        principal: Principal,
        status: int = 200,
        more: Mapping[str, str] | None = None,
    ) -> Response:
        tag = self._tag(edit.subject, edit.etag, principal)
        return self._answer(edit.subject, tag, principal, status, {**(more or {}), **_change(edit)})

    def _tag(self, entity: Entity, tag: str, principal: Principal) -> str:
        """The tag of what this one sees; that of the whole item would confirm a guess at the rest."""
        role = principal.role(self._application.name)
        if sees_all(self._shape, role):
            return tag
        return etag(visible(self._shape.table, self._shape.encode(entity), role))


@contextmanager
def _unless_late() -> Iterator[None]:
    """An edit that came after another one, as the problem that it is over HTTP."""
    try:
        yield
    except Conflict as late:
        raise Problem("changed-meanwhile", str(late)) from late


def _change(edit: Edit[Any]) -> dict[str, str]:
    return {} if edit.change is None else {CHANGE: edit.change.id}


def _as_stored(entity: Entity) -> Entity:
    """The entity as it will be read back: moments to the second, keys composed; or what cannot be stored of it."""
    shape: Any = type(entity).__shape__
    try:
        found: Entity = shape.decode(shape.encode(_with_bytes(entity)))
    except InvalidInput:
        raise
    except (HansangError, ArithmeticError, TypeError, ValueError) as fault:
        raise InvalidInput(str(fault)) from fault
    return found


def _with_bytes(entity: Entity) -> Entity:
    """The entity with its bytes; JSON has them in base64, which pydantic has taken for text."""
    in_base64 = {name: value for name, value in entity.__dict__.items() if isinstance(value, bytes)}
    return entity.model_copy(update={name: _from_base64(name, value) for name, value in in_base64.items()})


def _from_base64(name: str, written: bytes) -> bytes:
    try:
        return b64decode(written, validate=True)
    except ValueError as fault:
        raise InvalidInput(
            "{name} holds bytes, which have to be written in base64.",
            name,
            code="surfaces.not-base64",
            values={"name": name},
        ) from fault


def _text(value: Any) -> str:
    """A value of a key as it stands in an address."""
    return str(next(iter(to_value(value).values())))
