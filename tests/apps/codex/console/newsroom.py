"""A small company with a site, and browsers for whoever writes, reads and visits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.types import ASGIApp

from hansang.apps.codex.application import APPLICATION
from hansang.apps.codex.entities import EditedBy
from hansang.apps.codex.service import Codex
from hansang.apps.codex.settings import CodexSettings
from hansang.apps.platform.accounts import accounts_of
from hansang.parts.history import Actor
from hansang.surfaces.console.app import create_console
from hansang.surfaces.console.rendering import Rendering
from hansang.surfaces.http.frame import framed
from hansang.surfaces.shell import Shell
from tests.apps.codex.site import banner, category, company, user
from tests.surfaces.console.browsers import Browser, Page
from tests.surfaces.shells import PASSWORD, SetClock, opened

BY = EditedBy(Actor("person", "editor", "Editor"))
CDN = "https://cdn.fm-web"
SETTINGS = CodexSettings(public=True, cdn=(CDN,), naver="naver-proof", inquiries_a_minute=1_000)


@dataclass
class Newsroom:
    """The site and its console, and who looks at them."""

    shell: Shell
    clock: SetClock
    app: ASGIApp
    codex: Codex
    _open: dict[str, Browser] = field(default_factory=dict)

    def guest(self, language: str = "en") -> Browser:
        return Browser(self.app, language)

    def browser(self, name: str = "editor", language: str = "en") -> Browser:
        """Somebody who has signed in: viewer, editor or owner."""
        key = f"{name} {language}"
        if key not in self._open:
            self._open[key] = Browser(self.app, language).enter(self.shell, name)
        return self._open[key]

    def sees(self, path: str, name: str = "editor", language: str = "en") -> Page:
        """A page that is there, and whole."""
        return whole(self.browser(name, language).get(path))

    def publish(self, title: str, contents: Any = "Some words.", **more: Any) -> str:
        """The id of a new post, a second after the one before."""
        self.clock.now += 1
        given = {"categoryId": "c001", "authorId": "u001", "title": title, "contents": contents, **more}
        return self.codex.posts.create(given, BY).subject.id


def whole(page: Page) -> Page:
    """A page without anything inline, doubled or left open."""
    assert (page.status, page.faults, page.doubled_ids) == (200, [], []), page.shown[:300]
    assert [own for _, own in page.tags if "style" in own or any(name.startswith("on") for name in own)] == []
    return page


@pytest.fixture(scope="module")
def newsroom(rendering: Rendering) -> Iterator[Newsroom]:
    clock = SetClock()
    with opened(clock, applications=(APPLICATION,)) as standing:
        shell = replace(standing, chosen={"codex": SETTINGS})
        for name in ("viewer", "editor", "owner"):
            accounts_of(shell.identity).people.create(name, name.capitalize(), {"*": name}, PASSWORD)
        shell.database.batch_write([category(1), category(2), user(1), user(2), company(), banner(1)])
        pages, error_page = create_console(shell, rendering)
        with framed(Starlette(routes=pages), shell, error_page=error_page) as app:
            yield Newsroom(shell, clock, app, Codex(shell.database, clock, SETTINGS))
