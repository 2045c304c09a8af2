"""Known devices: a browser in which somebody has signed in before is not locked out by what strangers try."""

from __future__ import annotations

import hmac
from secrets import token_urlsafe

from starlette.responses import Response

from hansang.apps.platform.console.visitors import accounts
from hansang.apps.platform.person import Person
from hansang.surfaces.console.pages import Visit
from hansang.surfaces.http.cookies import DEVICE

_MOST_PEOPLE = 4
_ID_BYTES = 16


def known_device(visit: Visit, name: str) -> str | None:
    """The id of this browser, if the person of this name has signed in here with the password of today."""
    person = accounts(visit).people.find(name)
    if person is None:
        return None
    device, marks = _kept(visit)
    wanted = _mark(visit, person, device)
    known = [each for each in marks if hmac.compare_digest(each.encode(), wanted.encode())]
    return device if known else None


def remember_device(visit: Visit, response: Response, person: Person) -> Response:
    """Let the browser be known for this person, and for the few who signed in here before."""
    device, marks = _kept(visit)
    device = device or token_urlsafe(_ID_BYTES)
    mark = _mark(visit, person, device)
    newest = [mark, *(each for each in marks if each != mark)][:_MOST_PEOPLE]
    visit.keep(response, DEVICE, ".".join([device, *newest]))
    return response


def _kept(visit: Visit) -> tuple[str, list[str]]:
    device, *marks = (DEVICE.of(visit.request) or "").split(".")
    return device, marks[:_MOST_PEOPLE]


def _mark(visit: Visit, person: Person, device: str) -> str:
    # The stamp of a person changes with the password.
    return accounts(visit).sessions.mark("device", f"{person.name} {person.stamp} {device}")
