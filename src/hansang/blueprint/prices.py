"""Prices, as data with a date."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from importlib import resources
from typing import Any

from hansang.errors import SettingsError

SECONDS_A_MONTH = 730 * 3600
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Prices:
    """What units cost in one region, and when that was looked up."""

    region: str
    as_of: str
    currency: str
    million_reads: Decimal
    million_writes: Decimal
    note: str = ""

    def monthly(self, read: float, write: float, rate: float) -> Decimal:
        """The money of a month for questions of these units at this many a second."""
        once = Decimal(str(read)) * self.million_reads + Decimal(str(write)) * self.million_writes
        return once * Decimal(str(rate)) * SECONDS_A_MONTH / _MILLION


def prices(region: str, text: str | None = None) -> Prices:
    """The prices of a region, from the file that comes with Hansang or from another of its form."""
    if text is None:
        text = resources.files("hansang.blueprint").joinpath("prices.json").read_text(encoding="utf-8")
    try:
        document = json.loads(text)
        regions: Mapping[str, Any] = document["regions"]
        if region not in regions:
            raise SettingsError(f"There are no prices for {region}. There are some for {', '.join(regions)}.")
        return _of(region, document, regions[region])
    except (ValueError, KeyError, TypeError, InvalidOperation) as fault:
        raise SettingsError(f"The prices cannot be read: {fault}.") from fault


def _of(region: str, document: Mapping[str, Any], given: Mapping[str, Any]) -> Prices:
    return Prices(
        region,
        str(document["as_of"]),
        str(document["currency"]),
        Decimal(given["million_reads"]),
        Decimal(given["million_writes"]),
        str(given.get("note", "")),
    )
