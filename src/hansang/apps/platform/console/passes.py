"""A pass: whoever came by a link may set a password without the old one, for a while."""

from __future__ import annotations

import hmac

from starlette.responses import Response

from hansang.apps.platform.console.visitors import accounts, me
from hansang.apps.platform.person import Person
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.http.cookies import PASS


def give_pass(visit: Visit, response: Response, person: Person) -> Response:
    """Let the browser keep a pass for this person as the password stands now."""
    end = str(int(visit.shell.clock()) + PASS.seconds)
    visit.keep(response, PASS, f"{end}.{_mark(visit, person, end)}")
    return response


def has_pass(visit: Visit) -> bool:
    """Whether whoever looks has a pass that still holds; a new password ends it."""
    end, _, mark = (PASS.of(visit.request) or "").partition(".")
    is_ours = hmac.compare_digest(mark.encode(), _mark(visit, me(visit), end).encode())
    return is_ours and int(end) >= visit.shell.clock()


def _mark(visit: Visit, person: Person, end: str) -> str:
    # The stamp of a person changes with the password.
    return accounts(visit).sessions.mark("pass", f"{person.name} {person.stamp} {end}")
