"""Administration of people: who may sign in, with which roles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from hansang.apps.platform.console.admin import ADMIN, areas, may_give, record, tabs
from hansang.apps.platform.console.visitors import accounts
from hansang.apps.platform.grants import differing, expect_say
from hansang.apps.platform.person import Person
from hansang.errors import AlreadyExists, InvalidInput, NotAllowed
from hansang.parts.permissions import ROLES
from hansang.surfaces.console.frame import role_name
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute

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
        "roles": ROLES,
        "errors": errors or {},
        "given": visit.given,
    }
    return visit.page("platform/people.html", status, **context)


def create(visit: Visit) -> Response:
    """Someone new, and the link with which they sign in first."""
    area, role = visit.given("area"), visit.given("role")
    expect_say(visit.asking, [area])
    try:
        made = accounts(visit).people.create(visit.given("name"), visit.given("shown_name"), {area: role})
    except AlreadyExists:
        return show(visit, 409, {"name": visit.t("platform.people.taken")})
    except InvalidInput as error:
        return show(visit, 422, {error.field: visit.t(f"platform.people.wrong.{error.field}")})
    record(visit, "Person", made.name, "create", after=_facts(made))
    return _show(visit, made, 201, sign_in_link=_new_link(visit, made))


def show_one(visit: Visit) -> Response:
    """One person: roles, state, sessions."""
    return _show(visit, accounts(visit).people.get(visit.param("name")))


def _show(visit: Visit, person: Person, status: int = 200, **more: Any) -> Response:
    context: dict[str, Any] = {
        "tabs": tabs(visit),
        "who": person,
        "who_role": role_name(visit, dict(person.roles)),
        "areas": areas(visit),
        "roles": ROLES,
        "sessions": accounts(visit).sessions.of(person.name),
        "may_change": may_give(visit, person.roles),
        "gives": {area for area, _ in areas(visit) if visit.may(area, "admin")},
        "sign_in_link": None,
        "refused": "",
    }
    return visit.page("platform/person.html", status, **(context | more))


def set_roles(visit: Visit) -> Response:
    """Give other roles; those of areas that whoever asks has no say over stay."""
    person = _changeable(visit)
    wanted = {area: visit.given(f"role.{area}") for area, _ in areas(visit) if visit.given(f"role.{area}")}
    expect_say(visit.asking, differing(person.roles, wanted))
    try:
        after = accounts(visit).people.set_roles(person.name, wanted)
    except NotAllowed:
        return _show(visit, person, 409, refused=visit.t("platform.people.last_owner"))
    record(visit, "Person", person.name, "roles", _facts(person), _facts(after))
    return visit.go(_address(person), "platform.people.roles_saved", name=person.shown_name)


def new_link(visit: Visit) -> Response:
    """A link that lets someone in once, shown this once."""
    person = _changeable(visit)
    link = _new_link(visit, person)
    record(visit, "Person", person.name, "link")
    return _show(visit, person, sign_in_link=link)


def disable(visit: Visit) -> Response:
    """Let someone in no more."""
    person = _changeable(visit)
    try:
        accounts(visit).people.disable(person.name)
    except NotAllowed:
        return _show(visit, person, 409, refused=visit.t("platform.people.last_owner"))
    record(visit, "Person", person.name, "disable")
    return visit.go(_address(person), "platform.people.disabled_now", name=person.shown_name)


def enable(visit: Visit) -> Response:
    """Let someone in again."""
    person = _changeable(visit)
    accounts(visit).people.enable(person.name)
    record(visit, "Person", person.name, "enable")
    return visit.go(_address(person), "platform.people.enabled_now", name=person.shown_name)


def end_sessions(visit: Visit) -> Response:
    """Sign someone out everywhere."""
    person = _changeable(visit)
    accounts(visit).sessions.end_all(person.name)
    record(visit, "Person", person.name, "sessions")
    return visit.go(_address(person), "platform.people.signed_out", name=person.shown_name)


def _changeable(visit: Visit) -> Person:
    """The person of the path, if whoever asks has the say over all of their rights."""
    person = accounts(visit).people.get(visit.param("name"))
    expect_say(visit.asking, person.roles)
    return person


def _new_link(visit: Visit, person: Person) -> str:
    base = visit.shell.settings.public_url or str(visit.request.base_url)
    return f"{base.rstrip('/')}/sign-in/link/{accounts(visit).people.new_link(person.name)}"


def _facts(person: Person) -> dict[str, object]:
    return {"shown_name": person.shown_name, "roles": dict(person.roles)}


def _address(person: Person) -> str:
    return f"/admin/people/{person.name}"


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
