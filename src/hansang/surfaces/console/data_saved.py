"""Saved questions on the data pages: kept, listed, opened, shared and deleted."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import unquote

from starlette.responses import Response

from hansang.apps.application import Application
from hansang.errors import InvalidInput
from hansang.parts.saved_questions import SavedQuestions
from hansang.surfaces.console.data_paths import application_of
from hansang.surfaces.console.pages import Visit, safe_path
from hansang.surfaces.console.routing import PageRoute, allowed
from hansang.surfaces.naming import NamedItem


@dataclass(frozen=True, slots=True)
class SavedRow:
    """One saved question as the pages list it."""

    id: str
    title: str
    href: str
    about: str
    """Whose it is, if not one's own."""
    is_own: bool
    is_shared: bool


def saved_rows(visit: Visit, application: Application) -> tuple[list[SavedRow], list[NamedItem]]:
    """The questions that whoever looks has saved and those that others share, and what cannot be read of them."""
    me = visit.me.name
    found = _questions(visit).seen_by(application.name, me)
    rows = [
        SavedRow(each.id, each.title, each.address, each.person, each.person == me, each.is_shared)
        for each in found
    ]
    return rows, visit.named(found.unreadable)


def save(visit: Visit) -> Response:
    """Keep the question that is shown, and go on showing it."""
    application = application_of(visit)
    address = _own_address(application, visit.given("address"))
    is_shared = visit.given("shared") == "yes"
    title = visit.given("title")
    _questions(visit).save(application.name, visit.me.name, title, address, is_shared=is_shared)
    return visit.go(address, "saved.kept", (f"/data/{application.name}#saved", "saved.all"))


def delete(visit: Visit) -> Response:
    """Delete one's own question."""
    application = application_of(visit)
    _questions(visit).delete(application.name, visit.me.name, visit.given("id"))
    return visit.go(f"/data/{application.name}#saved", "saved.deleted")


def _own_address(application: Application, given: str) -> str:
    """The address if it is one of this application's data, so that nobody shares a way to elsewhere."""
    is_below = given.startswith(f"/data/{application.name}/") and ".." not in unquote(given)
    if not is_below or safe_path(given) == "/":
        raise InvalidInput("This page cannot be saved as a question.", code="surfaces.no-question-page")
    return given


def _questions(visit: Visit) -> SavedQuestions:
    return SavedQuestions(visit.shell.database, visit.shell.clock)


PAGES: tuple[PageRoute, ...] = (
    PageRoute("/data/{app}/questions", save, allowed("{app}", "read"), "POST"),
    PageRoute("/data/{app}/questions/delete", delete, allowed("{app}", "read"), "POST"),
)
