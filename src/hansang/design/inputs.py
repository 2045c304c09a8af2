"""Marks of fields that say how people fill them in; they change nothing in what is stored."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar, get_args

from pydantic import AfterValidator, StringConstraints
from pydantic.fields import FieldInfo

from hansang.design.codec import marks
from hansang.errors import InvalidInput

Widget = Literal["month", "money", "email", "address", "picture", "paragraphs"]
"""How a value is filled in, where its type alone does not say."""
Moment = Literal["created", "saved"]

M = TypeVar("M")


@dataclass(frozen=True, slots=True)
class Input:
    """Marks how a value is filled in, with an example of the right format: `Input("month", "2025.01")`."""

    widget: Widget
    example: str = ""


@dataclass(frozen=True, slots=True)
class References:
    """Marks the id of another entity: its kind, and the field by which people know it."""

    kind: str
    label: str


@dataclass(frozen=True, slots=True)
class Stamped:
    """Marks a time that forms write by themselves: when the item is created, or whenever it is saved."""

    when: Moment


def input_mark(info: FieldInfo, kind: type[M]) -> M | None:
    """The mark of this kind that a field has, also inside of lists and optional values."""
    return next((each for each in (*marks(info), *_inside(info.annotation)) if isinstance(each, kind)), None)


def _inside(annotation: Any) -> Iterable[Any]:
    for each in get_args(annotation):
        yield each
        yield from _inside(each)


def example_of(info: FieldInfo) -> str:
    """A value of the right format; empty if the design gives none."""
    mark = input_mark(info, Input)
    if mark is not None and mark.example:
        return mark.example
    return str(info.examples[0]) if info.examples else ""


# ── formats that designs share ────────────────────────────────────────────────────────────────────


def expect_email(text: str) -> str:
    """An e-mail address, or InvalidInput; an empty text is none."""
    name, _, host = text.rpartition("@")
    if text and (not name or "." not in host.strip(".") or any(each.isspace() for each in text)):
        raise InvalidInput("Enter an e-mail address, such as name@example.com.", code="design.not-an-email")
    return text


def expect_address(text: str) -> str:
    """A web address, or a path of the site itself, or InvalidInput; an empty text is none."""
    scheme, _, rest = text.partition("://")
    is_whole = scheme in ("http", "https") and bool(rest.strip("/"))
    is_path = text.startswith("/") and not text.startswith("//")
    if text and (not (is_whole or is_path) or any(each.isspace() for each in text)):
        raise InvalidInput(
            "Enter a web address, such as https://example.com/page.", code="design.not-an-address"
        )
    return text


Title = Annotated[str, StringConstraints(min_length=1)]
"""A text that is never empty."""
Email = Annotated[str, AfterValidator(expect_email), Input("email", "name@example.com")]
WebAddress = Annotated[str, AfterValidator(expect_address), Input("address", "https://example.com/page")]
Picture = Annotated[str, AfterValidator(expect_address), Input("picture", "https://example.com/picture.png")]
Paragraphs = Annotated[str, Input("paragraphs")]
"""A text of several lines."""
