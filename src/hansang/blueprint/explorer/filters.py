"""Leaving out items by what stands in one attribute, as whoever looks sees it."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Literal, get_args

from hansang.blueprint.explorer.cells import cell
from hansang.design.shape import Item

FilterSign = Literal["contains", "=", "begins_with", ">=", "<=", "exists", "missing"]
FILTER_SIGNS: tuple[FilterSign, ...] = get_args(FilterSign)
_ABOUT_PRESENCE = ("exists", "missing")


@dataclass(frozen=True, slots=True)
class AttributeFilter:
    """What has to be true of one attribute of an item. Give it items as they are shown, or it tells what is hidden."""

    attribute: str
    sign: FilterSign
    text: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether everything is there that it takes."""
        return bool(self.attribute) and (bool(self.text) or self.sign in _ABOUT_PRESENCE)

    def keeps(self, item: Item) -> bool:
        """Whether an item is not left out."""
        value = item.get(self.attribute)
        if value is None or self.sign in _ABOUT_PRESENCE:
            return self.sign == ("missing" if value is None else "exists")
        shown = cell(value)
        if self.sign == "contains":
            return self.text.casefold() in shown.text.casefold()
        if self.sign == "begins_with":
            return shown.text.startswith(self.text)
        return self._compares(shown.text, is_number=shown.kind == "N")

    def _compares(self, stored: str, *, is_number: bool) -> bool:
        left: Decimal | str = stored
        right: Decimal | str | None = self.text
        if is_number:
            left, right = Decimal(stored), _number(self.text)
        if right is None:
            return False
        if self.sign == "=":
            return left == right
        return left >= right if self.sign == ">=" else left <= right  # type: ignore[operator]


def _number(text: str) -> Decimal | None:
    try:
        found = Decimal(text.replace(",", ""))
    except InvalidOperation:
        return None
    return found if found.is_finite() else None
