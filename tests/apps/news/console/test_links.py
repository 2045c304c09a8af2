"""The ways out of the news pages."""

from __future__ import annotations

import pytest

from hansang.apps.news.console.links import article_path, brief, called, host, outward


@pytest.mark.parametrize("url", ["http://a.example", "HTTPS://A.example/x?y#z", "https://1.2.3.4/"])
def test_pages_of_the_web_may_be_opened(url: str) -> None:
    assert outward(url) == url


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        " https://a.example",
        "data:text/html,x",
        "//a.example",
        "https://",
        "http://[",
        "x",
    ],
)
def test_nothing_else_may(url: str) -> None:
    assert outward(url) is None


def test_a_site_is_named_by_its_host() -> None:
    assert host("https://News.Example:8443/x") == "news.example"
    assert host("http://[") == host("nothing") == ""


def test_an_article_without_a_title_is_called_by_its_address() -> None:
    assert called(" ", "https://a.example") == brief("", "https://a.example") == "https://a.example"


def test_a_title_without_end_is_cut_in_lists() -> None:
    assert brief("x" * 160, "") == "x" * 160
    assert brief("x" * 161, "") == "x" * 160 + "…"


def test_the_mark_of_a_key_is_no_fragment() -> None:
    assert article_path("id#1") == "/news/articles/id%231"
