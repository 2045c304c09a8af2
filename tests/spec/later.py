"""The lines of the designs that only an application can prove, by page.

A design comes before its application. What a table is and what it is asked is proven by now; what is
listed here is due with the application, which takes its ids off the list as it proves them. An id may be
on the list and have a test already: then the design has proven its own part of it.
"""

from __future__ import annotations

_LATER = {
    "1-assets.md": "",
    "2-leaderboards.md": "",
    "3-news.md": "",
    "4-codex.md": "",
    "5-rankings.md": "",
}

RULES_LATER = frozenset({"B14"})
"""Behaviours that the engine does not have yet: the older key conditions beside a filter."""

GOLDEN_LATER = frozenset({"G18"})
"""Golden values of what an application does; the tests prove what the design has of them."""

LATER = {page: frozenset(ids.split()) for page, ids in _LATER.items()}

EVERY_LATER = RULES_LATER.union(GOLDEN_LATER, *LATER.values())
