"""Administration of keys: which programs may do what, until when."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from starlette.responses import Response

from hansang.apps.platform.api_keys import ApiKey
from hansang.apps.platform.console.admin import ADMIN, areas, tabs
from hansang.apps.platform.console.once import go_to_secret
from hansang.apps.platform.console.visitors import accounts, administration
from hansang.apps.platform.grants import has
from hansang.apps.platform.shown_once import OneTimeSecret
from hansang.errors import InvalidInput
from hansang.parts.permissions import ACTIONS
from hansang.parts.timestamps import to_datetime
from hansang.surfaces.console.frame import area_name
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute

_ON_A_PAGE = 50
DAYS = ("30", "90", "365", "")
"""How long a new key may be good for; the empty one is for ever."""


def show(
    visit: Visit,
    status: int = 200,
    errors: Mapping[str, str] | None = None,
) -> Response:
    """All keys, with the form for a new one."""
    page = accounts(visit).keys.page(_ON_A_PAGE, visit.query("cursor") or None)
    context: dict[str, Any] = {
        "tabs": tabs(visit),
        "page": page,
        "unreadable": visit.named(page.unreadable),
        "rows": [(each, _state(visit, each), scopes_shown(visit, each)) for each in page],
        "revocable": {each.id for each in page if all(has(visit.asking, scope) for scope in each.scopes)},
        "areas": [(area, name) for area, name in areas(visit) if visit.may(area, "read")],
        "actions": ACTIONS,
        "days": DAYS,
        "errors": errors or {},
        "given": visit.given,
    }
    return visit.page("platform/keys.html", status, **context)


def create(visit: Visit) -> Response:
    """A new key with rights that whoever makes it has."""
    wanted = {f"{area}:{given}" for area, _ in areas(visit) if (given := visit.given(f"scope.{area}"))}
    try:
        key, text = administration(visit).create_key(
            visit.given("label"), wanted, _end(visit), rate=_rate(visit)
        )
    except InvalidInput as error:
        return show(visit, 422, errors={error.field: visit.t(f"platform.keys.wrong.{error.field}")})
    return go_to_secret(visit, OneTimeSecret("key", text, key.label, "/admin/keys"))


def revoke(visit: Visit) -> Response:
    """Let a key open nothing more."""
    key = administration(visit).revoke_key(visit.param("id"))
    return visit.go("/admin/keys", "platform.keys.revoked_now", label=key.label)


def scopes_shown(visit: Visit, key: ApiKey) -> list[str]:
    """The rights of a key in words, one an area."""
    found: dict[str, str] = {}
    for scope in sorted(key.scopes, key=lambda each: ACTIONS.index(_action(each))):
        found[scope.partition(":")[0]] = _action(scope)
    return [
        visit.t("role.there", area=area_name(visit, area), what=visit.t(f"platform.keys.action.{action}"))
        for area, action in found.items()
    ]


def _action(scope: str) -> Any:
    return scope.partition(":")[2]


def _end(visit: Visit) -> datetime | None:
    days = visit.given("days")
    return to_datetime(visit.shell.clock()) + timedelta(days=int(days)) if days in DAYS and days else None


def _rate(visit: Visit) -> int | None:
    """The rate that was typed; a text that is no number is refused as a rate of none."""
    typed = visit.given("rate").replace(",", "")
    if not typed:
        return None
    return int(typed) if typed.isascii() and typed.isdigit() and len(typed) < 10 else 0


def _state(visit: Visit, key: ApiKey) -> str:
    if key.revoked_at is not None:
        return "revoked"
    return "valid" if key.is_valid(to_datetime(visit.shell.clock())) else "expired"


PAGES = (
    PageRoute("/admin/keys", show, ADMIN),
    PageRoute("/admin/keys", create, ADMIN, "POST"),
    PageRoute("/admin/keys/{id}/revoke", revoke, ADMIN, "POST"),
)
