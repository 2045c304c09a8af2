"""What all pages of data, capacity and specification have in common: sound markup, and nothing inline."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from urllib.parse import urlencode

import pytest

from hansang.apps.assets.design import Income
from hansang.apps.platform.accounts import accounts_of
from hansang.surfaces.server.workers import Worker
from hansang.wiring import product
from tests.apps.assets.household import income, savings
from tests.surfaces.by_hand import BY_HAND
from tests.surfaces.console.browsers import Browser, Page
from tests.surfaces.shells import PASSWORD, SetClock, opened

TABLE = "/data/assets/tables/AssetManager"
AT = urlencode({"pk": "INCOME#2025.01", "sk": "배우자1#월급"})
PATHS = (
    "/data",
    "/data/assets",
    "/data/codex",
    TABLE,
    f"{TABLE}?as=entities",
    f"{TABLE}?index=yearMonth-PK-index&partition=2025.01&order=descending",
    "/data/leaderboards/tables/UsersLeaderboard?partition=abc",
    "/data/news/tables/news_items",
    f"{TABLE}/item?{AT}",
    f"{TABLE}/edit?{AT}",
    f"{TABLE}/new/Income",
    "/data/codex/tables/FMWebAppTable/new/Post",
    "/data/assets/patterns/Totals.with_everything?arg-month=2025.01",
    "/data/rankings/patterns/LevelRow.between?arg-day=x",
    "/capacity",
    "/capacity?area=codex",
    "/spec",
    "/spec?q=GSI",
    "/spec/4-codex",
)


@pytest.fixture(scope="module")
def browsers() -> Iterator[dict[str, Browser]]:
    """One browser a language, on a product with a little in its tables."""
    with opened(SetClock(), applications=BY_HAND) as shell, product(shell, Worker(1, "tests")) as app:
        accounts_of(shell.identity).people.create("owner", "Owner", {"*": "owner"}, PASSWORD)
        for entity in (income(), income("2025.02"), savings()):
            shell.database.put(entity)
        shell.database.all(Income.of_month("2025.01"))
        yield {language: Browser(app, language).enter(shell, "owner") for language in ("ko", "en")}


@pytest.fixture(params=[(language, path) for language in ("ko", "en") for path in PATHS], ids=" ".join)
def page(request: pytest.FixtureRequest, browsers: dict[str, Browser]) -> Page:
    language, path = request.param
    return browsers[language].get(path)


def test_a_page_is_sound(page: Page) -> None:
    assert page.status == 200
    assert (page.faults, page.doubled_ids) == ([], [])


def test_a_page_has_nothing_inline(page: Page) -> None:
    assert not [own for _, own in page.tags if "style" in own]
    assert not [name for _, own in page.tags for name in own if name.startswith("on")]
    scripts = page.all("script")
    assert all(own.get("src") or own.get("type") == "application/json" for own in scripts)
    assert not page.all("style")


def test_every_field_has_a_name_for_those_who_cannot_see(page: Page) -> None:
    labelled = {own["for"] for own in page.all("label") if own.get("for")}
    fields = [own for tag in ("input", "select", "textarea") for own in page.all(tag)]
    for own in fields:
        is_named = (
            own.get("id") in labelled
            or own.get("aria-label")
            or own.get("type") in ("hidden", "radio", "checkbox")
        )
        assert is_named, own


def test_headings_do_not_leave_a_level_out(page: Page) -> None:
    levels = [int(tag[1]) for tag, _ in page.tags if tag in ("h1", "h2", "h3", "h4")]
    assert levels[0] == 1
    assert all(below - above <= 1 for above, below in pairwise(levels))
