"""For the tests of applications: the whole product on the embedded engine, with somebody who has signed in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from starlette.testclient import TestClient

from hansang.apps.application import Application
from hansang.apps.platform.accounts import accounts_of
from hansang.clock import Clock, system_clock
from hansang.parts.permissions import EVERYWHERE
from hansang.settings import ServerSettings
from hansang.surfaces.http.cookies import SESSION
from hansang.surfaces.server.workers import Worker
from hansang.surfaces.shell import Shell
from hansang.wiring import open_shell, product

BASE = "http://testserver"


@contextmanager
def signed_in(
    *applications: Application, role: str = "owner", language: str = "en", clock: Clock = system_clock
) -> Iterator[tuple[TestClient, Shell]]:
    """A browser in which somebody with a role has signed in, and the shell that it talks to.

    A form that is sent needs the text of `csrf(browser, shell)` in its field `csrf`.
    """
    settings = ServerSettings(data=":memory:", jobs=False)
    with open_shell(settings, clock, applications=applications) as shell:
        accounts = accounts_of(shell.identity)
        person = accounts.people.create("tester", "Tester", {EVERYWHERE: role})
        cookie = accounts.sessions.start(person, "127.0.0.1", "tests")
        with product(shell, Worker(1, "tests")) as app:
            browser = TestClient(app, base_url=BASE, headers={"Accept-Language": language})
            browser.cookies.set(SESSION.name, cookie)
            yield browser, shell


def csrf(browser: TestClient, shell: Shell) -> str:
    """What a form of this browser carries."""
    return accounts_of(shell.identity).sessions.csrf(browser.cookies[SESSION.name])
