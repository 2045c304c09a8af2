"""The way through the pages of a list: first, previous, next. Where one came from stands in the address."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hansang.surfaces.console.pages import Visit

_LONGEST = 3_000
"""Characters of the way back that are kept; who has gone farther goes back to the first page."""
_CUT = "~"
"""Stands in place of what was not kept."""


@dataclass(frozen=True, slots=True)
class PagerLinks:
    """The links of a pager; None where there is nothing to go to."""

    first: str | None
    previous: str | None
    following: str | None


def pager_links(visit: Visit, cursor: str | None, offset: int, name: str = "cursor") -> PagerLinks:
    """The links of the page that is shown, given the cursor of the next one and how many items came before.

    `name` in the address is the page itself, and `back` those between the first page and this one. So going back
    leads to where one came from, whatever has been written meanwhile.
    """
    back_name = "back" if name == "cursor" else f"back-{name}"
    here, back = visit.query(name), list(filter(None, visit.query(back_name).split(".")))

    def link(cursor: str | None, back: list[str]) -> str:
        return visit.link(**{name: cursor, back_name: ".".join(back) or None})

    on = None if cursor is None else link(cursor, _shortened([*back, here] if here else []))
    if not offset:
        return PagerLinks(None, None, on)
    first = link(None, [])
    if not back:
        return PagerLinks(first, first, on)
    return PagerLinks(first, None if back[-1] == _CUT else link(back[-1], back[:-1]), on)


def _shortened(back: list[str]) -> list[str]:
    kept = [each for each in back if each != _CUT]
    is_cut = len(kept) < len(back)
    while len(".".join(kept)) > _LONGEST:
        kept, is_cut = kept[1:], True
    return [_CUT, *kept] if is_cut else kept
