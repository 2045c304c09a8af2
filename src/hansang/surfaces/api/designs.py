"""Designs as routes: what an application has, and a route for each of its patterns and entities."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from hansang.apps.application import Application
from hansang.blueprint.examples import with_examples
from hansang.blueprint.subject import AskedPattern, Design
from hansang.design import Entity, Query, Table
from hansang.design.shape import Shape
from hansang.design.slots import Slot
from hansang.design.visibility import hidden_fields
from hansang.errors import DesignError, HansangError
from hansang.parts.permissions import ROLES, Principal, Role
from hansang.parts.words import Language
from hansang.parts.write_rules import WrittenBy
from hansang.surfaces.api.endpoints import RouteGroup, answered
from hansang.surfaces.api.entities import EntityRoutes
from hansang.surfaces.api.meanings import Meanings
from hansang.surfaces.api.parameters import key_names
from hansang.surfaces.api.patterns import pattern_route
from hansang.surfaces.api.routes import ApiRoute
from hansang.surfaces.api.rules import Gate
from hansang.surfaces.api.statements import StatementRoutes
from hansang.surfaces.http.languages import language
from hansang.surfaces.shell import Shell


class IndexShown(BaseModel):
    """A table's index."""

    name: str
    partition_key: str
    sort_key: str | None
    is_global: bool


class TableShown(BaseModel):
    """A table, as it is named where the server runs."""

    name: str
    partition_key: str
    sort_key: str | None
    indexes: list[IndexShown]


class FieldShown(BaseModel):
    """A field of an entity, and the attribute that it is stored as."""

    name: str
    attribute: str | None
    seen_by: list[Role]


class EntityShown(BaseModel):
    """A kind of item, or what an index holds of one."""

    name: str
    meaning: str
    table: str
    key: list[str]
    fields: list[FieldShown]
    is_kept_for_ever: bool
    written_by: WrittenBy
    address: str | None


class PatternShown(BaseModel):
    """A question that the design answers."""

    name: str
    meaning: str
    table: str
    index: str | None
    parameters: list[str]
    answers: list[str]
    address: str


class ApplicationShown(BaseModel):
    """What an application has."""

    name: str
    title: str
    summary: str
    tables: list[TableShown]
    entities: list[EntityShown]
    views: list[EntityShown]
    patterns: list[PatternShown]


class DesignRoutes:
    """The routes of one application."""

    def __init__(self, shell: Shell, application: Application, gate: Gate, meanings: Meanings) -> None:
        self._shell, self._application, self._gate, self._meanings = shell, application, gate, meanings
        self.design = with_examples(application.tables)

    def all(self) -> list[ApiRoute]:
        """What there is, then every pattern, then every entity, then statements."""
        return [self._overview(), *self._patterns(), *self._entities(), *self._statements()]

    def _patterns(self) -> Iterator[ApiRoute]:
        for asked, query in questions(self.design):
            guarded = any(shape.cls in self._application.guarded for shape in query.shapes)
            rule = self._gate.allow(self._application.name, "admin" if guarded else "read")
            about = self._meanings.words(self._application.name, asked.label, asked.pattern.function)
            yield pattern_route(self._shell, self._application, asked, query, rule, about)

    def _entities(self) -> Iterator[ApiRoute]:
        for kind in self._application.entities.values():
            example = valid_example(self.design, kind)
            yield from EntityRoutes(self._shell, self._application, kind, self._gate, example).all()

    def _statements(self) -> list[ApiRoute]:
        kinds = self._application.entities.values()
        found = (valid_example(self.design, each) for each in kinds if each not in self._application.guarded)
        example = next(filter(None, found), None)
        return StatementRoutes(self._shell, self._application, self._gate, example).all()

    # ── what there is ─────────────────────────────────────────────────────────────────────────────

    def _overview(self) -> ApiRoute:
        name = self._application.name
        group = RouteGroup(f"/api/{name}", name, self._gate.allow(name, "read"))
        return group.route("GET", "", self.overview, ApplicationShown)

    def overview(self, request: Request, principal: Principal) -> Response:
        """What the application has: its tables, entities, views and patterns."""
        return answered(self.shown(language(request)))

    def shown(self, spoken: Language) -> ApplicationShown:
        """What the application has, in a language."""
        found = self._application
        shapes = [shape for table in found.tables for shape in table.shapes]
        views = [shape for table in found.tables for shape in table.views]
        return ApplicationShown(
            name=found.name,
            title=found.title.text(spoken),
            summary=found.summary.text(spoken),
            tables=[self._table(each) for each in found.tables],
            entities=[self._entity(each, spoken, found.name) for each in shapes],
            views=[self._entity(each, spoken, None) for each in views],
            patterns=[self._pattern(asked, query, spoken) for asked, query in questions(self.design)],
        )

    def _table(self, table: type[Table]) -> TableShown:
        indexes = [
            IndexShown(
                name=each.name,
                partition_key=", ".join(each.partition_keys),
                sort_key=", ".join(each.sort_keys) or None,
                is_global=each.is_global,
            )
            for each in table.indexes
        ]
        name = self._shell.database.name(table)
        return TableShown(name=name, partition_key=table.pk, sort_key=table.sk, indexes=indexes)

    def _entity(self, shape: Shape, spoken: Language, area: str | None) -> EntityShown:
        kind: Any = shape.cls
        return EntityShown(
            name=kind.__name__,
            meaning=self._meanings.of(self._application.name, kind.__name__, kind, spoken),
            table=self._shell.database.name(shape.table),
            key=[*key_names(kind)],
            fields=[_field(shape, slot) for slot in shape.slots.values()],
            is_kept_for_ever=not self._application.write_rule(kind).changes,
            written_by=self._application.write_rule(kind).by,
            address=None if area is None else f"/api/{area}/entities/{kind.__name__}",
        )

    def _pattern(self, asked: AskedPattern, query: Query[Any], spoken: Language) -> PatternShown:
        name = self._application.name
        return PatternShown(
            name=asked.label,
            meaning=self._meanings.of(name, asked.label, asked.pattern.function, spoken),
            table=self._shell.database.name(query.table),
            index=None if query.index is None else query.index.name,
            parameters=[*asked.arguments],
            answers=[shape.cls.__name__ for shape in query.shapes],
            address=f"/api/{name}/patterns/{asked.label}",
        )


def _field(shape: Shape, slot: Slot) -> FieldShown:
    seen_by = [role for role in ROLES if slot.name not in hidden_fields(shape, role)]
    return FieldShown(name=slot.name, attribute=slot.attribute, seen_by=seen_by)


@lru_cache(maxsize=1024)  # The routes of an entity and those of statements ask for the same one.
def valid_example(design: Design, kind: type[Entity]) -> Entity | None:
    """An entity to show, if the design has one or its types alone make one that is right."""
    assert kind.__shape__ is not None
    found = design.samples.entity(kind.__shape__)
    try:
        kind(**found.__dict__)
        kind.__shape__.encode(found)
    except (HansangError, ValueError):
        return None
    return found  # type: ignore[no-any-return]


def questions(design: Design) -> list[tuple[AskedPattern, Query[Any]]]:
    """Every pattern with a question that it makes of its sample."""
    for each in design.asked:
        if each.refusal is not None:
            raise DesignError(
                f"{each.label} refuses {each.arguments}: {each.refusal} Give an example of what it finds, in "
                "examples.json beside the design or in its EXAMPLES."
            ) from each.refusal
    return [*design.questions]
