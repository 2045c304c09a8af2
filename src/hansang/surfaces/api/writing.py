"""Entities as JSON: typed fields by pydantic, open ones exactly as they are stored, bytes in base64."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, get_args

import orjson
from pydantic import BaseModel, TypeAdapter

from hansang.design.entity import Model
from hansang.design.marks import Role
from hansang.design.visibility import hidden_fields
from hansang.surfaces.http.exact_json import exact

Writer = Callable[[Any], bytes]


class Form:
    """How the entities of one kind are written."""

    def __init__(self, kind: type[Model], hidden: frozenset[str]) -> None:
        """Fields that are hidden are left out."""
        self.kind, self._hidden = kind, hidden
        self.names = tuple(name for name in kind.model_fields if name not in hidden)
        self._open = frozenset(name for name in self.names if _is_open(kind.model_fields[name].annotation))
        self._all: TypeAdapter[list[Any]] = TypeAdapter(list[kind])  # type: ignore[valid-type]

    def values(self, entity: Any) -> dict[str, Any]:
        """The fields as JSON has them, in their order; numbers of open fields stay Decimals."""
        found = entity.model_dump(mode="json", exclude=self._open | self._hidden, warnings=False)
        return {name: getattr(entity, name) if name in self._open else found[name] for name in self.names}

    def json(self, entity: Any) -> bytes:
        """One entity as JSON."""
        if self._open:
            return orjson.dumps(exact(self.values(entity)))
        exclude = set(self._hidden) or None
        written: bytes = self.kind.__pydantic_serializer__.to_json(entity, exclude=exclude, warnings=False)
        return written

    def list_json(self, entities: list[Any]) -> bytes:
        """Entities of this kind as one JSON list."""
        if self._open:
            return b"[" + b",".join(map(self.json, entities)) + b"]"
        exclude: Any = {"__all__": set(self._hidden)} if self._hidden else None
        return self._all.dump_json(entities, exclude=exclude, warnings=False)

    def named_json(self, entity: Any) -> bytes:
        """One entity as JSON, with its kind before its fields."""
        rest = self.json(entity)[1:]
        return b'{"kind":"%s"%s%s' % (self.kind.__name__.encode(), b"" if rest == b"}" else b",", rest)


@cache
def whole_form(kind: type[Model]) -> Form:
    """How the entities of a kind are written with everything that they have; not for answers."""
    return Form(kind, frozenset())


@cache
def form(kind: type[Model], role: Role | None) -> Form:
    """How the entities of a kind are written for somebody with this role, worked out once."""
    assert kind.__shape__ is not None
    return Form(kind, hidden_fields(kind.__shape__, role))


def items_json(entities: list[Any], kinds: tuple[type[Model], ...], role: Role | None) -> bytes:
    """Answers as a JSON list; when there are several kinds, each says which it is."""
    if len(kinds) == 1:
        return form(kinds[0], role).list_json(entities)
    return b"[" + b",".join(form(each.__class__, role).named_json(each) for each in entities) + b"]"


def item_writer(kinds: tuple[type[Model], ...], role: Role | None) -> Writer:
    """What writes one answer."""
    if len(kinds) == 1:
        return form(kinds[0], role).json
    return lambda each: form(each.__class__, role).named_json(each)


def _is_open(annotation: Any) -> bool:
    """Whether pydantic would not write a value of this type as it is: anything may stand in it, or bytes do."""
    if annotation in (Any, object, bytes):
        return True
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        fields: Iterable[Any] = annotation.model_fields.values()
        extra = annotation.model_config.get("extra") == "allow"
        return extra or any(_is_open(each.annotation) for each in fields)
    return any(_is_open(each) for each in get_args(annotation))
