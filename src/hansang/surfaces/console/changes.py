"""The history of changes: who changed what, from what to what, and the button that undoes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from starlette.responses import Response

from hansang.blueprint.explorer.cells import HIDDEN
from hansang.errors import Conflict, NotAllowed, NotFound
from hansang.parts.history import Change
from hansang.parts.permissions import PLATFORM, Action
from hansang.surfaces.addresses import item_path
from hansang.surfaces.change_images import hidden_sides
from hansang.surfaces.console.frame import area_name, readable
from hansang.surfaces.console.notices import Undo
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import SIGNED_IN, PageRoute
from hansang.surfaces.differences import Difference, differences

_ON_A_PAGE = 30
_MOST_NAMES = 4
_TONES = {"create": "good", "delete": "bad", "replace": "c-blue", "undo": "c-violet"}


@dataclass(frozen=True, slots=True)
class ChangeLine:
    """One change, ready to be shown."""

    change: Change
    area: str
    actor: str
    verb: str
    tone: str
    touched: list[str]
    """The attributes that are different since, when the item was there before and after."""

    @property
    def name(self) -> str:
        """What was changed, without the table that the area says already."""
        return self.change.subject.partition("/")[2] or self.change.subject


def show(visit: Visit) -> Response:
    """The newest changes first, of one area or of all that whoever looks may read."""
    areas = areas_seen(visit)
    wanted = _wanted(visit, areas)
    page = visit.shell.history.page(wanted, _ON_A_PAGE, visit.query("cursor") or None)
    context: dict[str, Any] = {
        "areas": [(each, area_name(visit, each)) for each in areas],
        "wanted": wanted or "",
        "sees_all": visit.may("*", "read"),
        "rows": [change_row(visit, each) for each in page if visit.shell.tells_of(each.area)],
        "page": page,
        "unreadable": visit.named(page.unreadable),
    }
    return visit.page("changes.html", **context)


def show_one(visit: Visit) -> Response:
    """One change: what was there before, and what is there since."""
    change = _get(visit)
    is_hidden = not visit.may(change.area, _needed(visit, change, "read"))
    context: dict[str, Any] = {
        "row": change_row(visit, change),
        "change": change,
        "is_hidden": is_hidden,
        "differences": [] if is_hidden else _differences(visit, change),
        "hidden": HIDDEN,
        "labels": visit.labels(change.area),
        "fields": _fields(visit, change),
        "item": "" if is_hidden else _item_path(visit, change),
        "may_undo": may_undo(visit, change),
    }
    return visit.page("change.html", **context)


def undo(visit: Visit) -> Response:
    """Put back what was there before, unless it has changed again since."""
    change = _get(visit)
    needed = _needed(visit, change, "write")
    if not visit.may(change.area, needed):
        raise NotAllowed(
            "This takes {area}:{action}.",
            code="surfaces.needs-scope",
            values={"area": change.area, "action": needed},
        )
    try:
        made = visit.shell.editing.undo(change.id, visit.actor, visit.request_id)
    except Conflict:
        return visit.go(visit.given("next") or f"/changes/{change.id}", "changes.undo.conflict")
    return visit.go(_after_undoing(visit, made), "changes.undo.done", undo=undo_of(made, "frame.redo"))


def _after_undoing(visit: Visit, made: Change) -> str:
    """The page on which it was undone; of an item that is gone with it, the table."""
    page = visit.given("next") or f"/changes/{made.id}"
    return page.partition("/item?")[0] if made.after_image is None else page


def undo_of(change: Change, key: str = "frame.undo") -> Undo:
    """The form that undoes a change."""
    return Undo(f"/changes/{change.id}/undo", key=key)


def changes_seen(visit: Visit, limit: int) -> list[ChangeLine]:
    """The newest changes of all that whoever looks may read."""
    if visit.may("*", "read"):
        found = [
            each for each in visit.shell.history.page(None, 5 * limit) if visit.shell.tells_of(each.area)
        ]
    else:
        found = [each for area in areas_seen(visit) for each in visit.shell.history.page(area, limit)]
    newest = sorted(found, key=lambda each: each.id, reverse=True)[:limit]
    return [change_row(visit, each) for each in newest]


def areas_seen(visit: Visit) -> list[str]:
    """The areas whose changes whoever looks may read."""
    areas = [each.name for each in readable(visit)]
    return [*areas, PLATFORM] if visit.may(PLATFORM, "read") else areas


def change_row(visit: Visit, change: Change) -> ChangeLine:
    """A change with the words for it."""
    key = f"changes.verb.{change.verb}"
    verb = visit.console.wording.find(key, visit.language) or change.verb
    tone, actor = _TONES.get(change.verb, "quiet"), visit.actor_name(change.actor)
    is_hidden = not visit.may(change.area, _needed(visit, change, "read"))
    touched = [] if is_hidden else _touched(change)
    return ChangeLine(change, area_name(visit, change.area), actor, verb, tone, touched)


def _needed(visit: Visit, change: Change, action: Action) -> Action:
    """What it takes to see or to undo a change: of a guarded entity, the say over the application."""
    kinds = {(each.name, kind.__name__) for each in visit.shell.applications for kind in each.guarded}
    return "admin" if (change.area, change.kind) in kinds else action


def may_undo(visit: Visit, change: Change) -> bool:
    """Whether whoever looks can undo it; what is kept for ever stays even when it was created by hand."""
    if not change.is_undoable or not visit.may(change.area, _needed(visit, change, "write")):
        return False
    application = visit.shell.application(change.area)
    kind = application.entities.get(change.kind)
    return kind is None or application.undoing is not None or application.write_rule(kind).changes


def _item_path(visit: Visit, change: Change) -> str:
    """The page of the item that was changed; empty when it is no item of a design, or is no more."""
    tables = {table.name: (each, table) for each in readable(visit) for table in each.tables}
    found = tables.get(change.table)
    if found is None or change.key is None or change.after_image is None:
        return ""
    return item_path(*found, change.key)


def _differences(visit: Visit, change: Change) -> list[Difference]:
    hidden = hidden_sides(visit.shell, change, visit.role(change.area))
    return differences(change.before, change.after, hidden)


def _fields(visit: Visit, change: Change) -> dict[str, str]:
    """The field that each attribute of what was changed is stored for."""
    kinds: dict[str, Any] = {
        name: kind
        for each in visit.shell.plugged
        for name, kind in each.entities.items()
        if each.name == change.area
    }
    shape = kinds[change.kind].__shape__ if change.kind in kinds else None
    slots = () if shape is None else shape.slots.values()
    return {each.attribute: each.name for each in slots if each.attribute is not None}


def _touched(change: Change) -> list[str]:
    if change.before is None or change.after is None:
        return []
    names = [each.name for each in differences(change.before, change.after) if each.kind != "same"]
    return names if len(names) <= _MOST_NAMES else [*names[:_MOST_NAMES], "…"]


def _wanted(visit: Visit, areas: list[str]) -> str | None:
    """The area that is asked for; whoever may not read all areas gets one of theirs."""
    asked = visit.query("area")
    if asked in areas:
        return asked
    if visit.may("*", "read"):
        return None
    return areas[0] if areas else "-"


def _get(visit: Visit) -> Change:
    change = visit.shell.history.get(visit.param("id"))
    if not visit.shell.tells_of(change.area) or not visit.may(change.area, "read"):
        raise NotFound("Change {id} not found.", code="surfaces.no-change", values={"id": change.id})
    return change


PAGES = (
    PageRoute("/changes", show, SIGNED_IN),
    PageRoute("/changes/{id}", show_one, SIGNED_IN),
    PageRoute("/changes/{id}/undo", undo, SIGNED_IN, "POST"),
)
