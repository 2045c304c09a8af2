"""Amounts of money as they are shown."""

from __future__ import annotations

from decimal import Decimal

_CENT, _LEAST = Decimal("0.01"), Decimal("0.000001")


def money(amount: Decimal) -> str:
    """Two digits after the point; below a cent the first two that are not nothing."""
    if amount >= _CENT or not amount:
        return f"{amount:,.2f}" if amount else "0"
    if amount < _LEAST:
        return f"< {_LEAST}"
    return f"{amount:.{1 - amount.adjusted()}f}"
