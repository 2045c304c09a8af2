"""Signing in by name and password or by a link, and signing out."""

from __future__ import annotations

from math import ceil

from starlette.responses import Response

from hansang.apps.platform.console.devices import known_device, remember_device
from hansang.apps.platform.console.passes import give_pass
from hansang.apps.platform.console.visitors import accounts, my_session
from hansang.apps.platform.person import Person
from hansang.errors import LockedOut, SignInRefused
from hansang.surfaces.console.pages import Visit, safe_path
from hansang.surfaces.console.routing import PUBLIC, SIGNED_IN, PageRoute
from hansang.surfaces.http import cookies
from hansang.surfaces.http.origins import network_of, origin_of


def show(visit: Visit) -> Response:
    """The form; whoever has signed in already goes on."""
    if visit.person is not None:
        return visit.go(safe_path(visit.query("next", "/")))
    return visit.page("platform/sign_in.html", next=visit.query("next"), name="", refused=None)


def sign_in(visit: Visit) -> Response:
    """Let someone in, or say why not, in the same words whatever was wrong."""
    name, wanted = visit.given("name"), visit.given("next", "/")
    password = visit.form.get("password")
    try:
        text = password if isinstance(password, str) else ""
        origin, device = network_of(origin_of(visit.request)), known_device(visit, name)
        person = accounts(visit).people.check_password(name, text, origin, device)
    except LockedOut as locked:
        _count_refusal(visit, name, "locked-out")
        refused = visit.t("platform.sign_in.locked", time=visit.formats.lasting(locked.retry_after))
        return _again(visit, 429, refused, {"Retry-After": str(ceil(locked.retry_after))})
    except SignInRefused:
        _count_refusal(visit, name, "wrong-password")
        return _again(visit, 401, visit.t("platform.sign_in.refused"))
    return _noted(visit, person, "password", let_in(visit, person, visit.go(wanted or "/")))


def _count_refusal(visit: Visit, name: str, why: str) -> None:
    # Of a name that nobody has nothing is kept: it may be a password in the wrong field.
    known = accounts(visit).people.find(name)
    who = None if known is None else f"person:{known.name}"
    visit.shell.audit.count(
        "sign-in-refused", network_of(origin_of(visit.request)), why, who, visit.request_id
    )


def _noted(visit: Visit, person: Person, how: str, response: Response) -> Response:
    agent = visit.request.headers.get("user-agent", "")
    origin, who = origin_of(visit.request), f"person:{person.name}"
    visit.shell.audit.note("sign-in", who, origin, how, agent, visit.request_id)
    return response


def _again(visit: Visit, status: int, refused: str, headers: dict[str, str] | None = None) -> Response:
    given = {"next": visit.given("next"), "name": visit.given("name"), "refused": refused}
    response = visit.page("platform/sign_in.html", status, **given)
    response.headers.update(headers or {})
    return response


def show_link(visit: Visit) -> Response:
    """A button, so that a preview of the link does not use it up."""
    return visit.page("platform/sign_in_link.html", alone=True, refused=False)


def use_link(visit: Visit) -> Response:
    """Let in whoever is first to use a link; a password can be set without the old one then."""
    try:
        person = accounts(visit).people.redeem(visit.param("token"))
    except SignInRefused:
        _count_refusal(visit, "", "link-used")
        return visit.page("platform/sign_in_link.html", 410, alone=True, refused=True)
    to, said = ("/", "") if person.password_hash else ("/account#password", "platform.sign_in.set_password")
    response = _noted(visit, person, "link", let_in(visit, person, visit.go(to, said)))
    return give_pass(visit, response, person)


def let_in(visit: Visit, person: Person, response: Response) -> Response:
    """Begin a session, in place of the one that the browser may have had."""
    if (session := my_session(visit)) is not None:
        accounts(visit).sessions.end(session)
    agent = visit.request.headers.get("user-agent", "")
    cookie = accounts(visit).sessions.start(person, origin_of(visit.request), agent)
    visit.keep(response, cookies.SESSION, cookie)
    return remember_device(visit, response, person)


def sign_out(visit: Visit) -> Response:
    """End the session."""
    if (session := my_session(visit)) is not None:
        accounts(visit).sessions.end(session)
        origin, who = origin_of(visit.request), f"person:{session.name}"
        visit.shell.audit.note("sign-out", who, origin, "", request_id=visit.request_id)
    response = visit.go("/sign-in", "platform.sign_in.out")
    cookies.SESSION.drop(response, visit.shell.settings)
    return response


PAGES = (
    PageRoute("/sign-in", show, PUBLIC),
    PageRoute("/sign-in", sign_in, PUBLIC, "POST"),
    PageRoute("/sign-in/link/{token}", show_link, PUBLIC),
    PageRoute("/sign-in/link/{token}", use_link, PUBLIC, "POST"),
    PageRoute("/sign-out", sign_out, SIGNED_IN, "POST"),
)
