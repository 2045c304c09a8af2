"""One's own account."""

from __future__ import annotations

from hansang.apps.platform.accounts import accounts_of
from hansang.apps.platform.console.account import device
from hansang.surfaces.shell import Shell
from tests.surfaces.console.conftest import Visitor
from tests.surfaces.shells import PASSWORD, SetClock

NEW = "another long password"


def test_a_name_is_changed_and_the_change_is_kept(visitor: Visitor, shell: Shell) -> None:
    browser = visitor("viewer")
    browser.get("/account")
    assert browser.send("/account/name", shown_name="이하은").location == "/account"
    assert "이하은" in browser.follow().shown
    (change,) = shell.history.page("platform")
    assert (change.verb, change.subject, change.actor_name) == ("rename", "viewer", "viewer")


def test_an_empty_name_is_refused_beside_its_field(visitor: Visitor, shell: Shell) -> None:
    browser = visitor("viewer")
    browser.get("/account")
    page = browser.send("/account/name", shown_name="  ")
    assert page.status == 422
    assert page.all("input", id="f-shown_name")[0]["aria-invalid"] == "true"
    assert accounts_of(shell.identity).people.get("viewer").shown_name == "Viewer"


def test_a_new_password_ends_the_other_sessions_and_not_this_one(visitor: Visitor, shell: Shell) -> None:
    here, there = visitor("viewer"), visitor("viewer")
    here.get("/account")
    assert here.send("/account/password", old=PASSWORD, new=NEW, again=NEW).status == 303
    assert "비밀번호를 변경했습니다" in here.follow().shown
    assert there.get("/").location == "/sign-in"
    assert len(accounts_of(shell.identity).sessions.of("viewer")) == 1
    assert visitor().sign_in("viewer", NEW).get("/").status == 200


def test_a_new_password_gives_this_session_a_new_cookie(visitor: Visitor) -> None:
    browser = visitor("viewer")
    before = browser.client.cookies["hansang_session"]
    browser.get("/account")
    browser.send("/account/password", old=PASSWORD, new=NEW, again=NEW)
    after = browser.client.cookies["hansang_session"]
    browser.client.cookies.set("hansang_session", before)
    assert after != before
    assert browser.get("/").location == "/sign-in"


def test_a_password_is_not_changed_without_the_old_one(visitor: Visitor) -> None:
    browser = visitor("viewer")
    browser.get("/account")
    assert browser.send("/account/password", old="not the password", new=NEW, again=NEW).status == 422
    assert visitor("viewer").get("/").status == 200


def test_a_password_is_typed_twice_and_long_enough(visitor: Visitor) -> None:
    browser = visitor("viewer", "en")
    browser.get("/account")
    differing = browser.send("/account/password", old=PASSWORD, new=NEW, again="something else")
    assert "The two passwords differ." in differing.shown
    short = browser.send("/account/password", old=PASSWORD, new="short", again="short")
    assert "Use 10 to 200 characters" in short.shown


def test_whoever_came_by_a_link_needs_no_old_password_for_a_while(
    visitor: Visitor, shell: Shell, clock: SetClock
) -> None:
    browser = visitor()
    path = f"/sign-in/link/{accounts_of(shell.identity).people.new_link('viewer')}"
    browser.get(path)
    browser.send(path)
    assert not browser.get("/account").all("input", name="old")
    clock.advance(31 * 60)
    assert browser.get("/account").all("input", name="old")
    assert browser.send("/account/password", new=NEW, again=NEW).status == 422


def test_the_pass_of_a_link_is_of_one_person_alone(visitor: Visitor, shell: Shell) -> None:
    browser = visitor()
    path = f"/sign-in/link/{accounts_of(shell.identity).people.new_link('viewer')}"
    browser.get(path)
    browser.send(path)
    carried = browser.client.cookies["hansang_pass"]
    other = visitor("editor")
    other.client.cookies.set("hansang_pass", carried)
    assert other.get("/account").all("input", name="old")


def test_a_session_is_ended_from_another_device(visitor: Visitor, shell: Shell) -> None:
    here, there = visitor("viewer"), visitor("viewer")
    ends = [each for each in here.get("/account").actions if each.startswith("/account/sessions/")]
    (path,) = [each for each in ends if each != "/account/sessions/end"]
    assert here.send(path).status == 303
    assert there.get("/").location == "/sign-in"
    assert here.get("/").status == 200
    assert len(accounts_of(shell.identity).sessions.of("viewer")) == 1


def test_all_other_sessions_are_ended_at_once(visitor: Visitor) -> None:
    here, there, elsewhere = visitor("viewer"), visitor("viewer"), visitor("viewer")
    here.get("/account")
    here.send("/account/sessions/end")
    assert [each.get("/").status for each in (here, there, elsewhere)] == [200, 303, 303]


def test_nobody_ends_the_session_of_another(visitor: Visitor, shell: Shell) -> None:
    visitor("owner")
    (session,) = accounts_of(shell.identity).sessions.of("owner")
    browser = visitor("viewer")
    browser.get("/account")
    browser.send(f"/account/sessions/{session.digest}/end")
    assert accounts_of(shell.identity).sessions.of("owner") == [session]


def test_preferences_go_with_the_person(visitor: Visitor) -> None:
    browser = visitor("viewer")
    browser.get("/account")
    browser.send("/account/preferences", language="en", theme="dark")
    page = visitor("viewer").get("/")
    assert page.all("html")[0]["lang"] == "en"
    assert page.all("html")[0]["data-theme"] == "dark"


def test_the_theme_is_switched_before_anyone_has_signed_in(visitor: Visitor) -> None:
    browser = visitor()
    browser.get("/sign-in")
    assert browser.send("/preferences", theme="dark", next="/sign-in").location == "/sign-in"
    assert browser.follow().all("html")[0]["data-theme"] == "dark"


def test_a_theme_that_is_none_changes_nothing(visitor: Visitor) -> None:
    browser = visitor()
    browser.get("/sign-in")
    browser.send("/preferences", theme='"><script>', next="/sign-in")
    assert browser.follow().all("html")[0]["data-theme"] == "system"


def test_devices_are_named_by_browser_and_system() -> None:
    chrome = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/141.0 Safari/537.36"
    safari = "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Mobile/15E148 Safari/604.1"
    assert device(chrome) == "Chrome · Windows"
    assert device(safari) == "Safari · iPhone"
    assert device("curl/8.5.0") == "curl/8.5.0"
    assert device("") == "?"
