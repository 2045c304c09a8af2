"""The five routes that every type has: list, create, read, replace, delete; items as the document writes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Annotated, Any

import orjson
from fastapi import Body
from fastapi import Path as InPath
from pydantic import BaseModel, create_model
from starlette.requests import Request
from starlette.responses import Response

from hansang.apps.codex.design import Banner, FMWebApp, User
from hansang.apps.codex.entities import AREA, EditedBy, Entities
from hansang.apps.codex.registry import EntityType, given_model, list_of, shown_model
from hansang.apps.codex.service import Codex
from hansang.apps.codex.settings import CodexSettings
from hansang.blueprint.examples import with_examples
from hansang.design import Entity
from hansang.design.kinds import recognised
from hansang.design.requests import shape_of
from hansang.errors import Conflict
from hansang.parts.editing import Edit
from hansang.parts.etags import etag
from hansang.parts.history import Actor
from hansang.parts.permissions import Action, Principal
from hansang.parts.receipts import Beside
from hansang.surfaces.api.endpoints import JSON, RouteGroup, route
from hansang.surfaces.api.entities import CHANGE
from hansang.surfaces.api.lists import list_answer
from hansang.surfaces.api.parameters import Listed
from hansang.surfaces.api.problems import Problem
from hansang.surfaces.api.repeats import IdempotencyKey, once
from hansang.surfaces.api.routes import ApiRoute
from hansang.surfaces.api.rules import Gate, Rule
from hansang.surfaces.api.tags import TAGGED, IfMatch, IfNoneMatch, is_known, quoted
from hansang.surfaces.api.unreadable import ListPage
from hansang.surfaces.http.exact_json import exact
from hansang.surfaces.http.request_ids import current
from hansang.surfaces.naming import Naming
from hansang.surfaces.shell import Shell

PATH = "/api/codex"
EntityId = Annotated[str, InPath(alias="id", min_length=1, max_length=200)]
CHANGED = {CHANGE: {"schema": {"type": "string"}}}
PLACED = {"Location": {"schema": {"type": "string"}}}
SAME: dict[str, Any] = {
    "responses": {"200": {"headers": TAGGED}, "304": {"description": "", "headers": TAGGED}}
}
WRITTEN: dict[str, Any] = {"responses": {"200": {"headers": TAGGED | CHANGED}}, "x-problems": [409]}
CREATED: dict[str, Any] = {"responses": {"201": {"headers": TAGGED | CHANGED | PLACED}}, "x-problems": [413]}
DELETED: dict[str, Any] = {"responses": {"204": {"headers": CHANGED}}, "x-problems": [409]}


@cache
def page_model(name: str, about: str, kind: type[BaseModel]) -> type[ListPage]:
    """A page of what is shown like this, for the description of the API; made once for all servers of a process."""
    items: Any = (list_of(kind), ...)
    return create_model(name, __base__=ListPage, __doc__=about, items=items)


def with_example(entity_type: EntityType) -> dict[str, Any]:
    """What the OpenAPI document shows as a body: the item that the design document prints."""
    found = entity_type.document(with_examples((FMWebApp,)).samples.entity(entity_type.shape))
    stamps = ("UpdatedAt", "history", "notifiedEmail")
    example = {name: value for name, value in found.items() if value is not None and name not in stamps}
    return {"requestBody": {"content": {JSON: {"example": example}}}}


def codex_of(shell: Shell) -> Codex:
    """The application of a shell."""
    return Codex(shell.database, shell.clock, settings_of(shell), rights=shell.identity.rights)


def settings_of(shell: Shell) -> CodexSettings:
    found: CodexSettings = shell.chosen.get(AREA) or CodexSettings()
    return found


def edited_by(principal: Principal, beside: Beside[Any]) -> EditedBy:
    """Whoever asks, as the verbs take it."""
    return EditedBy(Actor.of(principal), current.get(), beside)


def wanted_tag(seen: str | None) -> str:
    """The tag of If-Match, which a change needs."""
    if seen is None:
        raise Problem("condition-needed")
    return seen.strip().strip('"')


def written(
    document: Mapping[str, Any], tag: str, headers: Mapping[str, str] | None = None, status: int = 200
) -> Response:
    """A document with its tag as the answer."""
    named = {"ETag": quoted(tag), **(headers or {})}
    return Response(orjson.dumps(exact(dict(document))), status, named, JSON)


def change_header(edit: Edit[Any]) -> dict[str, str]:
    return {} if edit.change is None else {CHANGE: edit.change.id}


class DocumentRoutes:
    """The routes of one type."""

    subject: type[Entity]
    """The kind that they are of."""
    reads: Action = "read"
    writes: Action = "write"
    left_out: frozenset[str] = frozenset()
    """What a list does not show."""

    def __init__(self, shell: Shell, gate: Gate) -> None:
        self._shell, self._gate, self._codex = shell, gate, codex_of(shell)
        self._type: EntityType = self._codex.registry.of(self.subject)
        self._verbs: Entities[Any] = self._codex.verbs(self._type.name)
        self._path = f"{PATH}/{self._type.plural}"
        self._name = f"{AREA}.{self._type.plural}"
        self._group = RouteGroup(self._path, self._name, gate.allow(AREA, self.reads))
        self._writer = gate.allow(AREA, self.writes)
        self._given = given_model(self._type)
        self._shown = shown_model(self._type)
        self._listed = shown_model(self._type, self.left_out)
        self._page = page_model(
            f"{self._type.name}DocumentsPage", "A page of them, the newest first.", self._listed
        )

    def all(self) -> list[ApiRoute]:
        """Every route of the type."""
        return [
            self._group.route("GET", "", self.page, self._page),
            self._takes("POST", "", self.create, 201, CREATED, self.creator()),
            self._group.route("GET", "/{id}", self.read, self._shown, extra=SAME),
            self._takes("PUT", "/{id}", self.replace, 200, WRITTEN, self._writer),
            self._group.route("DELETE", "/{id}", self.delete, None, 204, rule=self._writer, extra=DELETED),
        ]

    def creator(self) -> Rule:
        """Who may create one."""
        return self._writer

    def _takes(
        self, method: str, path: str, answer: Any, status: int, extra: dict[str, Any], rule: Rule
    ) -> ApiRoute:
        """A route whose body is one of the type."""
        return route(
            method,
            f"{self._path}{path}",
            answer,
            name=f"{self._name}.{answer.__name__}",
            tag=AREA,
            rule=rule,
            answers=self._shown,
            status=status,
            takes=lambda: {"given": Annotated[self._given, Body()]},
            extra=extra | with_example(self._type),
        )

    # ── the five ──────────────────────────────────────────────────────────────────────────────────

    def page(self, request: Request, asked: Listed, principal: Principal) -> Response:
        """All of them, the newest first."""
        naming = Naming(self._shell, principal)
        name = f"codex-{self._type.plural}"
        return list_answer(request, asked, naming, self._page, self._verbs.page, self.in_list, name)

    def in_list(self, entity: Any) -> BaseModel:
        """One of a list."""
        document = self._type.document(entity)
        return self._listed.model_validate(
            {name: value for name, value in document.items() if name not in self.left_out}
        )

    def read(self, at: EntityId, seen: IfNoneMatch, principal: Principal) -> Response:
        """One of them, with its tag."""
        entity, tag = self._verbs.get(at)
        if seen is not None and is_known(seen, tag):
            return Response(status_code=304, headers={"ETag": quoted(tag)})
        return written(self.shown(entity), tag)

    def create(self, given: BaseModel, key: IdempotencyKey, principal: Principal) -> Response:
        """A new one; its id and its times are made where they are not given."""

        def work(beside: Beside[Edit[Any]]) -> Edit[Any]:
            return self._verbs.create(given, edited_by(principal, beside))

        return once(self._shell, principal, key, self._asked("POST", "", given), work, self.made)

    def replace(
        self, at: EntityId, given: BaseModel, seen: IfMatch, key: IdempotencyKey, principal: Principal
    ) -> Response:
        """Another in place of the one that was read."""
        tag = wanted_tag(seen)

        def work(beside: Beside[Edit[Any]]) -> Edit[Any]:
            with both_versions(self._codex, given):
                return self._verbs.replace(at, given, tag, edited_by(principal, beside))

        asked = self._asked("PUT", f"/{at} {tag}", given)
        return once(self._shell, principal, key, asked, work, self.saved)

    def delete(self, at: EntityId, seen: IfMatch, key: IdempotencyKey, principal: Principal) -> Response:
        """Delete the one that was read."""
        tag = wanted_tag(seen)

        def work(beside: Beside[Edit[Any]]) -> Edit[Any]:
            with both_versions(self._codex):
                return self._verbs.delete(at, tag, edited_by(principal, beside))

        asked = self._asked("DELETE", f"/{at} {tag}")
        return once(self._shell, principal, key, asked, work, gone)

    # ── their steps ───────────────────────────────────────────────────────────────────────────────

    def _asked(self, method: str, rest: str, given: BaseModel | None = None) -> bytes:
        body = "" if given is None else given.model_dump_json()
        return f"{method} {self._path}{rest}\n{body}".encode()

    def shown(self, entity: Any) -> dict[str, Any]:
        """One by itself."""
        return self._type.document(entity)

    def made(self, edit: Edit[Any]) -> Response:
        """The answer to what was created."""
        headers = {"Location": f"{self._path}/{edit.subject.id}"} | change_header(edit)
        return written(self.shown(edit.subject), edit.etag, headers, 201)

    def saved(self, edit: Edit[Any]) -> Response:
        """The answer to what was changed."""
        return written(self.shown(edit.subject), edit.etag, change_header(edit))


@contextmanager
def both_versions(codex: Codex, given: BaseModel | None = None) -> Iterator[None]:
    """Answer a change that came after another one with both, so that nothing is lost (X4-34)."""
    try:
        yield
    except Conflict as late:
        raise _both(late, codex, given) from late


def _both(late: Conflict, codex: Codex, given: BaseModel | None) -> Problem:
    """The problem of a change that came late: what is stored now with its tag, and what was sent."""
    more: dict[str, Any] = {}
    if isinstance(late.item, Entity):
        item = shape_of(late.item).encode(late.item)
        shape = recognised(shape_of(late.item).table.shapes, item)
        types = [each for each in (*codex.registry, codex.drafts.type) if shape is each.shape]
        more["stored"] = types[0].document(late.item) if types else None
        more["storedTag"] = etag(item)
    if given is not None:
        more["sent"] = given.model_dump(mode="json", exclude_unset=True)
    return Problem("conflict", str(late), said=late.code, values=late.values, more=more)


def gone(edit: Edit[Any]) -> Response:
    return Response(status_code=204, headers=change_header(edit))


class UserRoutes(DocumentRoutes):
    """Those who write for the site; how they sign in is in none of these answers (X4-25)."""

    subject = User
    writes = "admin"


class BannerRoutes(DocumentRoutes):
    """The banners."""

    subject = Banner
