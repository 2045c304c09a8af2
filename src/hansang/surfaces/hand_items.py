"""Items as they are edited by hand: which may be, and the tag of what was seen of one."""

from __future__ import annotations

from hansang.apps.application import Application
from hansang.design import Entity, Table
from hansang.design.kinds import recognised
from hansang.design.shape import Item, Shape
from hansang.design.visibility import has_secret, visible
from hansang.errors import NotAllowed, UnexpectedItem
from hansang.parts.etags import etag
from hansang.parts.permissions import Role


def tag_seen(table: type[Table], item: Item, tag: str, role: Role | None) -> str:
    """The tag of what somebody with this role sees; that of the whole item would confirm a guess at the rest."""
    seen = visible(table, item, role)
    return tag if seen == visible(table, item, "owner") else etag(seen)


def expect_no_secret(shape: Shape | None) -> None:
    """Refuse a kind that keeps a secret."""
    if shape is not None and has_secret(shape):
        raise NotAllowed(
            "A {kind} keeps a secret and is not written by hand.",
            code="surfaces.keeps-secret",
            values={"kind": shape.cls.__name__},
        )


def editable(application: Application, table: type[Table], item: Item) -> tuple[Shape, Entity]:
    """The kind and the entity of an item that may be edited by hand."""
    found = recognised(table.shapes, item)
    if found is None:
        raise NotAllowed(
            "No entity of the design knows this item. Repair it on its page, or delete it.",
            code="surfaces.no-entity",
        )
    expect_no_secret(found)
    application.write_rule(found.cls).expect_changed(found.cls)
    try:
        return found, found.decode(item)
    except UnexpectedItem as misfit:
        raise NotAllowed(
            "The stored item does not fit its entity. Repair it on its page.", code="surfaces.misfit"
        ) from misfit
