"""What an annotation says of a field beside its type."""

from __future__ import annotations

import types
from dataclasses import dataclass
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import Discriminator
from pydantic.fields import FieldInfo


@dataclass(frozen=True, slots=True)
class Attr:
    """The name of an attribute, where it is another than the field's: `Annotated[str, Attr("authorId")]`."""

    name: str


def optional(annotation: Any) -> bool:
    """Whether None is allowed."""
    return get_origin(annotation) in (Union, types.UnionType) and type(None) in get_args(annotation)


def marks(info: FieldInfo) -> tuple[Any, ...]:
    """What is said of a field beside its type, also inside of `Annotated[…] | None`."""
    inner = plain(info.annotation)
    return (*info.metadata, *(get_args(inner)[1:] if get_origin(inner) is Annotated else ()))


def said_of(info: FieldInfo) -> tuple[Any, ...]:
    """What is said of the values of a field, with the discriminator of a union."""
    tag = info.discriminator
    return (
        tuple(info.metadata)
        if tag is None
        else (*info.metadata, Discriminator(tag) if isinstance(tag, str) else tag)
    )


def unmarked(annotation: Any) -> Any:
    """The annotation without None and without what `Annotated` says of it."""
    inner = plain(annotation)
    return get_args(inner)[0] if get_origin(inner) is Annotated else inner


def plain(annotation: Any) -> Any:
    """The annotation without None."""
    if not optional(annotation):
        return annotation
    rest = [each for each in get_args(annotation) if each is not type(None)]
    return rest[0] if len(rest) == 1 else Union[tuple(rest)]  # noqa: UP007
