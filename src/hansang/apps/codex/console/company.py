"""The company that the site is of, and those who write for it."""

from __future__ import annotations

from typing import Any, get_args
from urllib.parse import quote

from starlette.responses import Response

from hansang.apps.codex.accounts import join, own_role, own_user
from hansang.apps.codex.console.forms import given_texts, wrong_fields
from hansang.apps.codex.console.links import MOST_CHOICES, codex_of, edited_by, page
from hansang.apps.codex.design import Role, User
from hansang.apps.codex.entities import AREA
from hansang.errors import Conflict, InvalidInput
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, allowed

COMPANY, USERS, JOIN = "/codex/company", "/codex/users", "/codex/join"
_CORP = {"name": "name", "address": "address", "email": "email", "fax": "fax", "corp_num": "corpNum"}
_USER = {"display_name": "displayName", "role": "role"}


def show_company(visit: Visit) -> Response:
    """What the foot of every page of the site says, and where inquiries go."""
    return _company(visit)


def _company(visit: Visit, status: int = 200, wrong: dict[str, str] | None = None) -> Response:
    found = codex_of(visit).company.find("")
    corp = None if found is None else found[0]
    values = {name: visit.given(name) if wrong else getattr(corp, name, "") for name in _CORP}
    tag = "" if found is None else found[1]
    return page(visit, "company.html", status, values=values, tag=tag, corp=corp, wrong=wrong or {})


def store_company(visit: Visit) -> Response:
    """Store the company."""
    codex = codex_of(visit)
    try:
        codex.company.store(given_texts(visit, _CORP), visit.given("tag") or None, edited_by(visit))
    except (InvalidInput, Conflict) as refused:
        return _company(visit, 409 if isinstance(refused, Conflict) else 422, wrong_fields(visit, refused))
    return visit.go(COMPANY, "codex.done.kept")


# ── users ─────────────────────────────────────────────────────────────────────────────────────────


def show_users(visit: Visit) -> Response:
    """Those who write, and the form of a new one."""
    return _users(visit)


def show_user(visit: Visit) -> Response:
    """Those who write, and the form of one of them."""
    return _users(visit, codex_of(visit).users.get(visit.param("id")))


def _users(
    visit: Visit,
    opened: tuple[User, str] | None = None,
    status: int = 200,
    wrong: dict[str, str] | None = None,
) -> Response:
    codex, labels = codex_of(visit), visit.labels(AREA)
    user = None if opened is None else opened[0]
    context: dict[str, Any] = {
        "found": list(reversed(codex.users.page(MOST_CHOICES).items)),
        "opened": user,
        "tag": "" if opened is None else opened[1],
        "values": {
            name: visit.given(name) if wrong else getattr(user, name, "editor" if name == "role" else "")
            for name in _USER
        },
        "roles": [(each, labels.choice("User", "role", each)) for each in get_args(Role)],
        "wrong": wrong or {},
        "user_path": user_path,
        "own": visit.asking.name,
        "joins": (own := own_user(codex, visit.asking)) is None or own.role != own_role(visit.asking),
    }
    return page(visit, "users.html", status, **context)


def user_path(user_id: str, rest: str = "") -> str:
    """The page of a user."""
    return f"{USERS}/{quote(user_id, safe='')}{rest}"


def create_user(visit: Visit) -> Response:
    """A new user."""
    try:
        codex_of(visit).users.create(given_texts(visit, _USER), edited_by(visit))
    except InvalidInput as refused:
        return _users(visit, None, 422, wrong_fields(visit, refused))
    return visit.go(USERS, "codex.done.kept")


def save_user(visit: Visit) -> Response:
    """Another name or role."""
    codex, user_id = codex_of(visit), visit.param("id")
    try:
        codex.users.replace(user_id, given_texts(visit, _USER), visit.given("tag"), edited_by(visit))
    except (InvalidInput, Conflict) as refused:
        status = 409 if isinstance(refused, Conflict) else 422
        return _users(visit, codex.users.get(user_id), status, wrong_fields(visit, refused))
    return visit.go(user_path(user_id), "codex.done.kept")


def join_users(visit: Visit) -> Response:
    """Whoever looks as a user, with the role of the account."""
    join(codex_of(visit), visit.asking, edited_by(visit))
    return visit.go(USERS, "codex.done.kept")


def delete_user(visit: Visit) -> Response:
    """Delete a user; what they wrote stays."""
    codex_of(visit).users.delete(visit.param("id"), visit.given("tag"), edited_by(visit))
    return visit.go(USERS, "codex.done.deleted")


_READ, _WRITE, _ADMIN = allowed(AREA, "read"), allowed(AREA, "write"), allowed(AREA, "admin")
PAGES = (
    PageRoute(COMPANY, show_company, _READ),
    PageRoute(COMPANY, store_company, _WRITE, "POST"),
    PageRoute(USERS, show_users, _READ),
    PageRoute(USERS, create_user, _ADMIN, "POST"),
    PageRoute(JOIN, join_users, _WRITE, "POST"),
    PageRoute(f"{USERS}/{{id}}", show_user, _READ),
    PageRoute(f"{USERS}/{{id}}", save_user, _ADMIN, "POST"),
    PageRoute(f"{USERS}/{{id}}/delete", delete_user, _ADMIN, "POST"),
)
