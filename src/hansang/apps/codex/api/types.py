"""The registry as routes: which types there are, all of one type, and what a search finds."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import Path as InPath
from fastapi import Query as InAddress
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response

from hansang.apps.codex.api.documents import PATH, codex_of
from hansang.apps.codex.entities import AREA
from hansang.apps.codex.registry import EntityType
from hansang.design.visibility import hidden_fields
from hansang.parts.permissions import Principal
from hansang.surfaces.api.endpoints import RouteGroup, answered
from hansang.surfaces.api.lists import list_answer
from hansang.surfaces.api.parameters import Cursor, Listed, Spoken
from hansang.surfaces.api.routes import ApiRoute
from hansang.surfaces.api.rules import Gate, expect
from hansang.surfaces.api.unreadable import ListPage
from hansang.surfaces.naming import Naming
from hansang.surfaces.shell import Shell

TypeName = Annotated[str, InPath(alias="type", examples=["Post"])]
_LARGE = frozenset({"contents"})


class TypeShown(BaseModel):
    """A type of the table."""

    type: str
    address: str
    key: str
    attributes: list[str]
    references: dict[str, str]


class TypesShown(BaseModel):
    """The types of the table."""

    items: list[TypeShown]


class TypeItem(BaseModel):
    """An item of a type, with the names that the document gives to attributes."""

    model_config = ConfigDict(extra="allow")

    Type: str
    id: str


class TypePage(ListPage):
    """A page of one type, the newest first."""

    items: list[TypeItem]


class WordsAsked(Spoken):
    """Which words are looked for."""

    q: Annotated[str, Field(min_length=1, max_length=200)]
    limit: Annotated[int, Field(ge=1, le=100)] = 20
    cursor: Cursor = None


class FoundShown(BaseModel):
    """A post that has the words."""

    id: str
    title: str
    category: str | None
    author: str | None
    slug: str | None
    snippet: str


class FoundPage(BaseModel):
    """The posts that have the words, and how far they were looked for; with a cursor, older ones are left."""

    items: list[FoundShown]
    looked: int = Field(examples=[2000])
    until: datetime | None
    cursor: str | None


class TypeRoutes:
    """What goes by the type alone, also for types that have no routes of their own (4-39)."""

    def __init__(self, shell: Shell, gate: Gate) -> None:
        self._shell, self._codex = shell, codex_of(shell)
        self._types = RouteGroup(f"{PATH}/types", "codex.types", gate.allow(AREA, "read"))
        self._search = RouteGroup(PATH, "codex", gate.allow(AREA, "read"))

    def all(self) -> list[ApiRoute]:
        """The registry, a type, and the search."""
        return [
            self._types.route("GET", "", self.types, TypesShown),
            self._types.route("GET", "/{type}", self.of_type, TypePage),
            self._search.route("GET", "/search", self.search, FoundPage),
        ]

    def types(self, principal: Principal) -> Response:
        """The types of the table, with their keys and attributes."""
        return answered(TypesShown(items=[_type(each) for each in self._codex.registry]))

    def of_type(self, name: TypeName, request: Request, asked: Listed, principal: Principal) -> Response:
        """All of a type, the newest first, without long contents."""
        entity_type = self._codex.registry.get(name)
        if hidden_fields(entity_type.shape, principal.role(AREA)):
            expect(principal, AREA, "admin")

        def show(entity: Any) -> TypeItem:
            document = entity_type.document(entity)
            return TypeItem.model_validate(
                {name: value for name, value in document.items() if name not in _LARGE}
            )

        naming, page = Naming(self._shell, principal), self._codex.verbs(name).page
        return list_answer(request, asked, naming, TypePage, page, show, f"codex-{name}")

    def search(self, asked: Annotated[WordsAsked, InAddress()], principal: Principal) -> Response:
        """Published posts that have every word, in steps from the newest on; the cursor goes on with older ones."""
        page = self._codex.reading.search(asked.q, asked.limit, asked.cursor)
        found = page.found
        categories = self._codex.reading.category_titles(each.post.category_id for each in found)
        authors = self._codex.reading.author_names(each.post.author_id for each in found)
        items = [
            FoundShown(
                id=each.post.id,
                title=each.post.title,
                category=categories[each.post.category_id],
                author=authors[each.post.author_id],
                slug=each.post.slug,
                snippet=each.snippet,
            )
            for each in found
        ]
        return answered(FoundPage(items=items, looked=page.looked, until=page.until, cursor=page.cursor))


def _type(entity_type: EntityType) -> TypeShown:
    shape = entity_type.shape
    sort_key = "" if shape.sk is None else f" / {shape.sk.text}"
    references = {entity_type.attribute(field): name for field, name in entity_type.references.items()}
    return TypeShown(
        type=entity_type.name,
        address=f"{PATH}/types/{entity_type.name}",
        key=f"{shape.pk.text}{sort_key}",
        attributes=[name for name, _, _ in entity_type.slots()],
        references=references,
    )
