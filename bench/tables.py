"""Plain tables."""

from __future__ import annotations

from collections.abc import Sequence


def figure(value: float | None) -> str:
    """A rate with three digits that mean something."""
    if value is None:
        return "–"
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"


def show(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows under columns: the first column to the left, the others to the right."""
    cells = [list(columns), *(list(row) for row in rows)]
    widths = [max(len(row[place]) for row in cells if place < len(row)) for place in range(len(columns))]
    print(f"\n{title}\n")
    for number, row in enumerate(cells):
        parts = [
            cell.rjust(widths[place]) if place else cell.ljust(widths[0]) for place, cell in enumerate(row)
        ]
        print("  ".join(parts).rstrip(), flush=True)
        if number == 0:
            print("  ".join("-" * width for width in widths))
