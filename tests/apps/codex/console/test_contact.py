"""The form of the site: an inquiry arrives with consent, and nothing that was typed is lost without it."""

from __future__ import annotations

from typing import Any

import pytest

from hansang.apps.codex.design import ContactInquiry
from hansang.apps.codex.settings import CodexSettings
from tests.apps.codex.console.newsroom import SETTINGS, Newsroom, whole
from tests.surfaces.console.browsers import Browser

TYPED: dict[str, Any] = {
    "name": "오태민",
    "email": "oh@mail.example",
    "subject": "영수증",
    "message": "사진이\r\n올라가지 않아요.",
    "consent": "yes",
}


@pytest.fixture
def visitor(newsroom: Newsroom) -> Browser:
    found = newsroom.guest()
    found.get("/site/contact")
    return found


def arrived(newsroom: Newsroom) -> list[ContactInquiry]:
    return newsroom.codex.inquiries.page(100).items


def test_an_inquiry_arrives_with_consent_and_a_retention_period(newsroom: Newsroom, visitor: Browser) -> None:
    answer = visitor.send("/site/contact", **TYPED, company="온마루", referral="event")
    assert (answer.status, answer.location) == (303, "/site/contact/sent")
    assert "We have it" in whole(visitor.follow()).shown
    [found] = [each for each in arrived(newsroom) if each.company == "온마루"]
    assert (found.name, found.email, found.company, found.referral) == (
        "오태민",
        "oh@mail.example",
        "온마루",
        "event",
    )
    assert (found.status, found.consented_at is not None, found.expires_at is not None) == ("new", True, True)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"consent": ""}, "only with your consent"),
        ({"email": "oh@mail"}, "Please check the address"),
        ({"message": ""}, "Please fill this in"),
        ({"subject": "x" * 201}, "Up to 200 characters"),
    ],
)
def test_what_is_missing_is_told_beside_its_field_and_nothing_is_lost(
    newsroom: Newsroom, visitor: Browser, changed: dict[str, str], said: str
) -> None:
    before = len(arrived(newsroom))
    page = visitor.send("/site/contact", **TYPED | changed)
    assert (page.status, page.faults, page.doubled_ids) == (422, [], [])
    assert said in page.shown
    [name] = changed
    assert f"#c-{name}" in page.links
    assert page.all("input", name="name")[0]["value"] == "오태민"
    assert len(arrived(newsroom)) == before


def test_consent_is_never_ticked_beforehand(visitor: Browser) -> None:
    [tick] = visitor.get("/site/contact").all("input", name="consent")
    assert "checked" not in tick


def test_a_program_that_fills_in_everything_is_answered_alike_and_not_kept(
    newsroom: Newsroom, visitor: Browser
) -> None:
    before = len(arrived(newsroom))
    answer = visitor.send("/site/contact", **TYPED, website="https://spam.example")
    assert (answer.status, answer.location) == (303, "/site/contact/sent")
    assert len(arrived(newsroom)) == before


def test_a_form_of_another_site_is_not_taken(newsroom: Newsroom, visitor: Browser) -> None:
    before = len(arrived(newsroom))
    page = visitor.send("/site/contact", **TYPED, csrf="0" * 64)
    assert (page.status, "press Send once more" in page.shown) == (403, True)
    assert visitor.send("/site/contact", **TYPED).status == 303
    assert len(arrived(newsroom)) == before + 1


def test_an_address_that_sends_too_much_has_to_wait(newsroom: Newsroom, visitor: Browser) -> None:
    newsroom.shell.chosen["codex"] = CodexSettings(public=True, inquiries_a_minute=1)  # type: ignore[index]
    newsroom.shell.made.pop("codex contact", None)
    try:
        assert visitor.send("/site/contact", **TYPED).status == 303
        visitor.get("/site/contact")
        page = visitor.send("/site/contact", **TYPED)
        assert (page.status, page.response.headers["retry-after"]) == (429, "61")
        assert "사진이" in page.text
    finally:
        newsroom.shell.chosen["codex"] = SETTINGS  # type: ignore[index]
        newsroom.shell.made.pop("codex contact", None)
