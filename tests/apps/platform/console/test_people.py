"""Administration of people."""

from __future__ import annotations

import re

import pytest

from hansang.apps.platform.accounts import accounts_of
from hansang.parts.permissions import ROLES
from hansang.surfaces.shell import Shell
from tests.surfaces.console.browsers import Browser
from tests.surfaces.console.conftest import Visitor
from tests.surfaces.shells import PASSWORD

NEW = {"name": "minjun", "shown_name": "김민준", "area": "news", "role": "editor"}


def _seen(browser: Browser) -> str:
    """What the form of roles says that it was made from."""
    assert browser.page is not None
    return browser.page.all("input", name="seen")[0]["value"] or ""


def test_someone_new_signs_in_with_the_link_that_is_shown(visitor: Visitor, shell: Shell) -> None:
    browser = visitor("owner")
    browser.get("/admin/people")
    page = browser.send("/admin/people", **NEW)
    assert page.status == 303
    page = browser.follow()
    assert accounts_of(shell.identity).people.get("minjun").roles == {"news": "editor"}
    (path,) = re.findall(r"http://testserver(/sign-in/link/[\w-]+)", page.text)
    newcomer = visitor()
    newcomer.get(path)
    assert newcomer.send(path).location == "/account#password"
    (change,) = [each for each in shell.history.page("platform") if each.subject == "minjun"]
    assert change.verb == "create"


def test_a_name_that_is_taken_is_said_beside_its_field(visitor: Visitor) -> None:
    browser = visitor("owner", "en")
    browser.get("/admin/people")
    page = browser.send("/admin/people", **NEW | {"name": "viewer"})
    assert page.status == 409
    assert "This name is already taken." in page.shown
    assert page.all("input", id="f-shown_name")[0]["value"] == "김민준"


@pytest.mark.parametrize(("field", "value"), [("name", "이 름"), ("shown_name", " "), ("role", "king")])
def test_what_cannot_be_is_refused(visitor: Visitor, shell: Shell, field: str, value: str) -> None:
    browser = visitor("owner")
    browser.get("/admin/people")
    assert browser.send("/admin/people", **NEW | {field: value}).status == 422
    assert accounts_of(shell.identity).people.find("minjun") is None


def test_roles_are_given_by_area(visitor: Visitor, shell: Shell) -> None:
    browser = visitor("owner")
    browser.get("/admin/people/reporter")
    seen = _seen(browser)
    browser.send("/admin/people/reporter/roles", role__news="owner", role__assets="viewer", seen=seen)
    assert accounts_of(shell.identity).people.get("reporter").roles == {"news": "owner", "assets": "viewer"}
    assert "Reporter" in browser.follow().shown


def test_the_last_owner_stays(visitor: Visitor, shell: Shell) -> None:
    browser = visitor("owner", "en")
    browser.get("/admin/people/owner")
    for page in (
        browser.send("/admin/people/owner/roles", role__news="viewer", seen=_seen(browser)),
        browser.send("/admin/people/owner/disable"),
    ):
        assert page.status == 409
        assert "Nobody would be left who owns everything." in page.shown
    assert accounts_of(shell.identity).people.get("owner").is_owner


def test_whoever_is_disabled_is_out_at_once(visitor: Visitor, shell: Shell) -> None:
    viewer, owner = visitor("viewer"), visitor("owner")
    owner.get("/admin/people/viewer")
    owner.send("/admin/people/viewer/disable")
    assert viewer.get("/").location == "/sign-in"
    owner.get("/admin/people/viewer")
    owner.send("/admin/people/viewer/enable")
    assert visitor("viewer").get("/").status == 200
    assert not accounts_of(shell.identity).people.get("viewer").disabled


def test_someone_is_signed_out_everywhere(visitor: Visitor) -> None:
    viewer, owner = visitor("viewer"), visitor("owner")
    owner.get("/admin/people/viewer")
    owner.send("/admin/people/viewer/sessions/end")
    assert viewer.get("/").location == "/sign-in"


def test_a_new_link_is_shown_once(visitor: Visitor) -> None:
    browser = visitor("owner")
    browser.get("/admin/people/viewer")
    browser.send("/admin/people/viewer/link")
    assert "/sign-in/link/" in browser.follow().text
    assert "/sign-in/link/" not in browser.get("/admin/people/viewer").text


@pytest.mark.parametrize("verb", ["roles", "link", "disable", "sessions/end"])
def test_nobody_has_a_say_over_someone_with_more_rights(visitor: Visitor, shell: Shell, verb: str) -> None:
    before = accounts_of(shell.identity).people.get("owner")
    admin = visitor("admin")
    page = admin.get("/admin/people/owner")
    assert [each for each in page.actions if each.endswith(("link", "disable", "end"))] == []
    assert admin.send(f"/admin/people/owner/{verb}", role__news="viewer", seen=_seen(admin)).status == 403
    assert accounts_of(shell.identity).people.get("owner") == before


def test_nobody_gives_a_right_that_they_do_not_have(visitor: Visitor, shell: Shell) -> None:
    admin = visitor("admin")
    admin.get("/admin/people")
    assert admin.send("/admin/people", **NEW | {"area": "*", "role": "owner"}).status == 403
    assert accounts_of(shell.identity).people.find("minjun") is None
    admin.get("/admin/people/guest")
    seen = _seen(admin)
    assert admin.send("/admin/people/guest/roles", **{"role.*": "owner", "seen": seen}).status == 403
    assert admin.send("/admin/people/guest/roles", role__platform="viewer", seen=seen).status == 303
    assert accounts_of(shell.identity).people.get("guest").roles == {"platform": "viewer"}


def test_people_are_for_administrators(visitor: Visitor) -> None:
    for name in ("editor", "viewer", "reporter"):
        browser = visitor(name)
        assert browser.get("/admin/people").status == 403
        assert "/admin/people" not in browser.get("/account").links


def test_a_person_who_is_not_there_is_not_found(visitor: Visitor) -> None:
    assert visitor("owner").get("/admin/people/nobody").status == 404


def test_passwords_are_never_shown(visitor: Visitor, shell: Shell) -> None:
    page = visitor("owner").get("/admin/people/viewer")
    assert str(accounts_of(shell.identity).people.get("viewer").password_hash) not in page.text
    assert PASSWORD not in page.text


def test_every_role_is_offered_by_its_name(visitor: Visitor) -> None:
    browser = visitor("owner")
    for path in ("/admin/people", "/admin/people/viewer"):
        found = {each.get("value") for each in browser.get(path).all("option")}
        assert {*ROLES} <= found


def test_what_was_done_to_someone_is_undone_with_one_click(visitor: Visitor, shell: Shell) -> None:
    people, browser = accounts_of(shell.identity).people, visitor("owner", "en")
    browser.get("/admin/people/viewer")
    browser.send("/admin/people/viewer/disable")
    assert browser.follow().actions[-1] == "/admin/people/viewer/enable"
    browser.send("/admin/people/viewer/enable")
    assert not people.get("viewer").disabled


def test_roles_are_put_back_with_one_click(visitor: Visitor, shell: Shell) -> None:
    people, browser = accounts_of(shell.identity).people, visitor("owner", "en")
    before = people.get("viewer").roles
    browser.get("/admin/people/viewer")
    browser.send("/admin/people/viewer/roles", seen=_seen(browser), role__news="editor")
    page = browser.follow()
    assert people.get("viewer").roles == {"news": "editor"}
    fields = {str(own["name"]): own["value"] for own in page.all("input", type="hidden")}
    browser.send(page.actions[-1], **fields)
    assert people.get("viewer").roles == before
