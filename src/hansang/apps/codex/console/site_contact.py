"""Writing to the company: a form for everyone, checked by the server, with nothing lost that was typed."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError
from starlette.responses import Response

from hansang.apps.codex.asking import VISITOR, Asking, InquiryAsked
from hansang.apps.codex.console.links import SITE, codex_of, settings_of
from hansang.apps.codex.console.site_pages import site_page
from hansang.apps.codex.entities import AREA, EditedBy
from hansang.parts.rates import Rates
from hansang.parts.receipts import alone
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import PageRoute, sendable
from hansang.surfaces.http.origins import UNKNOWN, network_of

FIELDS = ("name", "email", "company", "title", "referral", "subject", "message")
REFERRALS = ("search", "friend", "news", "social", "event", "other")


def contact(visit: Visit) -> Response:
    """The form."""
    return _form(visit)


def _form(visit: Visit, status: int = 200, wrong: dict[str, str] | None = None, said: str = "") -> Response:
    context: dict[str, Any] = {
        "typed": {name: visit.given(name) for name in FIELDS},
        "consented": bool(visit.given("consent")),
        "wrong": wrong or {},
        "said": said,
        "referrals": [(name, visit.t(f"codex.site.referral.{name}")) for name in REFERRALS],
        "days": settings_of(visit).inquiry_days,
        "is_indexed": True,
    }
    return site_page(visit, "contact.html", status, **context)


def send(visit: Visit) -> Response:
    """Keep an inquiry, or say what is missing."""
    given: dict[str, Any] = {name: visit.given(name) for name in FIELDS}
    given["referral"] = given["referral"] if given["referral"] in REFERRALS else ""
    given |= {"consent": bool(visit.given("consent")), "website": visit.given("website")[:500]}
    try:
        asked = InquiryAsked.model_validate(given)
    except ValidationError as fault:
        return _form(visit, 422, _wrong(visit, fault))
    wait = _rates(visit).take(
        network_of(getattr(visit.request.state, "origin", UNKNOWN)), visit.shell.clock()
    )
    if wait:
        response = _form(visit, 429, said=visit.t("codex.site.too_many"))
        response.headers["Retry-After"] = str(int(wait) + 1)
        return response
    Asking(codex_of(visit)).receive(asked, EditedBy(VISITOR, visit.request_id, alone))
    return visit.go(f"{SITE}/contact/sent")


def _rates(visit: Visit) -> Rates:
    a_minute = settings_of(visit).inquiries_a_minute
    return visit.shell.once("codex contact", lambda: Rates(a_minute))


def _wrong(visit: Visit, fault: ValidationError) -> dict[str, str]:
    """What is wrong with each field, in words."""
    names = [str(each["loc"][0]) for each in fault.errors(include_url=False)]
    empty = [name for name in names if name in FIELDS and not visit.given(name)]
    return {
        name: visit.t(f"codex.site.wrong.{'empty' if name in empty and name != 'consent' else name}")
        for name in names
        if name in (*FIELDS, "consent")
    }


def again(visit: Visit) -> Response:
    """The form with what was typed, for a browser that did not keep our cookie or kept the page too long."""
    return _form(visit, 403, said=visit.t("codex.site.send_again"))


def sent(visit: Visit) -> Response:
    """That an inquiry has arrived."""
    return site_page(visit, "sent.html", is_indexed=False)


PAGES = (
    PageRoute(f"{SITE}/contact", contact, sendable(AREA)),
    PageRoute(f"{SITE}/contact", send, sendable(AREA), "POST", expired=again),
    PageRoute(f"{SITE}/contact/sent", sent, sendable(AREA)),
)
