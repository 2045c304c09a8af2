"""Secrets that are shown once: a new key, and a link to sign in with."""

from __future__ import annotations

import re
from pathlib import Path

from hansang.apps.platform.accounts import accounts_of
from hansang.apps.platform.shown_once import SECONDS, OneTimeSecret
from hansang.settings import ServerSettings
from hansang.surfaces.shell import Shell
from hansang.wiring import open_shell
from tests.surfaces.console.browsers import Browser, Page
from tests.surfaces.console.conftest import Visitor
from tests.surfaces.shells import SetClock

KEY = re.compile(r">(hsk_\w{12}_[\w-]{43})<")
SECRET = OneTimeSecret("key", "the secret itself", "collector", "/admin/keys")


def create_key(browser: Browser) -> Page:
    browser.get("/admin/keys")
    return browser.send("/admin/keys", label="collector", scope__news="read")


def test_a_reload_after_creating_a_key_makes_no_second_one(visitor: Visitor, shell: Shell) -> None:
    browser = visitor("owner", "en")
    once = create_key(browser).location
    assert KEY.search(browser.get(once).text)
    again = browser.get(once)
    assert again.status == 410
    assert "This was shown already" in again.shown
    assert not KEY.search(again.text)
    assert len(list(accounts_of(shell.identity).keys.each())) == 1


def test_the_switches_of_the_page_keep_the_secret(visitor: Visitor) -> None:
    browser = visitor("owner", "ko")
    create_key(browser)
    page = browser.follow()
    [link] = {own["href"] or "" for own in page.all("a", hreflang="en")}
    english = browser.get(link)
    assert "New API key" in english.shown
    assert KEY.findall(english.text) == KEY.findall(page.text)
    [back] = {own["value"] or "" for own in english.all("input", name="next")}
    assert browser.send("/preferences", theme="dark", next=back).location == back
    assert KEY.findall(browser.get(back).text) == KEY.findall(page.text)
    assert browser.get(link).status == 410


def test_nobody_else_sees_the_secret_and_it_stays_for_whose_it_is(visitor: Visitor) -> None:
    browser = visitor("owner")
    once = create_key(browser).location
    assert visitor("admin").get(once).status == 410
    assert KEY.search(browser.get(once).text)


def test_a_secret_that_nobody_looked_at_is_over_after_a_while(visitor: Visitor, clock: SetClock) -> None:
    browser = visitor("owner")
    once = create_key(browser).location
    clock.advance(SECONDS + 1)
    assert browser.get(once).status == 410


def test_a_switch_does_not_make_it_last_longer(shell: Shell, clock: SetClock) -> None:
    once = accounts_of(shell.identity).once
    clock.advance(SECONDS - 1)
    found = once.take("owner", once.keep("owner", SECRET))
    assert found is not None
    token = once.keep("owner", *found)
    clock.advance(SECONDS + 1)
    assert once.take("owner", token) is None


def test_another_worker_shows_it_and_the_file_does_not_have_it(tmp_path: Path) -> None:
    settings = ServerSettings(data=str(tmp_path / "once.db"), jobs=False)
    with open_shell(settings) as first, open_shell(settings) as second:
        token = accounts_of(first.identity).once.keep("owner", SECRET)
        stored = b"".join(path.read_bytes() for path in tmp_path.glob("once.db*"))
        assert SECRET.text.encode() not in stored
        assert token.encode() not in stored
        found = accounts_of(second.identity).once.take("owner", token)
        assert found is not None
        assert found[0] == SECRET
        assert accounts_of(first.identity).once.take("owner", token) is None
