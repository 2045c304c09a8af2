"""Icons of the lucide set, drawn into the page as SVG."""

from __future__ import annotations

import re
from functools import lru_cache

from lucide.jinja import lucide
from markupsafe import Markup


@lru_cache(maxsize=512)
def icon(name: str, size: int = 18, stroke: str = "2") -> Markup:
    """An icon for the eye alone; what it means is said beside it, or by a label."""
    drawn = lucide(name, size=size, aria_hidden="true", focusable="false", stroke_width=stroke)
    return Markup(re.sub(r"\s*\n\s*", "", drawn))  # noqa: S704 (a picture of an installed package)
