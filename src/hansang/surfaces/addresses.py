"""Keys as links carry them, and the links to tables and items."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote, urlencode

from hansang.apps.application import Application
from hansang.blueprint.explorer.key_texts import key_text, key_value
from hansang.design import Table
from hansang.design.codec import Value
from hansang.design.shape import Item


def address(table: type[Table], item: Mapping[str, Value]) -> dict[str, str]:
    """The key of an item as the parameters of a link: `pk`, and `sk` if the table has a sort key."""
    return dict(zip(("pk", "sk"), (key_text(item[name]) for name in table.key_attributes()), strict=False))


def key_at(table: type[Table], given: Mapping[str, str]) -> Item:
    """The key that the parameters of a link name; InvalidInput when a part is missing or of the wrong type."""
    parts = zip(("pk", "sk"), table.key_attributes(), strict=False)
    return {name: key_value(name, table.kind_of(name), given.get(part, "")) for part, name in parts}


def table_path(application: Application, table: type[Table], copy: str = "") -> str:
    """The page of the console on which a table is browsed, or the same one of a further copy."""
    within = f"/copies/{quote(copy, safe='')}" if copy else ""
    return f"/data/{application.name}{within}/tables/{quote(table.name)}"


def item_path(
    application: Application,
    table: type[Table],
    item: Mapping[str, Value],
    verb: str = "item",
    copy: str = "",
) -> str:
    """The page of one item, or of a verb on it."""
    return f"{table_path(application, table, copy)}/{verb}?{urlencode(address(table, item))}"
