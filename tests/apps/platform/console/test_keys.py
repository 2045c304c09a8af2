"""Administration of keys."""

from __future__ import annotations

import re

from hansang.apps.platform.accounts import accounts_of
from hansang.surfaces.shell import Shell
from tests.surfaces.console.conftest import Visitor
from tests.surfaces.shells import SetClock


def test_a_new_key_works_and_is_shown_once(visitor: Visitor, shell: Shell) -> None:
    browser = visitor("owner")
    browser.get("/admin/keys")
    page = browser.send("/admin/keys", label="수집기", scope__news="write", days="90")
    assert page.status == 303
    page = browser.follow()
    (text,) = re.findall(r">(hsk_\w{12}_[\w-]{43})<", page.text)
    key = accounts_of(shell.identity).keys.find(text)
    assert key is not None
    assert key.scopes == {"news:write"}
    assert text not in browser.get("/admin/keys").text


def test_a_key_ends_after_its_days(visitor: Visitor, shell: Shell, clock: SetClock) -> None:
    browser = visitor("owner", "en")
    browser.get("/admin/keys")
    browser.send("/admin/keys", label="short", scope__news="read", days="30")
    clock.advance(31 * 86400)
    assert "Expired" in visitor("owner", "en").get("/admin/keys").shown


def test_a_key_may_have_a_rate_of_its_own(visitor: Visitor, shell: Shell) -> None:
    browser = visitor("owner", "en")
    browser.get("/admin/keys")
    wrong = browser.send("/admin/keys", label="game", scope__news="write", rate="many")
    assert "a whole number from 1 to 1,000,000" in wrong.shown
    browser.send("/admin/keys", label="game", scope__news="write", rate="60,000")
    assert [each.rate for each in accounts_of(shell.identity).keys.each()] == [60_000]
    assert "60,000 a minute" in browser.get("/admin/keys").shown


def test_a_key_needs_a_label_and_a_right(visitor: Visitor, shell: Shell) -> None:
    browser = visitor("owner", "en")
    browser.get("/admin/keys")
    assert "Choose at least one scope." in browser.send("/admin/keys", label="x").shown
    assert "Use 1 to 80 characters." in browser.send("/admin/keys", label=" ", scope__news="read").shown
    assert browser.page is not None
    assert browser.page.status == 422
    assert list(accounts_of(shell.identity).keys.each()) == []


def test_a_key_is_revoked(visitor: Visitor, shell: Shell) -> None:
    key, text = accounts_of(shell.identity).keys.create("old", ["news:read"], "owner")
    browser = visitor("owner", "en")
    browser.get("/admin/keys")
    browser.send(f"/admin/keys/{key.id}/revoke")
    assert "The key was revoked: old" in browser.follow().shown
    assert accounts_of(shell.identity).keys.find(text) is None
    assert f"/admin/keys/{key.id}/revoke" not in browser.get("/admin/keys").actions


def test_nobody_makes_a_key_with_more_than_they_have(visitor: Visitor, shell: Shell) -> None:
    admin = visitor("admin")
    page = admin.get("/admin/keys")
    offered = {own["name"] for own in page.all("select")}
    assert "scope.platform" in offered
    assert "scope.news" not in offered
    assert admin.send("/admin/keys", label="more", scope__news="read").status == 403
    assert list(accounts_of(shell.identity).keys.each()) == []


def test_nobody_revokes_a_key_that_may_more_than_they(visitor: Visitor, shell: Shell) -> None:
    greater, _ = accounts_of(shell.identity).keys.create("all", ["*:admin"], "owner")
    lesser, _ = accounts_of(shell.identity).keys.create("own", ["platform:read"], "owner")
    admin = visitor("admin")
    actions = admin.get("/admin/keys").actions
    assert f"/admin/keys/{lesser.id}/revoke" in actions
    assert f"/admin/keys/{greater.id}/revoke" not in actions
    assert admin.send(f"/admin/keys/{greater.id}/revoke").status == 403
    assert accounts_of(shell.identity).keys.get(greater.id).revoked_at is None


def test_keys_are_for_administrators(visitor: Visitor) -> None:
    assert visitor("editor").get("/admin/keys").status == 403


def test_the_making_of_a_key_is_kept_without_its_secret(visitor: Visitor, shell: Shell) -> None:
    browser = visitor("owner")
    browser.get("/admin/keys")
    page = browser.send("/admin/keys", label="수집기", scope__news="write")
    page = browser.follow()
    (secret,) = re.findall(r">hsk_\w{12}_([\w-]{43})<", page.text)
    (change,) = shell.history.page("platform")
    assert (change.kind, change.verb) == ("ApiKey", "create")
    assert secret not in change.model_dump_json()
