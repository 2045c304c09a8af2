"""The cost of a design, laid out: for people, and for programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal

from hansang.blueprint.capacity import Line, Load
from hansang.blueprint.prices import Prices

_HEAD = (
    "pattern",
    "asks",
    "bytes",
    "items",
    "answers",
    "read",
    "write",
    "in a transaction",
    "a second",
    "a month",
    "ceiling for one key",
)


def as_table(lines: Sequence[Line], load: Load, prices: Prices) -> str:
    """A plain table, its sum, and where the prices are from."""
    rows = [_HEAD, *(_row(line, load, prices) for line in lines)]
    widths = [max(len(row[at]) for row in rows) for at in range(len(_HEAD))]
    laid = ["  ".join(_cell(row, at, widths) for at in range(len(_HEAD))).rstrip() for row in rows]
    total = sum((money(line, load, prices) for line in lines), Decimal(0))
    return "\n".join(
        [laid[0], "─" * max(map(len, laid)), *laid[1:], "", *_notes(lines), _foot(total, prices)]
    )


def _cell(row: tuple[str, ...], at: int, widths: list[int]) -> str:
    """Names to the left, numbers to the right."""
    return row[at].ljust(widths[at]) if at in (0, 1, len(_HEAD) - 1) else row[at].rjust(widths[at])


def _row(line: Line, load: Load, prices: Prices) -> tuple[str, ...]:
    return (
        line.name,
        f"{line.operation} {line.source}",
        f"{line.size:,}",
        f"{line.items:,}",
        f"{line.answers:,}",
        f"{line.read:g}",
        f"{line.write:g}",
        "-" if line.in_transaction is None else f"{line.in_transaction:g}",
        f"{load.rate_of(line.name):g}",
        f"{money(line, load, prices):,.2f}",
        f"{line.ceiling:,.0f}/s of {line.narrow}",
    )


def _notes(lines: Sequence[Line]) -> list[str]:
    """What is to be known of filters: what they leave out is read all the same."""
    return [
        f"{line.name} filters: a whole page of 1 MB is counted, all of which is read. If it is less, say how many "
        f"items are read for one answered: --read-of {line.name}=N."
        for line in lines
        if line.reads_page
    ]


def _foot(total: Decimal, prices: Prices) -> str:
    note = f" ({prices.note})" if prices.note else ""
    return (
        f"{total:,.2f} {prices.currency} a month of 730 hours in {prices.region}, at on-demand prices of "
        f"{prices.as_of}{note}; storage, streams and backups not counted."
    )


def money(line: Line, load: Load, prices: Prices) -> Decimal:
    return prices.monthly(line.read, line.write, load.rate_of(line.name))


def as_json(lines: Sequence[Line], load: Load, prices: Prices) -> str:
    """The same in a form for programs; money as text, so that it stays exact."""
    document = {
        "region": prices.region,
        "as_of": prices.as_of,
        "currency": prices.currency,
        "patterns": [_plain(line, load, prices) for line in lines],
    }
    return json.dumps(document, ensure_ascii=False, indent=2)


def _plain(line: Line, load: Load, prices: Prices) -> dict[str, str | int | float | None]:
    return {
        "name": line.name,
        "operation": line.operation,
        "source": line.source,
        "bytes": line.size,
        "items": line.items,
        "answers": line.answers,
        "read_units": line.read,
        "write_units": line.write,
        "transaction_units": line.in_transaction,
        "reads_whole_page": line.reads_page,
        "per_second": load.rate_of(line.name),
        "per_month": str(money(line, load, prices).quantize(Decimal("0.01"))),
        "ceiling_per_second": round(line.ceiling, 1),
        "ceiling_of": line.narrow,
    }
