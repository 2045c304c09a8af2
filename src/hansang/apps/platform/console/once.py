"""The page that shows a secret once: a new key, or a link to sign in with."""

from __future__ import annotations

from starlette.responses import Response

from hansang.apps.platform.console.visitors import accounts
from hansang.apps.platform.shown_once import SECONDS, OneTimeSecret
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.console.routing import SIGNED_IN, PageRoute


def go_to_secret(visit: Visit, secret: OneTimeSecret) -> Response:
    """Lead to the page that shows a secret, so that a reload makes nothing a second time."""
    return visit.go(f"/once/{accounts(visit).once.keep(visit.me.name, secret)}")


def show(visit: Visit) -> Response:
    """The secret for the first who looks; whoever comes back is told that it was shown."""
    once = accounts(visit).once
    found = once.take(visit.me.name, visit.param("token"))
    if found is None:
        return visit.page("platform/once.html", 410, secret=None, minutes=SECONDS // 60)
    secret, until = found
    # The switches of the page lead to the same secret under a new token, so that they do not lose it.
    here = f"/once/{once.keep(visit.me.name, secret, until)}"
    return visit.page("platform/once.html", secret=secret, here=here, link=lambda lang: f"{here}?lang={lang}")


PAGES = (PageRoute("/once/{token}", show, SIGNED_IN),)
