"""Keys as people write them and as links carry them, one text for each part; and the links to tables and items."""

from __future__ import annotations

import binascii
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from urllib.parse import quote, urlencode

from hansang.apps.application import Application
from hansang.design import Table
from hansang.design.codec import Value
from hansang.design.shape import Item
from hansang.errors import InvalidInput


def key_value(attribute: str, kind: str, text: str) -> Value:
    """A part of a key from its text, by the type that the table gives to it."""
    if not text:
        raise InvalidInput(
            "{attribute} is part of the key and cannot be empty.",
            attribute,
            code="surfaces.empty-key",
            values={"attribute": attribute},
        )
    if kind == "N":
        return {"N": _number(attribute, text)}
    if kind == "B":
        return {"B": _base64(attribute, text)}
    return {"S": text}


def _number(attribute: str, text: str) -> str:
    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite():
        raise InvalidInput(
            "{attribute} is a number, and {text!r} is not a valid one.",
            attribute,
            code="surfaces.not-a-number",
            values={"attribute": attribute, "text": text},
        )
    return text.strip()


def _base64(attribute: str, text: str) -> str:
    try:
        binascii.a2b_base64(text, strict_mode=True)
    except (binascii.Error, ValueError) as reason:
        raise InvalidInput(
            "{attribute} is binary; write it as base64.",
            attribute,
            code="surfaces.key-base64",
            values={"attribute": attribute},
        ) from reason
    return text


def key_text(value: Value) -> str:
    """A part of a key as text."""
    return str(next(iter(value.values())))


def address(table: type[Table], item: Mapping[str, Value]) -> dict[str, str]:
    """The key of an item as the parameters of a link: `pk`, and `sk` if the table has a sort key."""
    return dict(zip(("pk", "sk"), (key_text(item[name]) for name in table.key_attributes()), strict=False))


def key_at(table: type[Table], given: Mapping[str, str]) -> Item:
    """The key that the parameters of a link name; InvalidInput when a part is missing or of the wrong type."""
    parts = zip(("pk", "sk"), table.key_attributes(), strict=False)
    return {name: key_value(name, table.kind_of(name), given.get(part, "")) for part, name in parts}


def table_path(application: Application, table: type[Table]) -> str:
    """The page of the console on which a table is browsed."""
    return f"/data/{application.name}/tables/{quote(table.name)}"


def item_path(
    application: Application, table: type[Table], item: Mapping[str, Value], verb: str = "item"
) -> str:
    """The page of one item, or of a verb on it."""
    return f"{table_path(application, table)}/{verb}?{urlencode(address(table, item))}"
