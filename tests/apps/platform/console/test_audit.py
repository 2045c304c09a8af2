"""What the console leaves in the audit log, and the page that shows it."""

from __future__ import annotations

import re

from hansang.surfaces.shell import Shell
from tests.surfaces.console.conftest import Visitor
from tests.surfaces.shells import PASSWORD


def lines(shell: Shell) -> list[tuple[str, str | None, str]]:
    shell.audit.flush()
    return [(each.kind, each.who, each.detail) for each in shell.audit.each()]


def test_signing_in_and_out_is_in_the_log(visitor: Visitor, shell: Shell) -> None:
    browser = visitor()
    browser.get("/sign-in")
    browser.send("/sign-in", name="owner", password=PASSWORD)
    browser.get("/")
    browser.send("/sign-out")
    found = [each for each in lines(shell) if each[0].startswith("sign-")]
    assert sorted(found) == [("sign-in", "person:owner", "password"), ("sign-out", "person:owner", "")]


def test_a_refused_sign_in_is_in_the_log_without_a_name_that_nobody_has(
    visitor: Visitor, shell: Shell
) -> None:
    browser = visitor()
    browser.get("/sign-in")
    browser.send("/sign-in", name="owner", password="not the password")
    browser.send("/sign-in", name="my secret password", password="x")
    found = [each for each in lines(shell) if each[0] == "sign-in-refused"]
    assert sorted(found, key=str) == [
        ("sign-in-refused", "person:owner", "wrong-password"),
        ("sign-in-refused", None, "wrong-password"),
    ]


def test_a_link_that_an_owner_makes_for_somebody_and_its_use_are_in_the_log(
    visitor: Visitor, shell: Shell
) -> None:
    owner = visitor("owner")
    owner.get("/admin/people/viewer")
    owner.send("/admin/people/viewer/link")
    (path,) = re.findall(r"http://testserver(/sign-in/link/[\w-]+)", owner.follow().text)
    browser = visitor()
    browser.get(path)
    browser.send(path)
    assert {
        ("administration", "person:owner", "Person viewer: link"),
        ("sign-in", "person:viewer", "link"),
    } <= set(lines(shell))


def test_a_link_that_was_used_is_refused_in_the_log(visitor: Visitor, shell: Shell) -> None:
    browser = visitor()
    browser.get("/sign-in/link/made-up")
    browser.send("/sign-in/link/made-up")
    assert ("sign-in-refused", None, "link-used") in lines(shell)


def test_a_request_without_the_right_is_in_the_log(visitor: Visitor, shell: Shell) -> None:
    assert visitor("viewer").get("/admin/people").status == 403
    [found] = [each for each in shell.audit.each() if each.kind == "request-refused"]
    assert found.who == "person:viewer"
    assert found.detail == "GET /admin/people"


def test_the_page_shows_the_log_to_administrators(visitor: Visitor) -> None:
    page = visitor("owner", language="en").get("/admin/audit")
    assert page.status == 200
    assert "Audit log" in page.shown
    assert visitor("viewer").get("/admin/audit").status == 403
