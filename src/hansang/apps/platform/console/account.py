"""The account of whoever looks: name, password, language and theme, and where they have signed in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.responses import RedirectResponse, Response

from hansang.apps.platform.console.passes import has_pass
from hansang.apps.platform.console.sign_in import let_in
from hansang.apps.platform.console.visitors import accounts, administration, me, my_session
from hansang.apps.platform.passwords import LONGEST, SHORTEST
from hansang.errors import InvalidInput, SignInRefused
from hansang.parts.themes import THEMES
from hansang.parts.words import LANGUAGES
from hansang.surfaces.console.frame import area_name
from hansang.surfaces.console.notices import Undo
from hansang.surfaces.console.pages import Visit, safe_path
from hansang.surfaces.console.routing import PUBLIC, SIGNED_IN, PageRoute
from hansang.surfaces.http import cookies
from hansang.surfaces.http.origins import network_of, origin_of

_BROWSERS = (("Edg/", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("Chrome/", "Chrome"))
_SYSTEMS = (
    ("Windows", "Windows"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)


def show(visit: Visit, status: int = 200, errors: Mapping[str, str] | None = None) -> Response:
    """Everything about one's own account."""
    person = me(visit)
    context: dict[str, Any] = {
        "needs_password": person.password_hash is not None and not has_pass(visit),
        "sessions": accounts(visit).sessions.of(person.name),
        "here_digest": visit.session.digest if visit.session is not None else "",
        "device": device,
        "roles": [(area_name(visit, area), visit.t(f"role.{role}")) for area, role in person.roles.items()],
        "errors": errors or {},
        "limits": (SHORTEST, LONGEST),
    }
    return visit.page("platform/account.html", status, **context)


def rename(visit: Visit) -> Response:
    """Change how one is called."""
    before = Undo("/account/name", {"shown_name": me(visit).shown_name})
    try:
        administration(visit).rename(me(visit).name, visit.given("shown_name"))
    except InvalidInput:
        return show(visit, 422, {"shown_name": visit.t("platform.account.name.wrong")})
    return visit.go("/account", "platform.account.name.saved", undo=before)


def set_password(visit: Visit) -> Response:
    """Set a new password; every other session ends, this one goes on."""
    old, new, again = (str(visit.form.get(name, "")) for name in ("old", "new", "again"))
    if new != again:
        return show(visit, 422, {"again": visit.t("platform.account.password.differ")})
    if not _knows_password(visit, old):
        return show(visit, 422, {"old": visit.t("platform.account.password.wrong")})
    try:
        person = administration(visit).set_password(me(visit).name, new)
    except InvalidInput:
        return show(
            visit, 422, {"new": visit.t("platform.account.password.weak", shortest=SHORTEST, longest=LONGEST)}
        )
    return let_in(visit, person, visit.go("/account", "platform.account.password.saved"))


def _knows_password(visit: Visit, password: str) -> bool:
    if me(visit).password_hash is None or has_pass(visit):
        return True
    try:
        origin, session = network_of(origin_of(visit.request)), my_session(visit)
        device = None if session is None else session.digest
        accounts(visit).people.check_password(me(visit).name, password, origin, device)
    except SignInRefused:
        return False
    return True


def set_preferences(visit: Visit) -> Response:
    """Keep language and theme, for the person and in this browser."""
    language, theme = visit.given("language"), visit.given("theme")
    wanted = (language if language in LANGUAGES else None, theme if theme in THEMES else None)
    before = {"language": me(visit).language or "", "theme": me(visit).theme or ""}
    administration(visit).set_preferences(me(visit).name, *wanted)
    undo = Undo("/account/preferences", before)
    response = visit.go("/account", "platform.account.preferences.saved", undo=undo)
    for cookie, value in zip((cookies.LANGUAGE, cookies.THEME), wanted, strict=True):
        if value is None:
            cookie.drop(response, visit.shell.settings)
        else:
            visit.keep(response, cookie, value)
    return response


def switch_theme(visit: Visit) -> Response:
    """The button at the top of every page, also before anyone has signed in."""
    theme = visit.given("theme")
    again = visit.given("again")
    # The form of a page that no address leads to is sent on to where it was sent before.
    response = RedirectResponse(safe_path(again), 307) if again else visit.go(visit.given("next", "/"))
    if theme in THEMES:
        visit.keep(response, cookies.THEME, theme)
        if visit.person is not None:
            administration(visit).set_preferences(me(visit).name, me(visit).language, theme)
    return response


def end_session(visit: Visit) -> Response:
    """Sign out one device."""
    administration(visit).end_sessions(me(visit).name, [visit.param("digest")])
    return visit.go("/account", "platform.account.sessions.ended")


def end_others(visit: Visit) -> Response:
    """Sign out every device but this one."""
    here = "" if visit.session is None else visit.session.digest
    found = [each.digest for each in accounts(visit).sessions.of(me(visit).name)]
    administration(visit).end_sessions(me(visit).name, [each for each in found if each != here])
    return visit.go("/account", "platform.account.sessions.ended_all")


def device(agent: str) -> str:
    """A browser and its system in two words, as far as the user agent tells."""
    browser = next((name for mark, name in _BROWSERS if mark in agent), "")
    if not browser and "Safari/" in agent.partition("Version/")[2]:
        browser = "Safari"
    system = next((name for mark, name in _SYSTEMS if mark in agent), "")
    return " · ".join(filter(None, (browser, system))) or agent[:40] or "?"


PAGES = (
    PageRoute("/account", show, SIGNED_IN),
    PageRoute("/account/name", rename, SIGNED_IN, "POST"),
    PageRoute("/account/password", set_password, SIGNED_IN, "POST"),
    PageRoute("/account/preferences", set_preferences, SIGNED_IN, "POST"),
    PageRoute("/account/sessions/end", end_others, SIGNED_IN, "POST"),
    PageRoute("/account/sessions/{digest}/end", end_session, SIGNED_IN, "POST"),
    PageRoute("/preferences", switch_theme, PUBLIC, "POST"),
)
