"""Prices, as data with a date."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from importlib import resources
from typing import Any

from hansang.errors import SettingsError

HOURS_A_MONTH = 730
SECONDS_A_MONTH = HOURS_A_MONTH * 3600
_MILLION = 1_000_000
_GIGABYTE = 1024**3
_UTILISATION = Decimal("0.7")
"""How full AWS's auto scaling lets provisioned units get unless told otherwise."""


@dataclass(frozen=True, slots=True)
class Prices:
    """What units cost in one region, and when that was looked up."""

    region: str
    as_of: str
    currency: str
    million_reads: Decimal
    million_writes: Decimal
    note: str = ""
    read_hour: Decimal | None = None
    write_hour: Decimal | None = None
    """What a provisioned unit costs in an hour; None where the list of prices does not say."""
    gigabyte_month: Decimal | None = None

    def monthly(self, read: float, write: float, rate: float) -> Decimal:
        """The money of a month for questions of these units at this many a second."""
        return self.on_demand(read, write) * Decimal(str(rate)) * SECONDS_A_MONTH

    def on_demand(self, read: float, write: float) -> Decimal:
        """The money for these units, on demand."""
        once = Decimal(str(read)) * self.million_reads + Decimal(str(write)) * self.million_writes
        return once / _MILLION

    def provisioned(
        self, read_rate: float, write_rate: float, hours: float = HOURS_A_MONTH
    ) -> Decimal | None:
        """The money of so many hours for one table or index with units for this many a second, at least one each."""
        if self.read_hour is None or self.write_hour is None:
            return None
        once = _units(read_rate) * self.read_hour + _units(write_rate) * self.write_hour
        return once * Decimal(str(hours))

    def storage(self, size_bytes: int) -> Decimal | None:
        """The money of a month for keeping this many bytes."""
        return None if self.gigabyte_month is None else self.gigabyte_month * size_bytes / _GIGABYTE


def _units(rate: float) -> int:
    return max(1, math.ceil(Decimal(str(rate)) / _UTILISATION))


def regions(text: str | None = None) -> tuple[str, ...]:
    """The regions that there are prices for."""
    return tuple(json.loads(_text(text))["regions"])


def _text(text: str | None) -> str:
    if text is not None:
        return text
    return resources.files("hansang.blueprint").joinpath("prices.json").read_text(encoding="utf-8")


def prices(region: str, text: str | None = None) -> Prices:
    """The prices of a region, from the file that comes with Hansang or from another of its form."""
    try:
        document = json.loads(_text(text))
        known: Mapping[str, Any] = document["regions"]
        if region not in known:
            raise SettingsError(f"No prices are known for {region}. Regions with prices: {', '.join(known)}.")
        return _of(region, document, known[region])
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
        *(
            Decimal(given[name]) if name in given else None
            for name in ("read_hour", "write_hour", "gigabyte_month")
        ),
    )
