"""What the document says of entities in answers: without secrets, and personal fields may be absent."""

from __future__ import annotations

from copy import copy
from functools import cache
from typing import Any

from pydantic import BaseModel, create_model
from pydantic.fields import FieldInfo

from hansang.design.entity import Model
from hansang.design.marks import ROLES, Role
from hansang.design.visibility import hidden_fields

SUFFIX = "Shown"
"""What the name of such a model ends with, where it is not the entity itself."""


@cache
def answer_model(kind: type[Model]) -> type[BaseModel]:
    """An entity as it is answered; the entity itself where everybody sees all of it."""
    shape = kind.__shape__
    assert shape is not None
    hidden = {role: hidden_fields(shape, role) for role in ROLES}
    if not any(hidden.values()):
        return kind
    seen_by = {name: [role for role in ROLES if name not in hidden[role]] for name in kind.model_fields}
    fields: dict[str, Any] = {
        name: (info.annotation, info if len(seen_by[name]) == len(ROLES) else _absent(info, seen_by[name]))
        for name, info in kind.model_fields.items()
        if seen_by[name]
    }
    return create_model(f"{kind.__name__}{SUFFIX}", __doc__=kind.__doc__, **fields)


def _absent(info: FieldInfo, seen_by: list[Role]) -> FieldInfo:
    """The field as one that is left out for some."""

    def tell(schema: dict[str, Any]) -> None:
        schema.pop("default", None)
        schema["x-seen-by"] = seen_by

    found = copy(info)
    found.default, found.default_factory, found.json_schema_extra = None, None, tell
    return found
