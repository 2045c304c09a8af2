"""Entities as JSON: typed fields by pydantic, open ones exactly as they are stored, bytes in base64."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, get_args

import orjson
from pydantic import BaseModel, TypeAdapter

from hansang.design.entity import Model
from hansang.surfaces.http.exact_json import exact

Writer = Callable[[Any], bytes]


class Form:
    """How the entities of one kind are written."""

    def __init__(self, kind: type[Model]) -> None:
        self.kind = kind
        self.names = tuple(kind.model_fields)
        self._open = frozenset(
            name for name, field in kind.model_fields.items() if _is_open(field.annotation)
        )
        self._all: TypeAdapter[list[Any]] = TypeAdapter(list[kind])  # type: ignore[valid-type]

    def values(self, entity: Any) -> dict[str, Any]:
        """The fields as JSON has them, in their order; numbers of open fields stay Decimals."""
        found = entity.model_dump(mode="json", exclude=self._open, warnings=False)
        return {name: getattr(entity, name) if name in self._open else found[name] for name in self.names}

    def json(self, entity: Any) -> bytes:
        """One entity as JSON."""
        if self._open:
            return orjson.dumps(exact(self.values(entity)))
        written: bytes = self.kind.__pydantic_serializer__.to_json(entity, warnings=False)
        return written

    def list_json(self, entities: list[Any]) -> bytes:
        """Entities of this kind as one JSON list."""
        if self._open:
            return b"[" + b",".join(map(self.json, entities)) + b"]"
        return self._all.dump_json(entities, warnings=False)

    def named_json(self, entity: Any) -> bytes:
        """One entity as JSON, with its kind before its fields."""
        rest = self.json(entity)[1:]
        return b'{"kind":"%s"%s%s' % (self.kind.__name__.encode(), b"" if rest == b"}" else b",", rest)


@cache
def form(kind: type[Model]) -> Form:
    """How the entities of a kind are written, worked out once."""
    return Form(kind)


def items_json(entities: list[Any], kinds: tuple[type[Model], ...]) -> bytes:
    """Answers as a JSON list; when there are several kinds, each says which it is."""
    if len(kinds) == 1:
        return form(kinds[0]).list_json(entities)
    return b"[" + b",".join(form(each.__class__).named_json(each) for each in entities) + b"]"


def item_writer(kinds: tuple[type[Model], ...]) -> Writer:
    """What writes one answer."""
    return form(kinds[0]).json if len(kinds) == 1 else lambda each: form(each.__class__).named_json(each)


def _is_open(annotation: Any) -> bool:
    """Whether pydantic would not write a value of this type as it is: anything may stand in it, or bytes do."""
    if annotation in (Any, object, bytes):
        return True
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        fields: Iterable[Any] = annotation.model_fields.values()
        extra = annotation.model_config.get("extra") == "allow"
        return extra or any(_is_open(each.annotation) for each in fields)
    return any(_is_open(each) for each in get_args(annotation))
