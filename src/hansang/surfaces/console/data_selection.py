"""What is done with several items of a table at once: export, copy, delete after a look, and undo that."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any
from urllib.parse import parse_qsl, urlencode

from starlette.responses import Response

from hansang.apps.application import Application
from hansang.blueprint.explorer import json_texts
from hansang.blueprint.explorer.browsing import Source
from hansang.blueprint.explorer.cells import columns, masked
from hansang.design import Table
from hansang.design.codec import to_python
from hansang.design.kinds import recognised
from hansang.design.shape import Item
from hansang.errors import Conflict, HansangError, InvalidInput, NotAllowed, NotFound, TooLarge
from hansang.parts.etags import etag
from hansang.parts.history import Change
from hansang.surfaces.addresses import item_path, key_at, table_path
from hansang.surfaces.console.data_items import seen_tag, titles_of
from hansang.surfaces.console.data_paths import (
    TablePlace,
    application_of,
    guard_of,
    picked_key,
    place_of,
    table_of,
)
from hansang.surfaces.console.failures import failure_of
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, allowed
from hansang.surfaces.hand_items import expect_no_secret
from hansang.surfaces.http.export_formats import FORMATS, ExportRows

MOST = 100
"""How many items are chosen at most; a page shows no more."""
_SEARCHED = 1_000
"""How many of the latest changes are looked at for those of one request."""


@dataclass(frozen=True, slots=True)
class PickedItem:
    """One item that was chosen, as whoever looks sees it."""

    key: str
    kind: str
    titles: list[str]
    href: str
    etag: str
    refused: str = ""
    """Why it stays as it is, in words; empty if it can be deleted."""


# ── files ─────────────────────────────────────────────────────────────────────────────────────────


def export(visit: Visit) -> Response:
    """The chosen items as JSON or CSV, with every attribute whole."""
    place = place_of(visit)
    table, role = place.table, visit.role(place.application.name)
    items = [masked(table, item, role) for _, item, _ in _picked(visit, place)]
    is_csv = visit.query("format") == "csv"
    body = b"".join(_csv(table, items)) if is_csv else _json(items).encode()
    kind, end = (FORMATS["csv"].media_type, "csv") if is_csv else ("application/json", "json")
    headers = {"Content-Disposition": f'attachment; filename="{place.name}.{end}"'}
    return Response(body, headers=headers, media_type=kind)


def _json(items: list[Item]) -> str:
    return json_texts.written([_plain(item) for item in items], 2)


def _csv(table: type[Table], items: list[Item]) -> Iterator[bytes]:
    names = tuple(columns(Source(table), items))
    return FORMATS["csv"].write(ExportRows(names, lambda: map(_plain, items), lambda: ()))


def _plain(item: Item) -> dict[str, Any]:
    return {name: to_python(value) for name, value in item.items()}


# ── deleting ──────────────────────────────────────────────────────────────────────────────────────


def preview(visit: Visit) -> Response:
    """What would be deleted, and what would not and why; nothing is done yet."""
    application, table = table_of(visit)
    found = [_previewed(visit, application, table, *each) for each in _picked(visit, place_of(visit))]
    return visit.page(
        "data/selection.html",
        application=application,
        table=table,
        found=[each for each in found if not each.refused],
        refused=[each for each in found if each.refused],
        back=table_path(application, table),
    )


def back_to_table(visit: Visit) -> Response:
    """Whoever comes without a choice, such as by a reload, goes to the table."""
    application, table = table_of(visit)
    return visit.go(table_path(application, table))


def delete(visit: Visit) -> Response:
    """Delete what was looked at, each item with its line of history; what has changed meanwhile stays."""
    application, table = table_of(visit)
    tags = dict(zip(visit.every("key"), visit.every("etag"), strict=False))
    deleted = left = 0
    for key, item, tag in _picked(visit, place_of(visit)):
        is_as_seen = tags.get(key) == seen_tag(visit, application, table, item, tag)
        try:
            expect_no_secret(recognised(table.shapes, item))
            own = {name: item[name] for name in table.key_attributes()}
            seen = tag if is_as_seen else ""
            visit.shell.editing.delete_item(table, own, seen, visit.actor, visit.request_id)
            deleted += 1
        except (Conflict, InvalidInput, NotAllowed, NotFound, TooLarge):
            left += 1
    path = table_path(application, table)
    if not deleted:
        return visit.go(path, "table.deleted_none")
    undo = f"/data/{application.name}/undo?{urlencode({'request': visit.request_id or '', 'count': deleted})}"
    said = "table.deleted_some" if left else "table.deleted"
    return visit.go(path, said, (undo, "frame.undo"), count=deleted, left=left)


def _previewed(
    visit: Visit, application: Application, table: type[Table], key: str, item: Item, tag: str
) -> PickedItem:
    shape = recognised(table.shapes, item)
    refused = ""
    try:
        expect_no_secret(shape)
        if shape is not None:
            application.write_rule(shape.cls).expect_changed(shape.cls)
    except NotAllowed as refusal:
        refused = visit.worded(str(refusal), refusal.code, refusal.values)
    return PickedItem(
        key,
        visit.t("data.unknown_kind") if shape is None else shape.cls.__name__,
        titles_of(table, item),
        item_path(application, table, item),
        seen_tag(visit, application, table, item, tag),
        refused,
    )


def _picked(visit: Visit, place: TablePlace) -> Iterator[tuple[str, Item, str]]:
    """The chosen items that are still there and are shown to whoever looks: key, item and tag, one at a time."""
    guard, table = guard_of(visit, place.application), place.table
    for text in dict.fromkeys(visit.every("key")[:MOST]):
        found = place.database.find_item(table, key_at(table, dict(parse_qsl(text))))
        if found is not None and not guard.hides(table, found):
            yield picked_key(table, found), found, etag(found)


# ── undoing ───────────────────────────────────────────────────────────────────────────────────────


def show_undo(visit: Visit) -> Response:
    """The changes of one request, to be undone together."""
    application = application_of(visit)
    return visit.page(
        "data/undo.html",
        application=application,
        request=visit.query("request"),
        changes=_changes(visit, application, visit.query("request"), _count(visit.query("count"))),
    )


def undo(visit: Visit) -> Response:
    """Undo the changes of one request, each as by itself; what was changed since stays."""
    application = application_of(visit)
    wanted = _changes(visit, application, visit.given("request"), MOST)
    undone = 0
    for change in wanted:
        try:
            visit.shell.editing.undo(change.id, visit.actor, visit.request_id)
            undone += 1
        except HansangError as refusal:
            if failure_of(refusal) is None:
                raise
    said = "table.undone" if undone == len(wanted) else "table.undone_some"
    return visit.go(f"/changes?area={application.name}", said, count=undone, left=len(wanted) - undone)


def _changes(visit: Visit, application: Application, request: str, count: int) -> list[Change]:
    """The changes that a request has made and that are not undone, among the latest of the application."""
    latest = islice(_each_change(visit, application), _SEARCHED)
    own = (each for each in latest if request and each.request_id == request and each.is_undoable)
    return list(islice(own, count))


def _each_change(visit: Visit, application: Application) -> Iterator[Change]:
    cursor: str | None = None
    while True:
        page = visit.shell.history.page(application.name, MOST, cursor)
        yield from page.items
        cursor = page.cursor
        if cursor is None:
            return


def _count(text: str) -> int:
    return min(int(text), MOST) if text.isascii() and text.isdecimal() and len(text) < 4 else MOST


_AT = "/data/{app}/tables/{table}/selected"
PAGES: tuple[PageRoute, ...] = (
    PageRoute(f"{_AT}/export", export, allowed("{app}", "read"), "POST"),
    PageRoute(
        "/data/{app}/copies/{copy}/tables/{table}/selected/export", export, allowed("{app}", "read"), "POST"
    ),
    PageRoute(f"{_AT}/preview", preview, allowed("{app}", "write"), "POST"),
    PageRoute(f"{_AT}/preview", back_to_table, allowed("{app}", "write")),
    PageRoute(f"{_AT}/delete", delete, allowed("{app}", "write"), "POST"),
    PageRoute("/data/{app}/undo", show_undo, allowed("{app}", "write")),
    PageRoute("/data/{app}/undo", undo, allowed("{app}", "write"), "POST"),
)
