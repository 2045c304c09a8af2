"""The lines of the designs that only an application can prove, by page.

A design comes before its application. What a table is and what it is asked is proven by now; what is
listed here is due with the application, which takes its ids off the list as it proves them. An id may be
on the list and have a test already: then the design has proven its own part of it.
"""

from __future__ import annotations

_LATER = {
    "1-assets.md": """
        1-28 1-29 1-30 1-31 1-32
        X1-02 X1-05 X1-06 X1-07 X1-08 X1-09 X1-10 X1-11 X1-15 X1-16 X1-17 X1-18 X1-20 X1-22 X1-23 X1-24 X1-25 X1-26
    """,
    "2-leaderboards.md": "X2-11",
    "3-news.md": "",
    "4-codex.md": """
        4-02 4-03 4-04 4-05 4-06 4-07 4-12 4-19 4-38 4-39 4-44 4-45 4-47 4-48 4-49 4-50 4-51
        X4-05 X4-06 X4-07 X4-08 X4-09 X4-10 X4-11 X4-12 X4-13 X4-15 X4-16 X4-17 X4-18 X4-20 X4-21 X4-22 X4-25 X4-26
        X4-27 X4-28 X4-29 X4-30 X4-31 X4-32 X4-33 X4-34 X4-37
    """,
    "5-rankings.md": "",
}

RULES_LATER = frozenset({"B14"})
"""Behaviours that the engine does not have yet: the older key conditions beside a filter."""

GOLDEN_LATER = frozenset({"G2", "G18"})
"""Golden values of what an application does; the tests prove what the design has of them."""

LATER = {page: frozenset(ids.split()) for page, ids in _LATER.items()}

EVERY_LATER = RULES_LATER.union(GOLDEN_LATER, *LATER.values())
