"""Lists of links to load."""

from __future__ import annotations

from typing import Any


def link(number: int, *tickers: str, title: str = "") -> dict[str, Any]:
    """A link with an article id."""
    return {
        "title": title or f"Headline {number}",
        "url": f"https://news.example/story-{number:09d}.html",
        "tickers": list(tickers),
    }


def links(count: int, first: int = 0) -> list[dict[str, Any]]:
    return [link(number) for number in range(first, first + count)]
