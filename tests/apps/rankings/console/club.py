"""A club of players on a few days, and browsers for who may read and who may write."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest
from starlette.applications import Starlette

from hansang.apps.platform.accounts import accounts_of
from hansang.apps.rankings.service import Rankings
from hansang.surfaces.console.app import create_console
from hansang.surfaces.console.rendering import Rendering
from hansang.surfaces.http.frame import framed
from hansang.surfaces.shell import Shell
from tests.apps.rankings.imports import player
from tests.apps.rankings.players import DAY, uuid
from tests.surfaces.console.browsers import Browser, Page
from tests.surfaces.shells import PASSWORD, SetClock, opened

PLAYERS = 130
MISSING = DAY - timedelta(days=2)
"""The day that nobody imported."""
HIDDEN = 7
"""The player who asked to be hidden."""
SECRET_NAME = "가려진이"
RENAMED = 2
"""The player who had another name on the first day."""
DAYS = [DAY - timedelta(days=each) for each in (4, 3, 1, 0)]
_COURSE = re.compile(r'data-course="(?P<id>[^"]*)".*?<script[^>]*>(?P<spec>.*?)</script>', re.DOTALL)


@dataclass
class Club:
    """The console, and who looks at it."""

    shell: Shell
    browse: Callable[[str], Browser]
    _open: dict[str, Browser] = field(default_factory=dict)

    def get(self, path: str, language: str = "en", name: str = "viewer") -> Page:
        key = f"{name} {language}"
        if key not in self._open:
            self._open[key] = self.browse(key)
        return self._open[key].get(path)

    def sees(self, path: str, language: str = "en") -> str:
        """The words of a page that is there."""
        page = self.get(path, language)
        assert (page.status, page.faults, page.doubled_ids) == (200, [], []), page.shown[:300]
        return page.shown


def crowd(place: int) -> list[dict[str, Any]]:
    """The players on one day: number 1 is first by power, and number 101 climbs past number 100 on the last day."""
    found = []
    for number in range(1, PLAYERS + 1):
        power = (200 - number) * 1_000_000 + place * 1_000
        if number == 101 and place == 3:
            power += 1_500_000
        found.append(player(number, 60 - number // 3 + place, power) | {"name": _name(number, place)})
    return found


def _name(number: int, place: int) -> str:
    if number == HIDDEN:
        return SECRET_NAME
    return "Before" if number == RENAMED and place == 0 else f"한월{number}"


@pytest.fixture(scope="module")
def club(rendering: Rendering) -> Iterator[Club]:
    clock = SetClock()
    with opened(clock) as shell:
        for name in ("viewer", "editor", "owner"):
            accounts_of(shell.identity).people.create(name, name.capitalize(), {"*": name}, PASSWORD)
        rankings = Rankings(shell.database, clock)
        for place, day in enumerate(DAYS):
            rankings.import_day(day, crowd(place))
        rankings.profiles.put(uuid(1), "한월1", 61, 200_000_000)
        rankings.privacy.hide(uuid(HIDDEN))
        pages, error_page = create_console(shell, rendering)
        with framed(Starlette(routes=pages), shell, error_page=error_page) as app:

            def browse(key: str) -> Browser:
                name, language = key.split()
                return Browser(app, language).enter(shell, name)

            yield Club(shell, browse)


def courses(page: Page) -> dict[str, Any]:
    """What the charts of a page are drawn from, by their ids."""
    return {found["id"]: json.loads(found["spec"]) for found in _COURSE.finditer(page.text)}
