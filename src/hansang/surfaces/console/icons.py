"""Icons of the lucide set, drawn into the page as SVG."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib.resources import files
from io import BytesIO
from zipfile import ZipFile

from lucide import IconDoesNotExist
from markupsafe import Markup

_SIZE_OR_STROKE = re.compile(r'(?: (?:width|height|stroke-width)="[^"]*"| xmlns="[^"]*")')


@lru_cache(maxsize=512)
def icon(name: str, size: int = 18, stroke: str = "2") -> Markup:
    """An icon for the eye alone; what it means is said beside it, or by a label."""
    opening, _, drawing = _drawn(name).partition(">")
    own = f' width="{size}" height="{size}" stroke-width="{stroke}" aria-hidden="true" focusable="false">'
    return Markup(_SIZE_OR_STROKE.sub("", opening) + own + drawing)  # noqa: S704 (of an installed package)


def _drawn(name: str) -> str:
    try:
        lines = _archive().read(f"{name}.svg").decode().splitlines()
    except KeyError:
        raise IconDoesNotExist(f"There is no icon {name}.") from None
    return (
        " ".join(line.strip() for line in lines).replace("> <", "><").replace(" >", ">").replace(" />", "/>")
    )


@cache
def _archive() -> ZipFile:
    """All icons; the package itself opens its archive again for each of them."""
    return ZipFile(BytesIO(files("lucide").joinpath("lucide.zip").read_bytes()))
