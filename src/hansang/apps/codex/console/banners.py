"""Banners: their order, whether they are shown, and what is on them, with the banner itself beside the form."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from starlette.responses import Response

from hansang.apps.codex.console.forms import given_moment, given_texts, moment_text, wrong_fields
from hansang.apps.codex.console.links import (
    SITE,
    category_choices,
    category_path,
    codex_of,
    edited_by,
    page,
    post_path,
)
from hansang.apps.codex.design import Banner
from hansang.apps.codex.entities import AREA
from hansang.apps.codex.reading import is_shown
from hansang.apps.codex.registry import written
from hansang.apps.codex.service import Codex
from hansang.errors import Conflict, InvalidInput
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, allowed

PLACE = "/codex/banners"
_TEXTS = {
    "title": "title",
    "desc": "desc",
    "img_uri": "imgUri",
    "img_alt": "imgAlt",
    "btn1_text": "btn1Text",
    "btn2_text": "btn2Text",
    "btn1_uri": "btn1Uri",
    "btn2_uri": "btn2Uri",
}
_TARGETS = 30
_LONGEST_PLACE = 6


def show(visit: Visit) -> Response:
    """The banners, and the first of them opened."""
    found = codex_of(visit).reading.banners()
    return _shown(visit, found[0].id if found else "")


def begin(visit: Visit) -> Response:
    """The form of a new banner."""
    return _shown(visit, "")


def show_one(visit: Visit) -> Response:
    """One banner opened."""
    return _shown(visit, visit.param("id"))


def _shown(visit: Visit, banner_id: str, status: int = 200, wrong: dict[str, str] | None = None) -> Response:
    codex = codex_of(visit)
    found = codex.banners.get(banner_id) if banner_id else None
    banner: Banner | None = None if found is None else found[0]
    context: dict[str, Any] = {
        "groups": _groups(codex),
        "places": {each.id: place for place, each in enumerate(codex.reading.banners())},
        "opened": banner,
        "tag": "" if found is None else found[1],
        "values": _values(visit, banner, is_typed=bool(wrong)),
        "wrong": wrong or {},
        "targets": _targets(visit, codex),
        "banner_path": banner_path,
    }
    return page(visit, "banners.html", status, **context)


def _groups(codex: Codex) -> list[tuple[str, list[Banner]]]:
    """Those that are shown now, those that wait, and those that are off."""
    now = codex.desk.pipeline.now
    groups: dict[str, list[Banner]] = {"shown": [], "waiting": [], "off": []}
    for each in codex.reading.banners():
        is_early = each.is_active is not False and each.starts_at is not None and each.starts_at > now
        groups["shown" if is_shown(each, now) else "waiting" if is_early else "off"].append(each)
    return list(groups.items())


def _values(visit: Visit, banner: Banner | None, *, is_typed: bool) -> dict[str, str]:
    if is_typed:
        return {name: visit.given(name) for name in (*_TEXTS, "starts_at", "expires_at")}
    texts = {name: getattr(banner, name, None) or "" for name in _TEXTS}
    times = {name: moment_text(visit, getattr(banner, name, None)) for name in ("starts_at", "expires_at")}
    return texts | times


def _targets(visit: Visit, codex: Codex) -> list[tuple[str, str]]:
    """Where a button can lead on the site, by name."""
    pages = [
        (SITE, "codex.site.home"),
        (f"{SITE}/posts", "codex.site.all"),
        (f"{SITE}/contact", "codex.site.contact"),
    ]
    named = [(path, visit.t(key)) for path, key in pages]
    categories = [(category_path(each), title) for each, title in category_choices(codex)]
    posts = [(post_path(each), each.title) for each in codex.reading.published(_TARGETS).items]
    return [*named, *categories, *posts]


def banner_path(banner_id: str, rest: str = "") -> str:
    """The page of a banner."""
    return f"{PLACE}/{quote(banner_id, safe='')}{rest}"


# ── writing ───────────────────────────────────────────────────────────────────────────────────────


def given_of(visit: Visit, seen: Banner | None) -> dict[str, Any]:
    """A banner as the form has it; its order and its switch stay as they are."""
    starts, expires = given_moment(visit, "starts_at"), given_moment(visit, "expires_at")
    given: dict[str, Any] = {
        **given_texts(visit, _TEXTS),
        "startsAt": written(starts),
        "expiresAt": written(expires, as_seconds=True),
        "sortNo": seen.sort_no if seen else None,
        "isActive": seen.is_active if seen else True,
    }
    empty = ("imgAlt", "btn1Uri", "btn2Uri")
    return {
        name: value
        for name, value in given.items()
        if value is not None and (value != "" or name not in empty)
    }


def create(visit: Visit) -> Response:
    """A new banner, which is shown first."""
    codex = codex_of(visit)
    try:
        edit = codex.banners.create(given_of(visit, None), edited_by(visit))
    except InvalidInput as refused:
        return _shown(visit, "", 422, wrong_fields(visit, refused))
    return visit.go(banner_path(edit.subject.id), "codex.done.kept")


def save(visit: Visit) -> Response:
    """What is on a banner, and when it is shown."""
    codex, banner_id = codex_of(visit), visit.param("id")
    seen, _ = codex.banners.get(banner_id)
    try:
        codex.banners.replace(banner_id, given_of(visit, seen), visit.given("tag"), edited_by(visit))
    except (InvalidInput, Conflict) as refused:
        status = 409 if isinstance(refused, Conflict) else 422
        return _shown(visit, banner_id, status, wrong_fields(visit, refused))
    return visit.go(banner_path(banner_id), "codex.done.kept")


def switch(visit: Visit) -> Response:
    """Show a banner, or no longer."""
    codex, banner_id = codex_of(visit), visit.param("id")
    seen, tag = codex.banners.get(banner_id)
    given = codex.banners.type.document(seen) | {"isActive": seen.is_active is False}
    codex.banners.replace(banner_id, given, tag, edited_by(visit))
    return visit.go(banner_path(banner_id), "codex.done.kept")


def move(visit: Visit) -> Response:
    """One place up or down, or to where it was dropped; every banner gets the number of its place."""
    codex, banner_id = codex_of(visit), visit.param("id")
    codex.banners.get(banner_id)
    order = [each.id for each in codex.reading.banners()]
    place = _place(visit.given("to"), order.index(banner_id))
    order.remove(banner_id)
    order.insert(place, banner_id)
    for number, each in enumerate(order, 1):
        seen, tag = codex.banners.get(each)
        if seen.sort_no != number:
            given = codex.banners.type.document(seen) | {"sortNo": number}
            codex.banners.replace(each, given, tag, edited_by(visit))
    return visit.go(banner_path(banner_id), "codex.done.moved")


def _place(to: str, place: int) -> int:
    """Where a banner goes: up, down, or to a number that counts from nought."""
    if to.isascii() and to.isdigit() and len(to) < _LONGEST_PLACE:
        return int(to)
    return max(0, place - 1) if to == "up" else place + 1


def delete(visit: Visit) -> Response:
    """Delete a banner."""
    codex_of(visit).banners.delete(visit.param("id"), visit.given("tag"), edited_by(visit))
    return visit.go(PLACE, "codex.done.deleted")


_WRITE = allowed(AREA, "write")
PAGES = (
    PageRoute(PLACE, show, allowed(AREA, "read")),
    PageRoute(f"{PLACE}/new", begin, _WRITE),
    PageRoute(f"{PLACE}/new", create, _WRITE, "POST"),
    PageRoute(f"{PLACE}/{{id}}", show_one, allowed(AREA, "read")),
    PageRoute(f"{PLACE}/{{id}}", save, _WRITE, "POST"),
    PageRoute(f"{PLACE}/{{id}}/switch", switch, _WRITE, "POST"),
    PageRoute(f"{PLACE}/{{id}}/move", move, _WRITE, "POST"),
    PageRoute(f"{PLACE}/{{id}}/delete", delete, _WRITE, "POST"),
)
