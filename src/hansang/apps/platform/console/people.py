"""Administration of people: who may sign in, with which roles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from hansang.apps.platform.console.admin import ADMIN, areas, tabs
from hansang.apps.platform.console.once import go_to_secret
from hansang.apps.platform.console.visitors import accounts, administration
from hansang.apps.platform.person import Person
from hansang.apps.platform.shown_once import OneTimeSecret
from hansang.errors import AlreadyExists, Conflict, InvalidInput, LastOwner
from hansang.parts.permissions import ROLES
from hansang.surfaces.console.frame import role_name
from hansang.surfaces.console.notices import Undo
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute
from hansang.surfaces.http.origins import base_of

_ON_A_PAGE = 50


def show(visit: Visit, status: int = 200, errors: Mapping[str, str] | None = None) -> Response:
    """Everybody, by name, with the form for someone new."""
    page = accounts(visit).people.page(_ON_A_PAGE, visit.query("cursor") or None)
    context: dict[str, Any] = {
        "tabs": tabs(visit),
        "page": page,
        "unreadable": visit.named(page.unreadable),
        "rows": [(each, role_name(visit, dict(each.roles))) for each in page],
        "areas": areas(visit),
        "role_options": _role_options(visit),
        "errors": errors or {},
        "given": visit.given,
    }
    return visit.page("platform/people.html", status, **context)


def create(visit: Visit) -> Response:
    """Someone new, and the link with which they sign in first."""
    roles = {visit.given("area"): visit.given("role")}
    try:
        made, token = administration(visit).invite(visit.given("name"), visit.given("shown_name"), roles)
    except AlreadyExists:
        return show(visit, 409, {"name": visit.t("platform.people.taken")})
    except InvalidInput as error:
        return show(visit, 422, {error.field: visit.t(f"platform.people.wrong.{error.field}")})
    return _show_link(visit, made, token)


def show_one(visit: Visit) -> Response:
    """One person: roles, state, sessions."""
    return _show(visit, accounts(visit).people.get(visit.param("name")))


def _show(visit: Visit, person: Person, status: int = 200, **more: Any) -> Response:
    context: dict[str, Any] = {
        "tabs": tabs(visit),
        "who": person,
        "who_role": role_name(visit, dict(person.roles)),
        "areas": areas(visit),
        "role_options": _role_options(visit),
        "sessions": accounts(visit).sessions.of(person.name),
        "may_change": all(visit.may(area, "admin") for area in person.roles),
        "gives": {area for area, _ in areas(visit) if visit.may(area, "admin")},
        "refused": "",
    }
    return visit.page("platform/person.html", status, **(context | more))


def set_roles(visit: Visit) -> Response:
    """Give other roles; those of areas that whoever asks has no say over stay."""
    wanted = {area: visit.given(f"role.{area}") for area, _ in areas(visit) if visit.given(f"role.{area}")}
    try:
        seen = administration(visit).as_seen(visit.param("name"), visit.given("seen"))
        person = administration(visit).set_roles(seen, wanted)
    except Conflict:
        return _refuse(visit, "platform.people.changed_meanwhile")
    except LastOwner:
        return _refuse(visit, "platform.people.last_owner")
    before = {f"role.{area}": role for area, role in seen.roles.items()}
    undo = Undo(f"/admin/people/{person.name}/roles", before | {"seen": person.tag})
    return _go_on(visit, person, "platform.people.roles_saved", undo)


def new_link(visit: Visit) -> Response:
    """A link that lets someone in once, shown this once."""
    token = administration(visit).new_link(visit.param("name"))
    return _show_link(visit, accounts(visit).people.get(visit.param("name")), token)


def disable(visit: Visit) -> Response:
    """Let someone in no more."""
    try:
        person = administration(visit).disable(visit.param("name"))
    except LastOwner:
        return _refuse(visit, "platform.people.last_owner")
    return _go_on(visit, person, "platform.people.disabled_now", Undo(f"/admin/people/{person.name}/enable"))


def enable(visit: Visit) -> Response:
    """Let someone in again."""
    person = administration(visit).enable(visit.param("name"))
    return _go_on(visit, person, "platform.people.enabled_now", Undo(f"/admin/people/{person.name}/disable"))


def end_sessions(visit: Visit) -> Response:
    """Sign someone out everywhere."""
    administration(visit).end_sessions(visit.param("name"))
    return _go_on(visit, accounts(visit).people.get(visit.param("name")), "platform.people.signed_out")


def _role_options(visit: Visit) -> list[tuple[str, str]]:
    """Every role and how it is called, the least first."""
    return [(role, visit.t(f"role.{role}")) for role in reversed(ROLES)]


def _go_on(visit: Visit, person: Person, said: str, undo: Undo | None = None) -> Response:
    return visit.go(f"/admin/people/{person.name}", said, undo=undo, name=person.shown_name)


def _refuse(visit: Visit, said: str) -> Response:
    """The person's page as it is now, with the reason why nothing was done."""
    return _show(visit, accounts(visit).people.get(visit.param("name")), 409, refused=visit.t(said))


def _show_link(visit: Visit, person: Person, token: str) -> Response:
    """Lead to the page that shows somebody's link to sign in with, once."""
    link = f"{base_of(visit.request, visit.shell.settings)}/sign-in/link/{token}"
    return go_to_secret(visit, OneTimeSecret("link", link, person.shown_name, f"/admin/people/{person.name}"))


PAGES = (
    PageRoute("/admin/people", show, ADMIN),
    PageRoute("/admin/people", create, ADMIN, "POST"),
    PageRoute("/admin/people/{name}", show_one, ADMIN),
    PageRoute("/admin/people/{name}/roles", set_roles, ADMIN, "POST"),
    PageRoute("/admin/people/{name}/link", new_link, ADMIN, "POST"),
    PageRoute("/admin/people/{name}/disable", disable, ADMIN, "POST"),
    PageRoute("/admin/people/{name}/enable", enable, ADMIN, "POST"),
    PageRoute("/admin/people/{name}/sessions/end", end_sessions, ADMIN, "POST"),
)
