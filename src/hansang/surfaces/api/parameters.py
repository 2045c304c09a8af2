"""What a request may give with its address, as models made from a design."""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Mapping
from copy import copy
from datetime import date, datetime
from typing import Annotated, Any, get_args, get_type_hints

from fastapi import Query as InAddress
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    ValidationInfo,
    create_model,
    field_validator,
)
from pydantic.fields import FieldInfo
from pydantic.types import Strict
from pydantic_core import CoreSchema, PydanticKnownError, core_schema, to_jsonable_python

from hansang.design.entity import Model
from hansang.design.query import Pattern
from hansang.errors import DesignError
from hansang.parts.words import Language
from hansang.surfaces.http.export_formats import FORMATS

MOST = 1000
PAGE = "json"
"""The form of a page; a file has one of `FORMATS`."""


class _Known:
    """Says that a text is the name of a form, at the time when it is asked."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(_known)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {"enum": [PAGE, *FORMATS], "type": "string"}


def _known(given: Any) -> str:
    *others, last = map(repr, (PAGE, *FORMATS))
    if given == PAGE or given in FORMATS:
        return str(given)
    raise PydanticKnownError("literal_error", {"expected": f"{', '.join(others)} or {last}"})


FormatName = Annotated[str, _Known()]
Limit = Annotated[int, Field(ge=1, le=MOST)]
Cursor = Annotated[str | None, Field(max_length=20_000)]


_NUMBER = re.compile(r"[-+]?[0-9_.]+")


def _moments(annotation: Any) -> set[Any]:
    """Which of the types of dates and times are in an annotation."""
    inner = (_moments(each) for each in get_args(annotation))
    return ({annotation} & {date, datetime} if isinstance(annotation, type) else set()).union(*inner)


class Spoken(BaseModel):
    """What every question may say: the language of texts. Anything else that it does not know is refused."""

    model_config = ConfigDict(extra="forbid")

    lang: Language | None = None

    @field_validator("*", mode="before")
    @classmethod
    def _refuse_numbers_for_moments(cls, given: Any, info: ValidationInfo) -> Any:
        """A date or a time is written as one; pydantic would take a number for seconds since 1970."""
        moments = _moments(cls.model_fields[str(info.field_name)].annotation)
        if moments and isinstance(given, str) and _NUMBER.fullmatch(given.strip()):
            kind: Any = "datetime_parsing" if datetime in moments else "date_from_datetime_parsing"
            raise PydanticKnownError(kind, {"error": "a number is none"})
        return given


class Paged(Spoken):
    """Which page is asked for."""

    limit: Limit = 20
    cursor: Cursor = None


class Exported(Paged):
    """Which page is asked for, and in which form; a file answers with every page at once."""

    format: FormatName | None = None


Listed = Annotated[Exported, InAddress()]
"""What a list is asked with that knows pages and forms and nothing else."""


class PatternParameters(Exported):
    """What a pattern is asked with, and which page of the answers is wanted."""

    def arguments(self) -> dict[str, Any]:
        """The values of the pattern's own parameters."""
        return {name: getattr(self, name) for name in type(self).model_fields if name not in _PAGING}


_PAGING = frozenset(PatternParameters.model_fields)


def question(
    owner: type[Any], pattern: Pattern[Any, Any, Any], examples: Mapping[str, Any] | None = None
) -> type[PatternParameters]:
    """The parameters of an access pattern, and those of its pages; `examples` are values to try it with."""
    hints = _hints(pattern)
    fields: dict[str, Any] = {
        each.name: (hints.get(each.name, str), _field(each, examples or {})) for each in _parameters(pattern)
    }
    return create_model(f"{owner.__name__}.{pattern.label} question", __base__=PatternParameters, **fields)


def expect_free_names(owner: type[Any], pattern: Pattern[Any, Any, Any]) -> None:
    """Refuse a pattern with a parameter whose name the pages of its answers need."""
    taken = [each.name for each in _parameters(pattern) if each.name in _PAGING]
    if taken:
        raise DesignError(
            f"A parameter of {owner.__name__}.{pattern.label} cannot be called {taken[0]}, "
            "which the API needs itself."
        )


def _parameters(pattern: Pattern[Any, Any, Any]) -> list[inspect.Parameter]:
    return list(inspect.signature(pattern.function).parameters.values())[1:]


def _field(parameter: inspect.Parameter, examples: Mapping[str, Any]) -> Any:
    default = ... if parameter.default is parameter.empty else parameter.default
    given = to_jsonable_python(examples.get(parameter.name))
    return Field(default, examples=None if given is None else [given])


def _hints(pattern: Pattern[Any, Any, Any]) -> dict[str, Any]:
    """The types of the parameters; what the pattern returns may be out of reach and does not matter."""
    function: Any = pattern.function
    alone = types.FunctionType(function.__code__, function.__globals__)
    said = inspect.get_annotations(function)
    alone.__annotations__ = {name: each for name, each in said.items() if name != "return"}
    return get_type_hints(alone, include_extras=True)


# ── keys ──────────────────────────────────────────────────────────────────────────────────────────


def key_names(kind: type[Model]) -> tuple[str, ...]:
    """The fields that the key of an entity is made of, in their order."""
    shape = kind.__shape__
    assert shape is not None
    return tuple(dict.fromkeys((*shape.pk.fields, *(shape.sk.fields if shape.sk else ()))))


def address(kind: type[Model], examples: Mapping[str, Any] | None = None) -> type[Spoken]:
    """The key fields of an entity, as they stand in an address; `examples` are values to try it with."""
    given = examples or {}
    fields: dict[str, Any] = {
        name: (kind.model_fields[name].annotation, _from_text(kind.model_fields[name], given.get(name)))
        for name in key_names(kind)
    }
    return create_model(f"{kind.__name__} address", __base__=Spoken, **fields)


def _from_text(info: FieldInfo, example: Any) -> FieldInfo:
    """The field as text gives it: what has to be a number in JSON is digits in an address."""
    found = copy(info)
    found.metadata = [each for each in info.metadata if not isinstance(each, Strict)]
    found.examples = None if example is None else [example]
    return found
