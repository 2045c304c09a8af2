"""A couple, 서연 and 준호, with four months of entries, and browsers for them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.types import ASGIApp

from hansang.apps.assets.design import AccountCodes, Codes, Entry
from hansang.apps.assets.entering import Given, Place
from hansang.apps.assets.kinds import KindName
from hansang.apps.assets.opening import OpeningGiven
from hansang.apps.assets.recording import Who
from hansang.apps.assets.rules import month_after
from hansang.apps.assets.service import Assets
from hansang.apps.platform.accounts import accounts_of
from hansang.parts.history import Actor
from hansang.surfaces.console.app import create_console
from hansang.surfaces.console.rendering import Rendering
from hansang.surfaces.http.frame import framed
from hansang.surfaces.shell import Shell
from tests.surfaces.console.browsers import Browser, Page
from tests.surfaces.shells import PASSWORD, SetClock, opened

WHO = Who(Actor("person", "owner", "서연"))
STEADY: tuple[tuple[KindName, tuple[str, ...], int], ...] = (
    ("income", ("서연", "월급"), 3_850_000),
    ("income", ("준호", "월급"), 3_420_000),
    ("fixed-expense", ("주거",), 210_000),
    ("savings", ("적금1",), 500_000),
    ("investment", ("청약",), 200_000),
    ("short-savings", ("여행", "적립"), 200_000),
)
"""What every month has."""


@dataclass
class Home:
    """The console, the ledger behind it, and who looks."""

    shell: Shell
    app: ASGIApp
    assets: Assets
    _open: dict[str, Browser] = field(default_factory=dict)

    @property
    def month(self) -> str:
        """This month."""
        return self.assets.reading.this_month

    def browser(self, name: str = "owner", language: str = "ko") -> Browser:
        key = f"{name} {language}"
        if key not in self._open:
            self._open[key] = Browser(self.app, language).enter(self.shell, name)
        return self._open[key]

    def get(self, path: str, language: str = "ko", name: str = "owner") -> Page:
        return self.browser(name, language).get(path)

    def sees(self, path: str, language: str = "ko", name: str = "owner") -> str:
        """The words of a page that is there, and sound."""
        page = self.get(path, language, name)
        assert (page.status, page.faults, page.doubled_ids) == (200, [], []), page.shown[:300]
        return page.shown

    def send(self, path: str, name: str = "owner", /, **fields: Any) -> Page:
        """Send a form from the page of the month."""
        browser = self.browser(name)
        browser.get("/assets")
        return browser.send(path, **fields)

    def enter(self, kind: str, part: str | list[str], text: str, /, **more: Any) -> Page:
        """Send a cell of this month."""
        fields = {"kind": kind, "part": part, "text": text, **more}
        return self.send(f"/assets/months/{self.month}/cells", **fields)

    def entry(self, kind: KindName, *parts: str, month: str = "") -> Entry | None:
        place = Place.of(kind, parts)
        found: Entry | None = self.assets.database.find(place.key(month or self.month), consistent=True)
        return found


@contextmanager
def opened_home(rendering: Rendering, *, is_empty: bool = False) -> Iterator[Home]:
    clock = SetClock()
    with opened(clock) as shell:
        for name, shown in (("owner", "서연"), ("partner", "준호"), ("viewer", "손님")):
            role = "viewer" if name == "viewer" else "owner"
            accounts_of(shell.identity).people.create(name, shown, {"*": role}, PASSWORD)
        pages, error_page = create_console(shell, rendering)
        with framed(Starlette(routes=pages), shell, error_page=error_page) as app:
            home = Home(shell, app, Assets(shell.database, clock, history=shell.history))
            if not is_empty:
                fill(home)
            yield home


def fill(home: Home) -> None:
    """Names, accounts, opening balances, three whole months, and the beginning of the present one."""
    assets, month = home.assets, home.month
    assets.codes.put(Codes(kind="NAME", codes=["서연", "준호"]), WHO.actor)
    accounts = {"현금확보용적금": ["적금1"], "투자용": ["청약"], "단기저축용": ["여행", "운동"]}
    assets.codes.put(AccountCodes(codes=accounts), WHO.actor)
    first = month_after(month, -3)
    assets.opening.set(OpeningGiven(month_after(first, -1), 1_000_000, 500_000, {"여행": 300_000}), WHO)
    for number in range(3):
        wanted = [(Place.of(kind, parts), Given(amount=amount)) for kind, parts, amount in STEADY]
        wanted.append((Place.of("living-expense", ("식비",)), Given(amount=600_000 + number * 1_000)))
        assets.entering.enter_all(month_after(first, number), wanted, WHO)
    present = [(Place.of(kind, parts), Given(amount=amount)) for kind, parts, amount in STEADY[:2]]
    assets.entering.enter_all(month, present, WHO)
    day = date.fromisoformat(f"{month.replace('.', '-')}-01")
    for amount, by, memo in (
        (42_800, "서연", "마트 장보기"),
        (11_500, "준호", "점심"),
        (30_000, None, "외식"),
    ):
        given = Given(add=amount, by=by, memo=memo, date=day)
        assets.entering.enter(month, Place.of("living-expense", ("식비",)), given, WHO)


@pytest.fixture
def home(rendering: Rendering) -> Iterator[Home]:
    """A household that a test may change."""
    with opened_home(rendering) as found:
        yield found


@pytest.fixture(scope="module")
def read_home(rendering: Rendering) -> Iterator[Home]:
    """A household for the tests of a module that only read."""
    with opened_home(rendering) as found:
        yield found
