"""What is shared of a player: the picture, the page with its tags, and the pages that guests may read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO

import pytest
from PIL import Image
from starlette.applications import Starlette

from hansang.apps.rankings.settings import RankingsSettings
from hansang.surfaces.console.app import create_console
from hansang.surfaces.console.rendering import Rendering
from hansang.surfaces.http.frame import framed
from tests.apps.rankings.console.club import HIDDEN, SECRET_NAME, Club
from tests.apps.rankings.players import uuid
from tests.clauses import clause
from tests.surfaces.console.browsers import Browser

ONE = f"/rankings/players/{uuid(2)}"
CARD = f"{ONE}/card.png?board=power"


@pytest.fixture(scope="module")
def everyone(club: Club, rendering: Rendering) -> Iterator[Browser]:
    """A browser in which nobody has signed in, where the rankings are public."""
    settings = replace(club.shell.settings, public_url="https://rankings.example", public_rate=10_000)
    chosen = {"rankings": RankingsSettings(public=True)}
    shell = replace(club.shell, settings=settings, chosen=chosen)
    pages, error_page = create_console(shell, rendering)
    with framed(Starlette(routes=pages), shell, error_page=error_page) as app:
        browser = Browser(app, "en")
        browser.client.base_url = "https://rankings.example"
        yield browser


def test_the_card_is_a_picture_and_drawn_once(club: Club) -> None:
    first = club.get(CARD).response
    assert first.headers["content-type"] == "image/png"
    assert Image.open(BytesIO(first.content)).size == (1200, 630)
    assert first.headers["cache-control"] == "private, no-cache"
    browser = club.browse("viewer en")
    again = browser.client.get(CARD, headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    other = browser.client.get(
        CARD.replace("power", "level"), headers={"If-None-Match": first.headers["etag"]}
    )
    assert other.status_code == 200


@pytest.mark.parametrize(("language", "said"), [("en", "by Power, official"), ("ko", "전투력 공식 2위")])
def test_the_page_of_a_link_has_the_tags_that_other_places_read(club: Club, language: str, said: str) -> None:
    page = club.get(f"{ONE}/share", language)
    tags = {own["property"]: own["content"] or "" for own in page.all("meta") if "property" in own}
    assert (page.status, page.faults) == (200, [])
    assert said in tags["og:title"]
    assert (tags["og:image:width"], tags["og:image:height"]) == ("1200", "630")
    assert tags["og:url"].startswith("http://testserver/rankings/players/")
    assert f"{ONE}/card.png" in tags["og:image"]
    assert club.get(tags["og:image"].removeprefix("http://testserver")).status == 200


def test_where_the_rankings_are_not_public_the_page_says_so(club: Club) -> None:
    assert "Only people who have signed in" in club.sees(f"{ONE}/share")


@clause("X5-30")
def test_nothing_is_shared_of_a_hidden_player(club: Club, everyone: Browser) -> None:
    for path in ("share", "card.png"):
        for page in (
            club.get(f"/rankings/players/{uuid(HIDDEN)}/{path}"),
            everyone.get(f"/rankings/players/{uuid(HIDDEN)}/{path}"),
        ):
            assert (page.status, SECRET_NAME in page.text) == (404, False)
    assert club.get("/rankings/players/nobody/card.png").status == 404


@pytest.mark.parametrize(
    "path", ["/rankings", "/rankings/everyone", "/rankings/everyone?page=2&board=level", f"{ONE}/share"]
)
def test_everyone_reads_the_pages_of_public_rankings(everyone: Browser, path: str) -> None:
    page = everyone.get(path)
    assert (page.status, page.faults, page.actions) == (200, [], [])
    assert "public" in page.response.headers["cache-control"]
    assert "/apps/rankings" not in page.links
    assert "Viewer" not in page.shown


def test_a_guest_gets_the_picture_and_other_sites_may_show_it(everyone: Browser) -> None:
    found = everyone.client.get(CARD)
    assert (found.status_code, found.headers["cache-control"]) == (200, "public, max-age=60")
    assert found.headers["cross-origin-resource-policy"] == "cross-origin"
    tags = everyone.get(f"{ONE}/share").all("meta", property="og:image")
    assert (tags[0]["content"] or "").startswith("https://rankings.example/rankings/players/")


def test_nobody_gets_a_picture_of_rankings_that_are_not_public(club: Club) -> None:
    browser = club.browse("viewer en")
    browser.client.cookies.clear()
    assert browser.client.get(CARD).headers["location"].startswith("/sign-in")
