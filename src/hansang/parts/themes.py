"""How bright the pages are that somebody looks at."""

from __future__ import annotations

THEMES = ("system", "light", "dark")
