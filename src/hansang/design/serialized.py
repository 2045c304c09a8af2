"""Codecs of one's own: a type of any kind, stored as a type that DynamoDB has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import GetCoreSchemaHandler
from pydantic.errors import PydanticSchemaGenerationError
from pydantic_core import CoreSchema, core_schema

from hansang.design.plain_codecs import Codec, Value

T = TypeVar("T")
S = TypeVar("S")


@dataclass(frozen=True)
class Serialized(Generic[T, S]):
    """How values of a type are stored: `Annotated[Colour, Serialized(str, Colour.text, Colour.parse)]`.

    `ordered` says that what is stored sorts as the values do; without it they are compared by equality alone. What
    is stored has to be read back as the very same value, which is looked at with every write.
    """

    stored: type[S]
    serialize: Callable[[T], S]
    deserialize: Callable[[S], T]
    ordered: bool = False

    def codec(self, inner: Codec) -> Codec:
        def encode(value: Any) -> Value:
            found = inner.encode(self.serialize(value))
            if self.deserialize(inner.decode(found)) != value:
                raise ValueError("what is stored of it is read back as another value")
            return found

        return Codec(inner.kind, encode, lambda value: self.deserialize(inner.decode(value)), serialized=self)

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """In Python the type itself, in JSON what is stored."""
        try:
            known = handler(source)
        except PydanticSchemaGenerationError:
            known = core_schema.is_instance_schema(source)
        text = core_schema.no_info_after_validator_function(
            self.deserialize, handler.generate_schema(self.stored)
        )
        written = core_schema.plain_serializer_function_ser_schema(self.serialize, when_used="json")
        return core_schema.json_or_python_schema(json_schema=text, python_schema=known, serialization=written)
